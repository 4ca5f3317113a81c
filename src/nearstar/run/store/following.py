"""Following a run by its journal: without a lock, whoever writes it, and whatever becomes of it."""

from __future__ import annotations

import os
import secrets
from array import array
from collections.abc import Sequence
from itertools import takewhile
from pathlib import Path
from typing import Any

from nearstar.model.model import Model
from nearstar.run.limits import Limits
from nearstar.run.results.history import History
from nearstar.run.store import schema
from nearstar.run.store.journal_reader import JournalLine, JournalReader, record_at
from nearstar.run.store.lines import JOURNAL, JournalError, Record
from nearstar.util.errors import NearstarError


class Following:
    """The history of the run in a folder, as far as its journal tells it.

    Each ``look`` takes up what is new. All but the parameters is in memory, some hundred bytes for
    each program.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        self.path = self.folder / JOURNAL
        self.problem: str | None = None
        """Why the journal cannot be read any further."""
        self.written = 0.0
        """When the journal grew last, in seconds since the epoch."""
        self._token, self._runs = secrets.token_hex(4), 0
        self._begin()

    def _begin(self) -> None:
        self._reader = JournalReader(self.path)
        self._last = JournalLine(0, 0, b"")
        """The latest record: where it is not in its place, there is another journal."""
        self._stuck: str | None = None
        """Why a record could not be understood."""
        self.history: History | None = None
        self.about: schema.About | None = None
        self.started: Record = {}
        """What the latest process that worked on it said of itself."""
        self._trainings: dict[int, tuple[Any, ...]] = {}
        """By their offsets: the program's text, and what came of it."""
        self._trained = 0
        self._rows: list[tuple[Any, ...]] = []
        """Of evaluations that may be told again: those after the last round that ended."""
        self._offsets = array("q")
        """Where the training of each evaluation stands."""
        self._in_rounds = 0
        """Evaluations of rounds that ended."""

    def _next_run(self) -> str:
        # Another process that serves the same folder must not seem to go on with this one.
        self._runs += 1
        return f"{self._token}-{self._runs}"

    # Reading

    def look(self) -> None:
        """Take up what has come; a journal in the place of another is read from its beginning."""
        try:
            with open(self.path, "rb") as file:
                self.written = os.fstat(file.fileno()).st_mtime
                file.seek(self._last.offset)
                same = file.read(len(self._last.text)) == self._last.text
        except FileNotFoundError:
            self.problem = None if self.history is None else f"{self.path} is gone"
            return
        except OSError as problem:
            self.problem = f"{self.path} cannot be read: {problem.strerror}"
            return
        if not same:
            self._begin()
        self.problem = self._stuck
        if self._stuck is None:
            self._read()

    def _read(self) -> None:
        try:
            for line in self._reader.new_lines():
                self._last = line
                if self.history is None:
                    self._open(schema.checked_header(line.record, self.path))
                else:
                    self._note(line.record, line.offset, self.history)
        except JournalError as problem:
            self.problem = str(problem)
            if self.history is None and self._reader.count:  # a header that cannot be used
                self._stuck = self.problem
        except (LookupError, TypeError, ValueError, AttributeError) as problem:
            why = f"{self.path} has records that this nearstar does not know: {problem!r}"
            self.problem = self._stuck = why

    def _open(self, header: Record) -> None:
        search = header["search"]
        self.about = None if "about" not in header else schema.About(header)
        given = (float(search[name]) for name in ("weight", "price"))
        self.history = History(self._next_run(), search["search"]["kind"], *given)

    def _note(self, record: Record, offset: int, history: History) -> None:
        history.seconds = max(history.seconds, record["at"])
        match record["kind"]:
            case schema.STARTED:
                self.started = record
                history.go_on(Limits(**record["limits"]))
            case schema.TRAINING | schema.GIVEN as kind:
                self._trainings[offset] = record["program"], *schema.outcome_in(record)
                self._trained += kind == schema.TRAINING
                history.trained = max(history.trained, self._trained)
            case schema.BEST:
                history.note(schema.point_in(record))
            case schema.ROUND:
                self._take(record["taken"], history, whole=True)
                history.note(schema.point_in(record))
                history.waiting = record["waiting"]
            case schema.ENDED:
                self._take(record["taken"], history, whole=False)
                numbers = (record[name] for name in ("at", "trained", "rounds"))
                history.end(record["reason"], schema.bound_in(record), *numbers)

    def _take(self, rows: Sequence[Sequence[Any]], history: History, *, whole: bool) -> None:
        """Take up what the search took since the last round.

        A process that ends tells of a round that it cut short; when the run goes on, all of that
        round is told, and it may have gone otherwise.
        """
        new = [tuple(row) for row in rows]
        pairs = zip(self._rows, new, strict=False)
        same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
        if whole or same < len(new):
            first = self._in_rounds + same
            told = []
            for index, row in enumerate(new[same:], first):
                text, *outcome = self._trainings[row[0]]
                told.append(schema.logged(row, index, history, text, outcome))
            history.add(told, first, self._next_run)
            self._offsets[first:] = array("q", (row[0] for row in new[same:]))
            self._rows = new
        if whole:
            self._in_rounds += len(new)
            self._rows = []

    # Models

    def model(self, index: int) -> Model | None:
        """The model of a program; None where the journal has not all that it takes."""
        if self.about is None:
            return None
        try:
            return self.about.model(record_at(self.path, self._offsets[index]))
        except (NearstarError, LookupError, TypeError, ValueError):
            return None

    def best_model(self) -> Model | None:
        """The model of the best program so far."""
        best = None if self.history is None else self.history.best
        return None if best is None else self.model(best.index)
