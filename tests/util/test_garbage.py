"""The garbage collector pauses while nothing is trained, and is as it was before."""

from __future__ import annotations

import gc

import pytest
from run.driving import Table, small_space

from nearstar.run import Limits, drive
from nearstar.run.events import Evaluated, Event
from nearstar.run.store.trainings import RunMemory
from nearstar.search.astar import AStar
from nearstar.util.garbage import collection_paused

SPACE = small_space()


def test_it_pauses_until_something_is_trained() -> None:
    memory, collecting = RunMemory(), []

    def listen(event: Event) -> None:
        if isinstance(event, Evaluated):
            collecting.append(gc.isenabled())

    for trainings in (5, 10):
        one_by_one = AStar(margin=1.0, width=1, probes=False, exploration=0)
        search, limits = one_by_one.search(SPACE, 0), Limits(trainings=trainings)
        collecting.clear()
        drive(search, Table(), SPACE, memory=memory, limits=limits, listeners=[listen])
        assert gc.isenabled()
    # The second time the first five were known.
    assert collecting == 5 * [False] + 5 * [True]


@pytest.mark.parametrize("was_on", [True, False])
def test_it_is_as_it_was(was_on: bool) -> None:
    try:
        (gc.enable if was_on else gc.disable)()
        with collection_paused():
            assert not gc.isenabled()
        assert gc.isenabled() == was_on
    finally:
        gc.enable()
