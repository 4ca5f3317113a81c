"""What NEAR's two searches share: which nodes are trained when, and what is made of scores."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Sequence

from nearstar.search.algorithm_settings import NearSettings
from nearstar.search.expansion import Expansion
from nearstar.search.exploration import Exploration
from nearstar.search.frontier import Frontier, least_f
from nearstar.search.protocol import Ask, Node, Score, is_root
from nearstar.search.pruning import Bounds
from nearstar.search.ranking import Ranking
from nearstar.search.space import Space


class Near:
    """One search with all its parts: asks for scores, and tells the parts what they are."""

    def __init__(self, space: Space, settings: NearSettings, seed: int) -> None:
        self.space = space
        self.settings = settings
        self.bounds = Bounds()
        self.ranking = Ranking(settings, self.bounds)
        self._expansion = Expansion(space, settings, seed)
        self._exploration = Exploration(self._expansion, self.bounds, seed)
        self._root_error = 0.0

    def begin(self) -> Generator[Ask, Sequence[Score], list[Node]]:
        """The nodes that the search starts from: the root's children, or the roots given.

        The root's own h is no bound: an LSTM in place of everything may well be worse than a
        program. So its children take nothing from it, and come up before all that have a bound.
        """
        first = self._expansion.roots()
        if self.space.from_scratch:
            (root,) = first
            if self.settings.train_root:
                yield from self.train([root])
            first = self.children(root)
        if self.settings.lazy:
            return first
        yield from self.train(first)
        return [node for node in first if not node.complete]

    def children(self, node: Node) -> list[Node]:
        """The node's children; without those of a form seen before, and capped at random."""
        children, given_up = self._expansion.children(node)
        self.bounds.discard(given_up)
        self._expansion.keep(children)
        return children

    def expand(self, node: Node) -> tuple[list[Node], list[Node]]:
        """What comes of a node when it is its turn: nodes to train now, and nodes to train later.

        A lazy search trains a node at its first turn, and lets its children wait at the next; the
        paper's trains all children of a node, which was trained itself when it was made.
        """
        if not node.trained:
            return [node], []
        children = self.children(node)
        return ([], children) if self.settings.lazy else (children, [])

    def train(
        self,
        nodes: Sequence[Node],
        *waiting: Frontier | Sequence[Node],
        ahead: Iterable[Node] = (),
    ) -> Generator[Ask, Sequence[Score], None]:
        """Ask for scores and take them; ``waiting`` is everything else that is not explored."""
        if not nodes:
            return
        # What is explored needs no bound of its own: what leads there waits, or was dropped.
        bound = min(self.bounds.discarded, least_f(nodes), *map(least_f, waiting))
        asked = (*nodes, *self._exploration.nodes(nodes))
        scores = yield Ask(asked, bound, sum(map(len, waiting)), ahead)
        self._exploration.stalled += 1
        for node, score in zip(asked, scores, strict=True):
            self._take(node, score)

    def ahead(self, *sources: Frontier) -> Iterator[Node]:
        """What would be trained next if no score changed anything, about in that order."""
        for source in sources:
            for node in self.ranking.in_order(source):
                if node.trained:
                    yield from sorted(self._expansion.children(node)[0], key=lambda each: each.f)
                else:
                    yield node

    def _take(self, node: Node, score: Score) -> None:
        node.trained = node.bounded = True
        if node.complete:
            node.h = score.error
            self._exploration.observe(node)
            self.bounds.incumbent = min(self.bounds.incumbent, node.f)
            self.ranking.observe(node)
        elif is_root(node):
            self._root_error = 0.0 if score.diverged else score.error
        elif score.diverged:
            node.h = self._root_error if is_root(node.parent) else node.h
        else:
            node.h = max(score.error, node.h) if self.settings.pathmax else score.error
