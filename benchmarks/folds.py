"""What programs with a fold gain by each of the settings that are made for them.

    python benchmarks/folds.py --programs 24 --task aggression bouts

Random programs with a fold are trained with nearstar's own settings, and with each of these as the
paper has it. Told are differences in validation error: above 0, the setting pays.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from math import sqrt
from statistics import mean, stdev
from typing import Any

import numpy as np
from search_tasks import TASKS, Setting, available

import nearstar as ns
from nearstar.language.canonical import canonical
from nearstar.language.grammar import Grammar
from nearstar.language.program import Program, applied
from nearstar.search.counting import Counting

SWITCHES: dict[str, dict[str, Any]] = {
    "as it is": {},
    "no clipping": {"clip": None},
    "the rate of other programs": {"fold_rate": None},
    "the steps of other programs": {"fold_steps": 1},
    "no memory at first": {"fold_memory": 0.0},
    "all four, as the paper": {
        **{"clip": None, "fold_rate": None},
        **{"fold_steps": 1, "fold_memory": 0.0},
    },
}
MOST_RULES = 7
_DRAWN = 1000
"""So many are drawn for each that is wanted, at most: a language may have few with a fold."""


def folding(grammar: Grammar, number: int) -> Iterator[Program]:
    """Different programs with a fold, drawn uniformly from those of some number of rules."""
    random, counting = np.random.default_rng(0), Counting(grammar)
    seen: set[Program] = set()
    least = int(grammar.least_rules[grammar.root])
    for _ in range(_DRAWN * number):
        if len(seen) == number:
            return
        rules = int(random.integers(least, MOST_RULES + 1))
        program = canonical(counting.draw(grammar.root, rules, random), grammar)
        if program not in seen and any(node.operation.name == "fold" for node in applied(program)):
            seen.add(program)
            yield program


def measure(setting: Setting, number: int, jobs: int) -> None:
    task, usual = setting.task(paper=False), setting.budget(paper=False)
    programs = list(folding(setting.domain.grammar(task.signature()), number))

    def errors(changes: dict[str, Any]) -> list[float]:
        budget = replace(usual, **changes)
        with ThreadPoolExecutor(jobs) as pool:
            return list(pool.map(lambda each: ns.train(each, task, budget).error, programs))

    found = {name: errors(changes) for name, changes in SWITCHES.items()}
    first = found["as it is"]
    print(f"{setting.kind.name}, {len(programs)} programs: mean error {mean(first):.3f}")
    for name, others in list(found.items())[1:]:
        more = [other - own for own, other in zip(first, others, strict=True)]
        error, worse = stdev(more) / sqrt(len(more)), sum(each > 0.002 for each in more)
        better = sum(each < -0.002 for each in more)
        print(f"  {mean(more):+.4f} ± {error:.4f}  {worse:3} worse {better:3} better  {name}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--task", nargs="+", choices=list(TASKS), default=available())
    parser.add_argument("--programs", type=int, default=24)
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    args = parser.parse_args()
    if args.programs < 2:
        parser.error("--programs must be at least 2")
    for name in args.task:
        measure(TASKS[name](), args.programs, args.jobs)


if __name__ == "__main__":
    main()
