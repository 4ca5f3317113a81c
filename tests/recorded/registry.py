"""The cases by their ids."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from recorded.exact import exact

Parts = Mapping[str, Any]


@dataclass(frozen=True)
class Case:
    """Something that must always come out the same."""

    id: str
    make: Callable[[], Parts]
    quick: bool

    def run(self) -> dict[str, Any]:
        """The parts of the result, as they are recorded."""
        found: dict[str, Any] = exact(self.make())
        return found


CASES: dict[str, Case] = {}


def case(id: str, make: Callable[[], Parts], *, quick: bool = False) -> None:
    """Add a case."""
    if id in CASES:
        raise ValueError(f"two cases are called {id}")
    CASES[id] = Case(id, make, quick)


def family(
    prefix: str,
    make: Callable[..., Parts],
    members: Mapping[str, tuple[Any, ...]],
    quick: Iterable[str] = (),
) -> None:
    """Add a case for each member: what ``make`` gives for its arguments."""
    wanted = set(quick)
    if unknown := wanted - set(members):
        raise ValueError(f"{prefix}: no cases {sorted(unknown)}")
    for name, arguments in members.items():
        case(f"{prefix}/{name}", partial(make, *arguments), quick=name in wanted)
