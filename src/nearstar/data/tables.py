"""Tables with a row for each frame: which rows are a sequence, which columns are features."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from nearstar.data.conversion import offsets_of
from nearstar.data.derived import Derived, needed_columns
from nearstar.data.format import DataFormat
from nearstar.data.labels import Label, as_labels, shown, whole_labels
from nearstar.data.raw import PARTS, Raw, Wanted, by_part, make_recordings, row_text
from nearstar.data.recordings import Recordings
from nearstar.data.selecting import check_known, select
from nearstar.util.errors import DataError
from nearstar.util.nearest import suggestion

if TYPE_CHECKING:
    import pandas as pd

_PART_NAMES = {**{name: name for name in PARTS}, "training": "train", "testing": "test"}
_PART_NAMES |= dict.fromkeys(("val", "validation", "dev"), "valid")
_TOLERANCE = 0.4
"""Steps may be uneven by this share: times are rounded, at 30 Hz to 0.03 and 0.07, or 33 and 67."""


def read_table(
    table: pd.DataFrame,
    format: DataFormat,
    *,
    features: Sequence[str] | None = None,
    derived: Mapping[str, str] | Sequence[str] | None = None,
    labels: Sequence[Label] | None = None,
) -> Recordings:
    """Sequences from a table with one row for each frame.

    Sequences come in the order in which they first appear, sorted by frame where there is a frame
    column. `features` names the features in order, columns or derived ones; without it they are
    those that the format asks for, or all columns of numbers that have no role, then the derived
    ones. `labels` are the classes that labels must be of; without it, those that occur. Whole
    numbers that a column with gaps holds as floats are integers again as labels.
    """
    return _read(table, Wanted(format, features, derived, labels))[0]


def read_table_parts(table: pd.DataFrame, wanted: Wanted) -> dict[str, Recordings]:
    """As `read_table`, by the parts that the part column names; ``all`` if there is none."""
    return by_part(*_read(table, wanted))


def _read(table: pd.DataFrame, wanted: Wanted) -> tuple[Recordings, tuple[str, ...] | None]:
    format = wanted.format
    table, formulas = _named(table, format), wanted.formulas
    for name in formulas:
        if name in table.columns:
            raise DataError(
                f"the derived feature {name!r} is called like a column of the table; give it "
                f"another name: new_name = {formulas[name].text}"
            )
    features = wanted.features
    if features is None:
        features = _feature_names(table, format, formulas)
    sources = [name for name in table.columns if name not in format.roles.values()]
    check_known(features, [*sources, *formulas], "the table")
    raw = _raw(table, format, needed_columns(features, formulas, sources))
    return make_recordings(raw, wanted, features), raw.parts


def _raw(table: pd.DataFrame, format: DataFormat, needed: tuple[str, ...]) -> Raw:
    codes, ids = _sequences(table, format)
    order, numbers = _order(table, format, codes, ids)
    offsets = offsets_of(np.bincount(codes))
    raw = Raw(
        np.column_stack([_numbers(table, name) for name in needed])[order],
        offsets,
        labels=None if format.label is None else _labels(table[format.label])[order],
        per_frame=True,
        names=needed,
        ids=ids,
        frames=numbers,
        rows=order,
        what=format.sequence or "sequence",
    )
    if numbers is not None:
        _check_steps(raw, numbers)
    return replace(
        raw,
        groups=_constant(table, format.group, raw),
        parts=_part_names(_constant(table, format.part, raw), format.part),
    )


def _labels(column: pd.Series) -> NDArray[Any]:
    """The labels, groups or ids in a column; whole numbers with gaps are integers again."""
    return whole_labels(as_labels(column))


def _named(table: pd.DataFrame, format: DataFormat) -> pd.DataFrame:
    """The table with texts as column names, each once, and with every column that has a role."""
    import pandas as pd

    if not isinstance(table, pd.DataFrame):
        raise DataError(f"expected a pandas DataFrame, not {type(table).__name__}")
    if table.columns.nlevels > 1:
        table = table.set_axis([_joined(table.columns.names, c) for c in table.columns], axis=1)
    names = [str(column) for column in table.columns]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise DataError(f"two columns are called {twice!r}; rename one of them")
    for role, column in format.roles.items():
        if column not in names:
            raise DataError(
                f"the table has no column {column!r} for the {role}; {suggestion(column, names)}"
            )
    if not len(table):
        raise DataError("the table has no rows; expected one row for each frame")
    return table.set_axis(names, axis=1)


def _joined(levels: Sequence[Any], names: Sequence[Any]) -> str:
    """One name for a column with several; who did the tracking is no part of it."""
    pairs = zip(levels, names, strict=True)
    return "_".join(str(name) for level, name in pairs if level != "scorer" and str(name))


def _feature_names(
    table: pd.DataFrame, format: DataFormat, derived: Mapping[str, Derived]
) -> tuple[str, ...]:
    roles = {column: role for role, column in format.roles.items()}
    for name in format.features:
        if name in roles:
            raise DataError(f"{name!r} is the column of the {roles[name]}, so it is no feature")
    free = [name for name in table.columns if name not in roles]
    if format.features:
        # Patterns choose among columns of numbers; a name asks for its column whatever it holds.
        numeric = [c for c in free if c in format.features or _is_numeric(table[c])]
        chosen = select([*numeric, *derived], format.features)
    else:
        chosen = tuple(name for name in free if _is_numeric(table[name]) or _mostly(table[name]))
    if not chosen and not derived:
        raise DataError(
            f"the table has no columns of numbers besides those with a role; columns: {free}"
        )
    return (*chosen, *(name for name in derived if name not in chosen))


def _is_numeric(column: pd.Series) -> bool:
    from pandas.api.types import is_complex_dtype, is_numeric_dtype

    return bool(is_numeric_dtype(column) and not is_complex_dtype(column))


def _mostly(column: pd.Series) -> bool:
    """Whether most entries of a text column are numbers: to leave it out would hide a mistake."""
    if str(column.dtype) == "category" or column.dtype.kind not in "OUT":
        return False
    return bool(2 * np.count_nonzero(~np.isnan(_coerced(column))) > column.notna().sum())


def _coerced(column: pd.Series) -> NDArray[np.float64]:
    """The entries of a column as floats; NaN for those that are empty or no numbers."""
    import pandas as pd

    numbers = pd.to_numeric(column.astype(object), errors="coerce")
    return np.asarray(numbers.to_numpy(dtype=np.float64, na_value=np.nan))


def _numbers(table: pd.DataFrame, name: str) -> NDArray[np.float64]:
    """A column as floats; NaN where it is empty."""
    column = table[name]
    if _is_numeric(column):
        return np.asarray(column.to_numpy(dtype=np.float64, na_value=np.nan))
    if column.dtype.kind in "OUT":
        numbers = _coerced(column)
        wrong = np.flatnonzero(np.isnan(numbers) & column.notna().to_numpy())
    else:  # times, or complex numbers: none of them will do
        numbers, wrong = np.empty(0), np.zeros(1, dtype=np.int64)
    if len(wrong):
        row = int(wrong[0])
        raise DataError(
            f"the column {name!r} has {shown(column.iloc[row])} at {row_text(row)}; a feature "
            "needs numbers: correct it, or choose other features"
        )
    return numbers


def _sequences(
    table: pd.DataFrame, format: DataFormat
) -> tuple[NDArray[np.int64], tuple[Any, ...]]:
    """The sequence of each row, as a number, and the id of each sequence."""
    import pandas as pd

    if format.sequence is None:
        return np.zeros(len(table), dtype=np.int64), (0,)
    codes, ids = pd.factorize(_labels(table[format.sequence]))
    if (codes < 0).any():
        row = int(np.argmax(codes < 0))
        raise DataError(f"the column {format.sequence!r} has no sequence at {row_text(row)}")
    return codes.astype(np.int64), tuple(ids.tolist())


def _order(
    table: pd.DataFrame, format: DataFormat, codes: NDArray[np.int64], ids: tuple[Any, ...]
) -> tuple[NDArray[np.int64], NDArray[Any] | None]:
    """The rows sorted by sequence and frame, and the frame number of each, if there are any."""
    if format.frame is not None:
        numbers = _frame_numbers(table[format.frame], format.frame)
        order = np.lexsort((numbers, codes)).astype(np.int64)
        return order, numbers[order]
    # Sequences are numbered as they appear: a lower number was there before.
    again = np.flatnonzero(np.diff(codes) < 0) + 1
    if len(again):
        row, what = int(again[0]), format.sequence
        raise DataError(
            f"{what} {ids[codes[row]]!r} continues at {row_text(row)}, after {what} "
            f"{ids[codes[row - 1]]!r}; sort the table, or give the column of frame numbers"
        )
    return np.arange(len(codes)), None


def _frame_numbers(column: pd.Series, name: str) -> NDArray[Any]:
    import pandas as pd

    if isinstance(column.dtype, np.dtype) and column.dtype.kind in "iu":
        return np.asarray(column.to_numpy())
    try:
        values = _coerced(column)
    except TypeError:
        values = np.full(len(column), np.nan)
    wrong = np.flatnonzero(~np.isfinite(values))
    if len(wrong):
        row = int(wrong[0])
        given = column.iloc[row]
        what = "no frame number" if pd.isna(given) else f"the frame number {shown(given)}"
        raise DataError(f"the column {name!r} has {what} at {row_text(row)}; expected a number")
    return whole_labels(values)


def _check_steps(raw: Raw, numbers: NDArray[Any]) -> None:
    """Raise where frames of a sequence are there twice, or lacking."""
    for start, stop in pairwise(raw.offsets.tolist()):
        steps = np.diff(numbers[start:stop])
        if not len(steps):
            continue
        usual = np.sort(steps)[(len(steps) - 1) // 2]
        uneven = (steps < (1 - _TOLERANCE) * usual) | (steps > (1 + _TOLERANCE) * usual)
        wrong = np.flatnonzero((steps == 0) | uneven)
        if not len(wrong):
            continue
        twice = np.flatnonzero(steps == 0)
        at = start + int(twice[0] if len(twice) else wrong[0])
        here, there = raw.where(at), raw.where(at + 1)
        if len(twice):
            raise DataError(f"{here} is there again: {there}; expected each frame once")
        raise DataError(
            f"after {here} comes {there}: a step of {numbers[at + 1] - numbers[at]:g}, where "
            f"{usual:g} is usual; add what is missing, call what follows another sequence, or "
            "leave the column of frame numbers out"
        )


def _constant(table: pd.DataFrame, name: str | None, raw: Raw) -> tuple[Any, ...] | None:
    """The value of a column for each sequence, in which it must be the same all along."""
    import pandas as pd

    if name is None or raw.rows is None:
        return None
    codes, values = pd.factorize(_labels(table[name]))
    codes = codes[raw.rows]
    if (codes < 0).any():
        raise DataError(f"the column {name!r} is empty at {raw.where(int(np.argmax(codes < 0)))}")
    first = codes[np.repeat(raw.offsets[:-1], np.diff(raw.offsets))]
    if (codes != first).any():
        at = int(np.argmax(codes != first))
        raise DataError(
            f"the column {name!r} changes from {shown(values[first[at]])} to "
            f"{shown(values[codes[at]])} at {raw.where(at)}; expected one value in each sequence"
        )
    return tuple(values[codes[raw.offsets[:-1]]].tolist())


def _part_names(given: tuple[Any, ...] | None, column: str | None) -> tuple[str, ...] | None:
    """train, valid or test for each sequence, from what people write for it."""
    if given is None:
        return None
    names = [_PART_NAMES.get(str(part).strip().lower()) for part in given]
    if None in names:
        wrong = given[names.index(None)]
        raise DataError(
            f"the column {column!r} says {shown(wrong)}; {suggestion(str(wrong), PARTS)}"
        )
    return tuple(name for name in names if name)
