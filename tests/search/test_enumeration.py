"""Enumeration: all programs, by cost, and what is left."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from search.tabulated_baselines import (
    CLOSE,
    Promises,
    complete_programs,
    hashed,
    naively_completes,
    plain_space,
    run,
    sketches,
    spaces,
)

from nearstar.language.canonical import canonical
from nearstar.language.domain import Domain
from nearstar.language.program import Program
from nearstar.language.text import to_text
from nearstar.search.constraints import Constraints
from nearstar.search.enumeration import Enumeration
from nearstar.search.space import Space
from nearstar.util.errors import NearstarError


class TestEnumeration(Promises):
    few = Enumeration(max_programs=30, width=4)
    published = Enumeration(race=False, max_programs=300, deduplicate=False, width=1)
    bad = (("max_programs", 0), ("max_depth", 0), ("width", -1))
    random = False

    def most(self, algorithm: Any, space: Space) -> int:
        return algorithm.max_programs


def everything(space: Space) -> list[Program]:
    return complete_programs(space.grammar, space.constraints.max_depth)


def cheapest(space: Space, programs: Iterable[Program]) -> dict[Program, float]:
    """The least cost of each program's equivalents among them."""
    costs: dict[Program, float] = {}
    for program in programs:
        form = canonical(program, space.grammar)
        costs[form] = min(space.grammar.cost(program), costs.get(form, math.inf))
    return costs


@settings(max_examples=60)
@given(space=spaces(prices=True), width=st.integers(1, 20))
def test_finds_every_program_in_order_of_cost(space: Space, width: int) -> None:
    algorithm = Enumeration(max_programs=10**6, deduplicate=False, width=width)
    result = run(algorithm, space)
    assert sorted(map(hash, result.asked)) == sorted(map(hash, everything(space)))
    assert set(result.asked) == set(everything(space))
    costs = [(round(space.grammar.cost(program), 6), program.size) for program in result.asked]
    assert costs == sorted(costs)
    assert {len(batch) for batch in result.batches[:-1]} <= {width}
    assert result.ended == math.inf


@settings(max_examples=60)
@given(space=spaces())
def test_finds_every_form_in_order_of_cost(space: Space) -> None:
    result = run(Enumeration(max_programs=10**6), space)
    assert set(result.asked) == {space.form(program) for program in everything(space)}
    costs = [round(space.grammar.cost(program), 6) for program in result.asked]
    assert costs == sorted(costs)
    assert result.ended == math.inf


@settings(max_examples=40)
@given(space=spaces(), height=st.none() | st.integers(2, 4), most=st.none() | st.integers(0, 2))
def test_finds_every_program_within_constraints(
    space: Space, height: int | None, most: int | None
) -> None:
    depth = space.constraints.max_depth
    limit = {} if most is None else {"LeftAffine": most}
    constraints = Constraints(max_depth=depth, max_height=height, limit=limit)
    try:
        space = Space(space.grammar, constraints)
    except NearstarError:
        assume(False)  # nothing is left
    expected = {
        program
        for program in everything(space)
        if (height is None or program.height <= height)
        and (most is None or to_text(program).count("LeftAffine") <= most)
    }
    result = run(Enumeration(max_programs=10**6, deduplicate=False), space)
    assert set(result.asked) == expected and len(result.asked) == len(expected)
    # Constraints may tell equivalent programs apart: the cheapest one that keeps them is there.
    result = run(Enumeration(max_programs=10**6), space)
    assert set(result.asked) <= expected
    found, least = (cheapest(space, programs) for programs in (result.asked, expected))
    assert found == pytest.approx(least)


@settings(max_examples=60)
@given(data=st.data(), space=spaces(most=400), number=st.integers(1, 3))
def test_finds_every_completion_of_sketches(data: st.DataObject, space: Space, number: int) -> None:
    starts = [data.draw(sketches(space)) for _ in range(number)]
    space = Space(space.grammar, space.constraints, 1.0, starts)
    expected = {
        program
        for program in everything(space)
        if any(naively_completes(program, start) for start in starts)
    }
    result = run(Enumeration(max_programs=10**6, deduplicate=False), space)
    assert set(result.asked) == expected and len(result.asked) == len(expected)
    result = run(Enumeration(max_programs=10**6), space)
    assert set(result.asked) <= expected
    assert cheapest(space, result.asked) == pytest.approx(cheapest(space, expected))
    costs = [round(space.grammar.cost(program), 6) for program in result.asked]
    assert costs == sorted(costs)


