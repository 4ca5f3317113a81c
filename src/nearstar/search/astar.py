"""A*-NEAR: best first, by structural cost so far plus the error of the neural relaxation.

The loop is the paper's. What it leaves to others has a part of its own: `Ranking` decides the
order, `OpenList.prune` what is dropped, and `Near.expand` what is trained now and what later.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType

from nearstar.search.algorithm_settings import NearSettings
from nearstar.search.frontier import Frontier
from nearstar.search.near import Near
from nearstar.search.probed import Probed
from nearstar.search.protocol import Node, Search
from nearstar.search.pruning import TOLERANCE, OpenList
from nearstar.search.space import Space


@dataclass(frozen=True, kw_only=True)
class AStar(NearSettings):
    """A*-NEAR: goes on from the node with the least f; ends when nothing left can be better."""

    # Only what is above the best program is dropped: what is level with it is kept.
    published = MappingProxyType({**NearSettings.published, "margin": 2 * TOLERANCE})
    in_domains = ("max_children", "frontier")

    persist: bool = False
    """When nothing left can be better by f, go on with what was dropped, until a limit is reached,
    or all that is left costs too much by its structure alone: the heuristic may overestimate. Until
    then nothing is different."""

    def search(self, space: Space, seed: int) -> Search:
        near = Near(space, self, seed)
        if self.probes:
            return (yield from Probed(near, persist=self.persist).search())
        waiting = OpenList(near.bounds, self.frontier, persist=self.persist)
        waiting.add((yield from near.begin()))
        frontier, pruned = waiting.frontier, waiting.pruned
        # What was pruned has its turn in rounds that would have nothing else.
        while nodes := _round(near, waiting, frontier) or _round(near, waiting, frontier, pruned):
            yield from near.train(nodes, frontier, pruned, ahead=near.ahead(frontier, pruned))
            waiting.add(node for node in nodes if not node.complete)
        return near.bounds.discarded


def _round(near: Near, waiting: OpenList, *sources: Frontier) -> list[Node]:
    """The nodes to train next: what comes of the best of these sources, up to ``width`` of them."""
    nodes: list[Node] = []
    expanded = 0
    while expanded < near.ranking.width:
        waiting.prune()
        source = next(filter(None, sources), None)
        if source is None:
            break
        node = near.ranking.pop(source)
        if source is waiting.pruned and near.bounds.too_dear(node):
            near.bounds.discard([node])
            continue
        now, later = near.expand(node)
        waiting.add(later)
        nodes += now
        expanded += bool(now)
    return nodes
