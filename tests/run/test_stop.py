"""Ending a run from another thread."""

from __future__ import annotations

import threading
import time
from pathlib import Path

from run.driving import DOMAIN, QUICK, small_task

from nearstar import Budget, Stop, Units
from nearstar.run import Event, Limits, NewBest, Result, learn


def test_a_run_in_another_thread_is_ended_with_what_it_has() -> None:
    stop, results = Stop(), list[Result]()
    found, stopped = threading.Event(), threading.Event()

    def listener(event: Event) -> None:
        if isinstance(event, NewBest):
            found.set()
            stopped.wait(60)  # the run might be over before it is asked to end

    def run() -> None:
        results.append(
            learn(small_task(), DOMAIN, listeners=[listener], stop=stop, workers=2, progress=False)
        )

    thread = threading.Thread(target=run)
    thread.start()
    assert found.wait(60)
    stop.set()
    stopped.set()
    thread.join(60)
    (result,) = results
    assert result.ended == "interrupted"
    assert result.best is not None


def test_a_long_training_is_ended_too_and_the_run_goes_on_later(tmp_path: Path) -> None:
    stop = Stop()
    threading.Timer(0.5, stop.set).start()
    long = Budget(neural_steps=10**6, symbolic_steps=10**6, units=Units(4, 2))
    began = time.monotonic()
    result = learn(small_task(), DOMAIN, budget=long, stop=stop, progress=False, run=tmp_path)
    assert result.ended == "interrupted"
    assert time.monotonic() - began < 30
    ended = learn(
        small_task(), DOMAIN, budget=long, stop=stop, limits=Limits(trainings=1), run=tmp_path
    )
    assert ended.ended == "interrupted"  # a stop that was set stays set


def test_a_stop_that_is_not_set_changes_nothing() -> None:
    limits = Limits(trainings=12)
    plain = learn(small_task(), DOMAIN, budget=QUICK, limits=limits, progress=False)
    with_stop = learn(
        small_task(), DOMAIN, budget=QUICK, limits=limits, progress=False, stop=Stop()
    )
    assert [each.error for each in plain.evaluations] == [
        each.error for each in with_stop.evaluations
    ]
