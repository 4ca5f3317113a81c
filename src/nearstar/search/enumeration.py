"""Enumeration: complete programs in the order of their structural cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from nearstar.language.domain import Domain
from nearstar.language.program import Program
from nearstar.search.by_cost import ByCost
from nearstar.search.protocol import Search
from nearstar.search.scoring import Scored
from nearstar.search.space import Space
from nearstar.util.checks import check_switch, check_whole
from nearstar.util.errors import NearstarError


@dataclass(frozen=True, kw_only=True)
class Enumeration:
    """Complete programs by increasing structural cost; among equals those with fewer rules first.

    The bound takes errors to be from 0: what is left costs at least its structure.
    """

    max_programs: int = 1000
    """Most programs asked."""
    max_depth: int | None = None
    """Most rules of a program, if fewer than the space allows. None: as many as that."""
    deduplicate: bool = True
    """Ask only for one of programs with the same canonical form."""
    width: int = 16
    """Programs asked together, to be trained side by side; never the number of workers."""

    def __post_init__(self) -> None:
        check_whole("max_programs", self.max_programs)
        if self.max_depth is not None:
            check_whole("max_depth", self.max_depth)
        check_whole("width", self.width)
        check_switch("deduplicate", self.deduplicate)

    @classmethod
    def paper(cls, domain: Domain, **changes: Any) -> Enumeration:
        """The published settings for one of the paper's domains."""
        settings = domain.published("enumeration")["enumeration"]
        return cls(**{"deduplicate": False, "width": 1, **settings, **changes})

    def search(self, space: Space, seed: int) -> Search:
        scored = Scored(space, self.deduplicate)
        waiting = ByCost(space, scored.form, self.max_depth)
        if not waiting:
            raise NearstarError(
                f"no program within max_depth = {self.max_depth} can be reached from where the "
                f"search starts; allow more rules"
            )
        found = 0
        batch: list[Program] = []
        while found < self.max_programs and (program := waiting.pop()) is not None:
            found += 1
            batch.append(program)
            if len(batch) == self.width:
                yield from scored.ask(batch, waiting.bound(*batch), len(waiting))
                batch = []
        yield from scored.ask(batch, waiting.bound(*batch), len(waiting))
        return waiting.bound()
