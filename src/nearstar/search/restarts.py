"""Searching again and again: a search that ends before time is over begins anew."""

from __future__ import annotations

from dataclasses import dataclass

from nearstar.language.program import Program
from nearstar.search.protocol import Algorithm, Ask, Score, Search
from nearstar.search.space import Space
from nearstar.util.seeds import seed_for

IDLE = 20
"""Times in a row that a search may bring nothing new before it is given up."""


@dataclass(frozen=True, kw_only=True)
class Restarts:
    """An algorithm that begins anew, with another seed, whenever it has come to its end.

    For comparisons at equal time: only a limit ends it, or that it finds nothing new any more. What
    an earlier beginning has scored is not asked for again. It knows no bound.
    """

    algorithm: Algorithm

    def search(self, space: Space, seed: int) -> Search:
        known: dict[Program, Score] = {}
        idle, begun = 0, 0
        while idle < IDLE:
            before = len(known)
            # The first time it is the algorithm itself, with the seed it would have had.
            own = seed if begun == 0 else seed_for(seed, "restart", str(begun))
            yield from _remembering(self.algorithm.search(space, own), known)
            idle = 0 if len(known) > before else idle + 1
            begun += 1
        return None


def _remembering(search: Search, known: dict[Program, Score]) -> Search:
    """The search, asking only for what is not known."""
    try:
        ask = next(search)
        while True:
            new = tuple(node for node in ask.nodes if node.program not in known)
            if new:
                scores = yield Ask(new, None, ask.waiting)
                known.update(zip((node.program for node in new), scores, strict=True))
            ask = search.send([known[node.program] for node in ask.nodes])
    except StopIteration:
        return None
