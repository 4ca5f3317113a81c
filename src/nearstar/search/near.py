"""What NEAR's two searches share: which nodes are trained when, and what is made of scores."""

from __future__ import annotations

import math
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence

from nearstar.language.choosing import chooses_terms
from nearstar.search.algorithm_settings import NearSettings
from nearstar.search.expansion import Expansion
from nearstar.search.exploration import Exploration
from nearstar.search.frontier import Frontier, least_f
from nearstar.search.protocol import Ask, Node, Score, is_root
from nearstar.search.pruning import Bounds
from nearstar.search.racing import Racing
from nearstar.search.ranking import Ranking
from nearstar.search.sharing import Sharing
from nearstar.search.space import Space

OWN = "own"
"""The source of what h leads to."""


class Near:
    """One search with all its parts: asks for scores, and tells the parts what they are."""

    def __init__(self, space: Space, settings: NearSettings, seed: int) -> None:
        self.space = space
        self.settings = settings
        self.bounds = Bounds(settings.margin)
        self.ranking = Ranking(settings, self.bounds)
        self.racing = Racing(settings.race)
        self.sharing = Sharing()
        self.expansion = Expansion(space, settings, seed)
        self.exploration = Exploration(self.expansion, self.bounds, seed)
        self._root_error: float | None = None

    def begin(self) -> Generator[Ask, Sequence[Score], list[Node]]:
        """The nodes that the search starts from: the root's children, or the roots given.

        The root's own h is no bound: an LSTM in place of everything may well be worse than a
        program. So its children take nothing from it, and come up before all that have a bound.
        """
        first = self.expansion.roots()
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
        children, given_up = self.expansion.children(node)
        self.bounds.discard(given_up)
        self.expansion.keep(children)
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
        """Ask for scores and take them; ``waiting`` is everything else that is not explored.

        Programs are trained beside, as long as they bring more for what they cost.
        """
        if not nodes:
            return
        self.sharing.take(OWN)
        asked = dict.fromkeys(nodes, OWN)
        for _ in range(self.settings.exploration):
            if self.sharing.next((OWN, Exploration.SOURCE)) == OWN:
                break
            self.sharing.take(Exploration.SOURCE)
            node = self.exploration.node({each.program for each in asked})
            if node is not None:
                asked[node] = Exploration.SOURCE
        # What is explored needs no bound of its own: what leads there waits, or was dropped.
        bound = min(self.bounds.discarded, least_f(nodes), *map(least_f, waiting))
        yield from self.score(asked, bound, sum(map(len, waiting)), ahead)
        if self.bounds.fallen < math.inf:
            for each in waiting:
                if isinstance(each, Frontier):
                    each.sort()
            self.bounds.settle()

    def score(
        self,
        asked: Mapping[Node, str],
        bound: float,
        waiting: int,
        ahead: Iterable[Node] = (),
    ) -> Generator[Ask, Sequence[Score], dict[Node, Score]]:
        """Ask for the scores of nodes, each of a source, and take them."""
        for node in asked:
            self.decide_end(node)
        scores = yield Ask(tuple(asked), bound, waiting, ahead)
        taken = dict(zip(asked, scores, strict=True))
        for node, score in taken.items():
            self.sharing.charge(asked[node], node, score)
            if not node.probe:
                self._take(node, score, asked[node])
        self.sharing.end_round()
        return taken

    def ahead(self, *sources: Frontier) -> Iterator[Node]:
        """What would be trained next if no score changed anything, about in that order."""
        for source in sources:
            for node in self.ranking.in_order(source):
                nodes = [node]
                if node.trained:
                    nodes = sorted(self.expansion.children(node)[0], key=lambda each: each.f)
                for each in nodes:
                    self.decide_end(each)
                    yield each

    def decide_end(self, node: Node) -> None:
        """Where its training may end, by what is known now."""
        if node.complete:
            chooses = chooses_terms(node.program)
            node.cutoffs = self.racing.cutoffs(node.g, chooses=chooses)
        elif self.settings.pathmax and self.settings.early_stop and node.above is not None:
            # A lower h would be replaced by what it has from above.
            node.goal = node.above.h if node.above.bounded else None

    def _take(self, node: Node, score: Score, source: str) -> None:
        node.trained = True
        if node.complete:
            self._take_complete(node, score, source)
        elif is_root(node):
            self._root_error = None if score.diverged else score.error
        else:
            if not score.diverged:
                node.error = score.error
                self.bounds.note(node)
            elif is_root(node.parent):
                node.error = self._root_error
            if not self.settings.pathmax and node.error is not None:
                node.above = None

    def _take_complete(self, node: Node, score: Score, source: str) -> None:
        node.error, node.above = score.error, None  # whatever was promised
        self.racing.observe(node.g, score)
        self.exploration.observe(node)
        if self.bounds.incumbent < math.inf:
            self.sharing.gain(source, max(self.bounds.incumbent - node.f, 0.0))
        self.bounds.incumbent = min(self.bounds.incumbent, node.f)
        self.ranking.observe(node)
        if self.settings.correct and self.bounds.may_be_above(score.error):
            self.bounds.correct(self.expansion.leading_to(node.program), score.error)
