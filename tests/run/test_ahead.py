"""Idle workers train what may be asked next: nothing changes but the time."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice, pairwise

import pytest
from run.driving import Table, error_of, small_space, timeless, trained, wait_for

from nearstar import Stop
from nearstar.language.program import Program, is_complete
from nearstar.language.text import to_text
from nearstar.run import Limits, drive
from nearstar.run.workers.threads import Threads
from nearstar.search.astar import AStar
from nearstar.search.protocol import Ask, Node, Score, Search
from nearstar.search.space import Space

SPACE, WIDE = small_space(), small_space(max_depth=7)
LONG = 20
"""Seconds after which a test that hangs has failed."""


def programs() -> Iterator[Program]:
    """Programs of the space, by levels."""
    waiting = list(SPACE.roots)
    while waiting:
        program = waiting.pop(0)
        waiting += SPACE.expansions(program)
        yield program


@dataclass
class Scripted:
    """Asks for rounds of programs, and says what it may ask next."""

    rounds: list[list[Program]]
    ahead: list[list[Program]]

    def search(self, space: Space) -> Search:
        for asked, ahead in zip(self.rounds, self.ahead, strict=True):
            nodes, later = (
                [Node(program, None, space.cost(program)) for program in each]
                for each in (asked, ahead)
            )
            for node, score in zip(nodes, (yield Ask(tuple(nodes), None, 0, later)), strict=True):
                node.trained, node.error = True, score.error
        return None


@dataclass
class Meeting:
    """Trainings that are to go on at the same time: each waits for all others."""

    at_once: set[Program]
    met: threading.Event = field(default_factory=threading.Event)
    here: set[Program] = field(default_factory=set)

    def __call__(self, program: Program, stop: Stop) -> None:
        if program in self.at_once:
            self.here.add(program)
            if self.here == self.at_once:
                self.met.set()
            assert self.met.wait(LONG)


def test_idle_workers_train_what_is_asked_next() -> None:
    first, second, third = islice(programs(), 3)
    # Only if the second one is trained beside the first does this end.
    table = Table(before=Meeting({first, second}))
    search = Scripted([[first], [second, third]], [[second], []])
    result = drive(search.search(SPACE), table, SPACE, workers=Threads(2))
    assert sorted(map(to_text, table.asked)) == sorted(map(to_text, (first, second, third)))
    plain = Scripted([[first], [second, third]], [[], []])
    alone = drive(plain.search(SPACE), Table(), SPACE, workers=Threads(2))
    assert timeless(result) == timeless(alone)


def test_what_is_asked_does_not_wait_for_what_is_not() -> None:
    first, useless, third, fourth = islice(programs(), 4)
    begun, meeting = threading.Event(), Meeting({third, fourth})

    def before(program: Program, stop: Stop) -> None:
        if program == useless:
            begun.set()
            wait_for(stop)
        if program == first:
            assert begun.wait(LONG)
        meeting(program, stop)

    # Both workers are needed for the second round.
    search = Scripted([[first], [third, fourth]], [[useless], []])
    result = drive(search.search(SPACE), Table(before=before), SPACE, workers=Threads(2))
    assert [each.program for each in result.evaluations] == [first, third, fourth]


def test_what_was_given_up_at_the_end_is_trained_for_the_audit() -> None:
    partial = next(each for each in programs() if not is_complete(each) and each.size)
    plain = drive(Scripted([[partial]], [[]]).search(SPACE), Table(), SPACE, samples=1)
    sample = plain.evaluations[-1].program
    assert sample != partial
    begun = threading.Event()

    def before(program: Program, stop: Stop) -> None:
        if program == sample and not begun.is_set():
            begun.set()
            wait_for(stop)
        if program == partial:
            assert begun.wait(LONG)

    search = Scripted([[partial]], [[sample]]).search(SPACE)
    result = drive(search, Table(before=before), SPACE, workers=Threads(2), samples=1)
    assert timeless(result) == timeless(plain) and result.pruned is not None


@pytest.mark.parametrize(
    ("workers", "limits"), [(1, Limits()), (2, Limits(trainings=1)), (2, Limits(rounds=1))]
)
def test_nothing_is_trained_ahead_in_vain(workers: int, limits: Limits) -> None:
    first, second = islice(programs(), 2)
    table = Table()
    search = Scripted([[first]], [[second]])
    drive(search.search(SPACE), table, SPACE, workers=Threads(workers), limits=limits)
    assert table.asked == [first]


@pytest.mark.parametrize(
    ("algorithm", "often"),
    [
        # Here probes say nothing of what comes after them.
        (AStar(margin=1.0), 0.02),
        pytest.param(AStar(persist=True, width=2), 0.02, marks=pytest.mark.slow),
        (AStar(probes=False, margin=1.0), 0.25),
        *(
            pytest.param(each, 0.25, marks=pytest.mark.slow)
            for each in (
                AStar(probes=False, persist=True, width=2),
                AStar(probes=False, lazy=False, margin=1.0),
                AStar(probes=False, lazy=False, max_children=6, frontier=20, margin=1.0),
                AStar(probes=False, deduplicate=False, correction=0.0, margin=1.0),
            )
        ),
    ],
)
def test_to_look_ahead_changes_nothing_and_is_often_right(algorithm: AStar, often: float) -> None:
    def rounds(look: bool) -> list[tuple[list[tuple[Program, float | None]], set[Program]]]:
        search, found = algorithm.search(WIDE, 3), []
        ask = next(search)
        while len(found) < 40:
            ahead = {node.program for node in ask.ahead} if look else set()
            found.append(([(node.program, node.goal) for node in ask.nodes], ahead))
            try:
                ask = search.send([Score(error_of(node.program, 1)) for node in ask.nodes])
            except StopIteration:
                break
        return found

    looked = rounds(look=True)
    assert [asked for asked, _ in looked] == [asked for asked, _ in rounds(look=False)]
    foreseen = [
        program in ahead for (_, ahead), (asked, _) in pairwise(looked) for program, _ in asked
    ]
    assert sum(foreseen) > len(foreseen) * often


def test_a_training_that_failed_ahead_fails_only_if_it_is_asked() -> None:
    first, bad, third = islice(programs(), 3)
    begun = threading.Event()

    class Failing(Table):
        def train(self, program: Program, *rest: object) -> object:  # type: ignore[override]
            if program == bad:
                begun.set()
                raise ArithmeticError("no such training")
            if program == first:
                assert begun.wait(LONG)
            return trained(program, 0.5)

    fine = Scripted([[first], [third]], [[bad], []])
    assert drive(fine.search(SPACE), Failing(), SPACE, workers=Threads(2)).trained == 2
    asked = Scripted([[first], [bad]], [[bad], []])
    with pytest.raises(ArithmeticError):
        drive(asked.search(SPACE), Failing(), SPACE, workers=Threads(2))
