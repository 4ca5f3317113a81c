"""Data files of every kind that is read, by the ending of their names."""

from __future__ import annotations

import gzip
import lzma
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nearstar.data.arrays import join_arrays
from nearstar.data.format import DataFormat
from nearstar.data.labels import Label
from nearstar.data.readers.csv_files import read_csv
from nearstar.data.readers.numpy_files import find_npy, read_npy, read_npz
from nearstar.data.readers.ts_files import read_ts
from nearstar.data.recordings import Recordings
from nearstar.data.tables import read_table_parts
from nearstar.util.errors import DataError
from nearstar.util.nearest import nearest

if TYPE_CHECKING:
    import pandas as pd

_TABLES = (".csv", ".tsv", ".txt", ".parquet")
_ARRAYS = (".npz", ".npy", ".ts")
_COMPRESSED = (".gz", ".bz2", ".xz", ".zip", ".zst")
_BROKEN = (gzip.BadGzipFile, zipfile.BadZipFile, lzma.LZMAError, zlib.error, EOFError)


@dataclass(frozen=True, eq=False)
class Dataset:
    """The recordings of a file by part: train, valid and test, or all."""

    parts: Mapping[str, Recordings]


def read_file(
    path: str | Path,
    format: DataFormat | None = None,
    *,
    features: Sequence[str] | None = None,
    derived: Mapping[str, str] | Sequence[str] | None = None,
    labels: Sequence[Label] | None = None,
    optional: Sequence[str] = (),
) -> Dataset:
    """Read .csv, .tsv, .parquet, .npz, .npy or .ts files, or a directory of .npy files.

    The arguments are those of `read_table`. In arrays whose columns have no names, `features` name
    the columns in order; in an .npz file the format's label and group are names of arrays.
    `optional` are roles of columns that a table may lack, such as ``part``.
    """
    path, format = Path(path), format or DataFormat()
    try:
        return Dataset(_parts(path, format, features, derived, labels, optional))
    except DataError as problem:
        if str(path) in str(problem):
            raise
        raise DataError(f"{path}: {problem}") from None


def _parts(
    path: Path,
    format: DataFormat,
    features: Sequence[str] | None,
    derived: Mapping[str, str] | Sequence[str] | None,
    labels: Sequence[Label] | None,
    optional: Sequence[str],
) -> dict[str, Recordings]:
    path = find_npy(path) if path.is_dir() else path
    kind = _kind(path)
    if kind in _TABLES:
        table = load_table(path, format)
        absent: dict[str, Any] = {
            role: None for role in optional if getattr(format, role) not in table.columns
        }
        format = replace(format, **absent)
        return read_table_parts(table, format, features=features, derived=derived, labels=labels)
    names, classes = None, None
    with _told_if_unreadable(path):
        if kind == ".npz":
            arrays, names, classes = read_npz(path, format.label, format.group)
        else:
            arrays = read_npy(path) if kind == ".npy" else read_ts(path)
    return join_arrays(
        arrays,
        format,
        names=names,
        classes=classes,
        features=features,
        derived=derived,
        labels=labels,
    )


def load_table(path: str | Path, format: DataFormat) -> pd.DataFrame:
    """The table in a .csv, .tsv, .txt (with tabs) or .parquet file, with all its columns."""
    path = Path(path)
    kind = _kind(path)
    if kind not in _TABLES:
        raise DataError(f"{path} is no table; expected one of {', '.join(_TABLES)}")
    with _told_if_unreadable(path):
        if kind == ".parquet":
            return _read_parquet(path)
        return read_csv(path, format, "," if kind == ".csv" else "\t")


def _read_parquet(path: Path) -> pd.DataFrame:
    import pandas as pd

    try:
        import pyarrow  # type: ignore[import-untyped]
    except ImportError:
        raise DataError(
            f"{path}: reading Parquet files needs pyarrow; pip install nearstar[parquet]"
        ) from None
    try:
        return pd.read_parquet(path)
    except (pyarrow.ArrowException, ValueError) as problem:
        raise DataError(f"{path} cannot be read as a Parquet file: {problem}") from None


def _kind(path: Path) -> str:
    """The ending that says what a file is; a table may be compressed."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    kind = suffixes[-1] if suffixes else ""
    if kind in _COMPRESSED and len(suffixes) > 1:
        kind = suffixes[-2] if suffixes[-2] in (".csv", ".tsv", ".txt") else kind
    if kind not in _TABLES + _ARRAYS:
        if not path.exists():
            raise _no_file(path)
        ending = f"the ending {kind!r}" if kind else "no ending"
        known = ", ".join(_TABLES + _ARRAYS)
        raise DataError(f"{path} has {ending}; files that are read end in {known}, or .csv.gz")
    return kind


@contextmanager
def _told_if_unreadable(path: Path) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError:
        raise _no_file(path) from None
    except _BROKEN as problem:
        raise DataError(f"{path} is damaged or not compressed as it says: {problem}") from None
    except OSError as problem:
        raise DataError(f"{path} cannot be read: {problem.strerror or problem}") from None


def _no_file(path: Path) -> DataError:
    folder = path.parent
    if not folder.is_dir():
        return DataError(f"there is no file {path}: there is no directory {folder}")
    close = nearest(path.name, (each.name for each in folder.iterdir()))
    hint = f"; did you mean {str(path.with_name(close))!r}?" if close else ""
    return DataError(f"there is no file {path}{hint}")
