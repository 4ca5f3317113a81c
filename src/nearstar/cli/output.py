"""What the commands write: files that are there whole or not at all, or standard output."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from nearstar.util.errors import NearstarError
from nearstar.util.whole_files import write_whole

if TYPE_CHECKING:
    import pandas as pd


def write_file(path: str, content: str | bytes) -> None:
    """A file, or an error that names it."""
    with writing(path):
        write_whole(path, content)


@contextmanager
def writing(path: str) -> Iterator[None]:
    """What cannot be written is an error that names the file."""
    try:
        yield
    except OSError as problem:
        raise NearstarError(f"{path} cannot be written: {problem.strerror or problem}") from None


def write_table(table: pd.DataFrame, path: str | None) -> None:
    """To a file by its suffix, .csv or .parquet; without one as CSV to standard output."""
    if path is None:
        sys.stdout.write(table.to_csv(index=False, lineterminator="\n"))
    elif table_suffix(path) == ".csv":
        write_file(path, table.to_csv(index=False, lineterminator="\n"))
    else:
        write_file(path, _parquet(table))


def table_suffix(path: str) -> str:
    """.csv or .parquet."""
    suffix = Path(path).suffix.lower()
    if suffix not in (".csv", ".parquet"):
        raise NearstarError(f"tables are written as .csv or .parquet, not as {path!r}")
    return suffix


def check_output(path: str | None, data: str) -> None:
    """Raise for a file that no table is written to: of another kind, or the data themselves."""
    if path is None:
        return
    table_suffix(path)
    if Path(path).exists() and Path(data).exists() and Path(path).samefile(data):
        raise NearstarError(f"--out {path} is the data file itself; give another name")


def _parquet(table: pd.DataFrame) -> bytes:
    content = io.BytesIO()
    try:
        table.to_parquet(content, index=False)
    except ImportError:
        raise NearstarError(
            "writing Parquet needs pyarrow: pip install nearstar[parquet], or write a .csv"
        ) from None
    return content.getvalue()
