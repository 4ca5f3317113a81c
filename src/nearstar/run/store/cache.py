"""The answers of other runs."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from nearstar.run.store import JOURNAL, Reader, read_header, record_at
from nearstar.run.store.answers import Shelf
from nearstar.run.store.identity import Identity
from nearstar.run.store.memory import Answer, Question
from nearstar.run.trainer import Trainer
from nearstar.util.errors import NearstarError


class Cache:
    """The answers in the journal of another run, ended or not, as far as it has come by now."""

    def __init__(self, folder: str | Path, identity: Identity, trainer: Trainer) -> None:
        """Raises unless that run trains as this one does."""
        path = Path(folder) / JOURNAL
        reader = Reader(path)
        self._shelf = Shelf(partial(record_at, path), trainer)
        header = read_header(reader) if path.is_file() else None
        if header is None:
            raise NearstarError(f"there is no run in {folder}: it has no {JOURNAL}")
        identity.check_shares(Identity.in_header(header), str(folder))
        for line in reader.new_lines():
            if (record := line.record)["kind"] == "answer":
                self._shelf.put(record, line.offset)

    def __len__(self) -> int:
        return len(self._shelf)

    def get(self, question: Question) -> Answer | None:
        return self._shelf.get(question)
