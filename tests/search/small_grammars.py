"""Random small grammars, constraints on their programs, and brute force: all programs there are.

Nothing here uses the search graph of the package: programs are enumerated by plain recursion on the
rules.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any

from nearstar.language.expression import tanh
from nearstar.language.function import record
from nearstar.language.grammar import Grammar, Rule
from nearstar.language.numbers import numbers_of
from nearstar.language.operation import Operation
from nearstar.language.operators import (
    BUILT_IN,
    Affine,
    Constant,
    Fold,
    Group,
    Input,
    Map,
    MapPrefix,
    Select,
    Window,
    if_then_else,
)
from nearstar.language.program import Apply, Hole, Program
from nearstar.language.types import Sequence as SequenceOf
from nearstar.language.types import Signature, Vector
from nearstar.search.constraints import Constraints
from nearstar.util.errors import DomainError

A, B, AB, BA = Group("a", (0,)), Group("b", (1,)), Group("ab", (0, 1)), Group("ba", (1, 0))
IF = if_then_else()
ODD = record(lambda a: tanh(a), "odd", takes=("out",))
SEQUENCES: tuple[Operation, ...] = (Map(), MapPrefix(), IF, Input())
SUMMARIES: tuple[Operation, ...] = (
    *(Fold(), Window("Average", 5), Window("Average", 1), Window("Max", 1), IF),
    Window("Average", 11, centred=True),
)
FUNCTIONS: tuple[Operation, ...] = (IF, *BUILT_IN, ODD)
LEAVES: tuple[Operation, ...] = (
    *(Affine(A), Affine(B), Affine(AB), Affine(BA), Affine()),
    *(Constant(), Input(), Select(A), Select(AB)),
)
FAMILIES = {
    "affine": [leaf.name for leaf in LEAVES if isinstance(leaf, Affine)],
    "sel": [leaf.name for leaf in LEAVES if isinstance(leaf, Select)],
}


# Grammars


def random_grammar(random: Random) -> Grammar:
    """A few rules of each kind at random costs; every hole that comes up can be closed."""
    features, outputs = random.choice((1, 2, 2, 3)), random.choice((1, 1, 2))
    sequence, vector = SequenceOf(features), Vector(features)
    root = random.choice(
        (
            Signature(sequence, SequenceOf(outputs)),
            Signature(sequence, Vector(outputs)),
            Signature(vector, Vector(outputs)),
        )
    )
    cost = random_costs(random)

    def rules(pool: Sequence[Operation], least: int, most: int) -> tuple[Rule, ...]:
        chosen = random.sample(pool, random.randint(least, most))
        return tuple(Rule(operation, cost(operation)) for operation in chosen)

    while True:
        vectors = [*rules(FUNCTIONS, 0, 3), *rules(LEAVES, 1, 4)]
        random.shuffle(vectors)
        try:
            return Grammar(root, rules(SEQUENCES, 1, 3), rules(SUMMARIES, 1, 3), tuple(vectors))
        except DomainError:
            continue  # some hole could not be closed: draw again


def random_costs(random: Random) -> Callable[[Operation], float]:
    """A way to price rules: all free, a few prices with ties, or any numbers."""
    few = random.choice(((0.0,), (0.0, 0.1), (0.01, 0.02, 0.03), (0.0, 0.05, 0.05, 0.3)))
    if random.random() < 0.7:
        return lambda operation: random.choice(few)
    largest = random.choice((0.02, 0.3))
    return lambda operation: random.random() * largest


# Brute force


def label(program: Program) -> str:
    """A text for each program of a grammar: the names of its operations."""
    if isinstance(program, Hole):
        return "??"
    inside = ",".join([label(argument) for argument in program.arguments])
    return f"{program.operation.name}({inside})"


def names(program: Program) -> Iterator[str]:
    """The names of the operations used, as often as they are."""
    if isinstance(program, Apply):
        yield program.operation.name
    for argument in program.arguments:
        yield from names(argument)


class BruteForce:
    """All programs of a grammar, by recursion on the number of rules."""

    def __init__(self, grammar: Grammar) -> None:
        self.grammar = grammar
        self._counts: dict[tuple[Signature, int], int] = {}
        self._programs: dict[tuple[Signature, int], list[Program]] = {}

    def count(self, signature: Signature, rules: int) -> int:
        """How many complete programs have exactly so many rules."""
        key = signature, rules
        if key not in self._counts:
            self._counts[key] = sum(
                math.prod(self.count(*part) for part in zip(arguments, shares, strict=True))
                for _, arguments in self._openings(signature)
                for shares in _shares(rules - 1, len(arguments))
            )
        return self._counts[key]

    def exactly(self, signature: Signature, rules: int) -> list[Program]:
        """The complete programs with exactly so many rules."""
        key = signature, rules
        if key not in self._programs:
            self._programs[key] = [
                Apply(operation, signature, parts)
                for operation, arguments in self._openings(signature)
                for shares in _shares(rules - 1, len(arguments))
                for parts in itertools.product(*map(self.exactly, arguments, shares))
            ]
        return self._programs[key]

    def how_many(self, max_depth: int) -> int:
        """How many complete programs have at most so many rules."""
        return sum(self.count(self.grammar.root, rules) for rules in range(1, max_depth + 1))

    def completions(self, program: Program, max_depth: int) -> Iterator[Program]:
        """The complete programs, of at most so many rules, that fill the holes of a program."""
        holes = list(_holes(program))
        for rules in range(len(holes), max_depth - program.size + 1):
            for shares in _shares(rules, len(holes)):
                for parts in itertools.product(*map(self.exactly, holes, shares)):
                    yield _filled(program, iter(parts))

    def _openings(self, signature: Signature) -> list[tuple[Operation, tuple[Signature, ...]]]:
        return [
            (rule.operation, rule.operation.arguments(signature) or ())
            for rule in self.grammar.rules(signature)
        ]


def _shares(total: int, parts: int) -> Iterator[tuple[int, ...]]:
    """The ways to give each of the parts at least one, and a total in all."""
    if parts == 0:
        if total == 0:
            yield ()
        return
    for first in range(1, total - parts + 2):
        for rest in _shares(total - first, parts - 1):
            yield (first, *rest)


def _holes(program: Program) -> Iterator[Signature]:
    if isinstance(program, Hole):
        yield program.signature
    for argument in program.arguments:
        yield from _holes(argument)


def _filled(program: Program, parts: Iterator[Program]) -> Program:
    if isinstance(program, Hole):
        return next(parts)
    arguments = tuple([_filled(argument, parts) for argument in program.arguments])
    return Apply(program.operation, program.signature, arguments)


def expanded(program: Program, grammar: Grammar) -> list[Program]:
    """The program with each rule that fits in its leftmost hole."""
    signature = program.signature
    if isinstance(program, Hole):
        operations = [rule.operation for rule in grammar.rules(signature)]
        return [
            Apply(operation, signature, tuple(map(Hole, operation.arguments(signature) or ())))
            for operation in operations
        ]
    place = next(i for i, argument in enumerate(program.arguments) if argument.n_holes)
    before, after = program.arguments[:place], program.arguments[place + 1 :]
    return [
        Apply(program.operation, signature, (*before, part, *after))
        for part in expanded(program.arguments[place], grammar)
    ]


def random_sketch(random: Random, program: Program) -> Program:
    """A program with holes in place of some of its parts, wherever they are; maybe of none."""
    if random.random() < 0.25 or isinstance(program, Hole):
        return Hole(program.signature)
    arguments = tuple([random_sketch(random, argument) for argument in program.arguments])
    return Apply(program.operation, program.signature, arguments)


# Constraints


def keeps(program: Program, constraints: Constraints) -> bool:
    """Whether a complete program keeps constraints."""
    used = Counter(names(program))

    def times(name: str) -> int:
        return sum(used[each] for each in FAMILIES.get(name, [name]))

    return (
        program.size <= constraints.max_depth
        and (constraints.max_height is None or program.height <= constraints.max_height)
        and not any(map(times, constraints.forbid))
        and all(map(times, constraints.require))
        and all(times(name) <= most for name, most in constraints.limit.items())
        and (constraints.numbers is None or (numbers_of(program) or 0) <= constraints.numbers)
    )


def random_constraints(random: Random, grammar: Grammar, max_depth: int) -> Constraints:
    """One to three demands, of rules or families that the grammar has."""
    rules = {rule.operation.name for rule in grammar.all_rules}
    known = sorted(rules) + [family for family in FAMILIES if rules.intersection(FAMILIES[family])]
    demands: dict[str, Any] = {"max_depth": max_depth}
    for what in random.sample(("max_height", "forbid", "require", "limit"), random.randint(1, 3)):
        some = random.sample(known, min(len(known), random.choice((1, 1, 2))))
        if what == "max_height":
            demands[what] = random.randint(1, max_depth)
        elif what == "limit":
            demands[what] = {name: random.randint(0, 2) for name in some}
        else:
            demands[what] = tuple(some)
    return Constraints(**demands)
