"""Text files in UTF-8, and what is said about those that are not."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from nearstar.util.errors import DataError


@contextmanager
def open_text(path: Path) -> Iterator[TextIO]:
    """A text file to read; a DataError if it is not in UTF-8."""
    with told_if_not_utf8(path), open(path, encoding="utf-8-sig") as file:
        yield file


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
