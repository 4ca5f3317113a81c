"""A run in a folder, whose memory outlives the process; and what other runs may take from it."""

from __future__ import annotations

import threading
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from nearstar.language.choosing import Choice
from nearstar.language.program import Program
from nearstar.run.events import Evaluated, Event, Finished, NewBest, Round, Started
from nearstar.run.results.evaluation import Evaluation, Outcome
from nearstar.run.store import schema
from nearstar.run.store.identity import Identity
from nearstar.run.store.journal import Journal
from nearstar.run.store.journal_reader import JournalReader, read_header, record_at
from nearstar.run.store.lines import JOURNAL, JournalError, Record
from nearstar.run.store.trainings import (
    Key,
    Training,
    chosen_key,
    chosen_programs,
    key_of,
)
from nearstar.run.trainer import Trainer
from nearstar.training.train import Trained
from nearstar.util.errors import NearstarError
from nearstar.util.garbage import collection_paused
from nearstar.util.version import __version__


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


def identity_in(folder: str | Path) -> Identity | None:
    """Of which run the folder has the journal; None if it has none."""
    reader = JournalReader(Path(folder) / JOURNAL)
    header = read_header(reader) if reader.path.is_file() else None
    return None if header is None else Identity.in_header(header)


class JournaledTrainings:
    """The trainings in a journal, by their keys.

    All but the parameters is in memory: some hundred bytes for each.
    """

    def __init__(self, read: Callable[[int], Record], trainer: Trainer) -> None:
        self._read = read
        self._trainer = trainer
        # Plain tuples of plain values: Python's garbage collector passes over them.
        self._rows: dict[Key, tuple[Any, ...]] = {}

    def __len__(self) -> int:
        return len(self._rows)

    def put(self, record: Record, offset: int) -> None:
        """Take up the record of a training, which stands at the offset."""
        self._rows[schema.key_in(record)] = offset, *schema.outcome_in(record)

    def get(self, key: Key, program: Program) -> Training | None:
        row = self._rows.get(key)
        if row is None:
            return None
        offset, *values = row
        outcome = Outcome(*values)
        chosen: list[Training] = []
        for each in chosen_programs(program, outcome.choices):
            found = self.get(chosen_key(key, each), each)
            if found is None:  # they are written before what they came of
                return None
            chosen.append(found)
        fetch = partial(self._fetch, offset, program)
        if chosen:
            fetch = partial(self._fetch_all, fetch, outcome.choices, chosen)
        return Training(outcome, fetch, chosen)

    def _fetch(self, offset: int, program: Program) -> Trained:
        scale, units = self._trainer.task.scale, self._trainer.budget.units
        return schema.trained_in(self._read(offset), program, scale, units)

    @staticmethod
    def _fetch_all(
        fetch: Callable[[], Trained], choices: Sequence[Choice], chosen: Sequence[Training]
    ) -> Trained:
        """A training with the programs that came of it by choosing terms."""
        came = (
            replace(each.fetch(), choice=choice)
            for each, choice in zip(chosen, choices, strict=True)
        )
        return replace(fetch(), chosen=tuple(came))


def cached_trainings(
    folder: str | Path, identity: Identity, trainer: Trainer
) -> JournaledTrainings:
    """The trainings of another run, ended or not, as far as it has come by now.

    Raises unless that run trains as this one does.
    """
    other = identity_in(folder)
    if other is None:
        raise NearstarError(f"there is no run in {folder}: it has no {JOURNAL}")
    identity.check_shares(other, str(folder))
    path = Path(folder) / JOURNAL
    trainings = JournaledTrainings(partial(record_at, path), trainer)
    for line in JournalReader(path).new_lines():
        if schema.is_training(record := line.record):
            trainings.put(record, line.offset)
    return trainings


class JournaledRun(JournaledTrainings):
    """A run with its trainings and all that happened in a journal.

    It is the memory of the run, and listens to its events.
    """

    def __init__(self, journal: Journal, trainer: Trainer) -> None:
        super().__init__(journal.read, trainer)
        self._journal = journal
        self._keeping = threading.Lock()
        self._given: int | None = None
        """Where the record of what was given at the start stands."""
        self._past = array("q")
        """Offsets of the trainings that the search has taken, as far as the journal tells of it."""
        self._bests = self._rounds = 0
        """New bests and rounds of which it tells, and which this process has still to come to."""
        self._offsets: list[int] = []
        """Of the trainings that were taken in this round."""
        self.seconds = 0.0
        with collection_paused():
            for line in journal.earlier():
                self._note(line.record, line.offset)

    def _note(self, record: Record, offset: int) -> None:
        """Take up what an earlier process wrote."""
        self.seconds = max(self.seconds, record["at"])
        match record["kind"]:
            case schema.TRAINING:
                self.put(record, offset)
            case schema.GIVEN:
                self._given = offset
            case schema.BEST:
                self._bests += 1
            case schema.ROUND:
                self._rounds += 1
                self._past.extend(row[0] for row in record["taken"])

    # The memory

    def keep(self, key: Key, trained: Trained, at: float) -> Training:
        came = [(chosen_key(key, each.program), each) for each in trained.chosen]
        records = [
            self._record(schema.TRAINING, own, each, at) for own, each in (*came, (key, trained))
        ]
        with self._keeping:
            # What was dropped may come all the same, and again when it is asked for.
            known = self.get(key, trained.program)
            if known is not None:
                return known
            for record in records:
                self.put(record, self._journal.append(record))
        return Training.of(trained, at)

    def _record(self, kind: str, key: Key, trained: Trained, at: float) -> Record:
        seed = self._trainer.seed_of(trained.program)
        return schema.training_record(kind, key, trained, at, seed)

    # The listener

    def __call__(self, event: Event) -> None:
        """Write what happens, unless the journal tells of it already."""
        match event:
            case Started():
                self._journal.append(
                    schema.started_record(event.limits, event.workers, self.seconds)
                )
            case Evaluated():
                self._offsets.append(self._offset(event))
            case NewBest():
                if self._bests:
                    self._bests -= 1
                else:
                    index = event.candidate.evaluation.index
                    self._journal.append(schema.best_record(event.point, index))
            case Round():
                self._end_round(event)
            case Finished():
                self._journal.append(schema.ended_record(event.result, self._offsets))

    def _offset(self, event: Evaluated) -> int:
        """Where the record of what was evaluated stands."""
        if event.key is not None:
            return int(self._rows[event.key][0])
        if self._given is None:
            trained = event.trained
            record = self._record(schema.GIVEN, key_of(trained.program), trained, event.seconds)
            self._given = self._journal.append(record)
        return self._given

    def _end_round(self, event: Round) -> None:
        if self._rounds:
            self._rounds -= 1
            self._check_past(event.taken)
        else:
            rows = schema.rows_of(self._offsets, event.taken)
            self._journal.append(schema.round_record(event.point, event.waiting, rows))
        self._offsets = []

    def _check_past(self, taken: Sequence[Evaluation]) -> None:
        """Raise unless the search went the same way before."""
        offsets = array("q", self._offsets)
        first = taken[0].index if taken else 0
        if self._past[first : first + len(offsets)] != offsets:
            raise JournalError(
                f"{self._journal.path} tells of another search than the one that is made of its "
                f"settings, from evaluation {first} on: it cannot be resumed by this nearstar "
                f"({__version__}, it was begun by {self._journal.header['nearstar']})"
            )
