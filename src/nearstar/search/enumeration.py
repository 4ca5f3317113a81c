"""Enumeration: complete programs in the order of their structural cost."""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass
from itertools import count
from typing import Any

from nearstar.checks import check_switch, check_whole
from nearstar.domain import Domain
from nearstar.errors import NearstarError
from nearstar.program import Program, is_complete
from nearstar.search.protocol import Search
from nearstar.search.scoring import Scored
from nearstar.search.space import Space


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
        waiting = _ByCost(space, self.max_depth)
        for start in space.starts:
            waiting.add(start)
        if not waiting:
            raise NearstarError(
                f"no program within max_depth = {self.max_depth} can be reached from where the "
                f"search starts; allow more rules"
            )
        found = 0
        batch: list[Program] = []
        while waiting and found < self.max_programs:
            program = waiting.pop()
            if not is_complete(program):
                for child in space.expansions(program):
                    waiting.add(scored.form(child))
                continue
            found += 1
            batch.append(program)
            if len(batch) == self.width:
                yield from scored.ask(batch, waiting.bound(*batch), len(waiting))
                batch = []
        yield from scored.ask(batch, waiting.bound(*batch), len(waiting))
        return waiting.bound()


class _ByCost:
    """Programs that wait, each once: least structural cost of a completion first."""

    def __init__(self, space: Space, max_depth: int | None) -> None:
        self.space = space
        self.max_depth = math.inf if max_depth is None else max_depth
        self._arrivals = count()
        self._heap: list[tuple[float, int, int, Program]] = []
        self._seen: set[Program] = set()
        self._cut = math.inf
        """Least λ·s of what is too deep; it counts for the bound."""

    def __len__(self) -> int:
        return len(self._heap)

    def add(self, program: Program) -> None:
        """Let a program wait, unless it has done so before or needs too many rules."""
        if program in self._seen:
            return
        self._seen.add(program)
        grammar = self.space.grammar
        if program.size + grammar.closing_rules(program) > self.max_depth:
            self._cut = min(self._cut, self._least(program))
            return
        # Not by λ·s, which is no order if λ = 0. Rounded, since equal costs are summed in
        # different orders.
        cost = round(grammar.cost(program) + grammar.closing_cost(program), 9)
        heapq.heappush(self._heap, (cost, program.size, next(self._arrivals), program))

    def pop(self) -> Program:
        return heapq.heappop(self._heap)[-1]

    def bound(self, *asked: Program) -> float:
        """Least λ·s of any completion of what waits, is being asked, or was cut."""
        first = (entry[-1] for entry in self._heap[:1])
        return min([self._cut, *map(self._least, (*asked, *first))])

    def _least(self, program: Program) -> float:
        return self.space.cost(program) + self.space.closing_cost(program)
