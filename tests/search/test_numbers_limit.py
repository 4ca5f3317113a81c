"""A limit on numbers to read: the best program within it is found, against brute force."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace
from random import Random

import pytest
from small_grammars import FAMILIES, BruteForce, expanded, keeps, label, random_sketch
from tabulated import TOLERANCE, Case, random_case, solve

from nearstar.language.deciding import is_misplaced
from nearstar.language.domain import Domain
from nearstar.language.grammar import Grammar, Rule
from nearstar.language.numbers import numbers_of
from nearstar.language.operators import HARD, Affine, Few, if_then_else
from nearstar.language.program import Hole
from nearstar.search import IDSBB, AStar, Enumeration, Genetic, MonteCarlo
from nearstar.search.constraints import Closing, Constraints
from nearstar.search.space import Space
from nearstar.util.errors import NearstarError


def limited(seed: int) -> Case:
    """A case in which some programs have more numbers than they may, most others do not."""
    random = Random(seed)
    case = random_case(seed, constrained=seed % 6 == 0)
    price = random.choice((0.0, 0.0, 0.02))
    grammar = _hard(case.table.grammar, price) if seed % 2 else case.table.grammar
    brute = BruteForce(grammar)
    case = Case(brute, case.constraints, replace(case.table, grammar=grammar))
    counts = sorted({numbers_of(each) or 0 for each in case.programs()})
    most = random.choice(counts[: max(len(counts) // 2, 1)])
    constraints = replace(case.constraints, forbid=(), numbers=max(most, 1))
    return Case(brute, constraints, replace(case.table, grammar=grammar, constraints=constraints))


def _hard(grammar: Grammar, price: float) -> Grammar:
    """The grammar with hard ifs, in which one of several features is to be chosen."""
    kinds = {"if": if_then_else(HARD), "Affine": Affine(Few.of(("a", "b", "c")))}
    size = grammar.root.input.size
    sequences, summaries, vectors = (
        tuple(
            Rule(
                kinds.get(rule.operation.name, rule.operation)
                if rule.operation.name != "Affine" or size == 3
                else rule.operation,
                rule.cost,
            )
            for rule in rules
        )
        for rules in (grammar.sequences, grammar.summaries, grammar.vectors)
    )
    return Grammar(grammar.root, sequences, summaries, vectors, price)


def cases(chunk: int) -> Iterator[tuple[int, Case]]:
    for seed in range(chunk * 60, (chunk + 1) * 60):
        yield seed, limited(seed)


@pytest.mark.parametrize(
    "chunk", [0, *(pytest.param(chunk, marks=pytest.mark.slow) for chunk in (1, 2))]
)
def test_the_best_within_the_limit_is_found(chunk: int) -> None:
    left_out = thresholds = 0
    for seed, case in cases(chunk):
        optimum = case.optimum()
        without = replace(case.constraints, numbers=None)
        everything = Case(case.brute, without, replace(case.table, constraints=without))
        left_out += everything.optimum() < optimum - TOLERANCE
        for search in (
            AStar(deduplicate=seed % 5 > 0, probes=seed % 2 > 0),
            IDSBB(lazy=seed % 2 > 0),
            Enumeration(),
        ):
            told = f"case {seed}, {search}"
            outcome = solve(search, case.space(), case.table, seed)
            assert abs(outcome.cost - optimum) <= TOLERANCE, told
            assert max(outcome.promises) <= optimum + TOLERANCE, told
            for program in outcome.asked:
                assert program.n_holes or keeps(program, case.constraints), told
                thresholds += not program.n_holes and "if" in label(program)
    assert left_out > 10 and thresholds > 10


@pytest.mark.parametrize("search", [MonteCarlo(samples=5), Genetic(population=8)], ids=str)
def test_whoever_draws_programs_keeps_the_limit(search: MonteCarlo | Genetic) -> None:
    for seed, case in cases(0):
        outcome = solve(search, case.space(), case.table, seed)
        assert outcome.best is not None
        assert all(keeps(each, case.constraints) for each in outcome.asked), f"case {seed}"


@pytest.mark.parametrize("chunk", range(3))
def test_a_program_can_be_closed_if_and_only_if_a_completion_is_within_the_limit(
    chunk: int,
) -> None:
    answers = {True: 0, False: 0}
    for seed, case in cases(chunk):
        random = Random(seed)
        closing = Closing(case.table.grammar, case.constraints, FAMILIES)
        unlimited = replace(case.constraints, numbers=None)
        programs = case.brute.completions(Hole(case.brute.grammar.root), unlimited.max_depth)
        for program in random.choices(list(programs), k=8):
            sketch = program if random.random() < 0.2 else random_sketch(random, program)
            expected = any(
                keeps(each, case.constraints)
                for each in case.brute.completions(sketch, unlimited.max_depth)
            )
            told = f"case {seed}, {label(sketch)}, {case.constraints}"
            assert closing.can_close(sketch) == expected, told
            answers[expected] += 1
            if sketch.n_holes and expected:
                children = {
                    child
                    for child in expanded(sketch, case.table.grammar)
                    if closing.can_close(child)
                }
                assert set(case.space(sketch).expansions(sketch)) == children, told
    assert min(answers.values()) > 30


@pytest.mark.parametrize("leaf", ["Affine{*}", "LastAffine", "Affine"])
def test_thresholds_of_hard_ifs_are_one_number(leaf: str) -> None:
    domain = Domain.of_features(
        ("a", "b"), {"last": ["b"]}, vectors=("if", "add", leaf), beta=HARD, sequences=("map",)
    )
    brute = BruteForce(domain.grammar(domain.signature(1, per_frame=True)))
    random = Random(0)
    programs = list(brute.completions(Hole(brute.grammar.root), 8))
    fewest = min(numbers_of(each) or 0 for each in programs if "if" in label(each))
    assert fewest == {"Affine{*}": 5, "LastAffine": 6, "Affine": 9}[leaf]
    answers = {True: 0, False: 0}
    for numbers in range(1, 14):
        constraints = Constraints(max_depth=8, numbers=numbers, require=("if",) * (numbers % 2))
        closing = Closing(brute.grammar, constraints)
        for _ in range(40):
            sketch = random_sketch(random, random.choice(programs))
            expected = any(keeps(each, constraints) for each in brute.completions(sketch, 8))
            assert closing.can_close(sketch) == expected, f"{label(sketch)}, {constraints}"
            answers[expected] += 1
    assert min(answers.values()) > 50


@pytest.mark.parametrize("leaves", [("Affine{*}", "class"), ("class",)], ids=str)
def test_a_class_is_named_only_where_it_is_the_answer(leaves: tuple[str, ...]) -> None:
    domain = Domain.of_features(
        ("a", "b"),
        vectors=("if", "add", *leaves),
        classes=("no", "yes"),
        beta=HARD,
        sequences=("map",),
    )
    brute = BruteForce(domain.grammar(domain.signature(1, per_frame=True)))
    random = Random(0)
    every = brute.completions(Hole(brute.grammar.root), 8)
    programs = [each for each in every if not is_misplaced(each)]
    answers = {True: 0, False: 0}
    required: tuple[tuple[str, ...], ...] = ((), ("if",), ("add",), ("class",), ("add", "class"))
    for numbers, require in itertools.product((None, *range(1, 9)), required):
        constraints = Constraints(max_depth=8, numbers=numbers, require=require)
        closing = Closing(brute.grammar, constraints)
        sketches = [random_sketch(random, random.choice(programs)) for _ in range(20)]
        for sketch in (Hole(brute.grammar.root), *sketches):
            completions = brute.completions(sketch, 8)
            expected = any(keeps(e, constraints) and not is_misplaced(e) for e in completions)
            assert closing.can_close(sketch) == expected, f"{label(sketch)}, {constraints}"
            answers[expected] += 1
    assert min(answers.values()) > 5


def test_where_no_program_is_within_the_limit_it_is_said_at_once() -> None:
    refused = 0
    for seed in range(40):
        case = random_case(seed)
        least = min(numbers_of(each) or 0 for each in case.programs())
        if least < 2:
            continue
        refused += 1
        too_few = Constraints(max_depth=case.constraints.max_depth, numbers=least - 1)
        told = f"at most {least - 1} numbers? to read.*there are at least {least} numbers to read"
        with pytest.raises(NearstarError, match=told):
            Space(case.brute.grammar, too_few)
        Space(case.brute.grammar, replace(too_few, numbers=least))
    assert refused > 10
