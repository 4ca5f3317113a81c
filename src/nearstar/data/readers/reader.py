"""What a reader of files is, and what readers of text files share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from nearstar.util.errors import DataError

_COMPRESSED = (".gz", ".bz2", ".xz", ".zip", ".zst")


@dataclass(frozen=True)
class Reader:
    """One format of files: its declaration in a module of this package makes it known."""

    name: str
    endings: tuple[str, ...]
    """How names of its files end; several readers may have the same."""
    gives: Literal["table", "arrays"]
    """A pandas table with a row for each frame, such as of tracked points, or `Raw` by part."""
    read: Callable[..., Any]
    """From a path, and the options by name, to what the reader gives."""
    options: tuple[str, ...] = ()
    """Settings of the `DataFormat` that it is read by."""
    claims: Callable[[Path], bool] | None = None
    """Whether a file with such an ending is one of its own, by what is in it; None: any is that no
    other reader claims."""
    compressed: bool = False
    """Whether it reads compressed files too, such as .csv.gz."""
    find_in: Callable[[Path], Path] | None = None
    """Finds the file to read in a folder; None: only files are read."""


def inner_ending(path: Path) -> str:
    """The ending of a file's name, without that of its compression."""
    *others, last = [suffix.lower() for suffix in path.suffixes] or [""]
    return others[-1] if others and last in _COMPRESSED else last


@contextmanager
def told_if_not_utf8(path: Path) -> Iterator[None]:
    """Say what is wrong with the encoding of a file that is being read."""
    try:
        yield
    except UnicodeDecodeError as problem:
        byte = problem.object[problem.start]
        raise DataError(
            f"{path} is not text in UTF-8: byte {byte:#04x} cannot be read. Save it with the "
            "encoding UTF-8"
        ) from None
