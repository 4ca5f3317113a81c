"""Journals: files of checksummed records that only grow, with one writer and any readers."""

from nearstar.run.store.journal import Journal
from nearstar.run.store.journal_reader import JournalReader, has_trainings, read_header, record_at
from nearstar.run.store.lines import JOURNAL, JournalError, Record
from nearstar.run.store.repair import repair

__all__ = [
    "JOURNAL",
    "Journal",
    "JournalError",
    "JournalReader",
    "Record",
    "has_trainings",
    "read_header",
    "record_at",
    "repair",
]
