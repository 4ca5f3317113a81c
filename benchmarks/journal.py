"""What it costs that runs survive: the journal's share of a search, its size, how fast it resumes.

    python benchmarks/journal.py share            real searches: processor time outside of trainings
    python benchmarks/journal.py day              100,000 evaluations, with trainings left out

Shares are ratios of processor time within one run, so that a busy machine changes little.
"""

from __future__ import annotations

import argparse
import json
import resource
import tempfile
import time
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from search_tasks import TASKS, available

import nearstar as ns
from nearstar.fit.resolve import SEARCHES
from nearstar.language.parameters import layout
from nearstar.language.program import Program
from nearstar.language.text import to_text
from nearstar.run import Limits, drive
from nearstar.run.store import JOURNAL
from nearstar.run.store.identity import Identity
from nearstar.run.store.journaled_run import JournaledRun, journaled
from nearstar.run.trainer import Trainer, compile_engine
from nearstar.search.space import Space
from nearstar.training.starting import initial
from nearstar.util.interrupt import Stop
from nearstar.util.seeds import seed_for


def share(trainings: int) -> None:
    """The processor time of real searches: trainings, journal, and all else."""
    compile_engine()
    print("| task | s | trainings | search, driver | journal | bytes a training | resume, s |")
    print("|---|---|---|---|---|---|---|")
    for name in available():
        setting = TASKS[name]()
        task = ns.Task(setting.train, setting.valid)
        settings: dict[str, Any] = {"budget": setting.ours(), "progress": False}
        settings["limits"] = Limits(trainings=trainings)
        with tempfile.TemporaryDirectory() as folder, timed() as journal:
            began = time.process_time()
            result = ns.learn(
                task, setting.domain, SEARCHES["astar"](), run=folder, workers=1, **settings
            )
            whole = time.process_time() - began
            began = time.monotonic()
            ns.learn(task, setting.domain, SEARCHES["astar"](), run=folder, **settings)
            resumed = time.monotonic() - began
            size = (Path(folder) / JOURNAL).stat().st_size
        rest = whole - result.engine_seconds - journal[0]
        print(
            f"| {name} | {whole:.1f} | {result.engine_seconds / whole:.2%} | {rest / whole:.2%} "
            f"| {journal[0] / whole:.2%} | {size / result.trained:,.0f} | {resumed:.2f} |",
            flush=True,
        )


@contextmanager
def timed() -> Any:
    """The processor time that the journal takes, in the threads that write to it."""
    spent = [0.0]

    def counted(method: Callable[..., Any]) -> Callable[..., Any]:
        def timing(*arguments: Any) -> Any:
            began = time.thread_time()
            try:
                return method(*arguments)
            finally:
                spent[0] += time.thread_time() - began

        return timing

    before = {name: getattr(JournaledRun, name) for name in ("keep", "__call__")}
    for name, method in before.items():
        setattr(JournaledRun, name, counted(method))
    try:
        yield spent
    finally:
        for name, method in before.items():
            setattr(JournaledRun, name, method)


_LOOKS = 15
"""Looks at the validation data of a whole training."""


class Guessing(Trainer):
    """In place of trainings: errors by chance, with as many parameters as there would be."""

    trained: ClassVar[int] = 0

    def train(
        self,
        program: Program,
        start: ns.Trained | None = None,
        goal: float | None = None,
        cutoffs: tuple[float, ...] = (),
        probe: bool = False,
        stop: Stop | None = None,
    ) -> ns.Trained:
        Guessing.trained += 1
        chance = seed_for(self.seed, to_text(program))
        wrong = 200 + chance % 600
        blocks = layout(program, self.budget.units)
        numbers = np.asarray(initial(blocks, chance), np.float64)
        metrics = ns.Metrics.from_confusion([[1000 - wrong, wrong], [wrong, 1000 - wrong]])
        return ns.Trained(
            program=program,
            theta=numbers,
            scale=self.task.scale,
            units=self.budget.units,
            error=metrics.error,
            metrics=metrics,
            losses=tuple(numbers[:_LOOKS].tolist()),
            stages=(metrics.error,) * len(self.budget.stages_of(program)),
            cut=False,
            step=1,
            diverged=False,
            seconds=0.8,
        )


def day(evaluations: int, search: str) -> list[dict[str, Any]]:
    """A search of a day, 100,000 trainings of .86 s, and what it takes to resume it at its end."""
    domain = ns.Domain.built_in("crim13")
    train, valid, _ = ns.two_animals_split(seed=0)
    task = ns.Task(train, valid)
    trainer = Guessing(task, ns.Budget.paper(domain, len(train)))
    space = Space(domain.grammar(task.signature()))
    algorithm = SEARCHES[search]()
    identity = Identity.of(trainer, domain, algorithm)
    compile_engine()
    measured = []
    with tempfile.TemporaryDirectory() as folder:
        for what in ("search", "resume"):
            before, began, Guessing.trained = memory(), time.monotonic(), 0
            with journaled(folder, identity, trainer, {}) as run:
                opened = time.monotonic() - began
                result = drive(
                    algorithm.search(space, 0),
                    trainer,
                    space,
                    limits=Limits(trainings=evaluations),
                    memory=run,
                    listeners=[run],
                )
            measured.append(
                {
                    "what": what,
                    "evaluations": len(result.evaluations),
                    "trained": Guessing.trained,
                    "errors": hash(tuple(each.error for each in result.evaluations)),
                    "seconds": round(time.monotonic() - began, 1),
                    "to_open": round(opened, 1),
                    "memory_before_mb": round(before),
                    "memory_mb": round(memory()),
                    "journal_mb": round((Path(folder) / JOURNAL).stat().st_size / 1e6),
                }
            )
            del result
    return measured


def memory() -> float:
    """The most memory that the process had so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("share", "day"))
    parser.add_argument("--trainings", type=int, default=100)
    parser.add_argument("--evaluations", type=int, default=100_000)
    parser.add_argument("--search", default="astar", choices=list(SEARCHES))
    given = parser.parse_args()
    if given.what == "share":
        share(given.trainings)
    else:
        for each in day(given.evaluations, given.search):
            print(json.dumps(each))


if __name__ == "__main__":
    main()
