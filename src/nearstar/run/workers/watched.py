"""Training where nobody else looks at the clock: it ends when it is of no use any more."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from nearstar.language.program import Program
from nearstar.run.trainer import Trainer, compile_engine
from nearstar.training.train import Trained
from nearstar.util.interrupt import Stop

LOOK_UP = 0.2
"""Seconds between two looks."""


def train_watched(
    trainer: Trainer,
    program: Program,
    start: Trained | None,
    goal: float | None,
    left: float,
    given_up: Callable[[], bool] = lambda: False,
    stop: Stop | None = None,
) -> Trained:
    """Train, but raise Stopped once no seconds are left, nobody waits for it, or it is stopped."""
    end = time.monotonic() + left
    compile_engine()
    stop, done = Stop() if stop is None else stop, threading.Event()

    def watch() -> None:
        while not done.wait(min(LOOK_UP, max(end - time.monotonic(), 0.0))):
            if time.monotonic() >= end or given_up():
                stop.set()
                return

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        return trainer.train(program, start, goal, stop)
    finally:
        done.set()
