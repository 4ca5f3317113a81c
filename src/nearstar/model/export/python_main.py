"""What an exported module does as a script, as its source."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from nearstar.data.format import DataFormat
from nearstar.model.export.python_expression import quoted

if TYPE_CHECKING:
    from nearstar.model.model import Model


def role_constants(model: Model) -> Iterator[str]:
    """Lines that say which columns of a file have a role."""
    format = model.format
    if format is None or model.program.signature.maps_vectors:
        format = DataFormat()
    yield "# Columns of a file; None: all its rows are one sequence, and in order."
    yield f"SEQUENCE = {quoted(format.sequence)}"
    yield f"FRAME = {quoted(format.frame)}"


def main_functions(model: Model) -> tuple[str, ...]:
    """The source of ``main`` and of what it calls."""
    answers = _ANSWERS_OF_SEQUENCES if model.program.signature.summarises else _ANSWERS_OF_ROWS
    return _SEQUENCES, _TABLE_OF, answers, _MAIN


_SEQUENCES = '''\
def sequences(rows):
    """The rows of each sequence, in the order of frames."""
    for name in (SEQUENCE, FRAME):
        if name is not None and not has(rows[0], name):
            raise ValueError(f"there is no column {name!r}")
    found = {}
    for row in rows:
        found.setdefault(row.get(SEQUENCE), []).append(row)
    if FRAME is not None:
        for sequence in found.values():
            sequence.sort(key=lambda row: float(row[FRAME]))
    return list(found.values())'''

_TABLE_OF = '''\
def table_of(rows):
    """The columns of some rows by name; None where a value is missing."""
    return {
        name: [None if row[name] in ("", "NA") else row[name] for row in rows]
        for name in rows[0]
        if name
    }'''

_ANSWERS_OF_ROWS = '''\
def answers(rows):
    """A line of names, then one for each row, in the order of the file."""
    for sequence in sequences(rows):
        for row, label in zip(sequence, predict(features(table_of(sequence)))):
            row["prediction"] = label
    names = [name for name in (SEQUENCE, FRAME, "prediction") if name is not None]
    return [names, *([row[name] for name in names] for row in rows)]'''

_ANSWERS_OF_SEQUENCES = '''\
def answers(rows):
    """A line of names, then one for each sequence."""
    names = [] if SEQUENCE is None else [SEQUENCE]
    lines = [[*names, "prediction"]]
    for sequence in sequences(rows):
        label = predict(features(table_of(sequence)))
        lines.append([*(sequence[0][name] for name in names), label])
    return lines'''

_MAIN = '''\
def main():
    """Print the labels for a CSV file, as CSV."""
    if len(sys.argv) != 2:
        sys.exit(f"usage: python {sys.argv[0]} FILE.csv")
    with open(sys.argv[1], newline="", encoding="utf-8-sig") as file:
        rows = list(csv.DictReader(file, restkey="", restval=""))
    if not rows:
        sys.exit(f"{sys.argv[1]}: there are no rows below a line of column names")
    try:
        lines = answers(rows)
    except ValueError as problem:
        sys.exit(f"{sys.argv[1]}: {problem}")
    try:
        csv.writer(sys.stdout, lineterminator="\\n").writerows(lines)
        sys.stdout.flush()
    except BrokenPipeError:  # whoever reads has seen enough
        sys.stdout = None'''
