"""Programs besides those that h leads to: the smallest ones, variants of the best, and random
completions of what promises most."""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable, Container
from functools import lru_cache
from itertools import count

import numpy as np

from nearstar.language.program import Program, first_hole, node_at, replace
from nearstar.search.enumeration import ByCost
from nearstar.search.expansion import Expansion
from nearstar.search.protocol import Node
from nearstar.search.pruning import Bounds
from nearstar.search.space import Space
from nearstar.search.variation import STEPS, Variation, pick
from nearstar.util.seeds import seed_for

_STREAM = "beside"
"""Names its random numbers; with another name they would be other ones."""
_VARIANTS = 2
"""Variants of the best for each one of the smallest."""
_EXPANDED = 100
"""Partial programs that are expanded, at most, on the way to the next small one: it must not keep
the search waiting, and is gone on with at the next turn."""
_PARENTS = 50
"""So many of the best programs have variants, and of the most promising ones completions."""
_FIRST = 0.2
"""Chance that it is the best of them; else it is the next with that chance; …"""
_TRIES = 10
"""Variants or completions that are made for one that is wanted, at most."""
_CROSSED = 0.5
"""Chance that a variant has a part of another parent; else it is a step away from one."""
_SMALLEST = 0.5
"""Chance that a hole is closed with the fewest rules; else with one more with that
chance; …"""


class Exploration:
    """Nodes of complete programs to train whatever h says; they change nothing in the bound."""

    SOURCE = "beside"

    def __init__(self, expansion: Expansion, bounds: Bounds, seed: int) -> None:
        self.expansion = expansion
        self.bounds = bounds
        self._proposals = Proposals(expansion.space, expansion.form, seed)
        self._turn = 0

    def first(self) -> Node | None:
        """That of the smallest program: so that there is an answer from the beginning on."""
        program = self._proposals.first()
        return None if program is None else self.expansion.complete(program)

    def node(self, asked: Container[Program]) -> Node | None:
        """One that is not trained, nor asked already, and may be better than the best; None if
        none is found.

        One that waits in a frontier stays there; frontiers pass over what is done.
        """
        is_wanted = self._wanted(asked)
        self._turn += 1
        small = self._turn % (1 + _VARIANTS) == 1
        program = self._proposals.smallest(is_wanted) if small else None
        program = program or self._proposals.variant(is_wanted)
        return None if program is None else self.expansion.complete(program)

    def completion(self, asked: Container[Program]) -> Node | None:
        """The node of a random completion of one of the partial programs that promise most."""
        program = self._proposals.completion(self._wanted(asked))
        return None if program is None else self.expansion.complete(program)

    def promise(self, partial: Program, cost: float) -> None:
        """Take note of a partial program, and of the path cost that is expected of it."""
        self._proposals.promise(partial, cost)

    def observe(self, complete: Node) -> None:
        """Take note of a complete program that was trained."""
        self._proposals.note(complete.program, complete.f)

    def _wanted(self, asked: Container[Program]) -> Callable[[Program], bool]:
        """Whether a program is worth training: new, not asked already, and not too dear."""
        made, cost = self.expansion.made, self.expansion.space.cost

        def is_wanted(program: Program) -> bool:
            known = made.get(program)
            untrained = known is None or not known.trained
            return untrained and program not in asked and cost(program) < self.bounds.incumbent

        return is_wanted


class Proposals:
    """Complete programs to train whatever h says: the next by structural cost, variants of the
    best, and random completions of partial programs that promise much.

    The first miss nothing small, the others find what is larger; all also where h misleads.
    ``form`` is what stands for a program.
    """

    def __init__(self, space: Space, form: Callable[[Program], Program], seed: int) -> None:
        self.space = space
        self.form = form
        self._by_cost = ByCost(space, form)
        self._random = np.random.default_rng(seed_for(seed, _STREAM))
        self._variation = Variation(space, self._random)
        self._away = lru_cache(len(STEPS) * _PARENTS)(lambda step, program: step(space, program))
        self._arrivals = count()
        self._best: list[tuple[float, int, Program]] = []
        """The best programs so far, with their path costs; of equals, the first that came."""
        self._promising: list[tuple[float, int, Program]] = []
        """The partial programs of which most is expected, likewise."""

    def promise(self, partial: Program, cost: float) -> None:
        """Take note of a partial program and of the path cost that is expected of it."""
        insort(self._promising, (cost, next(self._arrivals), partial))
        del self._promising[_PARENTS:]

    def completion(self, wanted: Callable[[Program], bool]) -> Program | None:
        """A random completion, small ones more often, of what promises most; None if none is
        found that is wanted."""
        if not self._promising:
            return None
        for tried in range(_TRIES):
            sketch = self._one_of(self._promising, _FIRST / 2**tried)
            program = self.form(self._closed(sketch))
            if self.space.leads_to(program) and wanted(program):
                return program
        return None

    def first(self) -> Program | None:
        """The first by structural cost."""
        return self._by_cost.pop(_EXPANDED)

    def note(self, program: Program, cost: float) -> None:
        """Take note of a complete program and its path cost."""
        insort(self._best, (cost, next(self._arrivals), program))
        del self._best[_PARENTS:]

    def variant(self, wanted: Callable[[Program], bool]) -> Program | None:
        """A variant of the best that is wanted; None if none is found, or none is noted to vary."""
        if not self._best:
            return None
        # Where what is around the best is known, parents are drawn from more and more of them.
        variants = (self.form(self._variant(_FIRST / 2**tried)) for tried in range(_TRIES))
        return next(filter(wanted, variants), None)

    def smallest(self, wanted: Callable[[Program], bool]) -> Program | None:
        """The next by structural cost that is wanted; None if it is not met with soon."""
        # What costs more than the best one by its structure alone is not worth going through.
        while self._best and self._by_cost.bound() < self._best[0][0]:
            program = self._by_cost.pop(_EXPANDED)
            if program is None or wanted(program):
                return program
        return None

    def _variant(self, first: float) -> Program:
        """One of the best with a part of another, or a step away from it; itself if none fits."""
        parent = self._one_of(self._best, first)
        if self._random.random() < _CROSSED:
            return self._variation.crossed(parent, self._one_of(self._best, first))
        step = pick(STEPS, self._random)
        sketches = self._away(step, parent)
        if sketches:
            variant = self._closed(pick(sketches, self._random))
            if self.space.leads_to(variant):
                return variant
        return parent

    def _one_of(self, known: list[tuple[float, int, Program]], first: float) -> Program:
        """The first of these programs with this chance; else the next with that chance; …"""
        index = int(self._random.geometric(first)) - 1
        return known[index % len(known)][-1]

    def _closed(self, sketch: Program) -> Program:
        """The sketch with a small program in each of its holes."""
        least = self.space.grammar.least_rules
        while (path := first_hole(sketch)) is not None:
            signature = node_at(sketch, path).signature
            rules = int(least[signature]) + int(self._random.geometric(_SMALLEST)) - 1
            small = self._variation.counting.draw(signature, rules, self._random)
            sketch = replace(sketch, path, small)
        return sketch
