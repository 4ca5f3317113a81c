"""Monte-Carlo tree search: where visits go, and what is kept from step to step."""

from __future__ import annotations

import math
from collections import defaultdict
from itertools import pairwise
from statistics import fmean
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from search.tabulated_baselines import Promises, hashed, plain_space, run

from nearstar.language.program import Hole, Program, is_complete
from nearstar.search.mcts import MCTS, Branch, _back_up
from nearstar.search.space import Space


class TestMCTS(Promises):
    few = MCTS(samples=6, width=2)
    published = MCTS(
        race=False, samples=50, exploration=math.sqrt(2), width=1, deduplicate=False, rollouts=False
    )
    bad = (
        *(("samples", 0), ("exploration", -0.5), ("exploration", math.nan), ("width", 0)),
        ("rollouts", 1),
    )

    def most(self, algorithm: Any, space: Space) -> int:
        return algorithm.samples * (1 + space.constraints.max_depth)


class TestMCTSWithoutRollouts(TestMCTS):
    few = MCTS(samples=6, width=2, rollouts=False)


LEAVES = plain_space(depth=1, vectors=True)
"""A space whose root has four children, all of them complete."""


def visits_after(rounds: int, costs: list[float], exploration: float, width: int = 1) -> list[int]:
    """Visits of the four leaves when each always has the same cost."""
    algorithm, random = MCTS(exploration=exploration), np.random.default_rng(0)
    root = Branch(Hole(LEAVES.grammar.root))
    leaves = LEAVES.expansions(Hole(LEAVES.grammar.root))
    for _ in range(rounds):
        paths = [algorithm._descend(root, LEAVES, random) for _ in range(width)]
        for path in paths:
            _back_up(path, costs[leaves.index(path[-1].state)])
    assert root.visits == root.scored == rounds * width
    visits = {branch.state: branch.visits for branch in root.grow(LEAVES, random)}
    return [visits[leaf] for leaf in leaves]


@pytest.mark.parametrize("best", range(4))
@pytest.mark.parametrize("width", [1, 3])
def test_visits_concentrate_on_the_better_child(best: int, width: int) -> None:
    costs = [0.2 if index == best else 0.9 for index in range(4)]
    visits = visits_after(120, costs, math.sqrt(2), width)
    assert visits[best] > 0.5 * sum(visits)
    assert min(visits) >= 4  # nothing is given up for good


def test_exploration_decides_how_much() -> None:
    costs = [0.2, 0.9, 0.9, 0.9]
    assert visits_after(103, costs, 0) == [100, 1, 1, 1]
    assert max(visits_after(100, costs, 1000)) <= 26


@settings(max_examples=30)
@given(samples=st.integers(1, 4), width=st.integers(1, 5), seed=st.integers(0, 99))
def test_unvisited_children_come_first(samples: int, width: int, seed: int) -> None:
    """Even while the scores of the others are not known."""
    batches = run(MCTS(samples=samples, width=width), LEAVES, seed).batches
    assert sum(map(len, batches)) == samples
    assert [len(batch) for batch in batches[:-1]] == [width] * (len(batches) - 1)


def test_unvisited_children_come_in_any_order() -> None:
    first = {run(MCTS(samples=1), LEAVES, seed).asked[0] for seed in range(40)}
    assert len(first) == 4


def test_steps_to_the_best_mean_and_keeps_what_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    steps: list[tuple[Branch, Branch, int]] = []
    best_child = Branch.best_child

    def recorded(branch: Branch) -> Branch:
        child = best_child(branch)
        means = [other.total / other.scored for other in branch.children or () if other.scored]
        assert child in (branch.children or ()) and child.mean == min(means)
        steps.append((branch, child, child.visits))
        return child

    monkeypatch.setattr(Branch, "best_child", recorded)
    run(MCTS(samples=20, width=3), plain_space())
    assert len(steps) > 2
    assert steps[0][0].visits == 20
    for (_, child, visits), (branch, _, _) in pairwise(steps):
        assert branch is child and branch.visits == branch.scored == visits + 20
    assert is_complete(steps[-1][1].state)


def test_goes_where_programs_are_better() -> None:
    def error(program: Program) -> float:
        return 0.1 if program.operation.name == "mapprefix" else 0.9

    batches = run(MCTS(samples=40, width=40), plain_space(), error=error).batches
    first, *others = [{program.operation.name for program in batch} for batch in batches]
    assert first == {"map", "mapprefix"}
    assert others and all(names == {"mapprefix"} for names in others)


@pytest.mark.parametrize("rollouts", [True, False])
def test_all_visits_of_a_branch_come_from_above(rollouts: bool) -> None:
    """A branch has one sample of its own, before any child's; without rollouts none."""
    space, random, algorithm = plain_space(), np.random.default_rng(0), MCTS(rollouts=rollouts)
    root = Branch(Hole(space.grammar.root))
    for cost in np.random.default_rng(1).random(200):
        path = algorithm._descend(root, space, random)
        assert rollouts or is_complete(path[-1].state)
        _back_up(path, float(cost))
    branches = [root]
    for branch in branches:
        children = branch.children or []
        own = 0 if branch is root or not rollouts else 1
        if children:
            assert branch.visits == own + sum(child.visits for child in children)
            visited = [child for child in children if child.visits]
            assert len(visited) == min(len(children), branch.visits - own)
        branches += children
    assert len(branches) > 100


@pytest.mark.parametrize("depth", [3, 6])
def test_without_rollouts_uct_leads_to_a_complete_program(depth: int) -> None:
    """Against lists of the path costs seen below each program."""
    space, random = plain_space(depth=depth), np.random.default_rng(0)
    algorithm, root = MCTS(rollouts=False), Branch(Hole(space.grammar.root))
    seen: defaultdict[Program, list[float]] = defaultdict(list)
    compared = 0
    for _ in range(300):
        path = algorithm._descend(root, space, random)
        for above, chosen in pairwise(path):
            children = {each.state: seen[each.state] for each in above.children or ()}
            if not all(children.values()):
                assert not children[chosen.state]
                continue
            visits = sum(map(len, children.values()))
            uct = {
                child: 1 - fmean(costs) + math.sqrt(2 * math.log(visits) / len(costs))
                for child, costs in children.items()
            }
            assert uct[chosen.state] == pytest.approx(max(uct.values()))
            compared += 1
        program = path[-1].state
        assert is_complete(program)
        for branch in path:
            seen[branch.state].append(hashed(space)(program))
        _back_up(path, hashed(space)(program))
    assert compared > 100
