"""The frontier: nodes that wait, best first."""

from __future__ import annotations

import math
from bisect import bisect_right, insort
from collections.abc import Iterable, Iterator
from itertools import count

from nearstar.search.protocol import Node

_Entry = tuple[float, int, Node]
"""−f, −arrival, node: in ascending order the best come last, where taking them is cheap."""


class Frontier:
    """Nodes in order of f; among equals those with fewer holes first, then those that came first.

    With a capacity, the worst are evicted; ``add`` returns them.
    """

    def __init__(self, capacity: int | None = None) -> None:
        self.capacity = capacity
        self._arrivals = count()
        self._by_holes: dict[int, list[_Entry]] = {}
        """Of nodes by their holes; those of which nothing is known count as if they had none."""

    def __len__(self) -> int:
        return sum(map(len, self._by_holes.values()))

    def __iter__(self) -> Iterator[Node]:
        return (node for entries in self._by_holes.values() for _, _, node in reversed(entries))

    def least_f(self) -> float:
        """The least f of all that wait; infinite if nothing does."""
        return min((entries[-1][2].f for entries in self._by_holes.values()), default=math.inf)

    def add(self, nodes: Iterable[Node]) -> list[Node]:
        """Let nodes wait here; returns those that there is no room for."""
        for node in nodes:
            # Rounded, since equal costs are summed in different orders.
            entry = (-round(node.f, 9), -next(self._arrivals), node)
            holes = node.program.n_holes if node.bounded else 0
            insort(self._by_holes.setdefault(holes, []), entry, key=_order)
        evicted = []
        while self.capacity is not None and len(self) > self.capacity:
            worst = min(self._by_holes, key=lambda holes: (self._by_holes[holes][0][0], -holes))
            evicted.append(self._take(worst, 0))
        return evicted

    def pop(self, rise: float = 0.0) -> Node:
        """Take out the node with the least f + rise × holes; the holes of one whose h says nothing
        do not count, so that it comes early."""
        best = min(
            self._by_holes,
            key=lambda holes: (round(rise * holes - self._by_holes[holes][-1][0], 9), holes),
        )
        return self._take(best, -1)

    def pop_nearest(self) -> Node:
        """Take out the node with the fewest holes; of those a trained one, then the best."""
        _, holes, index = min(
            ((node.program.n_holes, not node.trained, -entry, -index), holes, index)
            for holes, entries in self._by_holes.items()
            for index, (entry, _, node) in enumerate(entries)
        )
        return self._take(holes, index)

    def cut(self, f: float) -> list[Node]:
        """Take out all nodes of this f and above."""
        dropped = []
        for holes, entries in list(self._by_holes.items()):
            end = bisect_right(entries, -f, key=lambda entry: entry[0])
            dropped += [node for _, _, node in entries[:end]]
            del entries[:end]
            if not entries:
                del self._by_holes[holes]
        return dropped

    def _take(self, holes: int, index: int) -> Node:
        entries = self._by_holes[holes]
        _, _, node = entries.pop(index)
        if not entries:
            del self._by_holes[holes]
        return node


def _order(entry: _Entry) -> tuple[float, int]:
    return entry[:2]
