"""Random completions, whether a program is one, and how scores are asked for them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Generator, Sequence
from typing import TypeVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from search.tabulated_baselines import (
    CLOSE,
    complete_programs,
    hashed,
    naively_completes,
    plain_space,
    run,
    sketches,
    spaces,
)

from nearstar.language.domain import Domain
from nearstar.language.networks import Units
from nearstar.language.program import Hole, Program, completes, is_complete
from nearstar.search.constraints import Constraints
from nearstar.search.evaluator import Evaluator
from nearstar.search.protocol import Ask, Score
from nearstar.search.rnn import RNN
from nearstar.search.sampling import completion, draw, initial_state
from nearstar.search.space import Space
from nearstar.training.budget import Budget
from nearstar.util.errors import NearstarError

T = TypeVar("T")

SPACE = plain_space(vectors=True)

# Completions


@settings(max_examples=50)
@given(data=st.data(), space=spaces(prices=True), seed=st.integers(0, 99))
def test_completions_complete_and_keep_what_is_there(
    data: st.DataObject, space: Space, seed: int
) -> None:
    sketch = data.draw(sketches(space))
    program = completion(space, sketch, np.random.default_rng(seed))
    assert is_complete(program) and program in space.grammar and space.allows(program)
    assert naively_completes(program, sketch)
    assert program == completion(space, sketch, np.random.default_rng(seed))


@settings(max_examples=50)
@given(data=st.data(), space=spaces())
def test_completes_is_what_opening_again_says(data: st.DataObject, space: Space) -> None:
    sketch = data.draw(sketches(space))
    programs = complete_programs(space.grammar, space.constraints.max_depth)
    for program in programs[:200]:
        assert completes(program, sketch) == naively_completes(program, sketch)
    assert completes(sketch, sketch)


def frequencies(space: Space, children: Sequence[Program], draws: int) -> list[float]:
    random = np.random.default_rng(0)
    drawn = Counter(draw(space, children, random) for _ in range(draws))
    return [drawn[child] / draws for child in children]


def test_children_are_drawn_by_their_cumulative_cost() -> None:
    space = plain_space()
    above = next(p for p in space.expansions(Hole(space.grammar.root)) if p.operation.name == "map")
    children = space.expansions(above)
    costs = np.array([space.grammar.cost(child) for child in children])
    assert len(set(np.round(costs, 9))) == 3 and costs.min() > 0
    found = frequencies(space, children, 4000)
    assert found == pytest.approx(list(costs / costs.sum()), abs=0.03)


def test_children_are_drawn_uniformly_if_all_are_free() -> None:
    domain = Domain.of_size(2, penalty=0.0)
    space = Space(domain.grammar(domain.signature(1, per_frame=False, vectors=True)))
    children = space.expansions(Hole(space.grammar.root))
    assert frequencies(space, children, 4000) == pytest.approx([0.25] * 4, abs=0.03)


def test_of_several_starts_one_is_drawn_like_a_child() -> None:
    root = plain_space(depth=7)
    space = plain_space(depth=7, roots=tuple(root.expansions(Hole(root.grammar.root))))
    random = np.random.default_rng(0)
    drawn = [completion(space, initial_state(space), random) for _ in range(500)]
    shares = Counter(program.operation.name for program in drawn)
    assert {name: n / 500 for name, n in shares.items()} == pytest.approx(
        {"map": 0.2, "mapprefix": 0.2, "if": 0.6}, abs=0.07
    )


# Asking for scores


def answer(asking: Generator[Ask, Sequence[Score], T], scores: list[list[Score]]) -> T:
    """What asking returns; every list of scores must be asked for."""
    asks = iter(scores)
    try:
        next(asking)
        while True:
            asking.send(next(asks))
    except StopIteration as end:
        assert not list(asks), "fewer asks than scores"
        return end.value


@settings(max_examples=50)
@given(data=st.data(), space=spaces(), deduplicate=st.booleans())
def test_each_program_is_asked_once_and_its_cost_remembered(
    data: st.DataObject, space: Space, deduplicate: bool
) -> None:
    programs = complete_programs(space.grammar, space.constraints.max_depth)
    scored, error = Evaluator(space, deduplicate), hashed(space)
    asked: list[Program] = []
    for _ in range(3):
        batch = data.draw(st.lists(st.sampled_from(programs[:20]), max_size=6))
        forms = [space.form(program) if deduplicate else program for program in batch]
        new = [form for form in dict.fromkeys(forms) if form not in asked]
        scores = [Score(error(form)) for form in new]
        costs = answer(scored.ask(batch), [scores] if new else [])
        assert costs == pytest.approx([space.cost(form) + error(form) for form in forms])
        asked += new
    assert list(scored.costs) == asked


def test_a_diverged_program_has_error_1() -> None:
    space = plain_space()
    program = completion(space, initial_state(space), np.random.default_rng(0))
    costs = answer(Evaluator(space).ask([program]), [[Score(math.nan, diverged=True)]])
    assert costs == pytest.approx([1 + space.cost(space.form(program))])


def test_the_form_is_asked_with_its_lower_cost() -> None:
    space = plain_space(vectors=True)
    program = next(
        program
        for program in complete_programs(space.grammar, 3)
        if space.cost(space.form(program)) < space.cost(program) - CLOSE
    )
    asking = Evaluator(space).ask([program], bound=0.25, waiting=3)
    ask = next(asking)
    assert (ask.bound, ask.waiting) == (0.25, 3)
    assert [node.program for node in ask.nodes] == [space.form(program)]
    assert ask.nodes[0].g == space.cost(space.form(program))


def test_a_start_is_asked_as_given_even_if_its_form_would_do() -> None:
    """Beside it, another start leaves everything open: the form completes that one."""
    programs = complete_programs(SPACE.grammar, 3)
    program = next(program for program in programs if SPACE.form(program) != program)
    space = plain_space(vectors=True, roots=(program, Hole(SPACE.grammar.root)))
    assert Evaluator(space).form(program) == program
    other = next(p for p in programs if p != program and space.form(p) != p)
    assert Evaluator(space).form(other) == space.form(other)


@given(st.lists(st.integers(0, 30)), st.integers(0, 8), st.booleans())
def test_affordable_programs(picks: list[int], most: int, deduplicate: bool) -> None:
    """All that need no asking beyond the limit, and no others."""
    programs = complete_programs(SPACE.grammar, 3)
    scored = Evaluator(SPACE, deduplicate)
    answer(scored.ask(programs[:2]), [[Score(0.5)] * 2])
    given_ = [programs[pick] for pick in picks]
    kept = scored.affordable(given_, most)
    known = dict.fromkeys([*programs[:2], *(scored.form(program) for program in given_)])
    affordable = set(list(known)[: max(most, 2)])
    assert kept == [program for program in given_ if scored.form(program) in affordable]


# The network alone


def test_the_network_alone_is_asked_once() -> None:
    sketch = next(iter(plain_space().expansions(Hole(plain_space().grammar.root))))
    for space in (plain_space(), plain_space(roots=(sketch,))):
        result = run(RNN(), space, error=lambda program: 0.125)
        assert result.batches == [[Hole(space.grammar.root)]]
        assert result.bounds == [None] and result.ended is None
        assert result.nodes[0].trained and result.nodes[0].f == 0.125


def test_its_budget_and_its_published_settings() -> None:
    budget = Budget(clip=1.5, symbolic_steps=24, learning_rate=0.5, batch_size=7)
    changed = RNN(units=9, steps=1600).budget(budget)
    assert (changed.neural_steps, changed.look_every, changed.units) == (1600, 16, Units(9, 9))
    assert (changed.learning_rate, changed.neural_rate, changed.batch_size) == (0.5, 0.25, 7)
    assert (changed.clip, changed.symbolic_steps) == (1.5, 24)
    paper = RNN.paper(Domain.built_in("fly"), 5339)  # 178 batches, 40 times
    assert paper == RNN(units=80, steps=7120, learning_rate=0.00025, batch_size=30)
    changed = paper.budget(budget)
    rates = (changed.learning_rate, changed.neural_rate, changed.batch_size)
    assert rates == (0.00025, 1.0, 30)
    with pytest.raises(NearstarError, match="no published rnn"):
        RNN.paper(Domain.built_in("watch"), 100)
    with pytest.raises(NearstarError, match="n_sequences must be"):
        RNN.paper(Domain.built_in("fly"))


@pytest.mark.parametrize(
    ("name", "value"),
    [("units", 0), ("steps", 1.5), ("learning_rate", 0), ("learning_rate", -1), ("batch_size", 0)],
)
def test_settings_it_cannot_have(name: str, value: object) -> None:
    with pytest.raises(NearstarError, match=f"{name} must be .*not {value}"):
        RNN(**{name: value})


def test_sampling_from_within_a_tight_space() -> None:
    """Where only one program is left, it is drawn."""
    space = plain_space(depth=2)
    only = Space(space.grammar, Constraints(max_depth=2, require=("map", "const")))
    names = {
        completion(only, initial_state(only), np.random.default_rng(seed))
        .arguments[0]
        .operation.name
        for seed in range(20)
    }
    assert names == {"const"}
