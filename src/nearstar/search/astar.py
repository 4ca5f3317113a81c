"""A*-NEAR: best first, by structural cost so far plus the error of the neural relaxation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from nearstar.language.domain import Domain
from nearstar.search.frontier import Frontier
from nearstar.search.protocol import Node, Search
from nearstar.search.space import Space
from nearstar.search.tree import PAPER_SWITCHES, TOLERANCE, Tree, TreeSettings
from nearstar.util.checks import check_switch


@dataclass(frozen=True, kw_only=True)
class AStar(TreeSettings):
    """A*-NEAR: goes on from the node with the least f; ends when nothing left can be better."""

    persist: bool = False
    """When nothing left can be better by f, go on with what was dropped, until a limit is reached:
    the heuristic may overestimate. Until then nothing is different."""

    def __post_init__(self) -> None:
        super().__post_init__()
        check_switch("persist", self.persist)

    @classmethod
    def paper(cls, domain: Domain, **changes: Any) -> AStar:
        """The published settings for one of the paper's domains.

        They drop only what is above the best program: what is level with it is kept.
        """
        settings = {"margin": 2 * TOLERANCE, **domain.published("max_children", "frontier")}
        return cls(**{**PAPER_SWITCHES, **settings, **changes})

    def search(self, space: Space, seed: int) -> Search:
        tree = Tree(space, self, seed)
        frontier, dropped = Frontier(self.frontier), Frontier(self.frontier)
        tree.lose(frontier.add((yield from tree.begin())))
        while True:
            opened: list[Node] = []
            gone_on_from, persists = 0, False
            while gone_on_from < tree.width:
                # What cannot be better than the best program, by f, is dropped.
                hopeless = frontier.cut(tree.incumbent + self.margin - TOLERANCE)
                tree.lose(dropped.add(hopeless) if self.persist else hopeless)
                # Dropped ones are for rounds that would have nothing else.
                persists = persists or (not opened and not frontier)
                source = dropped if persists and not frontier else frontier
                if not source:
                    break
                node = tree.pop(source)
                made = tree.children(node) if node.trained else [node]
                if node.trained and self.lazy:
                    tree.lose(frontier.add(made))
                    continue
                opened += made
                gone_on_from += bool(made)
            if not opened:
                return tree.lost
            sources = (frontier, dropped) if self.persist else (frontier,)
            yield from tree.train(opened, frontier, dropped, ahead=tree.ahead(*sources))
            tree.lose(frontier.add(node for node in opened if not node.complete))
