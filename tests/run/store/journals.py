"""Journals for tests: opened, read, and made of varied records."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any

from nearstar.run.store import JOURNAL, Journal, JournalReader

HEADER = {"about": "tests"}


def varied(number: int, largest: int = 300) -> dict[str, Any]:
    """One of many records; of no two the same."""
    size = number * number * 7919 % largest
    return {"kind": "é☃"[number % 2], "number": number, "text": 'a\n\0"\\'[number % 5] * size}


def begin(folder: Path, records: Sequence[dict[str, Any]] = ()) -> bytes:
    """A journal of these records in a folder; returns its contents."""
    with Journal(folder, HEADER) as journal:
        assert not list(journal.earlier())
        for record in records:
            journal.append(record)
    return (folder / JOURNAL).read_bytes()


def read(folder: Path) -> list[dict[str, Any]]:
    """The records after the header, as a reader sees them."""
    return [line.record for line in JournalReader(folder / JOURNAL).new_lines()][1:]


def resume(folder: Path) -> list[dict[str, Any]]:
    """The records after the header, as the next writer finds them; it appends one more."""
    with Journal(folder, HEADER) as journal:
        earlier = list(journal.earlier())
        more = {"after": len(earlier)}
        assert journal.read(journal.append(more)) == more
        for line in earlier:
            assert journal.read(line.offset) == line.record
    records = [line.record for line in earlier]
    assert read(folder) == [*records, more]
    return records


def offsets(content: bytes) -> list[int]:
    """Where each line begins, and where the last one ends."""
    return list(accumulate(map(len, content.splitlines(keepends=True)), initial=0))
