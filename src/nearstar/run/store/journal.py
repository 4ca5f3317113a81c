"""Writing a journal: a file of records that only grows, with one writer.

What is appended is with the operating system at once, so that it outlives the process, and on the
disk a moment later, so that it outlives a power cut.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from nearstar.run.store.durable_file import Syncing, sync_folder, take_lock
from nearstar.run.store.journal_reader import JournalLine, JournalReader, read_header, record_at
from nearstar.run.store.lines import JOURNAL, JournalError, Record, line_of
from nearstar.run.store.schema import header_record

_READ_AND_APPEND = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0)


class Journal:
    """The journal of a run, open for writing; a context that closes it.

    ``append`` and ``read`` can be called from any thread. In a process that is forked off it is
    closed.
    """

    def __init__(self, folder: str | Path, header: Record) -> None:
        """Open the journal in a folder, to go on with it; a new one begins with the header."""
        self.path = Path(folder) / JOURNAL
        self._guard = threading.Lock()
        self._problem: str | None = None
        self._closed = False
        self._file = self._opened()
        _OPEN.add(self)
        self._syncing = Syncing(self._file)
        try:
            self._reader = JournalReader(self.path)
            found = read_header(self._reader)
            self._end, self._count = self._reader.end, self._reader.count
            self.header: dict[str, Any] = found or self._begun(header)
        except BaseException:
            self._close()
            raise

    def _opened(self) -> int:
        """The file, locked."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            file = os.open(self.path, _READ_AND_APPEND, 0o666)
        except OSError as problem:
            raise JournalError(
                f"{self.path} cannot be opened for writing: {problem.strerror}. Give a folder that "
                "can be written"
            ) from None
        try:
            # A repair may have put another file in its place, and ended, since it was opened.
            if take_lock(file) and os.path.samestat(os.fstat(file), os.stat(self.path)):
                return file
            raise JournalError(self._in_use())
        except BaseException:
            os.close(file)
            raise

    def _in_use(self) -> str:
        # The latest process that said so.
        who = "another process"
        with suppress(JournalError):
            for line in JournalReader(self.path).new_lines():
                if "process" in (record := line.record):
                    who = f"process {record['process']} on {record['host']}"
        return (
            f"{self.path.parent} is in use: {who} writes its journal. Wait until it has ended, or "
            "end it first"
        )

    def _begun(self, header: Record) -> dict[str, Any]:
        new = header_record(header)
        # A header that was cut off said nothing; whatever else is there is not ours to remove.
        if not line_of(0, new).startswith(self.path.read_bytes().rstrip(b"\0")):
            raise JournalError(
                f"{self.path} is no journal of nearstar, or the header of another run that was cut "
                "off; remove it, or give another folder"
            )
        self._cut(0)
        self.append(new)
        for folder in (self.path.parent, self.path.parent.parent):
            sync_folder(folder)
        header_read = read_header(self._reader)
        assert header_read is not None
        return header_read

    def earlier(self) -> Iterator[JournalLine]:
        """All lines after the header, by earlier processes; to be read before appending.

        A last line that was cut off is removed.
        """
        yield from self._reader.new_lines()
        self._end, self._count = self._reader.end, self._reader.count
        self._cut(self._end)

    def _cut(self, size: int) -> None:
        try:
            os.ftruncate(self._file, size)
        except OSError as problem:
            raise JournalError(self._unwritten(problem)) from None

    def append(self, record: Record) -> int:
        """Write a record; returns its offset. When this returns, it outlives the process."""
        with self._guard:
            self._check()
            line = line_of(self._count, record)
            try:
                self._write(line)
            except OSError as problem:
                # Half a line would be damage, once another one follows.
                with suppress(OSError):
                    os.ftruncate(self._file, self._end)
                self._problem = self._unwritten(problem)
                raise JournalError(self._problem) from None
            offset, self._end, self._count = self._end, self._end + len(line), self._count + 1
        self._syncing()
        return offset

    def _write(self, line: bytes) -> None:
        if os.fstat(self._file).st_size != self._end:
            self._problem = (
                f"{self.path} was changed by another process; only one may write to it at a time"
            )
            raise JournalError(self._problem)
        while line:
            line = line[os.write(self._file, line) :]

    def _check(self) -> None:
        if self._problem is None and self._syncing.problem is not None:
            self._problem = self._unwritten(self._syncing.problem)
        if self._problem is not None:
            raise JournalError(self._problem)
        if self._closed:  # by number, its file may be another one by now
            raise JournalError(f"{self.path} is closed")

    def _unwritten(self, problem: OSError) -> str:
        return (
            f"{self.path} cannot be written: {problem.strerror}. What is in it already is kept: "
            "make room, or mend what is wrong, and resume the run"
        )

    def read(self, offset: int) -> dict[str, Any]:
        """The record at an offset."""
        self._check()
        return record_at(self.path, offset)

    def close(self) -> None:
        """Have all on the disk, and let others write; raises if that cannot be."""
        self._close()
        if self._problem is not None:
            raise JournalError(self._problem)

    def _close(self) -> None:
        if self._closed:
            return
        try:
            self._syncing.end()
        finally:
            with self._guard:
                with suppress(JournalError):
                    self._check()  # the disk may have refused only now
                self._let_go()

    def _let_go(self) -> None:
        self._closed = True
        _OPEN.discard(self)
        os.close(self._file)

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self.close()
        else:
            self._close()


_OPEN: weakref.WeakSet[Journal] = weakref.WeakSet()


def _let_go_of_all() -> None:
    """A process that is forked off must not hold the lock when this one has died."""
    for journal in list(_OPEN):
        journal._guard = threading.Lock()  # the other may be held by a thread that is not here
        journal._let_go()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_let_go_of_all)
