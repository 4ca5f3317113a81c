"""IDS-BB-NEAR: iteratively deepened depth-first branch and bound."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType

from nearstar.search.algorithm_settings import NearSettings
from nearstar.search.frontier import Frontier
from nearstar.search.near import Near
from nearstar.search.protocol import Node, Search
from nearstar.search.pruning import TOLERANCE
from nearstar.search.space import Space


@dataclass(frozen=True, kw_only=True)
class IDSBB(NearSettings):
    """IDS-BB-NEAR: dives to the best child, and comes back to what the bound leaves.

    A node is gone on from if f < incumbent × multiplier × depth_bias^(d_from − d) + margin, where d
    is its depth and d_from that of the node which the search comes from. With multiplier and bias
    1 nothing is lost; lower values give up what is not clearly better, and the gap says so. It ends
    when nothing within the bound is left, however wrong h may be: it cannot go on as A* can.
    """

    published = MappingProxyType({**NearSettings.published, "bound_dives": False})
    in_domains = ("max_children", "idsbb")

    initial_depth: int | None = None
    """The first limit on the depth of nodes; it grows by one when all within it is done. None: the
    greatest depth at once, so that nothing has to wait."""
    depth_bias: float = field(default=1.0, metadata={"positive": True})
    multiplier: float = field(default=1.0, metadata={"positive": True})
    bound_dives: bool = True
    """Whether the bound holds for children that are dived to as well. The published search asks it
    only of nodes that it comes back to, and dives to the best child whatever its f. What is gone on
    from is not given up, so that the gap is right either way."""

    def search(self, space: Space, seed: int) -> Search:
        near = Near(space, self, seed)
        limit = self.initial_depth or space.constraints.max_depth
        frontier, later = Frontier(self.frontier), Frontier(self.frontier)
        opened = yield from near.begin()
        depth = 0
        while True:
            # Dive to the best children; the others wait.
            near.bounds.discard(later.add(node for node in opened if _depth(node) > limit))
            children = Frontier()
            children.add(node for node in opened if _depth(node) <= limit)
            bounded = self.bound_dives
            dive = self._best(children, depth, near, bounded)
            near.bounds.discard(frontier.add(children))
            if not dive:
                bounded = True
                dive = self._best(frontier, depth, near, bounded)
            if not dive:
                if not later:
                    return near.bounds.discarded
                frontier, later, limit, opened = later, Frontier(self.frontier), limit + 1, []
                continue
            trained = [node for node in dive if node.trained]
            untrained = [node for node in dive if not node.trained]
            yield from near.train(untrained, frontier, later, trained)
            above, depth = depth, max(map(_depth, dive))
            opened = []
            for node in dive:
                if not node.complete and (not bounded or self._holds(node, above, near)):
                    opened += near.children(node)
            if not self.lazy:
                yield from near.train(opened, frontier, later)
                opened = [node for node in opened if not node.complete]

    def _best(self, frontier: Frontier, came_from: int, near: Near, bounded: bool) -> list[Node]:
        """The best nodes of a frontier, up to ``width``.

        If ``bounded``, only nodes within the bound; others on top go.
        """
        found: list[Node] = []
        while frontier and len(found) < near.ranking.width:
            node = near.ranking.pop(frontier)
            if not bounded or self._holds(node, came_from, near):
                found.append(node)
        return found

    def _holds(self, node: Node, came_from: int, near: Near) -> bool:
        """Whether a node is within the bound; given up if it is not."""
        factor = self.multiplier * self.depth_bias ** (came_from - _depth(node))
        within = node.f < near.bounds.incumbent * factor + near.bounds.margin - TOLERANCE
        if not within:
            near.bounds.discard([node])
        return within


def _depth(node: Node) -> int:
    return node.program.size
