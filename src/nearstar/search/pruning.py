"""What is dropped, and what of it counts for the bound."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from nearstar.search.frontier import Frontier, least_f
from nearstar.search.protocol import Node

TOLERANCE = 1e-9
"""Costs are sums of the same numbers in different orders: less than this is no difference."""
_COVERED = 0.9
"""The share of partial programs, of those trained, whose h is not too high by more than the
measured margin, as far as is known."""


class Bounds:
    """What a search knows of the optimum: no more than one number, no less than the other.

    ``margin`` is by how much f of what is dropped must be above the best; None: by as much as h was
    found to be too high.
    """

    def __init__(self, margin: float | None = 0.0) -> None:
        self._margin = margin
        self.incumbent = math.inf
        """Least path cost of a complete program so far."""
        self._dropped: list[Node] = []
        self.discarded = math.inf
        """Least f of what was given up unexplored."""
        self._excess: dict[Node, float] = {}
        """By how much the h of partial programs were above the best known completion."""
        self._highest = 0.0
        """The highest h of all that were trained."""
        self._trained = 0
        self.fallen = math.inf
        """Least f of partial programs whose h was found too high, as long as what has it from them
        is not put in order again: a bound for all of that."""

    @property
    def margin(self) -> float:
        if self._margin is not None:
            return self._margin
        others = int(_COVERED * self._trained) - (self._trained - len(self._excess))
        return sorted(self._excess.values())[others] if others >= 0 and self._excess else 0.0

    @property
    def threshold(self) -> float:
        """Nodes are dropped from this f on."""
        return self.incumbent + self.margin - TOLERANCE

    def too_dear(self, node: Node) -> bool:
        """Whether no program that a node leads to can be better, whatever its error: what its
        structure costs at least is enough."""
        return node.g + node.closing > self.incumbent - TOLERANCE

    def discard(self, nodes: Sequence[Node]) -> None:
        """Give nodes up unexplored: they count for the bound."""
        if nodes:
            self._dropped += nodes
            self.discarded = min(self.discarded, least_f(nodes))

    def settle(self) -> None:
        """What was given up counts with what is known now."""
        self.discarded, self.fallen = least_f(self._dropped), math.inf

    def note(self, partial: Node) -> None:
        """Take note of a partial program that was trained."""
        self._highest = max(self._highest, partial.error or 0.0)
        self._trained += 1

    def may_be_above(self, error: float) -> bool:
        """Whether some h may be above this error of a complete program."""
        return self._highest > error + TOLERANCE

    def correct(self, above: Iterable[Node], error: float) -> None:
        """Take note of a complete program's error: no h of what leads there can be higher."""
        for node in above:
            if node.error is not None and node.error > error + TOLERANCE:
                self._excess[node] = max(self._excess.get(node, 0.0), node.error - error)
                if node.h > error:
                    node.known = min(node.known, error)
                    self.fallen = min(self.fallen, node.f)


class OpenList:
    """The frontier of A*, and what was pruned from it if the search persists, else nothing."""

    def __init__(self, bounds: Bounds, capacity: int | None, *, persist: bool) -> None:
        self.bounds = bounds
        self.frontier = Frontier(capacity)
        self.pruned = Frontier(capacity)
        self._persist = persist

    def add(self, nodes: Iterable[Node]) -> None:
        """Let nodes wait."""
        self.bounds.discard(self.frontier.add(nodes))

    def prune(self) -> None:
        """Drop what cannot be better than the best program, by f."""
        hopeless = self.frontier.cut(self.bounds.threshold)
        self.bounds.discard(self.pruned.add(hopeless) if self._persist else hopeless)
