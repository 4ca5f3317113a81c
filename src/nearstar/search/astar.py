"""A*-NEAR: best first, by structural cost so far plus the error of the neural relaxation."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType

from nearstar.search.near import Near
from nearstar.search.protocol import Node, Search
from nearstar.search.pruning import TOLERANCE, OpenList
from nearstar.search.settings import NearSettings
from nearstar.search.space import Space


@dataclass(frozen=True, kw_only=True)
class AStar(NearSettings):
    """A*-NEAR: goes on from the node with the least f; ends when nothing left can be better."""

    # Only what is above the best program is dropped: what is level with it is kept.
    published = MappingProxyType({**NearSettings.published, "margin": 2 * TOLERANCE})
    in_domains = ("max_children", "frontier")

    persist: bool = False
    """When nothing left can be better by f, go on with what was dropped, until a limit is reached:
    the heuristic may overestimate. Until then nothing is different."""

    def search(self, space: Space, seed: int) -> Search:
        near = Near(space, self, seed)
        waiting = OpenList(near.bounds, self.frontier, margin=self.margin, persist=self.persist)
        waiting.add((yield from near.begin()))
        while nodes := _batch(near, waiting):
            ahead = near.ahead(*waiting.sources)
            yield from near.train(nodes, waiting.frontier, waiting.pruned, ahead=ahead)
            waiting.add(node for node in nodes if not node.complete)
        return near.bounds.discarded


def _batch(near: Near, waiting: OpenList) -> list[Node]:
    """The nodes to train next: what comes of the best that wait, up to ``width`` of them."""
    batch: list[Node] = []
    expanded, persists = 0, False
    while expanded < near.ranking.width:
        waiting.prune()
        # What was pruned is for rounds that would have nothing else.
        persists = persists or (not batch and not waiting.frontier)
        source = waiting.pruned if persists and not waiting.frontier else waiting.frontier
        if not source:
            break
        now, later = near.expand(near.ranking.pop(source))
        waiting.add(later)
        batch += now
        expanded += bool(now)
    return batch
