"""Tables of a comparison of searches."""

from __future__ import annotations

import math
from collections.abc import Iterable
from statistics import mean, median
from typing import Any

Run = dict[str, Any]
REFERENCE = "A* paper"


def print_tables(runs: list[Run]) -> None:
    """Print, for each task, what each contestant reached; then how long to the reference's cost."""
    for task in dict.fromkeys(run["task"] for run in runs):
        _print_task(task, [run for run in runs if run["task"] == task])
    _print_means(runs)
    for reference in (REFERENCE, "A* paper, our training"):
        if any(run["contestant"] == reference for run in runs):
            _print_times(reference, runs)


def _print_means(runs: list[Run]) -> None:
    """Print path cost and test F1 of all, in the mean over seeds, with the best in bold, as tables
    for a page: one for each depth and λ."""
    for problem in dict.fromkeys(_problem(run)[1] for run in runs):
        own = [run for run in runs if _problem(run)[1] == problem]
        tasks = list(dict.fromkeys(_problem(run)[0] for run in own))
        names = list(dict.fromkeys(run["contestant"] for run in own))
        columns = [
            _column([run for run in own if _problem(run)[0] == task], names) for task in tasks
        ]
        print(f"\nmeans over seeds{problem}: path cost (test F1)\n")
        print("| | " + " | ".join(tasks) + " |\n|---" + "|---" * len(tasks) + "|")
        for name, cells in zip(names, zip(*columns, strict=True), strict=True):
            print(f"| {name} | " + " | ".join(cells) + " |")


def _problem(run: Run) -> tuple[str, str]:
    """The task of a run, and what else was asked: depth and λ."""
    task, comma, rest = run["task"].partition(",")
    return task, comma + rest


def _column(runs: list[Run], names: list[str]) -> list[str]:
    """Path cost and test F1 of each on one task; no program counts as one that is always wrong."""
    costs, scores = (
        [mean(_value(run, key) for run in runs if run["contestant"] == name) for name in names]
        for key in ("cost", "test_f1")
    )
    return [
        f"{_bold(cost, min(costs))} ({_bold(score, max(scores))})"
        for cost, score in zip(costs, scores, strict=True)
    ]


def _value(run: Run, key: str) -> float:
    return {"cost": 1.0, "test_f1": 0.0}[key] if run[key] is None else run[key]


def _bold(value: float, best: float) -> str:
    text, least = (f"{each:.3f}".removeprefix("0") for each in (value, best))
    return f"**{text}**" if text == least else text


def _print_task(task: str, runs: list[Run]) -> None:
    print(f"\n{task}: medians over seeds")
    print(
        "  path cost  trained  engine s  valid F1  test F1  test acc.     gap       ε   rank corr."
    )
    for name in dict.fromkeys(run["contestant"] for run in runs):
        own = [run for run in runs if run["contestant"] == name]
        cells = (
            _median(own, "cost", "9.4f", 11),
            _median(own, "trained", "7.0f", 9),
            _median(own, "engine_seconds", "8.1f", 10),
            *(_median(own, key, ".3f", 9) for key in ("valid_f1", "test_f1", "test_accuracy")),
            *(_median(own, key, ".4f", 9) for key in ("gap", "epsilon")),
            _median(own, "correlation", ".2f", 9),
        )
        print("".join(cells) + f"   {name}")


def _median(runs: list[Run], key: str, form: str, width: int) -> str:
    values = [run[key] for run in runs if run[key] is not None]
    return f"{median(values):{form}}".rjust(width) if values else "–".rjust(width)


def _print_times(reference: str, runs: list[Run]) -> None:
    """How long each needs to the path cost that the reference ends with, as parts of its time."""
    print(f"\nengine seconds to the final path cost of {reference!r}, divided by its own")
    tasks = list(dict.fromkeys(run["task"] for run in runs))
    print("   median  " + "".join(f"{task:>14}" for task in tasks))
    for name in dict.fromkeys(run["contestant"] for run in runs):
        by_task = [list(_ratios(name, reference, runs, task)) for task in tasks]
        everything = [ratio for ratios in by_task for ratio in ratios]
        if everything:
            cells = "".join(f"{_ratio(ratios):>14}" for ratios in by_task)
            print(f"{_ratio(everything):>9}  {cells}   {name}")


def _ratio(ratios: list[float]) -> str:
    if not ratios:
        return "–"
    middle = median(ratios)
    return "not reached" if math.isinf(middle) else f"{middle:.2f}"


def _ratios(name: str, reference: str, runs: Iterable[Run], task: str) -> Iterable[float]:
    own = {run["seed"]: run for run in runs if (run["contestant"], run["task"]) == (name, task)}
    for run in runs:
        same = (run["contestant"], run["task"]) == (reference, task) and run["seed"] in own
        if same and run["cost"] is not None:
            yield _reached(own[run["seed"]], run["cost"]) / _reached(run, run["cost"])


def _reached(run: Run, cost: float) -> float:
    """Engine seconds until a run has this path cost or less."""
    return next((seconds for seconds, _, best in run["curve"] if best <= cost + 1e-6), math.inf)
