"""Data files of every kind that there is a reader for."""

from __future__ import annotations

import gzip
import lzma
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from nearstar.data.arrays import read_arrays
from nearstar.data.format import DataFormat
from nearstar.data.labels import Label
from nearstar.data.raw import Wanted
from nearstar.data.readers import find_reader, readers
from nearstar.data.readers.reader import Reader
from nearstar.data.recordings import Recordings
from nearstar.data.tables import read_table_parts
from nearstar.util.errors import DataError
from nearstar.util.nearest import nearest

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
    path, wanted = Path(path), Wanted(format or DataFormat(), features, derived, labels)
    try:
        return Dataset(_parts(path, wanted, optional))
    except DataError as problem:
        if str(path) in str(problem):
            raise
        raise DataError(f"{path}: ", *problem.args) from None


def _parts(path: Path, wanted: Wanted, optional: Sequence[str]) -> dict[str, Recordings]:
    format = wanted.format
    if path.is_dir():
        path = next(each.find_in for each in readers() if each.find_in)(path)
    reader, read = _read(path, format)
    if reader.gives == "arrays":
        return read_arrays(read, wanted)
    lacking = [role for role in optional if getattr(format, role) not in read.columns]
    absent: dict[str, Any] = dict.fromkeys(lacking)
    return read_table_parts(read, replace(wanted, format=replace(format, **absent)))


def _read(path: Path, format: DataFormat) -> tuple[Reader, Any]:
    """The reader of a file, and what it gives."""
    try:
        reader = find_reader(path)
        return reader, reader.read(path, **{key: getattr(format, key) for key in reader.options})
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
