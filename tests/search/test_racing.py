"""How much of a training is worth it: cutoffs by what earlier programs came to."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from nearstar.search.protocol import Score
from nearstar.search.racing import Racing
from nearstar.training.train import is_cut

errors = st.floats(0.01, 1.0)
trainings = st.lists(
    st.tuples(st.floats(0.0, 0.2), st.lists(errors, min_size=4, max_size=4)),
    min_size=10,
    max_size=60,
)


def score(stages: list[float]) -> Score:
    """That of a whole training; errors are the least so far."""
    least = [min(stages[: n + 1]) for n in range(len(stages))]
    return Score(least[-1], stages=tuple(least))


def raced(seen: list[tuple[float, list[float]]]) -> Racing:
    racing = Racing(True)
    for price, stages in seen:
        racing.observe(price, score(stages))
    return racing


def test_nothing_is_cut_off_before_there_is_something_to_compare_with() -> None:
    racing = Racing(True)
    for n in range(9):
        assert racing.cutoffs(0.01) == ()
        racing.observe(0.01, score([0.9, 0.8, 0.7, 0.6 - n / 100]))
    racing.observe(0.01, score([0.9, 0.8, 0.7, 0.6]))
    assert len(racing.cutoffs(0.01)) == 3


@given(trainings)
def test_switched_off_it_cuts_nothing(seen: list[tuple[float, list[float]]]) -> None:
    racing = Racing(False)
    for price, stages in seen:
        racing.observe(price, score(stages))
    assert racing.cutoffs(0.0) == ()


@given(trainings, st.floats(0.0, 0.2))
def test_what_learns_as_the_best_did_and_is_better_goes_on(
    seen: list[tuple[float, list[float]]], price: float
) -> None:
    """A program that is ahead of the best at every stage, and not dearer, is trained whole."""
    racing = raced(seen)
    cost, best = min((price + score(stages).error, stages) for price, stages in seen)
    dear = min(each for each, stages in seen if each + score(stages).error == cost)
    ahead = [0.99 * error for error in score(best).stages]
    cutoffs = racing.cutoffs(dear)
    better = [min(price + score(s).stages[n] for price, s in seen) for n in range(4)]
    for n in range(3):
        if dear + ahead[n] <= better[n]:
            assert not is_cut(ahead[: n + 1], cutoffs), n


@given(trainings)
def test_what_can_no_longer_be_the_best_is_cut_off(seen: list[tuple[float, list[float]]]) -> None:
    """Whatever its error: its structure alone costs as much as the best program."""
    racing = raced(seen)
    best = min(price + score(stages).error for price, stages in seen)
    cutoffs = racing.cutoffs(best + 0.01)
    assert cutoffs and all(cutoff <= 0 for cutoff in cutoffs)


@given(trainings, errors)
def test_a_whole_training_is_expected_to_come_to_what_it_came_to(
    seen: list[tuple[float, list[float]]], error: float
) -> None:
    racing = raced(seen)
    assert racing.expected(Score(error, stages=(error,) * 4)) == error
    shorter = racing.expected(Score(error, stages=(error,), cut=True))
    assert 0 <= shorter <= error + 1e-9 and math.isfinite(shorter)
