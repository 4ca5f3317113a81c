"""Searches that begin anew: what they ask for, and when they end."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from search.tabulated_baselines import complete_programs, plain_space

from nearstar.search import MCTS, Genetic, MonteCarlo
from nearstar.search.protocol import Ask, Node, Score, Search
from nearstar.search.restarts import IDLE, Restarts
from nearstar.search.space import Space

SPACE = plain_space(depth=3)


def asked(search: Search, most: int = 10_000) -> list[str]:
    """The texts of all that is asked for, each answered with an error made of its text."""
    found: list[str] = []
    scores: list[Score] | None = None
    try:
        while len(found) < most:
            ask = next(search) if scores is None else search.send(scores)
            found += [str(node.program) for node in ask.nodes]
            scores = [Score(len(str(node.program)) % 7 / 7) for node in ask.nodes]
    except StopIteration:
        pass
    return found


@settings(max_examples=10)
@given(st.integers(0, 1000))
def test_it_begins_as_the_algorithm_itself(seed: int) -> None:
    for algorithm in (MonteCarlo(samples=3), MCTS(samples=3), Genetic(population=4, select=2)):
        alone = asked(algorithm.search(SPACE, seed))
        again = asked(Restarts(algorithm=algorithm).search(SPACE, seed), len(alone))
        assert list(islice(again, len(alone))) == alone


@settings(max_examples=10)
@given(st.integers(0, 1000))
def test_nothing_is_asked_for_twice_and_it_ends_when_nothing_is_new(seed: int) -> None:
    found = asked(Restarts(algorithm=MonteCarlo(samples=4)).search(SPACE, seed))
    assert len(found) == len(set(found))
    assert len(found) > len(asked(MonteCarlo(samples=4).search(SPACE, seed)))


@dataclass(frozen=True)
class Counted:
    """Always asks for the same program, and hears what it scores."""

    heard: list[Any]

    def search(self, space: Space, seed: int) -> Search:
        program = complete_programs(space.grammar, 2)[0]
        (score,) = yield Ask((Node(program, None, g=0.0),))
        self.heard.append((seed, score.error))
        return None


def test_what_is_known_is_told_again_to_later_beginnings() -> None:
    heard: list[Any] = []
    found = asked(Restarts(algorithm=Counted(heard)).search(SPACE, 5))
    assert len(found) == 1
    assert len(heard) == 1 + IDLE
    assert len({seed for seed, _ in heard}) == 1 + IDLE
    assert len({error for _, error in heard}) == 1
    assert heard[0][0] == 5
