"""A table as plain values: what people read in each cell, and the numbers in full beside it."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, stdev

Scalar = str | float | int | None
NONE = "–"
"""What stands where there is nothing to tell."""


@dataclass(frozen=True)
class Cell:
    """What one cell says."""

    text: str
    """For people: rounded."""
    values: tuple[Scalar, ...]
    """For programs: one for each key of the column."""
    best: bool = False
    """Stands out from the others of its column."""
    code: bool = False
    """The text of a program."""


@dataclass(frozen=True)
class Column:
    """What the cells under one heading have in common."""

    title: str
    keys: tuple[str, ...]
    """The columns of the CSV file: several where a cell tells several numbers."""
    number: bool = True


@dataclass(frozen=True)
class Table:
    """Rows of cells, to be written for people and for programs."""

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]


def to_csv(table: Table) -> str:
    """The table's numbers in full; empty where there is none."""
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    writer.writerow(key for column in table.columns for key in column.keys)
    writer.writerows([_line_ends(v) for cell in row for v in cell.values] for row in table.rows)
    return written.getvalue()


def _line_ends(value: Scalar) -> Scalar:
    # The writer does not quote a lone carriage return, which readers take for the end of a row.
    return "\n".join(re.split("\r\n?", value)) if isinstance(value, str) else value


def plain(*values: Scalar, code: bool = False) -> Cell:
    """A cell that says its last value as it is."""
    last = values[-1]
    return Cell(NONE if last in (None, "") else str(last), values, code=code)


def score(value: float | None) -> Cell:
    """A cell of one number with three decimals."""
    return Cell(decimals(value), (value,))


def share(value: float | None) -> Cell:
    """A cell of one number in per cent."""
    return Cell(NONE if value is None else f"{100 * value:.1f} %", (value,))


def amount(values: Sequence[float]) -> Cell:
    """A cell of a mean of counts or seconds: with a decimal only where it is small."""
    if not values:
        return Cell(NONE, (None,))
    mean = fmean(values)
    exact = mean == round(mean)
    return Cell(f"{mean:,.0f}" if exact or mean >= 10 else f"{mean:.1f}", (mean,))


def spread(values: Sequence[float], places: int = 3, *, best: bool = False) -> Cell:
    """A cell of a mean and, if there are several values, their sample standard deviation."""
    if not values:
        return Cell(NONE, (None, None))
    mean = fmean(values)
    if len(values) == 1:
        return Cell(decimals(mean, places), (mean, None), best=best)
    deviation = stdev(values)
    text = f"{decimals(mean, places)} ± {decimals(deviation, places)}"
    return Cell(text, (mean, deviation), best=best)


def decimals(value: float | None, places: int = 3) -> str:
    """A number as in the paper: ``.851``, but ``0.4`` where there is one decimal."""
    if value is None or math.isnan(value):
        return NONE
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    text = f"{value:.{places}f}"
    if float(text) == 0:
        text = text.removeprefix("-")
    if places > 1:
        text = text.replace("0.", ".", 1) if text.removeprefix("-").startswith("0.") else text
    return text.replace("-", "−")
