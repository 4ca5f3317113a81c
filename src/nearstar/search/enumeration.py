"""Enumeration: complete programs in the order of their structural cost."""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count, islice
from types import MappingProxyType

from nearstar.language.program import Program, is_complete
from nearstar.search.algorithm_settings import Settings
from nearstar.search.evaluator import Evaluator
from nearstar.search.protocol import Search
from nearstar.search.space import Space
from nearstar.util.errors import NearstarError


@dataclass(frozen=True, kw_only=True)
class Enumeration(Settings):
    """Complete programs by increasing structural cost; among equals those with fewer rules first.

    The bound takes errors to be from 0: what is left costs at least its structure.
    """

    published = MappingProxyType({"deduplicate": False, "race": False, "width": 1})
    in_domains = ("enumeration",)

    max_programs: int = 1000
    """Most programs asked."""
    max_depth: int | None = None
    """Most rules of a program, if fewer than the space allows. None: as many as that."""
    deduplicate: bool = True
    """Ask only for one of programs with the same canonical form."""
    width: int = 16
    """Programs asked together, to be trained side by side; never the number of workers."""

    def search(self, space: Space, seed: int) -> Search:
        evaluator = Evaluator(space, self.deduplicate, self.race)
        waiting = ByCost(space, evaluator.form, self.max_depth)
        if not waiting:
            raise NearstarError(
                f"no program within max_depth = {self.max_depth} can be reached from where the "
                f"search starts; allow more rules"
            )
        programs: Iterator[Program] = islice(iter(waiting.pop, None), self.max_programs)
        while batch := list(islice(programs, self.width)):
            yield from evaluator.ask(batch, waiting.bound(*batch), len(waiting))
        return waiting.bound()


class ByCost:
    """Programs that wait, each once: least structural cost of a completion first.

    Among equals, those with fewer rules come first. ``form`` is what stands for a program, and
    ``max_depth`` the most rules, if fewer than the space allows.
    """

    def __init__(
        self, space: Space, form: Callable[[Program], Program], max_depth: int | None = None
    ) -> None:
        self.space = space
        self.form = form
        self.max_depth = math.inf if max_depth is None else max_depth
        self._arrivals = count()
        self._heap: list[tuple[float, int, int, int, Program]] = []
        self._seen: set[Program] = set()
        self._cut = math.inf
        """Least λ·s of what is too deep; it counts for the bound."""
        for root in space.roots:
            self._add(root)

    def __len__(self) -> int:
        return len(self._heap)

    def pop(self, patience: float = math.inf) -> Program | None:
        """The next complete program; None after the last.

        None also if more than ``patience`` partial ones come before it; the next call goes on.
        """
        while self._heap and patience >= 0:
            program = heapq.heappop(self._heap)[-1]
            if is_complete(program):
                return program
            patience -= 1
            for child in self.space.expansions(program):
                self._add(self.form(child))
        return None

    def bound(self, *asked: Program) -> float:
        """Least λ·s of any completion of what waits, is being asked, or was cut."""
        first = (entry[-1] for entry in self._heap[:1])
        return min([self._cut, *map(self._least, (*asked, *first))])

    def _add(self, program: Program) -> None:
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
        rules = program.size + grammar.closing_rules(program)
        # Of equals the one nearest to its end: the others need not be expanded before it.
        heapq.heappush(self._heap, (cost, rules, -program.size, next(self._arrivals), program))

    def _least(self, program: Program) -> float:
        return self.space.cost(program) + self.space.closing_cost(program)
