"""How searches compare: path cost against time, NEAR against baselines, each switch by itself.

    python benchmarks/search.py --task hidden-rule --seconds 20 --seeds 3
    python benchmarks/search.py --task social aggression ballhandler bouts --json out.json
    python benchmarks/search.py --depth 8 12 16 --weight 1 .2 --contestant A* IDS-BB genetic

Each run has as many seconds of processor time for its trainings, so that a busy machine changes
nothing; ``--jobs`` runs go side by side. Runs of one task and seed are compared with each other.
``--depth`` and ``--weight`` make several tasks of one: with so many rules at most, and with that λ.
``--read out.json`` prints the tables of an earlier measurement again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Any

from comparing import compare, options
from search_tables import print_tables
from search_tasks import TASKS, Setting, available

import nearstar as ns

Make = Callable[[Setting], Any]


@dataclass(frozen=True)
class Contestant:
    """An algorithm with settings, and how programs are trained for it."""

    make: Make
    published: bool = False
    """Trained to the letter of the paper."""


@dataclass(frozen=True)
class Restarted:
    """A search that begins anew, with another seed, until time is over."""

    algorithm: Any

    def search(self, space: Any, seed: int) -> Any:
        again = 0
        while True:
            yield from self.algorithm.search(space, seed + 1000 * again)
            again += 1


def default(**changes: Any) -> Contestant:
    return Contestant(lambda setting: ns.AStar(**changes))


def paper(**changes: Any) -> Contestant:
    """The published A*, with one switch changed, trained as the default is."""
    return Contestant(lambda setting: ns.AStar.paper(setting.domain, **changes))


def published(kind: Any, *, training: bool = True) -> Contestant:
    """A search as published; and unless ``training`` is False, its training, too."""
    return Contestant(lambda setting: kind.paper(setting.domain), published=training)


def _network(setting: Setting) -> ns.RNN:
    return ns.RNN.paper(setting.domain, setting.kind.longer * len(setting.train))


BASELINES: dict[str, Contestant] = {
    "enumeration": Contestant(lambda setting: ns.Enumeration(max_programs=1_000_000)),
    "Monte Carlo": Contestant(lambda setting: Restarted(ns.MonteCarlo.sized(setting.domain))),
    "MCTS": Contestant(lambda setting: Restarted(ns.MCTS.sized(setting.domain))),
    "genetic": Contestant(lambda setting: Restarted(ns.Genetic.sized(setting.domain))),
    "RNN": Contestant(_network),
}
PAPER: dict[str, Contestant] = {
    "A* paper": published(ns.AStar),
    "IDS-BB paper": published(ns.IDSBB),
    "enumeration paper": published(ns.Enumeration),
    "Monte Carlo paper": published(ns.MonteCarlo),
    "MCTS paper": published(ns.MCTS),
    "genetic paper": published(ns.Genetic),
    "RNN paper": Contestant(_network, published=True),
}
NEAR: dict[str, Contestant] = {
    "A*": default(),
    "IDS-BB": Contestant(lambda setting: ns.IDSBB()),
    "A* paper, our training": paper(),
    "IDS-BB paper, our training": published(ns.IDSBB, training=False),
}
SWITCHES: dict[str, Contestant] = {
    **{
        f"A* without {name}": default(**{name: off})
        for name, off in (
            *(("probes", False), ("correct", False), ("race", False), ("exploration", 0)),
            *(("lazy", False), ("pathmax", False), ("closing_cost", False)),
            *(("deduplicate", False), ("early_stop", False), ("correction", 0.0)),
        )
    },
    "A* with warm_start": default(warm_start=True),
    "A* with margin 0": default(margin=0.0),
    "A* with margin .05": default(margin=0.05),
    "A* with width 1": default(width=1),
    **{
        f"A* paper with {name}": paper(**{name: on})
        for name, on in (
            *(("lazy", True), ("pathmax", True), ("closing_cost", True), ("deduplicate", True)),
            *(("correction", 1.0), ("max_children", None), ("frontier", None)),
            *(("probes", True), ("correct", True), ("race", True), ("margin", None)),
        )
    },
}
GROUPS = {"near": NEAR, "paper": PAPER, "baselines": BASELINES, "switches": SWITCHES}
CONTESTANTS = {name: each for group in GROUPS.values() for name, each in group.items()}


@dataclass(frozen=True)
class Problem:
    """A task, and the programs that are looked for: how large at most, and λ."""

    task: str
    max_depth: int | None = None
    """As published, if it is None."""
    weight: float = 1.0

    def __str__(self) -> str:
        depth = "" if self.max_depth is None else f", depth {self.max_depth}"
        return self.task + depth + ("" if self.weight == 1 else f", λ = {self.weight:g}")


@cache
def _setting(task: str) -> Setting:
    return TASKS[task]()


@cache
def _task(task: str, standardise: bool) -> ns.Task:
    setting = _setting(task)
    return ns.Task(setting.train, setting.valid, standardise=standardise)


@dataclass(frozen=True)
class Run:
    """What one run gave."""

    task: str
    contestant: str
    seed: int
    trained: int
    engine_seconds: float
    seconds: float
    curve: list[tuple[float, int, float]]
    """Engine seconds, programs trained and path cost at each new best."""
    cost: float | None
    program: str | None
    valid_f1: float | None
    valid_accuracy: float | None
    test_f1: float | None
    test_accuracy: float | None
    gap: float | None
    epsilon: float | None
    """The measured ε: the largest excess of h over the error of a program that completes it."""
    correlation: float | None
    ended: str


def search(problem: Problem, contestant: str, seed: int, seconds: float) -> list[Run]:
    """Let a contestant search for so many seconds."""
    task, chosen = problem.task, CONTESTANTS[contestant]
    setting = _setting(task)
    raw = chosen.published and not setting.domain.paper.get("standardise", True)
    result = ns.learn(
        _task(task, not raw),
        setting.domain,
        chosen.make(setting),
        seed=seed,
        budget=setting.published() if chosen.published else setting.ours(),
        limits=ns.Limits(engine_seconds=seconds),
        constraints=ns.Constraints(max_depth=problem.max_depth or setting.max_depth),
        weight=problem.weight,
        single=not chosen.published,
        workers=1,
        progress=False,
    )
    best = result.best
    test = (
        result.model(setting.domain, setting.train.class_names).evaluate(setting.test)
        if best
        else None
    )
    curve = [(p.engine_seconds, p.trained, p.best) for p in result.trace if p.best is not None]
    found = Run(
        task=str(problem),
        contestant=contestant,
        seed=seed,
        trained=result.trained,
        engine_seconds=result.engine_seconds,
        seconds=result.seconds,
        curve=[point for i, point in enumerate(curve) if i == 0 or point[2] < curve[i - 1][2]],
        cost=best.evaluation.path_cost if best else None,
        program=ns.to_text(best.evaluation.program) if best else None,
        valid_f1=best.evaluation.f1 if best else None,
        valid_accuracy=best.evaluation.accuracy if best else None,
        test_f1=test.f1 if test else None,
        test_accuracy=test.accuracy if test else None,
        gap=result.gap,
        epsilon=result.epsilon,
        correlation=result.audit.correlation if result.audit else None,
        ended=result.ended,
    )
    return [found]


def _line(run: Run) -> str:
    cost = "   –  " if run.cost is None else f"{run.cost:.4f}"
    return (
        f"{run.task:28} {run.seed} {run.contestant:28} {cost} {run.trained:5} trained "
        f"{run.engine_seconds:6.1f} s {run.ended:10} {run.program or ''}"
    )


def main() -> None:
    parser = options(__doc__, available(), seeds=3)
    parser.add_argument("--group", nargs="+", choices=list(GROUPS), default=list(GROUPS))
    parser.add_argument("--contestant", nargs="+", choices=list(CONTESTANTS), help="only these")
    parser.add_argument("--depth", nargs="+", type=int, default=[None], help="most rules")
    parser.add_argument("--weight", nargs="+", type=float, default=[1.0], help="λ")
    args = parser.parse_args()
    args.task = [Problem(*each) for each in product(args.task, args.depth, args.weight)]
    names = args.contestant or [name for group in args.group for name in GROUPS[group]]
    compare(args, names, search, _line, print_tables)


if __name__ == "__main__":
    main()
