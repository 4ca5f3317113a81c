"""Nodes that wait, in two orders at once: by what is expected of them, and by their bound."""

from __future__ import annotations

import heapq
import math
from collections import Counter
from itertools import count

from nearstar.search.frontier import Correction, Holes
from nearstar.search.protocol import Node

_Entry = tuple[float, int, Node]
"""What it is sorted by, its arrival, and the node: no two arrive at once."""


class Waiting:
    """Nodes that wait: the best by rank, with what their holes add, and the least f of all."""

    def __init__(self) -> None:
        self._arrivals = count()
        self._waiting: dict[Node, None] = {}
        """All that wait, in the order in which they came; a set has another in each process."""
        self._by_rank: dict[Holes, list[_Entry]] = {}
        self._by_size: dict[int, list[_Entry]] = {}
        self._taken: Counter[int] = Counter()
        """How many of each size were taken out by it."""
        self._by_f: list[_Entry] = []

    def __len__(self) -> int:
        return len(self._waiting)

    def __contains__(self, node: Node) -> bool:
        return node in self._waiting

    def add(self, node: Node) -> None:
        """Let a node wait."""
        arrival, by_rank = next(self._arrivals), self._by_rank
        # Rounded, since equal costs are summed in different orders.
        entry = round(node.rank, 9), arrival, node
        heapq.heappush(by_rank.setdefault(Holes.of(node.program), []), entry)
        heapq.heappush(self._by_size.setdefault(node.program.size, []), entry)
        heapq.heappush(self._by_f, (round(node.f, 9), arrival, node))
        self._waiting[node] = None

    def pop(self, correction: Correction) -> Node | None:
        """Take out the node of the least rank + what its holes add; fewer holes before more."""
        best: tuple[float, int, int, Holes] | None = None
        for kind, entries in self._by_rank.items():
            while entries and entries[0][2] not in self._waiting:
                heapq.heappop(entries)
            if entries:
                rank = round(entries[0][0] + correction(kind), 9)
                place = (rank, sum(kind), entries[0][1], kind)
                best = place if best is None or place < best else best
        if best is None:
            return None
        node = heapq.heappop(self._by_rank[best[-1]])[2]
        del self._waiting[node]
        return node

    def pop_broadly(self) -> Node | None:
        """Take out the node of the least rank of one size: of small ones more often than of large
        ones, in proportion."""
        for entries in self._by_size.values():
            while entries and entries[0][2] not in self._waiting:
                heapq.heappop(entries)
        sizes = [size for size, entries in self._by_size.items() if entries]
        if not sizes:
            return None
        size = min(sizes, key=lambda size: ((self._taken[size] + 1) * max(size, 1), size))
        self._taken[size] += 1
        node = heapq.heappop(self._by_size[size])[2]
        del self._waiting[node]
        return node

    def least(self) -> Node | None:
        """The node of the least f; it stays."""
        while self._by_f:
            f, arrival, node = self._by_f[0]
            if node not in self._waiting:
                heapq.heappop(self._by_f)
            elif (now := round(node.f, 9)) == f:
                return node
            else:  # it has risen, perhaps with what is above it
                heapq.heapreplace(self._by_f, (now, arrival, node))
        return None

    def least_f(self) -> float:
        """The least f of all that wait; infinite if nothing does."""
        node = self.least()
        return math.inf if node is None else node.f

    def clear(self) -> list[Node]:
        """Take all out."""
        nodes = list(self._waiting)
        self._waiting, self._by_rank, self._by_size, self._by_f = {}, {}, {}, []
        return nodes

    def evict(self, most: int) -> list[Node]:
        """Take out those of the highest rank, until there are no more than so many."""
        surplus = len(self._waiting) - most
        worst = sorted(self._waiting, key=lambda node: node.rank)[most:] if surplus > 0 else []
        for node in worst:
            self.remove(node)
        return worst

    def remove(self, node: Node) -> None:
        """Take a node out."""
        del self._waiting[node]

    def sort(self) -> None:
        """Put all in order again, where h of some have fallen."""
        self._by_f = [(round(node.f, 9), at, node) for at, node in enumerate(self._waiting)]
        heapq.heapify(self._by_f)

    def in_order(self, correction: Correction, most: int) -> list[Node]:
        """The first of them, about in the order in which ``pop`` would give them."""
        entries = (
            (rank + correction(kind), sum(kind), arrival, node)
            for kind, each in self._by_rank.items()
            for rank, arrival, node in heapq.nsmallest(most, each)
            if node in self._waiting
        )
        return [node for *_, node in heapq.nsmallest(most, entries)]
