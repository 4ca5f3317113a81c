"""One writer at a time, and the next one as soon as it is gone, however it went."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest
from run.store.forks import Forks
from run.store.journals import HEADER, begin, read, resume

from nearstar.run.store import JOURNAL, Journal, JournalError
from nearstar.run.store import journal as journal_module


def wait_for(path: Path) -> None:
    while not path.exists():
        time.sleep(0.001)


def test_another_process_is_refused_and_told_who_writes(tmp_path: Path, forks: Forks) -> None:
    begin(tmp_path, [{"process": 1, "host": "an earlier one"}])
    holder = forks.start("hold", str(tmp_path), str(tmp_path / "ready"))
    wait_for(tmp_path / "ready")
    before = (tmp_path / JOURNAL).read_bytes()
    with pytest.raises(JournalError, match=f"in use: process {holder} on here writes"):
        Journal(tmp_path, HEADER)
    assert (tmp_path / JOURNAL).read_bytes() == before
    forks.kill(holder)
    assert resume(tmp_path)[-1] == {"process": holder, "host": "here"}


def test_the_same_process_is_refused_as_well(tmp_path: Path) -> None:
    with Journal(tmp_path, HEADER) as journal:
        for _ in range(2):
            with pytest.raises(JournalError, match="in use: another process"):
                Journal(tmp_path, HEADER)
        journal.append({"still": "there"})
    assert resume(tmp_path) == [{"still": "there"}]


def test_a_child_that_lives_on_does_not_keep_the_lock(tmp_path: Path, forks: Forks) -> None:
    holder = forks.start("hold_and_fork", str(tmp_path), str(tmp_path / "child"))
    wait_for(tmp_path / "child")
    child = int((tmp_path / "child").read_text())
    try:
        with pytest.raises(JournalError, match=f"process {holder}"):
            Journal(tmp_path, HEADER)
        forks.kill(holder)
        os.kill(child, 0)  # raises if it is gone
        assert len(resume(tmp_path)) == 1
    finally:
        os.kill(child, signal.SIGKILL)


def test_in_a_child_a_journal_is_closed(tmp_path: Path, forks: Forks) -> None:
    forks.run("use_in_a_child", str(tmp_path))
    assert read(tmp_path) == [{"by": "parent"}, {"by": "parent again"}]


def test_without_locks_a_writer_notices_another_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal_module, "take_lock", lambda descriptor: True)
    first = Journal(tmp_path, HEADER)
    first.append({"by": "first"})
    assert resume(tmp_path) == [{"by": "first"}]
    after = (tmp_path / JOURNAL).read_bytes()
    for _ in range(2):
        with pytest.raises(JournalError, match="changed by another process; only one"):
            first.append({"by": "first"})
    with pytest.raises(JournalError, match="changed by another process"):
        first.close()
    assert (tmp_path / JOURNAL).read_bytes() == after
    assert len(resume(tmp_path)) == 2


def test_a_file_that_was_replaced_before_it_was_locked_is_not_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin(tmp_path, [{"kept": True}])

    def replaced(descriptor: int) -> bool:
        content = (tmp_path / JOURNAL).read_bytes()
        (tmp_path / "new").write_bytes(content)
        (tmp_path / "new").replace(tmp_path / JOURNAL)
        return True

    with monkeypatch.context() as patched:
        patched.setattr(journal_module, "take_lock", replaced)
        with pytest.raises(JournalError, match="in use"):
            Journal(tmp_path, HEADER)
    assert resume(tmp_path) == [{"kept": True}]
