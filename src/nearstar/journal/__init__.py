"""Journals: files of checksummed records that only grow, with one writer and any readers."""

from nearstar.journal.lines import Record
from nearstar.journal.reading import (
    JOURNAL,
    JournalError,
    Reader,
    read_header,
    record_at,
)
from nearstar.journal.repair import repair
from nearstar.journal.writing import Journal

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
