"""The time of a run, over all the processes that have worked on it."""

from __future__ import annotations

import time


class Clock:
    """Seconds that a run has gone on; it stands still until it is started."""

    def __init__(self, before: float = 0.0) -> None:
        self._before = before
        self._began: float | None = None

    def start(self) -> None:
        """Count time from now on, unless it is counted already."""
        if self._began is None:
            self._began = time.monotonic()

    @property
    def seconds(self) -> float:
        return self._before + (0.0 if self._began is None else time.monotonic() - self._began)
