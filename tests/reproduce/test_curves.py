"""The median of step curves, against evaluating every trial at a time."""

from __future__ import annotations

import math
from itertools import pairwise, permutations
from statistics import median

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reproduce.studies import curves, nothing, trial

from nearstar.reproduce.study import Trial
from nearstar.reproduce.summaries import median_curve

trials = st.lists(
    st.tuples(curves(), st.floats(0, 200, width=32)).map(
        lambda given: trial(curve=given[0], seconds=given[1])
    ),
    max_size=5,
)


def at(points: list[tuple[float, float]], time: float) -> float | None:
    """The value of the last point that is not later, by looking at every one."""
    value = None
    for seconds, cost in points:
        if seconds <= time:
            value = cost
    return value


def naive(trials: list[Trial], time: float) -> float | None:
    values = [value for each in trials if (value := at([*each.curve], time)) is not None]
    return median(values) if len(values) > len(trials) / 2 else None


@given(trials, st.lists(st.floats(0, 250, width=32), max_size=10))
def test_it_is_the_median_at_any_time(trials: list[Trial], times: list[float]) -> None:
    points = [*zip(*median_curve(trials), strict=True)]
    changes = [seconds for each in trials for seconds, _ in each.curve]
    for time in [*times, *changes]:
        assert at(points, time) == naive(trials, time)


@given(trials)
def test_it_goes_on_to_the_end_of_the_longest_trial(trials: list[Trial]) -> None:
    times, costs = median_curve(trials)
    assert len(times) == len(costs)
    assert all(a < b for a, b in pairwise(times))
    if times:
        assert times[-1] >= max(each.seconds for each in trials)


@given(trials)
def test_it_rises_only_where_a_trial_finds_its_first_program(trials: list[Trial]) -> None:
    begins = {each.curve[0][0] for each in trials if each.curve}
    for (_, before), (time, now) in pairwise(zip(*median_curve(trials), strict=True)):
        assert now <= before or time in begins


def test_of_two_of_three_it_is_the_mean() -> None:
    """One alone is not drawn; two are their mean; of three it is the one in the middle."""
    first, second, third = (
        trial(curve=((1.0, 0.2),), seconds=2.0),
        trial(curve=((4.0, 0.4), (6.0, 0.3)), seconds=7.0),
        trial(curve=((8.0, 0.9), (9.0, 0.1)), seconds=10.0),
    )
    none = nothing("astar", seconds=8.0)
    two = ([4.0, 6.0, 8.0], pytest.approx([0.3, 0.25, 0.25]))
    assert median_curve([first, second, none]) == two
    # The two left have both ended, with their values, when the third has its first program.
    three = ([4.0, 6.0, 8.0, 9.0, 10.0], pytest.approx([0.3, 0.25, 0.3, 0.2, 0.2]))
    for trials in permutations((first, second, third)):
        assert median_curve(trials) == three
    assert median_curve([first, none, none]) == ([], [])
    assert median_curve([first]) == ([1.0, 2.0], [0.2, 0.2])


def test_more_than_half_are_waited_for() -> None:
    three = [trial(curve=((start, cost),), seconds=9.0) for start, cost in ((1, 0.2), (4, 0.4))]
    times, _ = median_curve([*three, nothing("astar"), nothing("astar"), nothing("astar")])
    assert times == []


def test_a_trial_that_ended_keeps_its_value() -> None:
    short = trial(curve=((1.0, 0.1),), seconds=1.0)
    long = trial(curve=((2.0, 0.9), (50.0, 0.5)), seconds=60.0)
    times, costs = median_curve([short, long])
    assert times == [2.0, 50.0, 60.0]
    assert all(map(math.isclose, costs, [0.5, 0.3, 0.3]))
