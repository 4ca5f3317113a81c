"""The frontier: nodes that wait, best first."""

from __future__ import annotations

import heapq
import math
from bisect import bisect_right, insort
from collections.abc import Callable, Iterable, Iterator
from itertools import count
from typing import NamedTuple

from nearstar.language.program import Program, holes
from nearstar.search.protocol import Node

_Entry = tuple[float, int, Node]
"""−f, −arrival, node: in ascending order the best come last, where taking them is cheap. No two
arrive at once, so that nodes are never compared."""


class Holes(NamedTuple):
    """How many holes a program has of each kind: their networks differ in what they can do."""

    vectors: int
    """Of which the network sees one vector."""
    sequences: int
    """Of which the network sees a whole sequence."""

    @classmethod
    def of(cls, program: Program) -> Holes:
        vectors = sum(hole.signature.maps_vectors for hole in holes(program))
        return cls(vectors, program.n_holes - vectors)


_NONE, _UNKNOWN = Holes(0, 0), Holes(-1, -1)
"""Of complete programs; and in place of holes, for nodes whose h says nothing."""

Correction = Callable[[Holes], float]
"""What holes add to f where nodes are put in order."""


def least_f(nodes: Frontier | Iterable[Node]) -> float:
    """The least f of nodes; infinite if there are none."""
    if isinstance(nodes, Frontier):
        return nodes.least_f()
    return min((node.f for node in nodes), default=math.inf)


class Frontier:
    """Nodes in order of f; among equals those with fewer holes first, then those that came first.

    With a capacity, the worst are evicted; ``add`` returns them. Complete programs that are trained
    while they wait are done: they do not come up.
    """

    def __init__(self, capacity: int | None = None) -> None:
        self.capacity = capacity
        self._arrivals = count()
        self._by_holes: dict[Holes, list[_Entry]] = {}
        """Nodes by their holes; those of which nothing is known by themselves."""

    def __len__(self) -> int:
        return sum(map(len, self._by_holes.values()))

    def __bool__(self) -> bool:
        self._pass_over_done()
        return bool(self._by_holes)  # which has no empty lists

    def __iter__(self) -> Iterator[Node]:
        return (node for entries in self._by_holes.values() for _, _, node in reversed(entries))

    def least_f(self) -> float:
        """The least f of all that wait; infinite if nothing does."""
        self._pass_over_done()
        return min((entries[-1][2].f for entries in self._by_holes.values()), default=math.inf)

    def add(self, nodes: Iterable[Node]) -> list[Node]:
        """Let nodes wait here; returns those that there is no room for."""
        for node in nodes:
            # Rounded, since equal costs are summed in different orders.
            entry = (-round(node.f, 9), -next(self._arrivals), node)
            kind = Holes.of(node.program) if node.bounded else _UNKNOWN
            insort(self._by_holes.setdefault(kind, []), entry)
        evicted = []
        while self.capacity is not None and len(self) > self.capacity:
            worst = min(self._by_holes, key=lambda kind: (self._by_holes[kind][0][0], -sum(kind)))
            evicted.append(self._take(worst, 0))
        return evicted

    def sort(self) -> None:
        """Put all in order again, where h of some have fallen."""
        for entries in self._by_holes.values():
            entries[:] = sorted((-round(node.f, 9), place, node) for _, place, node in entries)

    def pop(self, correction: Correction) -> Node:
        """Take out the node with the least f + what its holes add.

        One whose h says nothing comes early; but complete programs, quick to train, come first.
        """
        self._pass_over_done()
        best, first = (math.inf, math.inf), _UNKNOWN
        for kind, entries in self._by_holes.items():
            f = -entries[-1][0]
            if kind != _UNKNOWN:
                rank = round(f + correction(kind), 9), sum(kind)
            else:
                complete = -self._by_holes[_NONE][-1][0] if _NONE in self._by_holes else f
                rank = max(f, complete), 1
            if rank < best:
                best, first = rank, kind
        return self._take(first, -1)

    def in_order(self, correction: Correction) -> Iterator[Node]:
        """All of them, about in the order in which ``pop`` would give them."""

        def ranked(kind: Holes, entries: list[_Entry]) -> Iterator[tuple[float, int, int, Node]]:
            added = 0.0 if kind == _UNKNOWN else correction(kind)
            for f, arrival, node in reversed(entries):
                yield -f + added, sum(kind), -arrival, node

        in_order = heapq.merge(*(ranked(*each) for each in self._by_holes.items()))
        return (node for *_, node in in_order)

    def pop_nearest(self) -> Node:
        """Take out the node with the fewest holes; of those a trained one, then the best."""
        _, kind, index = min(
            ((node.program.n_holes, not node.trained, -entry, -index), kind, index)
            for kind, entries in self._by_holes.items()
            for index, (entry, _, node) in enumerate(entries)
        )
        return self._take(kind, index)

    def cut(self, f: float) -> list[Node]:
        """Take out all nodes of this f and above."""
        dropped = []
        for kind, entries in list(self._by_holes.items()):
            if entries[0][0] > -f:
                continue  # the worst one may stay
            end = bisect_right(entries, (-f, math.inf))
            dropped += [node for _, _, node in entries[:end]]
            del entries[:end]
            if not entries:
                del self._by_holes[kind]
        return dropped

    def _pass_over_done(self) -> None:
        """Forget complete programs that were trained while they waited, where they come up."""
        for kind in (_NONE, _UNKNOWN):
            while kind in self._by_holes:
                node = self._by_holes[kind][-1][2]
                if not (node.trained and node.complete):
                    break
                self._take(kind, -1)

    def _take(self, kind: Holes, index: int) -> Node:
        entries = self._by_holes[kind]
        _, _, node = entries.pop(index)
        if not entries:
            del self._by_holes[kind]
        return node
