"""Limits of a run: validated, and exact."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from run.driving import Plain, Table, small_space, timeless, trained, trained_after_each_round

from nearstar import NearstarError
from nearstar.language.program import is_complete
from nearstar.run import Limits, Result, drive
from nearstar.run.workers.pool import available_cores
from nearstar.run.workers.threads import Threads

SPACE = small_space()
N_PROGRAMS = drive(Plain().search(SPACE), Table(), SPACE).trained


def limited(limits: Limits, width: int = 3, workers: int = 2) -> Result:
    return drive(
        Plain(width).search(SPACE), Table(), SPACE, limits=limits, workers=Threads(workers)
    )


@pytest.mark.parametrize(
    "bad",
    [
        {"seconds": 0},
        {"seconds": -1.0},
        {"seconds": math.inf},
        {"seconds": math.nan},
        {"seconds": True},
        {"seconds": "60"},
        {"engine_seconds": 0},
        {"trainings": 0},
        {"trainings": 2.5},
        {"rounds": True},
        {"rounds": -3},
    ],
)
def test_limits_that_cannot_be_are_refused(bad: dict[str, object]) -> None:
    with pytest.raises(NearstarError, match=f"limit of {next(iter(bad))} must be .* not"):
        Limits(**bad)


@settings(max_examples=15)
@given(st.integers(1, 2 * N_PROGRAMS), st.integers(1, 7), st.integers(1, 4))
def test_so_many_are_trained_and_no_more(trainings: int, width: int, workers: int) -> None:
    result = limited(Limits(trainings=trainings), width, workers)
    whole = limited(Limits(), width)
    assert result.trained == min(trainings, N_PROGRAMS) == len(result.evaluations)
    assert result.ended == ("trainings" if trainings < N_PROGRAMS else "exhausted")
    assert timeless(result)["trace"] == timeless(whole)["trace"][: len(result.trace)]
    # The bound is that of the last ask, the first one that cannot be answered in full.
    answered = sum(count <= trainings for count in trained_after_each_round(SPACE, width))
    assert result.rounds == answered
    assert result.bound == ((answered + 1) / 10_000 if trainings < N_PROGRAMS else 1.0)


@settings(max_examples=15)
@given(st.integers(1, N_PROGRAMS), st.integers(1, 7))
def test_so_many_rounds_and_no_more(rounds: int, width: int) -> None:
    result = limited(Limits(rounds=rounds), width)
    whole = limited(Limits(), width)
    after = trained_after_each_round(SPACE, width)
    assert result.rounds == min(rounds, whole.rounds)
    assert result.trained == after[result.rounds - 1]
    assert result.ended == ("rounds" if rounds < whole.rounds else "exhausted")
    assert timeless(result)["trace"] == timeless(whole)["trace"][: len(result.trace)]


@given(st.integers(1, N_PROGRAMS), st.integers(1, 7))
def test_training_time_ends_with_the_training_that_reaches_it(trainings: int, width: int) -> None:
    each = trained(SPACE.roots[0], 0.5).seconds
    result = limited(Limits(engine_seconds=each * (trainings - 0.5)), width)
    assert result.trained == trainings == len(result.evaluations)
    assert result.ended == "time" or trainings == N_PROGRAMS
    assert "s of training was reached" in result.summary() or trainings == N_PROGRAMS


def test_the_first_limit_that_is_reached_ends_it() -> None:
    third = trained_after_each_round(SPACE, 3)[2]
    assert limited(Limits(trainings=third, rounds=3)).ended == "rounds"
    assert limited(Limits(trainings=third - 1, rounds=3)).ended == "trainings"


def test_the_trace_tells_of_rounds_and_of_every_new_best() -> None:
    result = limited(Limits())
    costs = [each.path_cost for each in result.evaluations if is_complete(each.program)]
    falling = [cost for i, cost in enumerate(costs) if cost < min(costs[:i], default=math.inf)]
    bests = [point.best for point in result.trace]
    assert [best for best in dict.fromkeys(bests) if best is not None] == falling
    assert max(point.rounds for point in result.trace) == result.rounds
    assert len(result.trace) == result.rounds + len(falling)
    times = [point.seconds for point in result.trace]
    assert times == sorted(times) and result.seconds >= times[-1]
    assert result.trace[-1].engine_seconds == result.engine_seconds
    assert result.engine_seconds == pytest.approx(0.001 * N_PROGRAMS)


def test_there_is_a_core_to_work_on() -> None:
    assert available_cores() >= 1
