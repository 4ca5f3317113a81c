"""What NEAR's two searches share: settings, making nodes, taking scores, and the bound."""

from __future__ import annotations

import math
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from nearstar.language.program import Hole, Program, begun, is_complete
from nearstar.language.text import to_text
from nearstar.search.beside import Beside
from nearstar.search.frontier import Frontier, Holes
from nearstar.search.protocol import Ask, Node, Score
from nearstar.search.space import Space
from nearstar.util.checks import check_number, check_switch, check_whole
from nearstar.util.seeds import seed_for

_PATIENCE = 4
"""Rounds without a new best program for each program that is trained beside."""
TOLERANCE = 1e-9
"""Costs are sums of the same numbers in different orders: less than this is no difference."""


@dataclass(frozen=True, kw_only=True)
class TreeSettings:
    """Settings of both NEAR searches; each can be switched off and on by itself."""

    frontier: int | None = None
    """Most nodes that wait; the worst are given up. None: no limit."""
    max_children: int | None = None
    """Most children of a node, drawn at random by the seed. None: all."""
    lazy: bool = True
    """Train a child when it comes up, not when it is made; until then it has its parent's h."""
    pathmax: bool = True
    """Take the parent's h where it is higher: the child's completions are among the parent's."""
    closing_cost: bool = True
    """Add to f the least structural cost that can close the open holes."""
    margin: float = 0.0
    """Keep nodes whose f is above the best path cost by less than this: trained h are noisy. With
    ``math.inf`` nothing is dropped, and only limits end a search of a large space."""
    deduplicate: bool = True
    """Train only one of programs with the same canonical form."""
    warm_start: bool = False
    """Start a child's training from its parent's parameters, as far as they share parts."""
    early_stop: bool = True
    """End the training of a partial program as soon as its error is no higher than its parent's h,
    which pathmax would put in its place. Needs pathmax; changes nothing but the time, unless
    children start from its parameters."""
    haste: float = 1.0
    """How far the order of nodes looks ahead. With 0 it is that of f. But h falls short of what
    programs reach, the more so the more holes are open, so that f leads through all small partial
    programs before a good complete one is met. With 1 the order is that of f + the mean shortfall
    so far for each hole: of those that see a whole sequence, whose networks can do the work of all
    the rest, and of the others by themselves. What is dropped is decided by f all the same, and so
    is the gap."""
    beside: int = 8
    """Most complete programs that a round trains beside its nodes, whatever h says: the next by
    structural cost, and variants of the best so far. One for every four rounds since the last new
    best, so that they cost little while h leads well. They change nothing in the bound."""
    width: int = 4
    """Nodes that a round goes on from, to be trained side by side; never the number of workers."""
    train_root: bool = False
    """Train the network alone first. Its error is no bound, and nothing uses it but a child whose
    own training diverges."""

    def __post_init__(self) -> None:
        for name in ("frontier", "max_children"):
            if getattr(self, name) is not None:
                check_whole(name, getattr(self, name))
        check_whole("width", self.width)
        check_whole("beside", self.beside, least=0)
        for name in (
            *("lazy", "pathmax", "closing_cost", "deduplicate"),
            *("warm_start", "early_stop", "train_root"),
        ):
            check_switch(name, getattr(self, name))
        if self.margin != math.inf:
            check_number("margin", self.margin, least=0)
        check_number("haste", self.haste, least=0)


PAPER_SWITCHES = {
    "lazy": False,
    "pathmax": False,
    "closing_cost": False,
    "deduplicate": False,
    "early_stop": False,
    "haste": 0.0,
    "beside": 0,
    "width": 1,
    "train_root": True,
}
"""The published searches, step for step."""


