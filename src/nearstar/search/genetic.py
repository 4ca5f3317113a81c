"""Genetic search: generations of programs that cross over and mutate."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np

from nearstar.language.program import Program
from nearstar.search.algorithm_settings import Settings
from nearstar.search.evaluator import Evaluator
from nearstar.search.protocol import Search
from nearstar.search.space import Space
from nearstar.search.variation import Variation
from nearstar.util.seeds import seed_for


@dataclass(frozen=True, kw_only=True)
class Genetic(Settings):
    """Generations of programs; the best ones are the parents of the next."""

    published = MappingProxyType({"deduplicate": False, "elitism": False, "race": False})
    in_domains = ("genetic",)

    population: int = 15
    """Programs of a generation."""
    select: int = 8
    """How many of the best are parents."""
    elitism: bool = True
    """Whether parents may be parents again, where their children are no better. In the published
    search the best of a generation are its only parents."""
    generations: int = 20
    """Most generations."""
    evaluations: int = 100
    """Most programs asked."""
    mutation: float = field(default=0.1, metadata={"most": 1})
    """Probability that a child mutates."""
    initial_depth: int = 5
    """Most rules of the first programs; more only if there are none so small."""
    deduplicate: bool = True
    """Ask only for one of programs with the same canonical form."""

    def search(self, space: Space, seed: int) -> Search:
        random = np.random.default_rng(seed_for(seed, "genetic"))
        evaluator = Evaluator(space, self.deduplicate, self.race)
        yield from evaluator.ask_roots()
        variation = Variation(space, random)
        selected: list[tuple[Program, float]] = []
        for _ in range(self.generations):
            population = self._generation(variation, [program for program, _ in selected])
            population = evaluator.affordable(population, self.evaluations)
            costs = yield from evaluator.ask(population)
            before = selected if self.elitism else []
            selected = self._best(evaluator, before + list(zip(population, costs, strict=True)))
            if len(evaluator.costs) == self.evaluations:
                break
        return None

    def _generation(self, variation: Variation, parents: list[Program]) -> list[Program]:
        """The programs of a generation: children of the parents, if there are any yet."""
        if not parents:
            return variation.first(self.population, self.initial_depth)
        return [variation.child(parents, self.mutation) for _ in range(self.population)]

    def _best(
        self, evaluator: Evaluator, programs: list[tuple[Program, float]]
    ) -> list[tuple[Program, float]]:
        """The best programs, each once: copies of one would soon crowd the others out."""
        distinct: dict[Program, tuple[Program, float]] = {}
        for program, cost in programs:
            distinct.setdefault(evaluator.form(program), (program, cost))
        return sorted(distinct.values(), key=lambda each: each[1])[: self.select]
