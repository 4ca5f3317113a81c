"""Values that are missing or infinite: found with their place, or filled in along time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearstar.data.conversion import count_wrong
from nearstar.util.errors import DataError, Setting

Where = Callable[[int], str]
"""Where a frame is, in words."""


def deal_with_missing(
    values: NDArray[Any],
    offsets: NDArray[np.int64],
    names: Sequence[str],
    where: Where,
    how: str,
) -> NDArray[Any]:
    """The values without gaps: as they are if none is missing, else an error or filled in.

    ``interpolate`` draws a line through each gap inside a sequence; at the ends the nearest value
    is held. A column that a whole sequence lacks cannot be filled in. Infinite is always an error.
    """
    infinite, first = count_wrong(np.isinf, values)
    if infinite:
        raise DataError(
            f"{_number(infinite)} infinite; the first is {_value_at(first, values, names, where)}. "
            "Correct it, or leave it empty as a missing value"
        )
    missing, first = count_wrong(np.isnan, values)
    if not missing:
        return values
    if how == "interpolate":
        return interpolate(values, offsets, names, where)
    advice: tuple[str | Setting, ...] = (
        "Fill it in, leave the column or the sequence out, or ask for ",
        Setting("missing", "interpolate"),
    )
    if _is_padding(values, offsets, missing):
        advice = (
            "Only whole frames at the ends of sequences are: if that is padding, give sequences of "
            "their own lengths (in an .npz file, an array of lengths beside X)",
        )
    found = _value_at(first, values, names, where)
    raise DataError(f"{_number(missing)} missing (NaN); the first is {found}. ", *advice)


def _is_padding(values: NDArray[Any], offsets: NDArray[np.int64], missing: int) -> bool:
    """Whether all that is missing are whole frames at the ends of sequences."""
    whole = np.isnan(values).all(axis=1)
    ends_again = whole[:-1] & ~whole[1:]
    ends_again[offsets[1:-1] - 1] = False  # where the next sequence begins
    return missing == whole.sum() * values.shape[1] and not ends_again.any()


def interpolate(
    values: NDArray[Any], offsets: NDArray[np.int64], names: Sequence[str], where: Where
) -> NDArray[Any]:
    """The values with a line through each gap along time, and the ends held."""
    filled = values.copy()
    for start, stop in pairwise(offsets.tolist()):
        missing = np.isnan(values[start:stop])
        for column in np.flatnonzero(missing.any(axis=0)).tolist():
            gaps = np.flatnonzero(missing[:, column])
            known = np.flatnonzero(~missing[:, column])
            if not len(known):
                raise DataError(
                    f"{names[column]!r} is missing in all {stop - start} frames of the sequence "
                    f"of {where(start)}, so there is nothing to interpolate; leave that sequence "
                    "or that column out"
                )
            filled[start + gaps, column] = np.interp(gaps, known, values[start + known, column])
    return filled


def check_float32(values: NDArray[Any], names: Sequence[str], where: Where) -> None:
    """Raise where a value cannot be a finite 32-bit float."""
    largest = np.finfo(np.float32).max
    wrong, first = count_wrong(lambda part: ~(np.abs(part) <= largest), values)
    if wrong:
        raise DataError(
            f"{_number(wrong)} beyond 32-bit floats, of at most {largest:.3g}; the first is "
            f"{_value_at(first, values, names, where)}. Use other units, or leave the column out"
        )


def _number(count: int) -> str:
    return "1 feature value is" if count == 1 else f"{count} feature values are"


def _value_at(first: int, values: NDArray[Any], names: Sequence[str], where: Where) -> str:
    row, column = divmod(first, values.shape[1])
    return f"{values[row, column]} at {where(row)}, column {names[column]!r}"
