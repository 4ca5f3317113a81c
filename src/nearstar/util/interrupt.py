"""Ending compiled work early: from another thread, or by Ctrl-C."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from typing import TypeVar

import numpy as np

T = TypeVar("T")

_STEP = 0.2
"""Seconds."""


class Stop:
    """Ends a training from another thread, within a batch."""

    def __init__(self) -> None:
        self.flag = np.zeros(1, np.uint8)

    def set(self) -> None:
        """Ask the training to end."""
        self.flag[0] = 1

    @property
    def is_set(self) -> bool:
        """Whether it was asked to end."""
        return bool(self.flag[0])


class Stopped(Exception):  # noqa: N818 (an outcome, not an error)
    """Raised by a training that was asked to end."""


def interruptible(work: Callable[[], T], stop: Stop) -> T:
    """Do the work; where it would block Ctrl-C, in another thread.

    Signals are handled by the main thread, between Python's instructions, and compiled code has
    none. On an interrupt the work is asked to stop, and is not waited for.
    """
    if threading.current_thread() is not threading.main_thread():
        return work()
    results: list[T] = []
    problems: list[BaseException] = []

    def run() -> None:
        try:
            results.append(work())
        except BaseException as problem:
            problems.append(problem)

    thread = threading.Thread(target=run, daemon=True)
    try:
        thread.start()
        # An interrupt that comes just before a wait does not end it: wait in short steps.
        while thread.is_alive():
            thread.join(_STEP)
    except BaseException:
        stop.set()
        raise
    if problems:
        raise problems[0]
    return results[0]


class Presses:
    """Ctrl-C counted instead of raised, while this context lasts.

    An exception that comes while Python code takes a lock leaves it taken, and what waits for it
    waits forever. So within, interrupts set the stop and are raised by ``check`` alone. Only in
    the main thread, and only where Ctrl-C would raise KeyboardInterrupt.
    """

    def __init__(self, stop: Stop) -> None:
        self.count = 0
        self._stop = stop
        self._holds = False

    def __enter__(self) -> Presses:
        main = threading.current_thread() is threading.main_thread()
        self._holds = main and signal.getsignal(signal.SIGINT) is signal.default_int_handler
        if self._holds:
            signal.signal(signal.SIGINT, self._press)
        return self

    def _press(self, *_: object) -> None:
        self.count += 1
        self._stop.set()

    def check(self) -> None:
        """Raise KeyboardInterrupt if Ctrl-C was pressed."""
        if self.count:
            raise KeyboardInterrupt

    def __exit__(self, *_: object) -> None:
        if self._holds:
            signal.signal(signal.SIGINT, signal.default_int_handler)
