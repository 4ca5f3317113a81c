"""Variation: programs made of others, by crossover, mutation, or one step away from them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import TypeVar

import numpy as np

from nearstar.language.program import (
    Apply,
    Hole,
    Program,
    open_up,
    replace,
    replace_by_each,
    walk,
)
from nearstar.search.counting import Counting
from nearstar.search.sampling import completion, initial_state
from nearstar.search.space import Space

T = TypeVar("T")

TRIES = 20
"""Attempts at a program that the space allows, before something else is done."""


class Variation:
    """Makes programs of a space: the first ones, and children of others."""

    def __init__(self, space: Space, random: np.random.Generator) -> None:
        self.space = space
        self.random = random
        self.counting = Counting(space.grammar)
        self.max_depth = space.constraints.max_depth

    def first(self, number: int, most_rules: int) -> list[Program]:
        """Programs to begin with, drawn uniformly from those with at most so many rules.

        From a sketch, and where constraints leave hardly any of those, random completions.
        """
        found: list[Program] = []
        if self.space.from_scratch:
            root = self.space.grammar.root
            most = min(max(most_rules, int(self.space.grammar.least_rules[root])), self.max_depth)
            drawn = (self.counting.draw(root, most, self.random) for _ in range(TRIES * number))
            found = list(islice(filter(self.space.leads_to, drawn), number))
        while len(found) < number:
            found.append(completion(self.space, initial_state(self.space), self.random))
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
            if child is not None and self.space.leads_to(child):
                return child
        return mother

    def mutated(self, program: Program) -> Program:
        """The program with one part drawn anew; itself if nothing fits."""
        for _ in range(TRIES):
            mutant = mutate(program, self.counting, self.max_depth, self.random)
            if self.space.leads_to(mutant):
                return mutant
        return program


def crossover(
    mother: Program, father: Program, most_rules: int, random: np.random.Generator
) -> Program | None:
    """The mother with one of the father's parts in the place of one of her own of the same type.

    Her part is drawn first; None if he has none for it that leaves at most so many rules.
    """
    path, part = pick(list(walk(mother)), random)
    room = most_rules - (mother.size - part.size)
    offered = [
        other
        for _, other in walk(father)
        if other.signature == part.signature and other.size <= room
    ]
    return replace(mother, path, pick(offered, random)) if offered else None


def mutate(
    program: Program, counting: Counting, most_rules: int, random: np.random.Generator
) -> Program:
    """The program with one part replaced by any of its type that leaves at most so many rules."""
    path, part = pick(list(walk(program)), random)
    room = most_rules - (program.size - part.size)
    return replace(program, path, counting.draw(part.signature, room, random))


def pick(items: Sequence[T], random: np.random.Generator) -> T:
    """One of these, each with the same chance."""
    return items[int(random.integers(len(items)))]


def neighbours(space: Space, program: Program) -> list[Program]:
    """Roots to search around a program: itself, then sketches with a part opened or grown."""
    sketches = dict.fromkeys((*opened(space, program), *grown(space, program)))
    return [program, *(sketch for sketch in sketches if space.allows(sketch))]


def opened(space: Space, program: Program) -> list[Program]:
    """With a hole for each part in turn; not for the whole, which would be another search."""
    return [replace(program, path, Hole(node.signature)) for path, node in walk(program) if path]


def grown(space: Space, program: Program) -> list[Program]:
    """With each rule around each part: α becomes ``add(α, ??)``, ``if ?? > 0 then α else ??``, …"""
    grown: list[Program] = []
    for path, node in walk(program):
        around = space.grammar.around(node.signature)
        grown += replace_by_each(
            program, path, [replace(opened, (index,), node) for opened, index in around]
        )
    return grown


def swapped(space: Space, program: Program) -> list[Program]:
    """With another rule in the place of each, on the same arguments: add becomes multiply, …"""
    swapped: list[Program] = []
    for path, node in walk(program):
        if not isinstance(node, Apply):
            continue
        for rule in space.grammar.rules(node.signature):
            other = open_up(rule.operation, node.signature)
            same_arguments = other.production.arguments == node.production.arguments
            if same_arguments and other.operation != node.operation:
                swapped.append(replace(program, path, other.on(node.arguments)))
    return swapped


def dropped(space: Space, program: Program) -> list[Program]:
    """Without each rule, with one of its arguments in its place: add(α, β) becomes α, or β."""
    return [
        replace(program, path, argument)
        for path, node in walk(program)
        for argument in node.arguments
        if argument.signature == node.signature
    ]


STEPS = (opened, grown, swapped, dropped)
"""All kinds of steps; each gives programs and sketches, also such as a space does not allow."""
