"""What each switch beyond the search does for the quality of what is found.

    python benchmarks/quality.py --seconds 60 --seeds 5 --json out.json
    python benchmarks/quality.py --read out.json

A* as ``nearstar fit`` has it, with so many seconds of processor time for the trainings of each
search; all seeds on the same data. Differences are to the default with the same seed. Finals are of
the default's own searches, and their seconds come on top. ``--jobs`` searches go side by side.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from math import sqrt
from statistics import mean, stdev
from typing import Any

import numpy as np
from comparing import compare, options
from search_tasks import TASKS, Setting, available

import nearstar as ns
from nearstar.fit.resolve import read_class_weight, read_search

DEFAULT = "default"


def _plain(setting: Setting) -> ns.Budget:
    return ns.Budget.for_size(len(setting.train))


def _last(setting: Setting) -> ns.Budget:
    return replace(_plain(setting), select="last")


def _task_weights(setting: Setting) -> ns.Budget | None:
    """None where the task has none."""
    weights = setting.kind.class_weights
    if weights is None or len(set(weights)) == 1:
        return None
    return replace(_plain(setting), class_weights=weights)


def _balanced(setting: Setting) -> ns.Budget | None:
    names = setting.train.class_names
    if len(names) != 2:
        return None
    weights = read_class_weight("balanced", np.asarray(setting.train.labels), names)
    return replace(_plain(setting), class_weights=weights)


def _f1(setting: Setting) -> ns.Budget | None:
    return replace(_plain(setting), loss="f1") if setting.train.n_classes == 2 else None


BUDGETS: Mapping[str, Callable[[Setting], ns.Budget | None]] = {
    DEFAULT: _plain,
    "last parameters": _last,
    "the task's weights": _task_weights,
    "balanced weights": _balanced,
    "F1 loss": _f1,
}
"""How programs are trained in a search of each name; None where that makes no sense for a task."""
FINALISTS: Mapping[str, ns.Finalists] = {
    f"5 finalists, {longer} × as long, {restarts} × each": ns.Finalists(5, longer, restarts)
    for longer, restarts in ((4, 1), (1, 3), (4, 3))
}
"""Finals of the default's searches. Starts are at least as many as in the search."""
NAMES = (*BUDGETS, *FINALISTS)


@dataclass(frozen=True)
class Run:
    """What one variant gave with one seed."""

    task: str
    variant: str
    seed: int
    seconds: float
    """Processor time of all trainings."""
    trained: int
    program: str | None = None
    cost: float | None = None
    valid_f1: float | None = None
    test_f1: float | None = None


@cache
def _setting(task: str) -> Setting:
    return TASKS[task]()


def search(task: str, variant: str, seed: int, seconds: float) -> list[Run]:
    """Search with a budget; the default is followed by all finals."""
    setting = _setting(task)
    budget = BUDGETS[variant](setting)
    if budget is None:
        return []
    data = ns.Task(setting.train, setting.valid)
    training: dict[str, Any] = {"seed": seed, "budget": budget, "workers": 1, "progress": False}
    result = ns.learn(
        data,
        setting.domain,
        read_search("astar"),
        constraints=ns.Constraints.paper(setting.domain),
        limits=ns.Limits(engine_seconds=seconds),
        **training,
    )
    runs = [_run(task, variant, seed, result)]
    for name, finalists in FINALISTS.items() if variant == DEFAULT else ():
        merged = ns.final(data, setting.domain, result, finalists, **training)
        runs.append(_run(task, name, seed, merged))
    return runs


def _run(task: str, variant: str, seed: int, result: ns.Result) -> Run:
    again = (0.0, 0) if result.finals is None else _effort(result.finals)
    seconds, trained = (sum(pair) for pair in zip(_effort(result), again, strict=True))
    found = Run(task, variant, seed, seconds, int(trained))
    if result.best is None:
        return found
    setting, best = _setting(task), result.best.evaluation
    model = result.model(setting.domain, setting.train.class_names)
    return replace(
        found,
        program=ns.to_text(best.program),
        cost=best.path_cost,
        valid_f1=best.f1,
        test_f1=model.evaluate(setting.test).f1,
    )


def _effort(result: ns.Result) -> tuple[float, int]:
    return result.engine_seconds, result.trained


def _line(run: Run) -> str:
    scores = " ".join(
        "  –   " if value is None else f"{value:.4f}"
        for value in (run.cost, run.valid_f1, run.test_f1)
    )
    head = f"{run.task:12} {run.seed} {run.variant:36} {scores} {run.seconds:6.1f} s"
    return f"{head} {run.program or ''}"


# Tables


def print_tables(runs: list[dict[str, Any]]) -> None:
    """A table for each task, and the differences of all tasks."""
    tasks = list(dict.fromkeys(run["task"] for run in runs))
    for task in tasks:
        _print_task(task, [run for run in runs if run["task"] == task])
    if len(tasks) < 2:
        return
    print("\nall tasks: mean over tasks of the difference in test F1, and its standard error")
    for name in NAMES[1:]:
        found = [_difference(name, [r for r in runs if r["task"] == task]) for task in tasks]
        known = [each for each in found if each is not None]
        if known:
            errors = [error for _, error, _ in known if error is not None]
            error = sqrt(sum(e * e for e in errors)) / len(errors) if errors else None
            print(f"  {_with_error(mean(d for d, _, _ in known), error)}  {len(known)}  {name}")


def _print_task(task: str, runs: list[dict[str, Any]]) -> None:
    print(f"\n{task}: means over seeds; difference in test F1 to the default, ± standard error")
    print("  seeds  path cost  valid F1   test F1 ± sd      difference          seconds")
    for name in NAMES:
        own = [run for run in runs if run["variant"] == name and run["test_f1"] is not None]
        if not own:
            continue
        test = [run["test_f1"] for run in own]
        spread = f"{stdev(test):.3f}" if len(test) > 1 else "  –  "
        difference = None if name == DEFAULT else _difference(name, runs)
        shown = " " * 17 if difference is None else _with_error(*difference[:2])
        print(
            f"  {len(own):5}  {_mean(own, 'cost'):9.4f}  {_mean(own, 'valid_f1'):8.3f}   "
            f"{mean(test):.3f} ± {spread}    {shown}  {_mean(own, 'seconds'):8.1f}   {name}"
        )


def _difference(name: str, runs: list[dict[str, Any]]) -> tuple[float, float | None, int] | None:
    """Mean, standard error and number of the differences to the default with the same seed."""
    f1 = {(run["variant"], run["seed"]): run["test_f1"] for run in runs}
    pairs = [
        (own, usual)
        for (variant, seed), own in f1.items()
        if variant == name and own is not None and (usual := f1.get((DEFAULT, seed))) is not None
    ]
    if not pairs:
        return None
    each = [own - usual for own, usual in pairs]
    return mean(each), stdev(each) / sqrt(len(each)) if len(each) > 1 else None, len(each)


def _with_error(difference: float, error: float | None) -> str:
    return f"{difference:+.4f} ± " + ("  –   " if error is None else f"{error:.4f}")


def _mean(runs: list[dict[str, Any]], key: str) -> float:
    return float(mean(run[key] for run in runs))


def main() -> None:
    real = [name for name in available() if name != "hidden-rule"]
    parser = options(__doc__, real, seeds=5)
    parser.add_argument("--variant", nargs="+", choices=list(BUDGETS), default=list(BUDGETS))
    args = parser.parse_args()
    compare(args, args.variant, search, _line, print_tables)


if __name__ == "__main__":
    main()
