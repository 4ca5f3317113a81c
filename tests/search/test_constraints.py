"""What a person may demand of programs: whether it can still be met, against brute force."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from small_grammars import (
    FAMILIES,
    BruteForce,
    keeps,
    label,
    names,
    random_constraints,
    random_grammar,
    random_sketch,
)

from nearstar.language.program import Program
from nearstar.search.constraints import Closing, Constraints, Quota, quotas_of
from nearstar.util.errors import NearstarError


def sketches(random: Random, brute: BruteForce, max_depth: int) -> Iterator[Program]:
    """Programs with holes anywhere, and some without: a little too large ones among them."""
    signature = brute.grammar.root
    sizes = [size for size in range(1, max_depth + 2) if 0 < brute.count(signature, size) < 2000]
    for size in random.choices(sizes, k=12 if sizes else 0):
        program = random.choice(brute.exactly(signature, size))
        yield program if random.random() < 0.2 else random_sketch(random, program)


@pytest.mark.parametrize("chunk", range(8))
def test_a_program_can_be_closed_if_and_only_if_a_completion_keeps_the_constraints(
    chunk: int,
) -> None:
    answers = {True: 0, False: 0}
    for seed in range(chunk * 40, (chunk + 1) * 40):
        random = Random(seed)
        brute = BruteForce(random_grammar(random))
        max_depth = random.choice([d for d in range(1, 7) if brute.how_many(d) <= 1000])
        constraints = random_constraints(random, brute.grammar, max_depth)
        constraints = replace(constraints, forbid=())  # of these the grammar is rid beforehand
        closing = Closing(brute.grammar, constraints, FAMILIES)
        for sketch in sketches(random, brute, max_depth):
            expected = any(
                keeps(program, constraints) for program in brute.completions(sketch, max_depth)
            )
            told = f"seed {seed}, {label(sketch)}, {constraints}"
            assert closing.can_close(sketch) == expected, told
            answers[expected] += 1
    assert min(answers.values()) > 50


def test_how_often_rules_are_used_is_counted() -> None:
    for seed in range(50):
        random = Random(seed)
        brute = BruteForce(random_grammar(random))
        for sketch in sketches(random, brute, 4):
            used = list(names(sketch))
            for some in ({"if"}, set(FAMILIES["affine"]), set(used), set()):
                expected = sum(name in some for name in used)
                assert Quota(frozenset(some)).count(sketch) == expected


def test_each_name_has_one_quota() -> None:
    constraints = Constraints(require=("if", "affine"), limit={"affine": 2, "add": 0})
    assert quotas_of(constraints, FAMILIES) == (
        Quota(frozenset({"if"}), least=1),
        Quota(frozenset(FAMILIES["affine"]), least=1, most=2),
        Quota(frozenset({"add"}), most=0),
    )
    assert quotas_of(Constraints()) == ()


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"max_depth": 0}, "max_depth must be a whole number from 1, not 0"),
        ({"max_depth": None}, "max_depth must be a whole number from 1, not None"),
        ({"max_depth": 3.0}, "max_depth must be a whole number from 1, not 3.0"),
        ({"max_depth": True}, "max_depth must be a whole number from 1, not True"),
        ({"max_height": -1}, "max_height must be a whole number from 1, not -1"),
        ({"forbid": "if"}, "forbid must be a list of names of rules, not 'if'"),
        ({"require": ["if", 3]}, "require must be a list of names of rules"),
        ({"limit": {"if": -1}}, "the limit of if must be a whole number from 0, not -1"),
        ({"limit": {"if": 1.5}}, "the limit of if must be a whole number from 0, not 1.5"),
        ({"limit": ["if"]}, "a table of names of rules and numbers, not ['if']"),
        ({"limit": {3: 1}}, "a table of names of rules and numbers, not {3: 1}"),
        ({"forbid": None}, "forbid must be a list of names of rules, not None"),
        ({"require": 5}, "require must be a list of names of rules, not 5"),
    ],
    ids=str,
)
def test_what_cannot_be_a_constraint_is_refused(given: dict[str, Any], told: str) -> None:
    with pytest.raises(NearstarError) as caught:
        Constraints(**given)
    assert told in str(caught.value)


def test_constraints_are_values() -> None:
    given: list[dict[str, Any]] = [
        {},
        {"max_depth": 5},
        {"max_height": 5},
        {"forbid": ["if"]},
        {"require": ["if"]},
        {"limit": {"if": 1}},
        {"limit": {"if": 2}},
    ]
    for one, other in itertools.product(given, repeat=2):
        assert (Constraints(**one) == Constraints(**other)) == (one == other)
        assert one != other or hash(Constraints(**one)) == hash(Constraints(**other))
