"""How long a run may go on, and for how long it has."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from nearstar.util.checks import check_settings


@dataclass(frozen=True)
class Limits:
    """Limits of a run; it ends at the first one that is reached. None: no limit.

    Limits of trainings and rounds give the same result with any number of workers; a limit of time
    gives what an unlimited run has found by then.
    """

    seconds: float | None = field(default=None, metadata={"positive": True})
    """Time, from the first training on; compiling the engine, once, does not count."""
    engine_seconds: float | None = field(default=None, metadata={"positive": True})
    """Processor time of all trainings together: what else the machine does plays no part. It ends
    with the training that reaches it."""
    trainings: int | None = None
    """Programs trained."""
    rounds: int | None = None
    """Times that the search asks for programs to be trained."""

    def __post_init__(self) -> None:
        check_settings(self, "the limit of {}")


class Clock:
    """Seconds that a run has gone on, over all the processes that have worked on it.

    It stands still until it is started.
    """

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
