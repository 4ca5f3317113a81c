"""Checking what the user gave, before long work starts."""

from __future__ import annotations

from concurrent.futures import Executor
from pathlib import Path
from typing import Any

from nearstar.language.domain import Domain
from nearstar.run.limits import Limits
from nearstar.run.store.memory import RunMemory
from nearstar.search.constraints import Constraints
from nearstar.training.budget import Budget
from nearstar.training.task import Task
from nearstar.util.checks import check_whole
from nearstar.util.errors import NearstarError

_KINDS: dict[str, tuple[Any, str]] = {
    "task": (Task, "a Task, such as Task(train, valid)"),
    "domain": (Domain, "a Domain, such as Domain.of_size(n)"),
    "budget": (Budget, "a Budget, such as Budget(symbolic_epochs=20)"),
    "limits": (Limits, "Limits, such as Limits(seconds=60)"),
    "constraints": (Constraints, "Constraints, such as Constraints(max_depth=5)"),
    "run": (str | Path | RunMemory | None, "a folder's path, or a RunMemory()"),
    "single": (bool, "True or False"),
    "progress": (bool | None, "True, False or None"),
}
_LEAST = {"seed": 0, "audit_samples": 0}


def check_arguments(**given: object) -> None:
    """Raise unless each argument is of the kind that its name says."""
    for name, value in given.items():
        if name in _LEAST:
            check_whole(name, value, _LEAST[name])
        elif name == "algorithm":
            _check_algorithm(value)
        elif name == "workers":
            if value is not None and not isinstance(value, Executor):
                check_whole(name, value)
        elif name == "cache":
            _check_cache(value)
        elif name == "listeners":
            _check_listeners(value)
        else:
            kind, example = _KINDS[name]
            if not isinstance(value, kind):
                raise NearstarError(f"{name} must be {example}, not {_described(value)}")


def _check_algorithm(algorithm: object) -> None:
    if isinstance(algorithm, type):
        raise NearstarError(
            f"algorithm must be a search with its settings, {algorithm.__name__}(), not the class"
        )
    if not callable(getattr(algorithm, "search", None)):
        raise NearstarError(f"algorithm must be a search, AStar() say, not {_described(algorithm)}")


def _check_listeners(listeners: object) -> None:
    if not isinstance(listeners, list | tuple) or not all(map(callable, listeners)):
        raise NearstarError(
            f"listeners must be a list of functions of an event, not {_described(listeners)}"
        )


def _check_cache(cache: object) -> None:
    if not isinstance(cache, list | tuple) or not all(isinstance(c, str | Path) for c in cache):
        raise NearstarError(f"cache must be a list of folders of runs, not {_described(cache)}")


def _described(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"a {type(value).__name__}"
