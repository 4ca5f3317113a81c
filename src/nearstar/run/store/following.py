"""Following a run by its journal: without a lock, whoever writes it, and whatever becomes of it."""

from __future__ import annotations

import math
import os
import secrets
from array import array
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import fields
from functools import cached_property
from itertools import takewhile
from pathlib import Path
from typing import Any

from nearstar.data.scale import Scale
from nearstar.language.domain import Domain
from nearstar.language.networks import Units
from nearstar.language.program import Program, is_complete
from nearstar.language.text import parse, to_text
from nearstar.language.types import Signature
from nearstar.model.model import Model
from nearstar.report.story import COMPLETION, Row, Story
from nearstar.run.limits import Limits
from nearstar.run.results.audit import never_completed
from nearstar.run.results.trace import TracePoint
from nearstar.run.store import JOURNAL, JournalError, Reader, Record, record_at
from nearstar.run.store.answers import unpacked
from nearstar.run.store.reading import Line, header_in
from nearstar.training.metrics import Metrics
from nearstar.util.errors import NearstarError

_GIVEN = -1
"""In place of an offset, for a program that was given at the start."""


class Following:
    """The story of the run in a folder, as far as its journal tells it.

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
        self._reader = Reader(self.path)
        self._last = Line(0, 0, b"")
        """The latest record: where it is not in its place, there is another journal."""
        self._stuck: str | None = None
        """Why a record could not be understood."""
        self.story: Story | None = None
        self.about: About | None = None
        self.started: Record = {}
        """What the latest process that worked on it said of itself."""
        self._header: Record = {}
        self._answers = _Answers()
        self._rows: list[tuple[Any, ...]] = []
        """Of nodes that may be told again: those after the last round that ended."""
        self._offsets = array("q")
        """Where the answer of each node stands."""
        self._in_rounds = 0
        """Nodes of rounds that ended."""

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
            self.problem = None if self.story is None else f"{self.path} is gone"
            return
        except OSError as problem:
            self.problem = f"{self.path} cannot be read: {problem.strerror}"
            return
        if not same:
            self._begin()
        self.problem = self._stuck
        if self._stuck is not None:
            return
        try:
            self._read()
        except JournalError as problem:
            self.problem = str(problem)

    def _read(self) -> None:
        try:
            if self.story is None:
                first = next(self._reader.new_lines(), None)
                if first is None:
                    return
                self._last = first
                self._open(header_in(first, self.path))
            for line in self._reader.new_lines():
                self._note(line.record, line.offset)
                self._last = line
        except JournalError as problem:
            if self.story is None and self._reader.count:  # a header that cannot be used
                self._stuck = str(problem)
            raise
        except (LookupError, TypeError, ValueError, AttributeError) as problem:
            self._stuck = f"{self.path} has records that this nearstar does not know: {problem!r}"
            raise JournalError(self._stuck) from None

    def _open(self, header: Record) -> None:
        search = header["search"]
        algorithm = search["search"]["kind"]
        weight = float(search["weight"])
        self._header = header
        self.about = None if "about" not in header else About(header)
        self.story = Story(self._next_run(), algorithm, weight, relaxed=algorithm == "RNN")

    def _note(self, record: Record, offset: int) -> None:
        story = self._story
        story.seconds = max(story.seconds, record["at"])
        match record["kind"]:
            case "started":
                self.started = record
                story.go_on(Limits(**record["limits"]))
            case "answer":
                self._answers.put(record, offset)
                story.trained = max(story.trained, len(self._answers))
            case "best":
                story.note(_point(record))
            case "round":
                self._take(record["taken"], whole=True)
                story.note(_point(record))
                story.waiting = record["waiting"]
            case "ended":
                self._take(record["taken"], whole=False)
                numbers = (record[name] for name in ("at", "trained", "rounds"))
                story.end(record["reason"], _number(record["bound"]), *numbers)
                if record["reason"] != "interrupted":
                    self._mark_completions()

    @property
    def _story(self) -> Story:
        assert self.story is not None
        return self.story

    def _take(self, rows: Sequence[Sequence[Any]], *, whole: bool) -> None:
        """Take up what the search took since the last round.

        A process that ends tells of a round that it cut short; when the run goes on, all of that
        round is told, and it may have gone otherwise.
        """
        new = [tuple(row) for row in rows]
        pairs = zip(self._rows, new, strict=False)
        same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
        if whole or same < len(new):
            if same < len(self._rows):
                size = self._in_rounds + same
                self._story.cut(size, self._next_run())
                del self._offsets[size:]
            for row in new[same:]:
                self._add(*row)
            self._rows = new
        if whole:
            self._in_rounds += len(new)
            self._rows = []

    def _add(self, offset: int | None, parent: int | None, cost: float, f: float | str) -> None:
        story = self._story
        bound = float(f)
        if offset is None:  # it is complete: f is its path cost
            outcome: _Outcome = {
                "text": self._given_text,
                "error": bound - story.weight * cost,
                "diverged": False,
                "failure": None,
                "f1": 1 - (bound - story.weight * cost),
                "accuracy": None,
            }
        else:
            outcome = self._answers.get(offset)
        story.add(parent=parent, cost=cost, f=bound, **outcome)
        self._offsets.append(_GIVEN if offset is None else offset)

    @property
    def _given_text(self) -> str:
        """The program that was given at the start, without its parameters."""
        start = str(self._header["search"]["start"])
        try:
            return start if self.about is None else to_text(self.about.parse(start))
        except NearstarError:
            return start

    def _mark_completions(self) -> None:
        count = _completions(self._story.rows(), int(self._header["search"]["audit_samples"]))
        if count and not self._story.kinds[-1] & COMPLETION:
            self._story.mark_completions(count)
            self._story.run = self._next_run()  # who has these nodes has them unmarked

    # Models

    def model(self, index: int) -> Model | None:
        """The model of a program; None where the journal has not all that it takes."""
        if self.about is None:
            return None
        try:
            offset = self._offsets[index]
            if offset == _GIVEN:
                return self.about.given()
            return self.about.model(self._story.texts[index], record_at(self.path, offset))
        except (NearstarError, LookupError, TypeError, ValueError):
            return None

    def best_model(self) -> Model | None:
        """The model of the best program so far."""
        best = None if self.story is None else self.story.best
        return None if best is None else self.model(best.index)


_Outcome = dict[str, Any]


class _Answers:
    """What came of the trainings in a journal, by their offsets, in columns."""

    def __init__(self) -> None:
        self._offsets = array("q")
        self._texts: list[str] = []
        self._numbers = array("d")
        """Error, F1 and accuracy of each, one after the other."""
        self._diverged = bytearray()
        self._failures: dict[int, str] = {}

    def __len__(self) -> int:
        return len(self._offsets)

    def put(self, record: Record, offset: int) -> None:
        """Take up an answer, which stands after all others so far."""
        metrics = record["metrics"] or {}
        self._offsets.append(offset)
        self._texts.append(record["program"])
        scores = (metrics.get(name, math.nan) for name in ("f1", "accuracy"))
        self._numbers.extend((record["error"], *scores))
        self._diverged.append(record["diverged"])
        if record["failure"] is not None:
            self._failures[offset] = record["failure"]

    def get(self, offset: int) -> _Outcome:
        place = bisect_left(self._offsets, offset)
        if self._offsets[place] != offset:
            raise LookupError(f"no answer at byte {offset}")
        error, f1, accuracy = self._numbers[3 * place : 3 * place + 3]
        return {
            "text": self._texts[place],
            "error": error,
            "diverged": bool(self._diverged[place]),
            "failure": self._failures.get(offset),
            "f1": f1,
            "accuracy": accuracy,
        }


class About:
    """What the header of a journal says for those who make models of its programs."""

    def __init__(self, header: Record) -> None:
        self._about: Mapping[str, Any] = header["about"]
        self._start: str | None = header["search"]["start"]
        self._units: Mapping[str, Any] = header["training"]["budget"]["units"]
        self.classes = tuple(map(str, self._about["classes"]))

    @cached_property
    def domain(self) -> Domain:
        return Domain.from_dict(self._about["domain"])

    @cached_property
    def signature(self) -> Signature:
        return Signature.from_dict(self._about["signature"])

    def parse(self, text: str) -> Program:
        """The program with this text."""
        return parse(text, self.domain, self.signature).program

    def model(self, text: str, answer: Record) -> Model:
        """The model of an answer, with its scores on the validation data."""
        program = self.parse(text)
        metrics = answer["metrics"]
        if metrics is not None:
            metrics = Metrics.from_confusion(metrics["confusion"]).to_dict(self.classes)
        return self._model(
            program, unpacked(answer["parameters"]), facts={"metrics": {"validation": metrics}}
        )

    def given(self) -> Model:
        """The model that was given at the start."""
        parsed = parse(str(self._start), self.domain, self.signature)
        return self._model(parsed.program, parsed.theta)

    def _model(self, program: Program, theta: Any, **more: Any) -> Model:
        sizes = {field.name: self._units[field.name] for field in fields(Units)}
        units = None if is_complete(program) else Units(**sizes)
        scale = Scale.from_dict(self._about["scale"])
        return Model(program, theta, self.domain, self.classes, scale, units, **more)


def _completions(rows: Sequence[Row], samples: int) -> int:
    """How many random completions the nodes end with, of so many that were asked for.

    They are not marked in a journal, but known by their parents: nodes that nothing completed, in
    order, as many as were asked for, or all that there are.
    """
    for count in range(min(samples, len(rows)), 0, -1):
        before, last = rows[:-count], rows[-count:]
        parents = [len(rows) if row.parent is None else row.parent for row in last]
        if not all(row.complete for row in last) or parents != sorted({*parents}):
            continue
        left = {row.index for row in never_completed(before)}
        if left.issuperset(parents) and count in (samples, len(left)):
            return count
    return 0


def _point(record: Record) -> TracePoint:
    values = {field.name: record.get(field.name) for field in fields(TracePoint)}
    return TracePoint(**{**values, "seconds": record["at"], "bound": _number(record["bound"])})


def _number(value: float | str | None) -> float | None:
    """JSON has no infinite numbers: they are texts."""
    return None if value is None else float(value)
