"""What is written comes to the disk by itself, and before a journal is closed."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest
from run.store.journals import HEADER, begin

from nearstar.run.store import JOURNAL, Journal


class Disk:
    """Notes which files it was asked to keep, and how large they were then."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.kept: dict[int, int] = {}
        self._asked = threading.Condition()
        patch.setattr(os, "fsync", self)

    def __call__(self, descriptor: int) -> None:
        with self._asked:
            status = os.fstat(descriptor)
            self.kept[status.st_ino] = status.st_size
            self._asked.notify_all()

    def comes_to_keep(self, path: Path) -> bool:
        """Whether all of a file is kept before long, though nobody asks for it."""
        with self._asked:
            return self._asked.wait_for(lambda: self.has(path), timeout=30)

    def has(self, path: Path) -> bool:
        return self.kept.get(path.stat().st_ino) == path.stat().st_size


def test_each_record_comes_to_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    disk = Disk(monkeypatch)
    with Journal(tmp_path / "runs" / "new", HEADER) as journal:
        for number in range(5):
            journal.append({"number": number})
            assert disk.comes_to_keep(journal.path)


def test_all_is_on_the_disk_when_a_journal_is_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = Disk(monkeypatch)
    begin(tmp_path, [{"number": number} for number in range(100)])
    assert disk.has(tmp_path / JOURNAL)


def test_a_new_journal_and_its_folder_can_be_found_after_a_power_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = Disk(monkeypatch)
    begin(tmp_path / "run")
    assert {tmp_path.stat().st_ino, (tmp_path / "run").stat().st_ino} <= disk.kept.keys()
