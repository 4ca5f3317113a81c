"""Counting programs against listing them, and drawing them uniformly."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from search.tabulated_baselines import (
    complete_programs,
    of_size,
    plain_space,
    spaces,
)

from nearstar.language.domain import Domain
from nearstar.language.program import is_complete
from nearstar.search.counting import Counting, _below
from nearstar.search.space import Space
from nearstar.util.errors import NearstarError


@settings(max_examples=50)
@given(spaces())
def test_counts_are_those_of_a_list(space: Space) -> None:
    grammar, depth = space.grammar, space.constraints.max_depth
    counting = Counting(grammar)
    for signature in grammar.least_rules:
        sizes = [len(of_size(grammar, signature, rules)) for rules in range(min(depth, 4) + 1)]
        assert [counting.programs(signature, rules) for rules in range(len(sizes))] == sizes
        assert counting.up_to(signature, len(sizes) - 1) == sum(sizes)


@pytest.mark.parametrize("vectors", [True, False])
def test_every_program_is_drawn_as_often(vectors: bool) -> None:
    grammar, depth = plain_space(vectors=vectors).grammar, 3 if vectors else 4
    programs = complete_programs(grammar, depth)
    counting, random = Counting(grammar), np.random.default_rng(0)
    draws = 30 * len(programs)
    drawn = Counter(counting.draw(grammar.root, depth, random) for _ in range(draws))
    assert set(drawn) == set(programs)
    squares = sum((drawn[program] - 30) ** 2 / 30 for program in programs)
    # The mean of χ² is its degrees of freedom, its variance twice that.
    freedom = len(programs) - 1
    assert abs(squares - freedom) < 5 * np.sqrt(2 * freedom)


def test_draws_among_more_programs_than_any_machine_number() -> None:
    domain = Domain.built_in("crim13")
    grammar = domain.grammar(domain.signature(2, per_frame=True))
    counting, random = Counting(grammar), np.random.default_rng(0)
    assert counting.up_to(grammar.root, 60) > 2**100
    drawn = [counting.draw(grammar.root, 60, random) for _ in range(20)]
    assert all(program in grammar and is_complete(program) for program in drawn)
    assert len(set(drawn)) == 20 and max(program.size for program in drawn) <= 60
    # Nearly all programs are nearly as large as they may be.
    assert min(program.size for program in drawn) > 40


@pytest.mark.parametrize("end", [1, 2, 3, 5, 8, 9, 256, 257])
def test_numbers_below_an_end_are_uniform(end: int) -> None:
    random = np.random.default_rng(0)
    found = Counter(_below(end, random) for _ in range(40 * end))
    assert set(found) == set(range(end))
    squares = sum((n - 40) ** 2 / 40 for n in found.values())
    assert squares < end + 5 * np.sqrt(2 * end)


@given(st.integers(1, 2**200), st.integers(0, 99))
def test_numbers_below_an_end_of_any_size(end: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    found = [_below(end, random) for _ in range(60)]
    assert all(0 <= number < end for number in found)
    if end > 100:
        assert min(found) < end // 4 and max(found) > end // 4 * 3


def test_where_there_is_nothing_to_draw() -> None:
    grammar = plain_space().grammar
    with pytest.raises(NearstarError, match="at most 1 rules; allow more"):
        Counting(grammar).draw(grammar.root, 1, np.random.default_rng(0))
    assert Counting(grammar).up_to(grammar.root, 0) == 0
