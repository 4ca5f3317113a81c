"""What workers are good for: how much faster a search gets, and what it costs to reach them.

    python benchmarks/workers.py threads       the same real search on 1 and 2 threads, in turns
    python benchmarks/workers.py overhead      ms and bytes for a program that takes no training
    python benchmarks/workers.py rounds        programs in a round, and what many workers would do

The last one trains on this machine, and works out from the time of each training how long rounds
would take with more workers: each takes the next program of the round when it is free, and the
driver's own time for each program comes on top.
"""

from __future__ import annotations

import argparse
import heapq
import pickle
import statistics
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from search_tasks import TASKS, available

import nearstar as ns
from nearstar.fit.resolve import SEARCHES
from nearstar.run import Evaluated, Event, Result, Round
from nearstar.run.trainer import Trainer, compile_engine

REPEATS = 3
WORKERS = (2, 4, 8, 16, 32, 64)
PAPERS = ("social", "bouts", "ballhandler")
"""Tasks that stand in for the paper's: CRIM13, Fly-vs-Fly and basketball."""
USUAL: dict[str, Callable[[ns.Domain], Any]] = {
    **{name: lambda domain, make=make: make() for name, make in SEARCHES.items() if name != "rnn"},
    "astar, width 16": lambda domain: ns.AStar(persist=True, width=16),
    "astar, width 64": lambda domain: ns.AStar(persist=True, width=64),
}
PUBLISHED: dict[str, Callable[[ns.Domain], Any]] = {
    "astar": ns.AStar.paper,
    "idsbb": ns.IDSBB.paper,
    "enumeration": ns.Enumeration.paper,
    "montecarlo": ns.MonteCarlo.paper,
    "mcts": ns.MCTS.paper,
    "genetic": ns.Genetic.paper,
}


@dataclass
class Timed:
    """A search, with the seconds of each training by rounds."""

    result: Result
    rounds: list[list[float]] = field(default_factory=list)

    @property
    def driver(self) -> float:
        """Seconds for each program besides its training, if there was one thread."""
        return (self.result.seconds - self.result.engine_seconds) / self.result.trained

    def speedup(self, workers: int, driver: float) -> float:
        """How much faster it would be than with one."""
        alone, together = (
            sum(_makespan(each, number) + driver * len(each) for each in self.rounds)
            for number in (1, workers)
        )
        return alone / together


def _makespan(seconds: Iterable[float], workers: int) -> float:
    """When all are done, if each worker takes the next one as soon as it is free."""
    free = [0.0] * workers
    for each in seconds:
        heapq.heapreplace(free, free[0] + each)
    return max(free)


def searched(task: ns.Task, domain: ns.Domain, algorithm: Any, **settings: Any) -> Timed:
    """Search, and note the time of each training."""
    rounds: list[list[float]] = [[]]

    def listen(event: Event) -> None:
        if isinstance(event, Evaluated):
            rounds[-1].append(event.evaluation.seconds)
        elif isinstance(event, Round):
            rounds.append([])

    result = ns.learn(task, domain, algorithm, listeners=[listen], progress=False, **settings)
    return Timed(result, [each for each in rounds if each])


def threads(trainings: int) -> None:
    """How much faster 2 threads are than 1, and what keeps them from being twice as fast.

    Processes that do nothing but count show how much the machine has to give at that time.
    """
    heads = ("task", "trainings", "2 threads", "2 processes that count", "2 ideal workers")
    print(f"| {' | '.join((*heads, 'processor time', 'driver, ms each'))} |")
    print("|---" * 7 + "|")
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        for name in (each for each in PAPERS if each in available()):
            setting = TASKS[name]()
            task = ns.Task(setting.train, setting.valid)
            one, two, counted = list[Timed](), list[Timed](), list[float]()
            for _ in range(REPEATS):
                for workers, timed in ((1, one), (2, two)):
                    timed.append(
                        searched(
                            *(task, setting.domain, SEARCHES["astar"]()),
                            budget=setting.ours(),
                            constraints=ns.Constraints(max_depth=setting.max_depth),
                            limits=ns.Limits(trainings=trainings),
                            workers=workers,
                        )
                    )
                    counted.append(_two_at_a_time(pool))
            faster = _ratio(one, two, lambda timed: timed.result.seconds)
            dearer = _ratio(two, one, lambda timed: timed.result.engine_seconds)
            ideal = statistics.median(timed.speedup(2, timed.driver) for timed in one)
            driver = statistics.median(timed.driver for timed in one)
            print(
                f"| {name} | {one[0].result.trained} | {faster:.2f} "
                f"| {statistics.median(counted):.2f} | {ideal:.2f} | {dearer:.2f} "
                f"| {1000 * driver:.1f} |",
                flush=True,
            )


