"""Time series in .ts files, the text format of aeon, sktime and the UEA archive.

A header of ``@`` lines is followed by one line for each sequence: its channels with ``:`` between,
each a list of values with ``,`` between (``?`` is missing), and its class at the end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearstar.data.conversion import offsets_of
from nearstar.data.raw import Raw
from nearstar.data.readers.reader import Reader, told_if_not_utf8
from nearstar.util.errors import DataError
from nearstar.util.nearest import suggestion


def read_ts(path: Path) -> dict[str, Raw]:
    """Parts: NAME_TRAIN.ts and NAME_TEST.ts go together, any other file is all there is."""
    match = re.fullmatch(r"(.*)_(TRAIN|TEST)\.ts", path.name)
    if match and path.is_file():
        files = {
            part: path.with_name(f"{match[1]}_{part.upper()}.ts") for part in ("train", "test")
        }
        return {part: _read(file) for part, file in files.items() if file.is_file()}
    return {"all": _read(path)}


def _read(path: Path) -> Raw:
    lines = _lines(path)
    classes = _header(path, lines)
    sequences: list[NDArray[np.float64]] = []
    labels: list[str] = []
    for number, line in lines:
        place = f"{path}, line {number}"
        *channels, label = line.split(":") if classes is not None else [*line.split(":"), ""]
        sequence = _sequence(channels, place)
        if sequences and sequence.shape[1] != sequences[0].shape[1]:
            raise DataError(
                f"{place}: {sequence.shape[1]} channels where earlier lines have "
                f"{sequences[0].shape[1]}; expected as many in every line"
            )
        if classes and label.strip() not in classes:
            raise DataError(
                f"{place}: the class {label.strip()!r} is not one of @classLabel; "
                f"{suggestion(label.strip(), classes)}"
            )
        sequences.append(sequence)
        labels.append(label.strip())
    if not sequences:
        raise DataError(f"{path} has no sequences after @data; expected one in each line")
    lengths = np.array([len(sequence) for sequence in sequences])
    known: NDArray[Any] | None = None if classes is None else np.array(labels)
    return Raw(np.concatenate(sequences), offsets_of(lengths), known)


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """The lines that say something, with their numbers."""
    with told_if_not_utf8(path), open(path, encoding="utf-8-sig") as file:
        for number, line in enumerate(file, start=1):
            if line.strip() and not line.lstrip().startswith("#"):
                yield number, line.strip()


def _header(path: Path, lines: Iterator[tuple[int, str]]) -> list[str] | None:
    """The classes that the header declares; empty if it lists none, None if there are no labels."""
    classes: list[str] | None = None
    for number, line in lines:
        key, *values = line.split()
        said = values[0].lower() if values else ""
        match key.lower():
            case "@data":
                return classes
            case "@classlabel":
                classes = values[1:] if said == "true" else None
            case "@targetlabel" if said == "true":
                raise DataError(f"{path}: its targets are numbers to predict; expected classes")
            case "@timestamps" if said == "true":
                raise DataError(
                    f"{path}: its values have time stamps, which are not read; resample the "
                    "series to even steps and write plain values"
                )
            case key if not key.startswith("@"):
                raise DataError(f"{path}, line {number}: expected @data before the sequences")
    raise DataError(f"{path} has no line @data; is it a .ts file?")


def _sequence(channels: list[str], place: str) -> NDArray[np.float64]:
    """Values as (frames, channels)."""
    if not channels:
        raise DataError(f"{place}: expected channels with ':' after each, and the class at the end")
    columns = []
    for index, text in enumerate(channels):
        try:
            values = text.replace("?", "nan").split(",")
            columns.append(np.array(values, dtype=np.float64))
        except ValueError as problem:
            raise DataError(f"{place}, channel {index}: {problem}; expected numbers") from None
        if len(columns[index]) != len(columns[0]):
            raise DataError(
                f"{place}: channel {index} has {len(columns[index])} values, channel 0 "
                f"{len(columns[0])}; expected as many in all channels"
            )
    return np.column_stack(columns)


READERS = (Reader("aeon", (".ts",), "arrays", read_ts),)
