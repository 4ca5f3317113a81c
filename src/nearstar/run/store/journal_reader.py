"""Reading a journal, also while another process writes it."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from nearstar.run.store.lines import JOURNAL, JournalError, number_of, record_in, sound_end
from nearstar.run.store.schema import checked_header, is_training

_READ_AHEAD = 1 << 20


class JournalLine(NamedTuple):
    """A sound line and where it stands."""

    number: int
    offset: int
    text: bytes

    @property
    def record(self) -> dict[str, Any]:
        return record_in(self.text)


class JournalReader:
    """The lines of a journal, in order, as far as they are written.

    It takes no lock and never writes. A last line that is cut off, or damaged, is not there: it may
    still be on its way, or its writer died. Damage before a sound line, or to the header, is an
    error that names the place.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.end = 0
        """Bytes of sound lines read so far."""
        self.count = 0
        """Lines read so far."""

    def new_lines(self) -> Iterator[JournalLine]:
        """The lines that came since the last call."""
        with self._opened() as file:
            for text in file:
                if number_of(text) != self.count:
                    self._check_tail()
                    return
                line = JournalLine(self.count, self.end, text)
                self.end += len(text)
                self.count += 1
                yield line

    @contextmanager
    def _opened(self) -> Iterator[BinaryIO]:
        """The file, from where the next line is expected."""
        try:
            with open(self.path, "rb", buffering=_READ_AHEAD) as file:
                status = os.fstat(file.fileno())
                if not stat.S_ISREG(status.st_mode):  # a device may have no end
                    raise JournalError(f"{self.path} is no journal: it is not a file")
                if status.st_size < self.end:
                    raise JournalError(
                        f"{self.path} became shorter while it was read: it had {self.end} bytes"
                    )
                file.seek(self.end)
                yield file
        except OSError as problem:
            raise JournalError(f"{self.path} cannot be read: {problem.strerror}") from None

    def _check_tail(self) -> None:
        """Raise if there are sound lines, but not the one that is expected next.

        The file is looked at afresh: its writer may have come further, or a new one, which removes
        what was cut off, may have begun.
        """
        with self._opened() as file:
            first = file.readline()
            if number_of(first) == self.count or not first.endswith(b"\n"):
                return
            if not self.count:
                raise JournalError(
                    f"{self.path} is no journal of nearstar, or damaged at byte 0, in its header"
                )
            file.seek(self.end)
            sound = next((line for text in file if (line := sound_end(text)) is not None), None)
        if sound is not None:
            raise JournalError(
                f"{self.path} is damaged at byte {self.end}: line {self.count} is expected there, "
                f"but the next sound line is {number_of(sound)}. To go on with what is before it, "
                f"cut the file to {self.end} bytes; nearstar resume --repair keeps more"
            )


def record_at(path: Path, offset: int) -> dict[str, Any]:
    """The record of the line at an offset, which was sound before."""
    try:
        with open(path, "rb") as file:
            file.seek(offset)
            line = file.readline()
    except OSError as problem:
        raise JournalError(f"{path} cannot be read: {problem.strerror}") from None
    if number_of(line) is None:
        raise JournalError(f"{path} is damaged at byte {offset}, and was not before")
    return record_in(line)


def read_header(reader: JournalReader) -> dict[str, Any] | None:
    """The first record, which says what the journal is about; None if there is none yet."""
    first = next(reader.new_lines(), None)
    return None if first is None else checked_header(first.record, reader.path)


def has_trainings(folder: Path) -> bool:
    """Whether a folder has a journal in which something was trained, or which cannot be read."""
    path = folder / JOURNAL
    if not path.is_file():
        return False
    try:
        return any(is_training(line.record) for line in JournalReader(path).new_lines())
    except JournalError:
        return True