def _two_at_a_time(pool: Executor) -> float:
    """How much faster two processes count than one."""
    seconds = list[float]()
    for number in (1, 2):
        began = time.perf_counter()
        for each in [pool.submit(_count, 30_000_000) for _ in range(number)]:
            each.result()
        seconds.append(time.perf_counter() - began)
    return 2 * seconds[0] / seconds[1]


def _count(most: int) -> None:
    for _ in range(most):
        pass


def _ratio(these: list[Timed], those: list[Timed], of: Callable[[Timed], float]) -> float:
    return statistics.median(map(of, these)) / statistics.median(map(of, those))


def overhead(programs: int) -> None:
    """What a program costs where its training takes next to no time."""
    from distributed import LocalCluster

    X = np.random.default_rng(0).normal(size=(8, 4, 19)).astype(np.float32)
    task = ns.Task(ns.Sequences.from_arrays(X, X[..., 0] > 0))
    budget = ns.Budget(neural_steps=8, symbolic_steps=8)
    domain = ns.Domain.built_in("crim13")
    compile_engine()
    with (
        ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool,
        LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=":0") as cluster,
    ):
        places: dict[str, dict[str, Any]] = {
            "a thread": {"workers": 1},
            "a process": {"workers": pool},
            "Dask": {"cluster": cluster},
        }
        print("| | programs in a round | ms each | over a thread | bytes each, over the network |")
        print("|---|---|---|---|---|")
        for width in (1, 4, 64):
            times: dict[str, list[float]] = {name: [] for name in places}
            sent: dict[str, float] = {}
            for repeat in range(REPEATS + 1):
                for name, where in places.items():
                    before = _sent_locally()
                    timed = searched(
                        *(task, domain, ns.Enumeration(max_programs=programs, width=width)),
                        **{"budget": budget, **where},
                    )
                    sent[name] = (_sent_locally() - before) / programs
                    if repeat:  # in the first one, engines are loaded
                        times[name].append(1000 * timed.result.seconds / timed.result.trained)
            usual = statistics.median(times["a thread"])
            for name, each in times.items():
                over = "" if name == "a thread" else f"{statistics.median(each) - usual:.1f}"
                travels = f"{sent[name]:.0f}" if name == "Dask" else ""
                print(f"| {name} | {width} | {statistics.median(each):.1f} | {over} | {travels} |")
    for name in available():
        setting = TASKS[name]()
        trainer = Trainer(ns.Task(setting.train, setting.valid), setting.ours())
        print(f"{name}: the data are {len(pickle.dumps(trainer)) / 1e6:.1f} MB for each worker")


def _sent_locally() -> int:
    """Bytes that went through this machine's loopback so far."""
    for line in Path("/proc/net/dev").read_text().splitlines():
        name, _, counts = line.partition(":")
        if name.strip() == "lo":
            return int(counts.split()[0])
    return 0


def rounds(seconds: float, driver: float) -> None:
    """How many programs searches ask for at a time, and what more workers would make of it."""
    heads = ("task", "search", "settings", "trainings", "least", "median", "mean", "most")
    print(f"| {' | '.join((*heads, *(f'×{workers}' for workers in WORKERS), 'best'))} |")
    print("|---" * (len(heads) + len(WORKERS) + 1) + "|")
    for name in (each for each in PAPERS if each in available()):
        setting = TASKS[name]()
        task = ns.Task(setting.train, setting.valid)
        for published, searches in ((False, USUAL), (True, PUBLISHED)):
            for algorithm, make in searches.items():
                timed = searched(
                    *(task, setting.domain, make(setting.domain)),
                    budget=setting.published() if published else setting.ours(),
                    constraints=ns.Constraints(max_depth=setting.max_depth),
                    limits=ns.Limits(engine_seconds=seconds),
                )
                cells = (name, algorithm, "paper's" if published else "usual", *_row(timed, driver))
                print(f"| {' | '.join(map(str, cells))} |", flush=True)


def _row(timed: Timed, driver: float) -> Iterator[Any]:
    whole = timed.rounds[:-1] or timed.rounds  # the last one was cut short by the limit
    sizes = [len(each) for each in whole]
    yield timed.result.trained
    yield from (min(sizes), statistics.median(sizes), f"{statistics.mean(sizes):.1f}", max(sizes))
    yield from (f"{timed.speedup(workers, driver):.1f}" for workers in WORKERS)
    yield "" if timed.result.best is None else f"{timed.result.best.evaluation.path_cost:.3f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("threads", "overhead", "rounds"))
    parser.add_argument("--trainings", type=int, default=150, help="of each search on threads")
    parser.add_argument("--programs", type=int, default=256, help="of each search for overhead")
    parser.add_argument("--seconds", type=float, default=40, help="of training, for rounds")
    parser.add_argument("--driver", type=float, default=4, help="ms of the driver, for rounds")
    given = parser.parse_args()
    if given.what == "threads":
        threads(given.trainings)
    elif given.what == "overhead":
        overhead(given.programs)
    else:
        rounds(given.seconds, given.driver / 1000)


if __name__ == "__main__":
    main()
