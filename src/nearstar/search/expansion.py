"""Making the nodes of a search, each once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from nearstar.language.derivation import Alphabet
from nearstar.language.program import Program, begun, is_begun
from nearstar.language.text import to_text
from nearstar.search.algorithm_settings import NearSettings
from nearstar.search.protocol import Node, is_root
from nearstar.search.space import Space
from nearstar.util.seeds import seed_for

_REMEMBERED = 50_000
"""Beginnings of derivations whose forms are kept before forgetting them all."""


class Expansion:
    """The nodes of one search, with g and what is known of h before they are trained."""

    def __init__(self, space: Space, settings: NearSettings, seed: int) -> None:
        self.space = space
        self.settings = settings
        self.seed = seed
        self.form = space.form if settings.deduplicate else lambda program: program
        """What stands for a program."""
        self.made: dict[Program, Node] = {}
        self._alphabet = Alphabet()
        self._begun: dict[str, Node] = {}
        """The partial ones that are the beginning of a derivation, by their words."""
        self._forms: dict[str, Program] = {}
        """What stands for the beginnings of derivations of which there is no node."""

    def roots(self) -> list[Node]:
        """The nodes of the programs that completions are sought of."""
        roots = [self.node(program, None) for program in dict.fromkeys(self.space.roots)]
        self.keep(roots)  # some children's canonical form is the hole itself
        return roots

    def children(self, node: Node) -> tuple[list[Node], list[Node]]:
        """The children that a node would have now, and those above the cap. Changes nothing."""
        if self.settings.deduplicate:
            children = self.space.expanded(node.program)
        else:
            children = dict.fromkeys(self.space.expansions(node.program), True)
        # Where a form has completions that the node does not have, its h is no bound.
        made = [
            self.node(child, node, inherits=same_room and not is_root(node))
            for child, same_room in children.items()
            if child not in self.made
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

    def node(self, program: Program, parent: Node | None, inherits: bool = False) -> Node:
        """A node; one that ``inherits`` takes its parent's h until it has its own."""
        settings = self.settings
        return Node(
            program,
            parent,
            g=self.space.cost(program),
            closing=self.space.closing_cost(program) if settings.closing_cost else 0.0,
            above=parent if inherits else None,
            warm_from=parent if settings.warm_start and not is_root(parent) else None,
        )

    def keep(self, nodes: Iterable[Node]) -> None:
        """Have these nodes for their programs from now on."""
        for node in nodes:
            self.made[node.program] = node
            if node.program.n_holes and is_begun(node.program):
                self._begun[self._alphabet.word(node.program)] = node

    def complete(self, program: Program) -> Node:
        """The node of a complete program, however it was come upon."""
        if program not in self.made:
            self.keep([self.node(program, self._trained_above(program))])
        return self.made[program]

    def _trained_above(self, program: Program) -> Node | None:
        """The last node of a program's derivation, but the root, that is trained."""
        return next((node for node in self.leading_to(program) if node.trained), None)

    def leading_to(self, program: Program) -> Iterator[Node]:
        """The nodes of a program's derivation, or of equivalents, but the root; the last first."""
        word = self._alphabet.word(program)
        for rules in range(program.size - 1, 0, -1):
            node = self._begun.get(word[:rules]) or self.made.get(
                self._form_of(program, word, rules)
            )
            if node is not None:
                yield node

    def _form_of(self, program: Program, word: str, rules: int) -> Program:
        """What stands for a program as it was after so many rules of its derivation."""
        form = self._forms.get(word[:rules])
        if form is None:
            if len(self._forms) >= _REMEMBERED:
                self._forms.clear()
            form = self._forms[word[:rules]] = self.form(begun(program, rules))
        return form
