"""The memory of a run in a folder, which outlives the process."""

from __future__ import annotations

import dataclasses
import math
import os
import platform
import socket
import threading
from array import array
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numba
import numpy as np

from nearstar.run.collecting import nothing_to_collect
from nearstar.run.events import Evaluated, Event, Finished, NewBest, Round, Started
from nearstar.run.results.evaluation import Evaluation
from nearstar.run.results.result import Result
from nearstar.run.results.trace import TracePoint
from nearstar.run.store import JOURNAL, Journal, JournalError, Reader, Record, read_header
from nearstar.run.store.answers import Shelf, to_record
from nearstar.run.store.identity import Identity
from nearstar.run.store.memory import Answer, Question
from nearstar.run.trainer import Trainer
from nearstar.training.train import Trained
from nearstar.util.version import __version__

_GIVEN = -1
"""In place of an offset, for what was given with the start."""


@contextmanager
def journaled(
    folder: str | Path, identity: Identity, trainer: Trainer, about: Mapping[str, Any]
) -> Iterator[JournaledRun]:
    """The run in a folder: a new one if the folder has no journal yet; else the one that it has,
    with what it has come to. Raises if that is another one.

    ``about`` is what readers of the journal need to make models of its programs.
    """
    with Journal(folder, {**identity.header, "about": about}) as journal:
        begun = Identity.in_header(journal.header)
        identity.check_same(begun, f"the run in {folder}", "take another folder")
        yield JournaledRun(journal, trainer)


class JournaledRun:
    """A run with its answers and all that happened in a journal.

    It is the memory of the run, and listens to its events.
    """

    def __init__(self, journal: Journal, trainer: Trainer) -> None:
        self._trainer = trainer
        self._journal = journal
        self._shelf = Shelf(journal.read, trainer)
        self._keeping = threading.Lock()
        self._past = array("q")
        """Offsets of the answers that the search has taken, as far as the journal tells of it."""
        self._bests = self._rounds = 0
        """New bests and rounds of which it tells."""
        self._bests_now = self._rounds_now = 0
        """New bests and rounds of this process, so far."""
        self._places: list[int] = []
        """The offsets of the answers that were taken in this round."""
        self.seconds = 0.0
        with nothing_to_collect():
            for line in journal.earlier():
                self._note(line.record, line.offset)

    def _note(self, record: Mapping[str, Any], offset: int) -> None:
        """Take up what an earlier process wrote."""
        self.seconds = max(self.seconds, record["at"])
        match record["kind"]:
            case "answer":
                self._shelf.put(record, offset)
            case "best":
                self._bests += 1
            case "round":
                self._rounds += 1
                self._past.extend(_GIVEN if row[0] is None else row[0] for row in record["taken"])

    def __len__(self) -> int:
        """Answers that it has."""
        return len(self._shelf)

    # The memory

    def get(self, question: Question) -> Answer | None:
        return self._shelf.get(question)

    def keep(self, question: Question, trained: Trained, at: float) -> Answer:
        record = to_record(question, trained, at, self._trainer.seed_of(question.program))
        with self._keeping:
            # What was dropped may come all the same, and again when it is asked for.
            known = self._shelf.get(question)
            if known is not None:
                return known
            self._shelf.put(record, self._journal.append(record))
        return Answer.of(trained, at)

    # The listener

    def __call__(self, event: Event) -> None:
        """Write what happens, unless the journal tells of it already."""
        match event:
            case Started():
                self._journal.append(_started(event, self.seconds))
            case Evaluated():
                place = _GIVEN if event.question is None else self._shelf.place(event.question)
                self._places.append(place)
            case NewBest():
                self._bests_now += 1
                if self._bests_now > self._bests:
                    self._journal.append(_best(event))
            case Round():
                self._end_round(event)
            case Finished():
                self._journal.append(_ended(event.result, self._places))

    def _end_round(self, event: Round) -> None:
        self._rounds_now += 1
        if self._rounds_now > self._rounds:
            self._journal.append(_round(event, self._places))
        else:
            self._check_past(event.taken)
        self._places = []

    def _check_past(self, taken: Sequence[Evaluation]) -> None:
        """Raise unless the search went the same way before."""
        places = array("q", self._places)
        first = taken[0].index if taken else 0
        if self._past[first : first + len(places)] != places:
            raise JournalError(
                f"{self._journal.path} tells of another search than the one that is made of its "
                f"settings, from evaluation {first} on: it cannot be resumed by this nearstar "
                f"({__version__}, it was begun by {self._journal.header['nearstar']})"
            )


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
        "nearstar": __version__,
        "numpy": np.__version__,
        "numba": numba.__version__,
        "python": platform.python_version(),
        "machine": platform.machine(),
    }


def _best(event: NewBest) -> Record:
    return {"kind": "best", **_point(event.point), "index": event.candidate.evaluation.index}


def _round(event: Round, places: Sequence[int]) -> Record:
    point, rows = _point(event.point), _rows(places, event.taken)
    return {"kind": "round", **point, "waiting": event.waiting, "taken": rows}


def _ended(result: Result, places: Sequence[int]) -> Record:
    rest = result.evaluations[len(result.evaluations) - len(places) :]
    return {
        "kind": "ended",
        "at": result.seconds,
        "reason": result.ended,
        "trained": result.trained,
        "rounds": result.rounds,
        "best": None if result.best is None else result.best.evaluation.index,
        "bound": _number(result.bound),
        "taken": _rows(places, rest),
    }


def _rows(places: Sequence[int], taken: Sequence[Evaluation]) -> list[list[Any]]:
    """Offset of the answer, parent, structural cost and f of each, in the order of the search."""
    return [
        [None if place == _GIVEN else place, each.parent, each.structural_cost, _number(each.f)]
        for place, each in zip(places, taken, strict=True)
    ]


def _point(point: TracePoint) -> Record:
    values = dataclasses.asdict(point)
    return {"at": values.pop("seconds"), **values, "bound": _number(point.bound)}


def _number(value: float | None) -> float | str | None:
    """JSON has no infinite numbers."""
    return value if value is None or math.isfinite(value) else str(value)