class Tree:
    """The nodes of one search: makes them, takes scores, knows the incumbent and the bound."""

    def __init__(self, space: Space, settings: TreeSettings, seed: int) -> None:
        self.space = space
        self.settings = settings
        self.seed = seed
        self.incumbent = math.inf
        """Least path cost of a complete program so far."""
        self.lost = math.inf
        """Least f of what was given up unexplored."""
        self._made: dict[Program, Node] = {}
        self._form = space.form if settings.deduplicate else _itself
        self._beside = Beside(space, self._form, seed)
        self._stalled = 0
        """Rounds since the last new best program."""
        self._root_error = 0.0
        self._reached: dict[Node, float] = {}
        self._short = {True: _Mean(), False: _Mean()}
        """Shortfall per hole, of nodes with holes for sequences and of those without."""

    def begin(self) -> Generator[Ask, Sequence[Score], list[Node]]:
        """The nodes that the search starts from: the root's children, or the starts given.

        The root's own h is no bound: an LSTM in place of everything may well be worse than a
        program. So its children take nothing from it, and come up before all that have a bound.
        """
        if self.space.from_root:
            root = self._node(self.space.starts[0], None)
            self._keep([root])  # some children's canonical form is the hole itself
            if self.settings.train_root:
                yield from self.train([root])
            first = self.children(root)
        else:
            first = [self._node(start, None) for start in dict.fromkeys(self.space.starts)]
            self._keep(first)
        if self.settings.lazy:
            return first
        yield from self.train(first)
        return [node for node in first if not node.complete]

    def children(self, node: Node) -> list[Node]:
        """The node's children; without those of a form seen before, and capped at random."""
        children, given_up = self._possible(node)
        self.lose(given_up)
        self._keep(children)
        return children

    def _possible(self, node: Node) -> tuple[list[Node], list[Node]]:
        """The children that a node would have now, and those above the cap. Changes nothing."""
        if self.settings.deduplicate:
            children = self.space.expanded(node.program)
        else:
            children = dict.fromkeys(self.space.expansions(node.program), True)
        # Where a form has completions that the node does not have, its h is no bound.
        made = [
            self._node(child, node, inherits=same_room and not _is_root(node))
            for child, same_room in children.items()
            if child not in self._made
        ]
        most = self.settings.max_children
        if most is None or len(made) <= most:
            return made, []
        random = np.random.default_rng(seed_for(self.seed, "children", to_text(node.program)))
        kept = set(random.choice(len(made), most, replace=False).tolist())
        return (
            [child for index, child in enumerate(made) if index in kept],
            [child for index, child in enumerate(made) if index not in kept],
        )

    def ahead(self, *frontiers: Frontier) -> Iterator[Node]:
        """What would be trained next if no score changed anything, about in that order."""
        for frontier in frontiers:
            for node in frontier.in_order(self._rise):
                if node.trained:
                    yield from sorted(self._possible(node)[0], key=lambda child: child.f)
                else:
                    yield node

    def _node(self, program: Program, parent: Node | None, inherits: bool = False) -> Node:
        settings = self.settings
        may_stop = settings.pathmax and settings.early_stop and not is_complete(program)
        return Node(
            program,
            parent,
            g=self.space.cost(program),
            closing=self.space.closing_cost(program) if settings.closing_cost else 0.0,
            h=parent.h if parent and inherits else 0.0,
            bounded=inherits,
            goal=parent.h if parent and inherits and may_stop else None,
            start=parent if settings.warm_start and not _is_root(parent) else None,
        )

    def train(
        self,
        nodes: Sequence[Node],
        *waiting: Frontier | Sequence[Node],
        ahead: Iterable[Node] = (),
    ) -> Generator[Ask, Sequence[Score], None]:
        """Ask for scores and take them; ``waiting`` is everything else that is not explored."""
        if not nodes:
            return
        # What is trained beside needs no bound of its own: what leads there waits, or was dropped.
        bound = min(self.lost, least_f(nodes), *map(least_f, waiting))
        asked = (*nodes, *self._found_beside(nodes))
        scores = yield Ask(asked, bound, sum(map(len, waiting)), ahead)
        self._stalled += 1
        for node, score in zip(asked, scores, strict=True):
            self._take(node, score)

    def _found_beside(self, nodes: Sequence[Node]) -> Iterator[Node]:
        """Complete programs that are not trained yet and may be better (see ``beside``).

        One that waits in a frontier stays there; frontiers pass over what is done.
        """
        asked = {node.program for node in nodes}

        def is_wanted(program: Program) -> bool:
            known = self._made.get(program)
            untrained = known is None or not known.trained
            return untrained and program not in asked and self.space.cost(program) < self.incumbent

        for _ in range(min(self._stalled // _PATIENCE, self.settings.beside)):
            program = self._beside.offer(is_wanted)
            if program is None:
                return
            asked.add(program)
            if program not in self._made:
                self._keep([self._node(program, self._above(program))])
            yield self._made[program]

    def _above(self, program: Program) -> Node | None:
        """The last node of a program's derivation, but the root, that is trained."""
        for rules in range(program.size - 1, 0, -1):
            partial = begun(program, rules)
            node = self._made.get(partial) or self._made.get(self._form(partial))
            if node is not None and node.trained:
                return node
        return None

    def _keep(self, nodes: Iterable[Node]) -> None:
        self._made.update((node.program, node) for node in nodes)

    def _take(self, node: Node, score: Score) -> None:
        node.trained = node.bounded = True
        if node.complete:
            node.h = score.error
            if node.f < self.incumbent - TOLERANCE:
                self._stalled = 0
            self.incumbent = min(self.incumbent, node.f)
            self._beside.note(node.program, node.f)
            self._note_reached(node)
        elif _is_root(node):
            self._root_error = 0.0 if score.diverged else score.error
        elif score.diverged:
            node.h = self._root_error if _is_root(node.parent) else node.h
        else:
            node.h = max(score.error, node.h) if self.settings.pathmax else score.error

    def _note_reached(self, complete: Node) -> None:
        node, f = complete.parent, complete.f
        while node is not None and not _is_root(node):
            known = self._reached.get(node, math.inf)
            if f < known:
                self._reached[node] = f
                mean = self._short[Holes.of(node.program).sequences > 0]
                new = known == math.inf
                mean.total += (f - (node.f if new else known)) / node.program.n_holes
                mean.count += new
            node = node.parent

    @property
    def hurries(self) -> bool:
        """Whether a lazy search is still on the shortest way to the first complete program."""
        return self.settings.lazy and self.incumbent == math.inf

    @property
    def width(self) -> int:
        return 1 if self.hurries else self.settings.width

    def pop(self, frontier: Frontier) -> Node:
        """Take out the node to go on from (see ``haste``)."""
        if self.hurries:
            return frontier.pop_nearest()
        return frontier.pop(self._rise)

    def _rise(self, holes: Holes) -> float:
        """What holes add to the order of nodes."""
        sequences, vectors = self._short[True], self._short[False]
        rise = holes.sequences * (sequences or vectors).value
        rise += holes.vectors * (vectors or sequences).value
        return self.settings.haste * rise

    def lose(self, nodes: Sequence[Node]) -> None:
        """Give nodes up unexplored: they count for the bound."""
        if nodes:
            self.lost = min(self.lost, least_f(nodes))


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


def _itself(program: Program) -> Program:
    return program


def least_f(nodes: Frontier | Iterable[Node]) -> float:
    """The least f of nodes; infinite if there are none."""
    if isinstance(nodes, Frontier):
        return nodes.least_f()
    return min((node.f for node in nodes), default=math.inf)


def _is_root(node: Node | None) -> bool:
    return node is not None and isinstance(node.program, Hole)
