"""Programs besides those that h leads to: the smallest ones, and variants of the best."""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import count

import numpy as np

from nearstar.language.program import Program, first_hole, node_at, replace
from nearstar.search.enumeration import ByCost
from nearstar.search.expansion import Expansion
from nearstar.search.protocol import Node
from nearstar.search.pruning import TOLERANCE, Bounds
from nearstar.search.space import Space
from nearstar.search.variation import STEPS, Variation, pick
from nearstar.util.seeds import seed_for

_STREAM = "beside"
"""Names its random numbers; with another name they would be other ones."""
_PATIENCE = 4
"""Rounds without a new best program for each program that is explored."""
_VARIANTS = 2
"""Variants of the best for each one of the smallest."""
_EXPANDED = 100
"""Partial programs that are expanded, at most, on the way to the next small one: it must not keep
the search waiting, and is gone on with at the next turn."""
_PARENTS = 50
"""So many of the best programs have variants."""
_FIRST = 0.2
"""Chance that a variant is of the best of them; else it is of the next with that chance; …"""
_TRIES = 10
"""Variants that are made for one that is wanted, at most."""
_CROSSED = 0.5
"""Chance that a variant has a part of another parent; else it is a step away from one."""
_SMALLEST = 0.5
"""Chance that a hole of a variant is closed with the fewest rules; else with one more with that
chance; …"""


class Exploration:
    """Nodes of complete programs to train whatever h says, the more the longer h has led nowhere.

    They change nothing in the bound.
    """

    def __init__(self, expansion: Expansion, bounds: Bounds, seed: int) -> None:
        self.expansion = expansion
        self.bounds = bounds
        self.stalled = 0
        """Rounds since the last new best program."""
        self._proposals = Proposals(expansion.space, expansion.form, seed)

    def nodes(self, others: Sequence[Node]) -> Iterator[Node]:
        """Those for a round of others: they are not trained yet and may be better than the best.

        One that waits in a frontier stays there; frontiers pass over what is done.
        """
        asked = {node.program for node in others}
        made, cost = self.expansion.made, self.expansion.space.cost

        def is_wanted(program: Program) -> bool:
            known = made.get(program)
            untrained = known is None or not known.trained
            return untrained and program not in asked and cost(program) < self.bounds.incumbent

        most = self.expansion.settings.exploration
        for _ in range(min(self.stalled // _PATIENCE, most)):
            program = self._proposals.offer(is_wanted)
            if program is None:
                return
            asked.add(program)
            yield self.expansion.complete(program)

    def observe(self, complete: Node) -> None:
        """Take note of a complete program that was trained, before it is the incumbent."""
        if complete.f < self.bounds.incumbent - TOLERANCE:
            self.stalled = 0
        self._proposals.note(complete.program, complete.f)


class Proposals:
    """Complete programs to train whatever h says: the next by structural cost, then two variants.

    The ones miss nothing small, the others find what is larger; both also where h misleads.
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
        self._turn = 0
        self._best: list[tuple[float, int, Program]] = []
        """The best programs so far, with their path costs; of equals, the first that came."""

    def note(self, program: Program, cost: float) -> None:
        """Take note of a complete program and its path cost."""
        insort(self._best, (cost, next(self._arrivals), program))
        del self._best[_PARENTS:]

    def offer(self, wanted: Callable[[Program], bool]) -> Program | None:
        """A program that is wanted; None if none is found, or none is noted to vary."""
        if not self._best:
            return None
        self._turn += 1
        smallest = self._smallest(wanted) if self._turn % (1 + _VARIANTS) == 1 else None
        if smallest is not None:
            return smallest
        # Where what is around the best is known, parents are drawn from more and more of them.
        variants = (self.form(self._variant(_FIRST / 2**tried)) for tried in range(_TRIES))
        return next(filter(wanted, variants), None)

    def _smallest(self, wanted: Callable[[Program], bool]) -> Program | None:
        # What costs more than the best one by its structure alone is not worth going through.
        while self._by_cost.bound() < self._best[0][0]:
            program = self._by_cost.pop(_EXPANDED)
            if program is None or wanted(program):
                return program
        return None

    def _variant(self, first: float) -> Program:
        """One of the best with a part of another, or a step away from it; itself if none fits."""
        parent = self._parent(first)
        if self._random.random() < _CROSSED:
            return self._variation.crossed(parent, self._parent(first))
        step = pick(STEPS, self._random)
        sketches = self._away(step, parent)
        if sketches:
            variant = self._closed(pick(sketches, self._random))
            if self._variation.fits(variant):
                return variant
        return parent

    def _parent(self, first: float) -> Program:
        index = int(self._random.geometric(first)) - 1
        return self._best[index % len(self._best)][-1]

    def _closed(self, sketch: Program) -> Program:
        """The sketch with a small program in each of its holes."""
        least = self.space.grammar.least_rules
        while (path := first_hole(sketch)) is not None:
            signature = node_at(sketch, path).signature
            rules = int(least[signature]) + int(self._random.geometric(_SMALLEST)) - 1
            small = self._variation.counting.draw(signature, rules, self._random)
            sketch = replace(sketch, path, small)
        return sketch
