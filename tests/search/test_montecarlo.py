"""Monte-Carlo sampling: what it samples, and where it steps."""

from __future__ import annotations

from statistics import mean
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from search.tabulated_baselines import Promises, complete_programs, plain_space, run

from nearstar.language.program import Apply, Program, walk
from nearstar.search.montecarlo import MonteCarlo, _best
from nearstar.search.space import Space


class TestMonteCarlo(Promises):
    few = MonteCarlo(samples=6)
    published = MonteCarlo(race=False, samples=50, deduplicate=False)
    bad = (("samples", 0), ("samples", 2.0), ("samples", True))

    def most(self, algorithm: Any, space: Space) -> int:
        return algorithm.samples * (1 + space.constraints.max_depth)


CHILDREN = complete_programs(plain_space(vectors=True).grammar, 1)


@given(
    st.lists(st.tuples(st.sampled_from(CHILDREN), st.sampled_from((0.25, 0.5, 1.0))), min_size=1)
)
def test_steps_to_the_best_mean_and_the_first_of_equals(
    samples: list[tuple[Program, float]],
) -> None:
    taken, costs = [list(each) for each in zip(*samples, strict=True)]
    means = {
        child: mean(cost for each, cost in samples if each == child)
        for child in CHILDREN
        if child in taken
    }
    best = _best(CHILDREN, taken, costs)
    assert means[best] == min(means.values())
    earlier = CHILDREN[: CHILDREN.index(best)]
    assert all(means[child] > means[best] for child in earlier if child in means)


def test_goes_on_below_the_better_child() -> None:
    """Of the root's children and theirs, one is better whatever follows; it is stepped to."""

    def error(program: Program) -> float:
        names = [node.operation.name for _, node in walk(program) if isinstance(node, Apply)]
        return 0.0 if names[:2] == ["mapprefix", "fold"] else 0.5 if "mapprefix" in names else 1.0

    batches = run(MonteCarlo(samples=200), plain_space(), error=error).batches
    assert len({program.operation.name for program in batches[0]}) > 1
    assert {program.operation.name for program in batches[1]} == {"mapprefix"}
    assert len({program.arguments[0].operation.name for program in batches[1]}) > 1
    for batch in batches[2:]:
        assert {program.arguments[0].operation.name for program in batch} == {"fold"}
    assert len(batches) > 2


def test_samples_of_a_step_are_asked_together() -> None:
    batches = run(MonteCarlo(samples=9, deduplicate=False), plain_space()).batches
    assert all(len(batch) <= 9 for batch in batches)
    assert len(batches[0]) > 5
