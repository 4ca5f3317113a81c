"""Making a damaged journal readable again, without what is damaged."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import NamedTuple

from nearstar.run.store.durable_file import take_lock
from nearstar.run.store.lines import (
    JOURNAL,
    JournalError,
    Record,
    line_of,
    number_of,
    record_in,
    sound_end,
)
from nearstar.run.store.schema import is_training
from nearstar.util.whole_files import write_whole


class Repaired(NamedTuple):
    """What a repair did."""

    kept: int
    """Records that are kept, the header among them."""
    lost: int
    """Records and damaged lines that are not."""
    original: Path
    """Where the damaged journal is now."""


def repair(folder: str | Path) -> Repaired | None:
    """Keep all up to the first damage, and beyond it the trainings: what is damaged is trained
    again, and what happened after it is told again.

    None if nothing is damaged. The damaged journal is kept beside the new one.
    """
    path = Path(folder) / JOURNAL
    try:
        return _repair(path)
    except OSError as problem:
        raise JournalError(f"{path} cannot be repaired: {problem.strerror}") from None


def _repair(path: Path) -> Repaired | None:
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
        kept = [record for record in _beyond(lines, sound) if is_training(record)]
        original = _free(path)
        shutil.copyfile(path, original)
        renumbered = (line_of(sound + place, record) for place, record in enumerate(kept))
        write_whole(path, b"".join([*lines[:sound], *renumbered]))
    return Repaired(sound + len(kept), len(lines) - sound - len(kept), original)


def _beyond(lines: list[bytes], sound: int) -> list[Record]:
    """The sound records after so many lines; none of them twice."""
    found = {number_of(end): end for text in lines[sound:] if (end := sound_end(text)) is not None}
    return [record_in(end) for number, end in found.items() if (number or 0) >= sound]


def _free(path: Path) -> Path:
    names = (f"{path.name}.damaged{n or ''}" for n in range(10_000))
    return next(each for name in names if not (each := path.with_name(name)).exists())