@settings(max_examples=60)
@given(
    space=spaces(prices=True),
    deduplicate=st.booleans(),
    most=st.integers(1, 40),
    max_depth=st.none() | st.integers(2, 4),
)
def test_nothing_left_is_below_the_bound(
    space: Space, deduplicate: bool, most: int, max_depth: int | None
) -> None:
    least = int(space.grammar.least_rules[space.grammar.root])
    max_depth = None if max_depth is None else max(max_depth, least)
    result = run(
        Enumeration(max_programs=most, deduplicate=deduplicate, max_depth=max_depth, width=3), space
    )
    error = hashed(space)
    left = {
        space.form(program) if deduplicate else program: space.cost(program) + error(program)
        for program in sorted(everything(space), key=space.cost, reverse=True)
    }
    for batch, bound in zip([*result.batches, []], [*result.bounds, result.ended], strict=True):
        assert bound is not None
        assert bound <= min(left.values(), default=math.inf) + CLOSE
        for program in batch:
            assert bound <= space.cost(program) + CLOSE
            left.pop(program)
    assert sorted(result.bounds) == pytest.approx(result.bounds)
    assert len(result.asked) <= most


def test_the_bound_is_the_least_structure_that_is_left() -> None:
    space = plain_space(vectors=True)
    result = run(Enumeration(max_programs=4, width=2), space)
    costs = [space.cost(program) for program in result.asked]
    assert result.bounds == pytest.approx([costs[0], costs[2]])
    assert costs == pytest.approx([0, 0, 0, 0])  # three affine leaves and the constant
    assert result.ended == pytest.approx(0.02)  # products of two


def test_the_bound_counts_what_it_takes_to_close_holes() -> None:
    """An open ``if`` is cheaper than an open sum so far, but not with its three holes closed."""
    costs = {"if": 0.0, "add": 0.01, "Affine": 0.05}
    domain = Domain.of_size(2, vectors=("if", "add", "affine"), costs=costs)
    space = Space(domain.grammar(domain.signature(1, per_frame=False, vectors=True)))
    result = run(Enumeration(max_programs=1), space)
    assert [to_text(program) for program in result.asked] == ["Affine(x)"]
    assert result.ended == pytest.approx(0.11)


@pytest.mark.parametrize("deduplicate", [True, False])
def test_fewer_programs_are_the_first_of_more(deduplicate: bool) -> None:
    algorithms = [Enumeration(max_programs=n, deduplicate=deduplicate) for n in (7, 40)]
    few, many = (run(algorithm, plain_space()).asked for algorithm in algorithms)
    assert len(few) == 7 and len(many) == 40 and few == many[:7]


@pytest.mark.parametrize("deduplicate", [True, False])
def test_its_own_depth(deduplicate: bool) -> None:
    space = plain_space(depth=4, require=("const",))
    shallow = plain_space(depth=3, require=("const",))
    algorithm = Enumeration(max_programs=10**6, max_depth=3, deduplicate=deduplicate)
    result = run(algorithm, space)
    alone = run(Enumeration(max_programs=10**6, deduplicate=deduplicate), shallow)
    assert set(result.asked) == set(alone.asked) and alone.ended == math.inf
    # What is deeper is left, and counts.
    assert result.ended is not None and result.ended < 0.05


def test_a_depth_that_nothing_has() -> None:
    with pytest.raises(NearstarError, match=r"max_depth = 1 .*allow more"):
        run(Enumeration(max_depth=1), plain_space())


def test_overlapping_starts_are_explored_once() -> None:
    space = plain_space(depth=4, vectors=True)
    starts = [space.expansions(space.roots[0])[1], space.roots[0]]
    overlapping = Space(space.grammar, Constraints(max_depth=4), 1.0, starts)
    for deduplicate in (True, False):
        algorithm = Enumeration(max_programs=10**6, deduplicate=deduplicate)
        asked = run(algorithm, overlapping).asked
        assert len(set(asked)) == len(asked)
        assert set(asked) == set(run(algorithm, space).asked)
