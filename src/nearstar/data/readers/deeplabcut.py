"""Tables of tracked points that DeepLabCut writes, with several header lines."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from nearstar.data.readers.csv_files import check_header, first_rows, read_rows
from nearstar.data.readers.reader import Reader
from nearstar.util.errors import DataError

if TYPE_CHECKING:
    import pandas as pd

_HEADERS = (
    ("scorer", "individuals", "bodyparts", "coords"),
    ("scorer", "bodyparts", "coords"),
)
"""First words of the lines above the table."""


def read_deeplabcut(path: Path) -> pd.DataFrame:
    """A table with frame, and bodypart_x, bodypart_y, bodypart_likelihood."""
    top = first_rows(path)
    top = top.iloc[: len(_header(top) or ())]
    names = ["frame"]
    names += ["_".join(top[column].iloc[1:].str.strip()) for column in top.columns[1:]]
    check_header(path, names)
    return read_rows(path, header=None, skiprows=len(top), names=names)


def is_deeplabcut(path: Path) -> bool:
    """Whether the first lines are those that DeepLabCut writes."""
    try:
        return _header(first_rows(path)) is not None
    except DataError:  # the reader of other tables says what is wrong
        return False


def _header(top: pd.DataFrame) -> tuple[str, ...] | None:
    words = tuple(top[0].str.strip())
    return next((header for header in _HEADERS if words[: len(header)] == header), None)


READERS = (
    Reader(
        "DeepLabCut",
        (".csv", ".tsv", ".txt"),
        "table",
        read_deeplabcut,
        claims=is_deeplabcut,
        compressed=True,
    ),
)
