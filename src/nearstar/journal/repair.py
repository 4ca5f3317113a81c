"""Making a damaged journal readable again, without what is damaged."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from nearstar.journal.lines import Record, line_of, number_of, record_in
from nearstar.journal.lock import take_lock
from nearstar.journal.reading import JOURNAL, JournalError
from nearstar.whole_files import write_whole


class Repaired(NamedTuple):
    """What a repair did."""

    kept: int
    """Records that are kept, the header among them."""
    lost: int
    """Records and damaged lines that are not."""
    original: Path
    """Where the damaged journal is now."""


def repair(folder: str | Path, lasting: Callable[[Record], bool]) -> Repaired | None:
    """Keep all up to the first damage, and beyond it those records that are ``lasting``.

    None if nothing is damaged. The damaged journal is kept beside the new one.
    """
    path = Path(folder) / JOURNAL
    with open(path, "r+b") as file:
        if not take_lock(file.fileno()):
            raise JournalError(f"{path} is in use, and cannot be repaired now")
        lines = file.readlines()
        sound = 0
        while sound < len(lines) and number_of(lines[sound]) == sound:
            sound += 1
        if sound == len(lines):
            return None
        if not sound:
            raise JournalError(f"{path} cannot be repaired: its header is damaged")
        beyond = [record_in(line) for line in lines[sound:] if number_of(line) is not None]
        kept = [record for record in beyond if lasting(record)]
        original = _free(path)
        shutil.copyfile(path, original)
        renumbered = (line_of(sound + place, record) for place, record in enumerate(kept))
        write_whole(path, b"".join([*lines[:sound], *renumbered]))
    return Repaired(sound + len(kept), len(lines) - sound - len(kept), original)


def _free(path: Path) -> Path:
    names = (f"{path.name}.damaged{n or ''}" for n in range(10_000))
    return next(each for name in names if not (each := path.with_name(name)).exists())
