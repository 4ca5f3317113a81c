"""What decides the order in which nodes are gone on from; never what is dropped."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from nearstar.search.algorithm_settings import NearSettings
from nearstar.search.frontier import Frontier, Holes
from nearstar.search.protocol import Node, is_root
from nearstar.search.pruning import Bounds


class Ranking:
    """The order of f, with h corrected online by the mean error measured so far for each hole.

    See Thayer, Dionne and Ruml (2011), Learning inadmissible heuristics during search. A lazy
    search first dives to a complete program, on the shortest way.
    """

    def __init__(self, settings: NearSettings, bounds: Bounds) -> None:
        self.settings = settings
        self.bounds = bounds
        self._reached: dict[Node, float] = {}
        """Least path cost of a complete program below each node."""
        self._of_sequences, self._of_vectors = _Mean(), _Mean()
        """Errors of h per hole, of nodes with holes for sequences and of those without."""

    @property
    def diving(self) -> bool:
        """Whether no complete program is known yet, and the search is on its way to the first."""
        return self.settings.lazy and self.bounds.incumbent == math.inf

    @property
    def width(self) -> int:
        """How many nodes a round goes on from."""
        return 1 if self.diving else self.settings.width

    def pop(self, frontier: Frontier) -> Node:
        """Take out the node to go on from."""
        return frontier.pop_nearest() if self.diving else frontier.pop(self.correction)

    def in_order(self, frontier: Frontier) -> Iterator[Node]:
        """All that wait, about in the order in which they would be gone on from."""
        return frontier.in_order(self.correction)

    def correction(self, holes: Holes) -> float:
        """What holes add to f."""
        sequences, vectors = self._of_sequences, self._of_vectors
        error = holes.sequences * (sequences or vectors).value
        error += holes.vectors * (vectors or sequences).value
        return self.settings.correction * error

    def observe(self, complete: Node) -> None:
        """Learn from a complete program how far the f of all above it fell short."""
        node, f = complete.parent, complete.f
        while node is not None and not is_root(node):
            known = self._reached.get(node, math.inf)
            if f < known:
                self._reached[node] = f
                sequences = Holes.of(node.program).sequences > 0
                mean = self._of_sequences if sequences else self._of_vectors
                new = known == math.inf
                mean.total += (f - (node.rank if new else known)) / node.program.n_holes
                mean.count += new
            node = node.parent


@dataclass(slots=True)
class _Mean:
    """A mean that grows; false as long as it is of nothing."""

    total: float = 0.0
    count: int = 0

    def __bool__(self) -> bool:
        return self.count > 0

    @property
    def value(self) -> float:
        return max(self.total / max(self.count, 1), 0.0)
