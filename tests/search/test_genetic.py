"""Genetic search: who breeds, and that what is bred is a program of the space."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from search.tabulated_baselines import (
    Promises,
    complete_programs,
    hashed,
    plain_space,
    run,
    spaces,
)

from nearstar.language.program import Apply, Program, is_complete, walk
from nearstar.language.text import to_text
from nearstar.search.counting import Counting
from nearstar.search.evaluator import Evaluator
from nearstar.search.genetic import Genetic
from nearstar.search.space import Space
from nearstar.search.variation import Variation, crossover, mutate


class TestGenetic(Promises):
    few = Genetic(population=8, select=4, generations=4, evaluations=20, mutation=0.5)
    published = Genetic(
        race=False,
        population=15,
        select=8,
        generations=20,
        evaluations=100,
        mutation=0.1,
        initial_depth=5,
        deduplicate=False,
        elitism=False,
    )
    bad = (
        *(("population", 0), ("select", 0), ("generations", 0), ("evaluations", 0)),
        *(("mutation", -0.1), ("mutation", 1.1), ("mutation", "often"), ("initial_depth", 0)),
        ("elitism", None),
    )

    def most(self, algorithm: Any, space: Space) -> int:
        return min(algorithm.evaluations, algorithm.generations * algorithm.population)


class TestGeneticWithoutElitism(TestGenetic):
    few = Genetic(
        population=8, select=4, generations=4, evaluations=20, mutation=0.5, elitism=False
    )


def some_programs(data: st.DataObject, space: Space, number: int) -> list[Program]:
    programs = complete_programs(space.grammar, space.constraints.max_depth)
    return [data.draw(st.sampled_from(programs)) for _ in range(number)]


def parts(program: Program) -> list[Program]:
    return [node for _, node in walk(program)]


# Children


@settings(max_examples=50)
@given(data=st.data(), space=spaces(), seed=st.integers(0, 99))
def test_crossing_over_gives_programs_of_the_space(
    data: st.DataObject, space: Space, seed: int
) -> None:
    mother, father = some_programs(data, space, 2)
    texts = to_text(mother), to_text(father)
    depth = space.constraints.max_depth
    child = crossover(mother, father, depth, np.random.default_rng(seed))
    assert (to_text(mother), to_text(father)) == texts
    if child is not None:
        assert child in space.grammar and is_complete(child) and child.size <= depth
        # What is not hers is one part of his.
        assert any(_with(mother, child, part) for part in parts(father))


def _with(mother: Program, child: Program, part: Program) -> bool:
    """Whether the child is the mother with this part in one place."""
    if child == part:
        return True
    if not isinstance(mother, Apply) or not isinstance(child, Apply):
        return False
    if mother.operation != child.operation:
        return False
    pairs = zip(mother.arguments, child.arguments, strict=True)
    changed = [(one, other) for one, other in pairs if one != other]
    return not changed or (len(changed) == 1 and _with(*changed[0], part))


def test_crossing_over_reaches_every_part() -> None:
    space = plain_space(vectors=True)
    programs = complete_programs(space.grammar, 4)
    mother = next(p for p in programs if p.operation.name == "if")
    father = next(p for p in programs if p.operation.name == "multiply")
    random = np.random.default_rng(0)
    children = {crossover(mother, father, 6, random) for _ in range(300)} - {None}
    # Her condition gives one number, his parts two each: it has no counterpart.
    assert {child.operation.name for child in children} == {
        *("if", "multiply"),
        *(part.operation.name for part in father.arguments),
    }
    assert any(child.arguments[1:2] == (father,) for child in children)
    assert any(child.arguments[2:] == (father,) for child in children)
    assert all(c.arguments[0] == mother.arguments[0] for c in children if c.size > 3)


def test_crossing_over_leaves_no_more_rules_than_allowed() -> None:
    space = plain_space(vectors=True)
    large = [program for program in complete_programs(space.grammar, 5) if program.size == 5]
    random = np.random.default_rng(0)
    children = [crossover(large[0], large[-1], 5, random) for _ in range(200)]
    assert max(child.size for child in children if child is not None) == 5


@settings(max_examples=50)
@given(data=st.data(), space=spaces(), seed=st.integers(0, 99))
def test_mutating_gives_programs_of_the_space(data: st.DataObject, space: Space, seed: int) -> None:
    (program,) = some_programs(data, space, 1)
    text, depth = to_text(program), space.constraints.max_depth
    mutant = mutate(program, Counting(space.grammar), depth, np.random.default_rng(seed))
    assert to_text(program) == text
    assert mutant in space.grammar and is_complete(mutant) and mutant.size <= depth


def test_mutants_may_be_any_program() -> None:
    space = plain_space(vectors=True)
    programs = complete_programs(space.grammar, 3)
    counting, random = Counting(space.grammar), np.random.default_rng(0)
    mutants = {mutate(programs[0], counting, 3, random) for _ in range(20 * len(programs))}
    assert mutants == set(programs)


def test_children_keep_constraints_or_are_the_parent() -> None:
    """Where nothing else is allowed, the parent itself passes."""
    space = plain_space(depth=4, require=("map", "multiply", "LeftAffine", "RightAffine"))
    breeding = Variation(space, np.random.default_rng(0))
    first = breeding.first(6, 5)
    assert all(map(space.allows, first)) and len(set(first)) == 2
    children = {breeding.child(first, mutation=1.0) for _ in range(30)}
    assert children <= set(first)
    assert breeding.crossed(first[0], first[0]) == first[0]


# Generations


@settings(max_examples=40)
@given(space=spaces(), most=st.integers(1, 6), seed=st.integers(0, 99))
def test_the_first_programs_are_small(space: Space, most: int, seed: int) -> None:
    first = Variation(space, np.random.default_rng(seed)).first(10, most)
    least = space.grammar.least_rules[space.grammar.root]
    assert len(first) == 10
    assert all(program.size <= max(most, least) and space.allows(program) for program in first)


def test_the_first_programs_are_drawn_uniformly() -> None:
    space = plain_space(vectors=True)
    programs = complete_programs(space.grammar, 3)
    first = Variation(space, np.random.default_rng(0)).first(50 * len(programs), 3)
    counts = np.array([first.count(program) for program in programs])
    assert counts.min() > 20 and counts.max() < 90


@settings(max_examples=50)
@given(
    data=st.data(),
    space=spaces(),
    number=st.integers(1, 12),
    select=st.integers(1, 8),
    deduplicate=st.booleans(),
)
def test_the_best_are_selected_each_once(
    data: st.DataObject, space: Space, number: int, select: int, deduplicate: bool
) -> None:
    scored = Evaluator(space, deduplicate)
    programs = some_programs(data, space, number)
    # Equivalent programs have equal costs.
    price = {scored.form(p): data.draw(st.sampled_from((0.1, 0.2, 0.3))) for p in programs}
    costs = [price[scored.form(program)] for program in programs]
    chosen = Genetic(select=select)._best(scored, list(zip(programs, costs, strict=True)))
    assert len(chosen) == min(select, len(price))
    assert len({scored.form(program) for program, _ in chosen}) == len(chosen)
    assert [cost for _, cost in chosen] == sorted(price.values())[:select]
    assert all((program, cost) in zip(programs, costs, strict=True) for program, cost in chosen)


def test_of_equivalent_programs_one_is_selected() -> None:
    space = plain_space(vectors=True)
    programs = complete_programs(space.grammar, 3)
    same = [program for program in programs if space.form(program) == programs[0]]
    assert len(same) > 1
    both = [(program, 0.5) for program in same]
    assert Genetic()._best(Evaluator(space, deduplicate=True), both) == both[:1]
    assert Genetic()._best(Evaluator(space, deduplicate=False), both) == both[: Genetic().select]


@pytest.mark.parametrize("deduplicate", [True, False])
def test_parents_are_the_best_of_all_so_far(
    monkeypatch: pytest.MonkeyPatch, deduplicate: bool
) -> None:
    space = plain_space()
    path_cost: dict[Program, float] = {}
    children = 0

    def error(program: Program) -> float:
        # Random numbers: later programs are no better, so early parents stay for long.
        found = hashed(space)(program)
        path_cost[program] = space.cost(program) + found
        return found

    child = Variation.child

    def checked(self: Variation, parents: Sequence[Program], mutation: float) -> Program:
        nonlocal children
        children += 1
        form = space.form if deduplicate else lambda program: program
        costs = [path_cost[form(parent)] for parent in parents]
        assert costs == pytest.approx(sorted(path_cost.values())[: len(parents)])
        assert len(parents) == min(4, len(path_cost))
        return child(self, parents, mutation)

    monkeypatch.setattr(Variation, "child", checked)
    algorithm = Genetic(population=8, select=4, generations=6, deduplicate=deduplicate)
    run(algorithm, space, error=error)
    assert children == 5 * 8  # the first generation has no parents


def test_without_elitism_parents_are_the_best_of_the_generation_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    space = plain_space()
    made: list[tuple[list[Program], list[Program]]] = []
    generation = Genetic._generation

    def recorded(self: Genetic, variation: Variation, parents: list[Program]) -> list[Program]:
        made.append((parents, generation(self, variation, parents)))
        return made[-1][1]

    def cost(program: Program) -> float:
        return space.cost(program) + hashed(space)(program)

    monkeypatch.setattr(Genetic, "_generation", recorded)
    settings = {"population": 8, "select": 4, "generations": 6, "mutation": 1.0}
    run(Genetic(**settings, deduplicate=False, elitism=False), space)
    lost = 0
    for (above, before), (parents, _) in pairwise(made):
        assert list(map(cost, parents)) == pytest.approx(sorted(map(cost, set(before)))[:4])
        assert set(parents) <= set(before)
        lost += min(map(cost, parents)) > min(map(cost, above), default=1e9)
    assert len(made) == 6 and lost > 0, "the best is never lost: they show nothing"


def test_stops_at_evaluations_and_at_generations() -> None:
    space = plain_space()
    many = Genetic(population=30, generations=50, evaluations=47, deduplicate=False)
    assert len(run(many, space).asked) == 47
    short = run(Genetic(population=10, generations=3, evaluations=1000), space)
    assert len(short.batches) <= 3 and len(short.asked) <= 30


def test_without_mutation_children_are_made_of_their_parents() -> None:
    space = plain_space()
    algorithm = Genetic(population=8, mutation=0.0, deduplicate=False, generations=6)
    batches = run(algorithm, space).batches
    leaves = {node.operation for program in batches[0] for node in parts(program)}
    assert len(batches) > 1
    assert {node.operation for batch in batches for p in batch for node in parts(p)} <= leaves


def test_generations_become_better() -> None:
    def error(program: Program) -> float:
        names = [node.operation.name for node in parts(program) if isinstance(node, Apply)]
        return 1 - names.count("LeftAffine") / 6 - names.count("multiply") / 6

    def mean(batch: list[Program]) -> float:
        return float(np.mean([error(program) for program in batch]))

    algorithm = Genetic(population=20, select=5, generations=8, evaluations=1000)
    batches = run(algorithm, plain_space(depth=8), error=error).batches
    assert min(map(error, batches[-1])) < min(map(error, batches[0])) - 0.1
    assert mean(batches[2]) < mean(batches[0]) - 0.1
