"""Training where the driver's stop is not seen: it ends when it is of no use any more."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from nearstar.interrupt import Stop
from nearstar.program import Program
from nearstar.run.trainer import Trainer, compile_engine
from nearstar.train import Trained

LOOK_UP = 0.2
"""Seconds between two looks."""


def train_watched(
    trainer: Trainer,
    program: Program,
    start: Trained | None,
    goal: float | None,
    left: float,
    given_up: Callable[[], bool] = lambda: False,
) -> Trained:
    """Train, but raise Stopped once no seconds are left, or nobody waits for it any more."""
    compile_engine()
    stop, done = Stop(), threading.Event()
    end = time.monotonic() + left

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
