"""Repairing damaged journals: what is sound is kept, and what is damaged is kept beside it."""

from __future__ import annotations

from pathlib import Path

import pytest
from run.store.journals import HEADER, begin, offsets, read, resume, varied

from nearstar.run.store import JOURNAL, Journal, JournalError, repair

RECORDS = [
    {**varied(number, largest=20), "kind": "training" if number % 3 else "round"}
    for number in range(12)
]


def test_all_before_the_damage_is_kept_and_what_lasts_beyond_it(tmp_path: Path) -> None:
    content = begin(tmp_path, RECORDS)
    starts = offsets(content)
    line = 0
    for place in range(starts[1], len(content)):
        line += place >= starts[line + 1]
        damaged = content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :]
        (tmp_path / JOURNAL).write_bytes(damaged)
        repaired = repair(tmp_path)
        beyond = [each for each in RECORDS[line:] if each["kind"] == "training"]
        expected = RECORDS[: line - 1] + beyond
        assert read(tmp_path) == expected
        assert repaired is not None and repaired.kept == len(expected) + 1
        assert repaired.original.read_bytes() == damaged
        repaired.original.unlink()


def test_no_record_is_there_twice(tmp_path: Path) -> None:
    lines = begin(tmp_path, RECORDS).splitlines(keepends=True)
    (tmp_path / JOURNAL).write_bytes(b"".join([*lines, *lines[2:], *lines[4:]]))
    assert repair(tmp_path) is not None
    assert resume(tmp_path) == RECORDS


def test_what_is_sound_is_left_alone(tmp_path: Path) -> None:
    content = begin(tmp_path, RECORDS)
    assert repair(tmp_path) is None
    assert (tmp_path / JOURNAL).read_bytes() == content
    assert list(tmp_path.iterdir()) == [tmp_path / JOURNAL]


def test_each_damaged_journal_is_kept(tmp_path: Path) -> None:
    content = begin(tmp_path, RECORDS)
    originals = set()
    for size in (-1, -2, -3):
        (tmp_path / JOURNAL).write_bytes(content[:size])
        repaired = repair(tmp_path)
        assert repaired is not None
        originals.add(repaired.original.read_bytes())
    assert originals == {content[:size] for size in (-1, -2, -3)}


def test_what_cannot_be_repaired(tmp_path: Path) -> None:
    with pytest.raises(JournalError, match="cannot be repaired: No such file"):
        repair(tmp_path)
    with Journal(tmp_path, HEADER), pytest.raises(JournalError, match="in use"):
        repair(tmp_path)
    (tmp_path / JOURNAL).write_bytes(b"?" + (tmp_path / JOURNAL).read_bytes())
    with pytest.raises(JournalError, match="its header is damaged"):
        repair(tmp_path)
