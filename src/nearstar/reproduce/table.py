"""A table: what people read in each cell, and the numbers in full; as Markdown and as CSV."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import TypeVar

Row = TypeVar("Row")
Scalar = str | float | int | None
NONE = "–"
"""What stands where there is nothing to tell."""
# What would begin something in Markdown: emphasis, code, a link, an element, a cell, a formula. An
# underscore does so only at the edge of a word.
_SPECIAL = re.compile(r"[\\`*\[\]<|~$]|&(?=[#\w])|(?<!\w)_|_(?!\w)")


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


Columns = Sequence[tuple[Column, Callable[[Row], Cell]]]
"""Columns, and what stands in them for a row."""


def column(
    title: str, keys: str, cell: Callable[[Row], Cell], *, number: bool = True
) -> tuple[Column, Callable[[Row], Cell]]:
    """A column and its cells; ``keys`` have a space between them."""
    return Column(title, tuple(keys.split()), number), cell


def tabulate(title: str, columns: Columns[Row], rows: Iterable[Row]) -> Table:
    """The table of these rows."""
    return Table(
        title,
        tuple(column for column, _ in columns),
        tuple(tuple(cell(row) for _, cell in columns) for row in rows),
    )


def to_markdown(table: Table) -> str:
    """The table as GitHub reads it; numbers are at the right."""
    lines = [
        [escaped(column.title) for column in table.columns],
        ["---:" if column.number else "---" for column in table.columns],
        *([_cell(cell) for cell in row] for row in table.rows),
    ]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def escaped(text: str) -> str:
    """A text of one line that Markdown shows as it is."""
    return _SPECIAL.sub(r"\\\g<0>", " ".join(text.split()))


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


def _cell(cell: Cell) -> str:
    if cell.code:
        return _spanned(cell.text)
    return f"**{escaped(cell.text)}**" if cell.best else escaped(cell.text)


def _spanned(text: str) -> str:
    """Code within a cell: there a bar is the only thing that is escaped."""
    line = " ".join(text.split()).replace("|", "\\|")
    around = ticks(line, 1)
    edge = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{around}{edge}{line}{edge}{around}"


def ticks(text: str, least: int) -> str:
    """More backticks in a row than the text has."""
    longest = max(map(len, re.findall("`+", text)), default=0)
    return "`" * max(least, longest + 1)
