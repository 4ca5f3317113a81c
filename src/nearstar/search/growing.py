"""Growing trees of classes: the best so far gets a choice in the place of each of its answers."""

from __future__ import annotations

from collections import deque
from heapq import heappop, heappush
from itertools import count

from nearstar.language.numbers import least_numbers
from nearstar.language.program import Program
from nearstar.language.trees import cut_back, is_tree, smallest_tree, split
from nearstar.search.near import Near
from nearstar.search.protocol import Node

_TOGETHER = 4
"""Trees that are offered in one turn, of those that are suggested."""
_SMALL = 20
"""Numbers to read, at most, of a small tree: there, hardly anything else tells many classes."""
_BEHIND = 0.02
"""Of the best program, by path cost: trees that are further behind are not worth growing, and of
those that are suggested but the small ones are trained."""


class Growing:
    """Trees, best first by path cost.

    First come those that the space suggests, by the shapes that its data have. Then, again and
    again, the best that was not grown yet is: with a choice in the place of each answer, and a
    class in the place of each choice. All of them are programs of the space like others, so that
    the bound needs nothing of them.
    """

    def __init__(self, near: Near) -> None:
        self._near = near
        self._space = near.space
        self._fresh: deque[Program] | None = None
        self._made: set[Program] = set()
        self._waiting: list[tuple[float, int, Program]] = []
        """Trees that are trained and not grown, the best first; of equals the first that came."""
        self._arrivals = count()

    def turn(self) -> list[Program]:
        """Trees to be trained next; none if there are no others that are worth it."""
        if self._fresh is None:
            self._fresh = deque(self._new(self._first()))
        while not self._fresh and self._waiting and self._is_near():
            _, _, tree = heappop(self._waiting)
            grown = split(tree, self._space.grammar)
            self._fresh.extend(self._new([*grown, *cut_back(tree)]))
            if self._fresh:
                offered, self._fresh = list(self._fresh), deque()
                return offered
        while self._fresh and not (_is_small(self._fresh[0]) or self._is_near()):
            self._fresh.popleft()
        return [self._fresh.popleft() for _ in range(min(_TOGETHER, len(self._fresh)))]

    def _is_near(self) -> bool:
        """Whether the best tree that waits is near enough to the best program to be grown."""
        best = self._waiting[0][0] if self._waiting else 0.0
        return best < self._near.bounds.incumbent + _BEHIND

    def observe(self, node: Node) -> None:
        """Take note of a complete program that was trained."""
        if is_tree(node.program):
            heappush(self._waiting, (node.f, next(self._arrivals), node.program))

    def _first(self) -> list[Program]:
        smallest = smallest_tree(self._space.grammar)
        if smallest is None:
            return []
        return [*split(smallest, self._space.grammar), *self._space.suggested(self._space.grammar)]

    def _new(self, trees: list[Program]) -> list[Program]:
        """Those of them that are in the space, and were not offered before."""
        new: list[Program] = []
        for tree in trees:
            form = self._near.expansion.form(tree)
            if form not in self._made and self._space.leads_to(form):
                self._made.add(form)
                new.append(form)
        return new


def _is_small(tree: Program) -> bool:
    """Whether a tree has few numbers to read."""
    return least_numbers(tree) <= _SMALL
