"""The answers of other runs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from nearstar.errors import NearstarError
from nearstar.journal import JOURNAL, Reader, read_header, record_at
from nearstar.run.answers import Shelf, from_record
from nearstar.run.identity import Identity
from nearstar.run.memory import Answer, Question
from nearstar.run.trainer import Trainer


class Cache:
    """The answers in the journal of another run, ended or not, as far as it has come by now."""

    def __init__(self, folder: str | Path, identity: Identity, trainer: Trainer) -> None:
        """Raises unless that run trains as this one does."""
        self._trainer = trainer
        self._path = Path(folder) / JOURNAL
        self._shelf = Shelf(self._read)
        reader = Reader(self._path)
        header = read_header(reader) if self._path.exists() else None
        if header is None:
            raise NearstarError(f"there is no run in {folder}: it has no {JOURNAL}")
        identity.check_shares(Identity.in_header(header), str(folder))
        for line in reader.new_lines():
            if (record := line.record)["kind"] == "answer":
                self._shelf.put(record, line.offset)

    def __len__(self) -> int:
        return len(self._shelf)

    def get(self, question: Question) -> Answer | None:
        record = self._shelf.find(question)
        return None if record is None else from_record(record, question.program, self._trainer)

    def _read(self, offset: int) -> Mapping[str, Any]:
        with open(self._path, "rb") as file:
            return record_at(file, offset)
