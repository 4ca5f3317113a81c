"""Checking what the user gave, before long work starts."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor
from pathlib import Path
from typing import Any

from nearstar.language.domain import Domain
from nearstar.run.limits import Limits
from nearstar.run.results.result import Result
from nearstar.run.store.trainings import RunMemory
from nearstar.search.constraints import Constraints
from nearstar.training.budget import Budget
from nearstar.training.task import Task
from nearstar.util.checks import check_whole
from nearstar.util.errors import NearstarError

_Fits = Callable[[Any], bool]


def _of_kind(kind: Any) -> _Fits:
    return lambda value: isinstance(value, kind)


def _all(fits: _Fits) -> _Fits:
    return lambda value: isinstance(value, list | tuple) and all(map(fits, value))


_WANTED: dict[str, tuple[_Fits, str]] = {
    "task": (_of_kind(Task), "a Task, such as Task(train, valid)"),
    "domain": (_of_kind(Domain), "a Domain, such as Domain.of_size(n)"),
    "algorithm": (lambda given: callable(getattr(given, "search", None)), "a search, AStar() say"),
    "budget": (_of_kind(Budget), "a Budget, such as Budget(symbolic_steps=300)"),
    "limits": (_of_kind(Limits), "Limits, such as Limits(seconds=60)"),
    "constraints": (_of_kind(Constraints), "Constraints, such as Constraints(max_depth=5)"),
    "run": (_of_kind(str | Path | RunMemory | None), "a folder's path, or a RunMemory()"),
    "cache": (_all(_of_kind(str | Path)), "a list of folders of runs"),
    "listeners": (_all(callable), "a list of functions of an event"),
    "single": (_of_kind(bool), "True or False"),
    "progress": (_of_kind(bool | None), "True, False or None"),
    "result": (_of_kind(Result), "what learn gave, a Result"),
}
_LEAST = {"seed": 0, "audit_samples": 0, "workers": 1}


def check_arguments(**given: object) -> None:
    """Raise unless each argument is of the kind that its name says."""
    for name, value in given.items():
        if name == "workers" and (value is None or isinstance(value, Executor)):
            continue
        if name in _LEAST:
            check_whole(name, value, _LEAST[name])
            continue
        if name == "algorithm" and isinstance(value, type):
            raise NearstarError(
                f"algorithm must be a search with its settings, {value.__name__}(), not the class"
            )
        fits, example = _WANTED[name]
        _check(name, value, fits(value), example)


def check_kind(name: str, value: object, kind: Any, example: str) -> None:
    """Raise unless an argument is of this kind, of which there is an example."""
    _check(name, value, isinstance(value, kind), example)


def _check(name: str, value: object, fits: bool, example: str) -> None:
    if not fits:
        text = repr(value)
        given = text if len(text) <= 40 else f"a {type(value).__name__}"
        raise NearstarError(f"{name} must be {example}, not {given}")
