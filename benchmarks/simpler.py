"""What simplifying a program, and hardening its ifs, costs in F1.

    python benchmarks/simpler.py --seeds 5

For each task a program as searches find it, and one with an ``if``, trained with each seed; then
simplified and hardened on the validation data, and compared on the test data.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import sqrt
from statistics import mean, stdev

from search_tasks import TASKS, Setting, available

import nearstar as ns

_PAIR = (
    "mapprefix (fun x_t. CentredWindowAverage11(add(AngleAffine(x_t), DistanceAffine(x_t)))) x",
    "map (fun x_t. if DistanceAffine(x_t) > 0 then AngleAffine(x_t) else VelocityAffine(x_t)) x",
)
PROGRAMS = {
    "hidden-rule": _PAIR,
    "social": _PAIR,
    "other": _PAIR,
    "aggression": _PAIR,
    "ballhandler": (
        "map (fun x_t. multiply(add(BallAffine(x_t), OffenseAffine(x_t)), "
        "add(BallAffine(x_t), OffenseAffine(x_t)))) x",
        "map (fun x_t. if BallAffine(x_t) > 0 then OffenseAffine(x_t) else OffenseAffine(x_t)) x",
    ),
    "bouts": (
        "fold (fun x_t. NoseAffine(x_t)) c x",
        "fold (fun x_t. if DistanceAffine(x_t) > 0 then NoseAffine(x_t) "
        "else VelocityAffine(x_t)) c x",
    ),
}
LOSSES = (0.0, 0.005, 0.02)


def trained(setting: Setting, text: str, seed: int) -> ns.Model:
    """The model of a program, trained with nearstar's own settings."""
    task = ns.Task(setting.train, setting.valid)
    budget = replace(setting.budget(paper=False), restarts=3)
    program = ns.parse(text, setting.domain, task.signature()).program
    found = ns.train(program, task, budget, seed)
    return ns.Model.of(found, setting.domain, setting.train.class_names)


def measured(setting: Setting, text: str, seed: int) -> Iterator[tuple[str, float, float, str]]:
    """What was done, test F1 before and after, and what became of the program."""
    model = trained(setting, text, seed)
    before = model.evaluate(setting.test).f1
    for loss in LOSSES:
        simple = ns.simplify(model, setting.valid, loss=loss)
        became = f"{simple.weights_before} → {simple.weights_after} weights, {simple.digits} digits"
        yield f"simplified, loss {loss:g}", before, simple.model.evaluate(setting.test).f1, became
    if "if " in text:
        hard = ns.harden(model, setting.valid)
        after = hard.model.evaluate(setting.test).f1
        yield "hardened", before, after, f"β {hard.beta:g}"


def _error(values: Sequence[float]) -> float:
    return stdev(values) / sqrt(len(values)) if len(values) > 1 else 0.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--task", nargs="+", choices=list(TASKS), default=available())
    parser.add_argument("--seeds", type=int, default=5)
    args = parser.parse_args()
    for task in args.task:
        setting = TASKS[task]()
        for text in PROGRAMS[task]:
            print(f"\n{task}: {text}")
            rows: dict[str, list[tuple[float, float, str]]] = {}
            for seed in range(args.seeds):
                for what, before, after, became in measured(setting, text, seed):
                    rows.setdefault(what, []).append((before, after, became))
            for what, found in rows.items():
                changes = [after - before for before, after, _ in found]
                print(
                    f"  {what:22} test F1 {mean(before for before, *_ in found):.3f}, "
                    f"{mean(changes):+.4f} ± {_error(changes):.4f}   "
                    + "; ".join(became for *_, became in found),
                    flush=True,
                )


if __name__ == "__main__":
    main()
