"""Monte-Carlo sampling: step by step to the child whose random completions are best on average."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from statistics import fmean
from types import MappingProxyType

import numpy as np

from nearstar.language.program import Program, is_complete
from nearstar.search.algorithm_settings import Settings
from nearstar.search.evaluator import Evaluator
from nearstar.search.protocol import Search
from nearstar.search.sampling import completion, draw, initial_state, successors
from nearstar.search.space import Space
from nearstar.util.seeds import seed_for


@dataclass(frozen=True, kw_only=True)
class MonteCarlo(Settings):
    """Samples completions, steps to the child with the best mean path cost, and repeats."""

    published = MappingProxyType({"deduplicate": False, "race": False})
    in_domains = ("samples",)

    samples: int = 50
    """Completions sampled before each step, asked together."""
    deduplicate: bool = True
    """Ask only for one of programs with the same canonical form."""

    def search(self, space: Space, seed: int) -> Search:
        random = np.random.default_rng(seed_for(seed, "Monte Carlo"))
        evaluator = Evaluator(space, self.deduplicate, self.race)
        yield from evaluator.ask_roots()
        current = initial_state(space)
        while current is None or not is_complete(current):
            children = successors(space, current)
            taken = [draw(space, children, random) for _ in range(self.samples)]
            costs = yield from evaluator.ask([completion(space, child, random) for child in taken])
            current = _best(children, taken, costs)
        return None


def _best(children: list[Program], taken: list[Program], costs: list[float]) -> Program:
    """The child with the best mean cost of samples through it; the first of equals."""
    reached: defaultdict[Program, list[float]] = defaultdict(list)
    for child, cost in zip(taken, costs, strict=True):
        reached[child].append(cost)
    return min((child for child in children if child in reached), key=lambda c: fmean(reached[c]))
