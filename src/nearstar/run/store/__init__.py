"""Journals: files of checksummed records that only grow, with one writer and any readers."""

from nearstar.run.store.lines import Record
from nearstar.run.store.reading import (
    JOURNAL,
    JournalError,
    Reader,
    read_header,
    record_at,
)
from nearstar.run.store.repair import repair
from nearstar.run.store.writing import Journal

__all__ = [
    "JOURNAL",
    "Journal",
    "JournalError",
    "Reader",
    "Record",
    "read_header",
    "record_at",
    "repair",
]
