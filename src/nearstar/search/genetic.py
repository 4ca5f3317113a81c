"""Genetic search: generations of programs that cross over and mutate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeVar

import numpy as np

from nearstar.language.domain import Domain
from nearstar.language.program import Program, completes, replace, walk
from nearstar.search.counting import Counting
from nearstar.search.protocol import Search
from nearstar.search.sampling import beginning, completion
from nearstar.search.scoring import Scored
from nearstar.search.space import Space
from nearstar.util.checks import check_number, check_switch, check_whole
from nearstar.util.errors import NearstarError
from nearstar.util.seeds import seed_for

T = TypeVar("T")

TRIES = 20
"""Attempts at a program that the space allows, before something else is done."""


@dataclass(frozen=True, kw_only=True)
class Genetic:
    """Generations of programs; the best ones are the parents of the next."""

    population: int = 15
    """Programs of a generation."""
    select: int = 8
    """How many of the best are parents: of the generation and the parents before it."""
    generations: int = 20
    """Most generations."""
    evaluations: int = 100
    """Most programs asked."""
    mutation: float = 0.1
    """Probability that a child mutates."""
    initial_depth: int = 5
    """Most rules of the first programs; more only if there are none so small."""
    deduplicate: bool = True
    """Ask only for one of programs with the same canonical form."""

    def __post_init__(self) -> None:
        for name in ("population", "select", "generations", "evaluations", "initial_depth"):
            check_whole(name, getattr(self, name))
        check_number("mutation", self.mutation, least=0)
        if self.mutation > 1:
            raise NearstarError(f"mutation must be a number from 0 to 1, not {self.mutation!r}")
        check_switch("deduplicate", self.deduplicate)

    @classmethod
    def paper(cls, domain: Domain, **changes: Any) -> Genetic:
        """The published settings for one of the paper's domains."""
        settings = domain.published("genetic")["genetic"]
        return cls(**{"deduplicate": False, **settings, **changes})

    def search(self, space: Space, seed: int) -> Search:
        random = np.random.default_rng(seed_for(seed, "genetic"))
        scored = Scored(space, self.deduplicate)
        yield from scored.ask_starts()
        breeding = Breeding(space, random)
        selected: list[tuple[Program, float]] = []
        for _ in range(self.generations):
            population = self._generation(breeding, [program for program, _ in selected])
            population = scored.affordable(population, self.evaluations)
            costs = yield from scored.ask(population)
            selected = self._best(scored, selected + list(zip(population, costs, strict=True)))
            if len(scored.costs) == self.evaluations:
                break
        return None

    def _generation(self, breeding: Breeding, parents: list[Program]) -> list[Program]:
        """The programs of a generation: children of the parents, if there are any yet."""
        if not parents:
            return breeding.first(self.population, self.initial_depth)
        return [breeding.child(parents, self.mutation) for _ in range(self.population)]

    def _best(
        self, scored: Scored, programs: list[tuple[Program, float]]
    ) -> list[tuple[Program, float]]:
        """The best programs, each once: copies of one would soon crowd the others out."""
        distinct: dict[Program, tuple[Program, float]] = {}
        for program, cost in programs:
            distinct.setdefault(scored.form(program), (program, cost))
        return sorted(distinct.values(), key=lambda each: each[1])[: self.select]


class Breeding:
    """Makes programs of a space: the first ones, and children of others."""

    def __init__(self, space: Space, random: np.random.Generator) -> None:
        self.space = space
        self.random = random
        self.counting = Counting(space.grammar)
        self.max_depth = space.constraints.max_depth

    def fits(self, program: Program) -> bool:
        """Whether a complete program keeps the constraints and completes one of the starts."""
        return self.space.allows(program) and any(
            completes(program, start) for start in self.space.starts
        )

    def first(self, number: int, most_rules: int) -> list[Program]:
        """Programs to begin with, drawn uniformly from those with at most so many rules.

        From a sketch, and where constraints leave hardly any of those, random completions.
        """
        found: list[Program] = []
        if self.space.from_root:
            root = self.space.grammar.root
            most = min(max(most_rules, int(self.space.grammar.least_rules[root])), self.max_depth)
            drawn = (self.counting.draw(root, most, self.random) for _ in range(TRIES * number))
            found = list(islice(filter(self.fits, drawn), number))
        while len(found) < number:
            found.append(completion(self.space, beginning(self.space), self.random))
        return found

    def child(self, parents: Sequence[Program], mutation: float) -> Program:
        """A child of two of the parents, mutated with this probability."""
        pair = self.random.choice(len(parents), min(len(parents), 2), replace=False)
        child = self.crossed(parents[pair[0]], parents[pair[-1]])
        return self.mutated(child) if self.random.random() < mutation else child

    def crossed(self, mother: Program, father: Program) -> Program:
        """The mother with a part of the father's; herself if nothing fits."""
        for _ in range(TRIES):
            child = crossover(mother, father, self.max_depth, self.random)
            if child is not None and self.fits(child):
                return child
        return mother

    def mutated(self, program: Program) -> Program:
        """The program with one part drawn anew; itself if nothing fits."""
        for _ in range(TRIES):
            mutant = mutate(program, self.counting, self.max_depth, self.random)
            if self.fits(mutant):
                return mutant
        return program


def crossover(
    mother: Program, father: Program, most_rules: int, random: np.random.Generator
) -> Program | None:
    """The mother with one of the father's parts in the place of one of her own of the same type.

    Her part is drawn first; None if he has none for it that leaves at most so many rules.
    """
    path, part = _pick(list(walk(mother)), random)
    room = most_rules - (mother.size - part.size)
    offered = [
        other
        for _, other in walk(father)
        if other.signature == part.signature and other.size <= room
    ]
    return replace(mother, path, _pick(offered, random)) if offered else None


def mutate(
    program: Program, counting: Counting, most_rules: int, random: np.random.Generator
) -> Program:
    """The program with one part replaced by any of its type that leaves at most so many rules."""
    path, part = _pick(list(walk(program)), random)
    room = most_rules - (program.size - part.size)
    return replace(program, path, counting.draw(part.signature, room, random))


def _pick(items: Sequence[T], random: np.random.Generator) -> T:
    return items[int(random.integers(len(items)))]
