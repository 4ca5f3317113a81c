"""The memory of a run in a folder, which outlives the process."""

from __future__ import annotations

import dataclasses
import math
import os
import platform
import socket
from array import array
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any

import numba
import numpy as np

import nearstar
from nearstar.journal import JOURNAL, Journal, JournalError, Reader, Record, read_header
from nearstar.run.answers import Shelf, to_record
from nearstar.run.events import Evaluated, Event, Finished, NewBest, Round, Started
from nearstar.run.identity import Identity
from nearstar.run.memory import Answer, Question
from nearstar.run.trace import TracePoint
from nearstar.run.trainer import Trainer
from nearstar.train import Trained

_GIVEN, _BEST, _ROUND = -1, -2, -3
"""What stands for an event: the offset of the answer that was taken, if it was not given with the
start; a new best; a round."""


class JournaledRun:
    """The run in a folder: its answers and all that happened, in a journal.

    A new one if the folder has no journal yet; else the same run, with what it has come to. It is
    the memory of the run, and listens to its events; a context that closes the journal.
    """

    def __init__(self, folder: str | Path, identity: Identity, trainer: Trainer) -> None:
        self._trainer = trainer
        self._journal = Journal(folder, identity.header)
        self._shelf = Shelf(self._journal.read, trainer)
        self._past = array("q")
        """The events of which the journal tells already."""
        self._told = 0
        """Events of this process, so far."""
        self.seconds = 0.0
        try:
            begun = Identity.in_header(self._journal.header)
            identity.check_same(begun, f"the run in {folder}", "take another folder")
            for line in self._journal.earlier():
                self._note(line.record, line.offset)
        except BaseException as problem:
            self._journal.__exit__(type(problem), problem, None)
            raise

    def _note(self, record: Mapping[str, Any], offset: int) -> None:
        """Take up what an earlier process wrote."""
        self.seconds = max(self.seconds, record["at"])
        match record["kind"]:
            case "answer":
                self._shelf.put(record, offset)
            case "taken":
                self._past.append(_GIVEN if record["answer"] is None else record["answer"])
            case "best":
                self._past.append(_BEST)
            case "round":
                self._past.append(_ROUND)

    def __len__(self) -> int:
        """Answers that it has."""
        return len(self._shelf)

    def __enter__(self) -> JournaledRun:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._journal.__exit__(kind, problem, traceback)

    # The memory

    def get(self, question: Question) -> Answer | None:
        return self._shelf.get(question)

    def keep(self, question: Question, trained: Trained, at: float) -> Answer:
        record = to_record(question, trained, at, self._trainer.seed_of(question.program))
        self._shelf.put(record, self._journal.append(record))
        return Answer.of(trained, at)

    # The listener

    def __call__(self, event: Event) -> None:
        """Write what happens, unless the journal tells of it already."""
        match event:
            case Started():
                self._journal.append(_started(event, self.seconds))
            case Evaluated():
                place = None if event.question is None else self._shelf.place(event.question)
                self._tell(_GIVEN if place is None else place, lambda: _taken(event, place))
            case NewBest():
                self._tell(_BEST, lambda: {"kind": "best", **_point(event.point)})
            case Round():
                waiting = {"waiting": event.waiting}
                self._tell(_ROUND, lambda: {"kind": "round", **_point(event.point), **waiting})
            case Finished():
                self._journal.append(_ended(event))

    def _tell(self, what: int, record: Callable[[], Record]) -> None:
        if self._told >= len(self._past):
            self._journal.append(record())
        elif self._past[self._told] != what:
            raise JournalError(
                f"{self._journal.path} tells of another search than the one that is made of its "
                f"settings, from event {self._told} on: it cannot be resumed by this nearstar "
                f"({nearstar.__version__}, it was begun by {self._journal.header['nearstar']})"
            )
        self._told += 1


def identity_in(folder: str | Path) -> Identity | None:
    """Of which run the folder has the journal; None if it has none."""
    path = Path(folder) / JOURNAL
    header = read_header(Reader(path)) if path.is_file() else None
    return None if header is None else Identity.in_header(header)


def _started(event: Started, at: float) -> Record:
    return {
        "kind": "started",
        "at": at,
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
        "host": socket.gethostname(),
        "process": os.getpid(),
        "workers": event.workers,
        "limits": dataclasses.asdict(event.limits),
        "nearstar": nearstar.__version__,
        "numpy": np.__version__,
        "numba": numba.__version__,
        "python": platform.python_version(),
        "machine": platform.machine(),
    }


def _taken(event: Evaluated, place: int | None) -> Record:
    evaluation = event.evaluation
    return {
        "kind": "taken",
        "at": event.seconds,
        "index": evaluation.index,
        "answer": place,
        "parent": evaluation.parent,
        "complete": evaluation.complete,
        "structural_cost": evaluation.structural_cost,
        "f": _number(evaluation.f),
    }


def _ended(event: Finished) -> Record:
    result = event.result
    return {
        "kind": "ended",
        "at": result.seconds,
        "reason": result.ended,
        "trained": result.trained,
        "rounds": result.rounds,
        "best": None if result.best is None else result.best.evaluation.index,
        "bound": _number(result.bound),
    }


def _point(point: TracePoint) -> Record:
    values = dataclasses.asdict(point)
    return {"at": values.pop("seconds"), **values, "bound": _number(point.bound)}


def _number(value: float | None) -> float | str | None:
    """JSON has no infinite numbers."""
    return value if value is None or math.isfinite(value) else str(value)
