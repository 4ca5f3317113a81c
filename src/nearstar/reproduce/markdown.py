"""What is told of a study, as Markdown: with tables as GitHub reads them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from nearstar.reproduce.cells import Cell, Table
from nearstar.reproduce.contents import Contents, Facts, Numbers, Part, Picture, Words

# What would begin something: emphasis, code, a link, an element, a cell, a formula. An underscore
# does so only at the edge of a word.
_SPECIAL = re.compile(r"[\\`*\[\]<|~$]|&(?=[#\w])|(?<!\w)_|_(?!\w)")


def to_markdown(told: Contents) -> str:
    """The whole text. Names come from anywhere, and stay plain words."""
    blocks = [f"# {escaped(told.title)}", escaped(told.subtitle)]
    for section in told.sections:
        blocks.append(f"## {escaped(section.title)}")
        for part in section.parts:
            blocks += _blocks(part)
    return "\n\n".join(blocks) + "\n"


def table_markdown(table: Table) -> str:
    """The table; numbers are at the right."""
    lines = [
        [escaped(column.title) for column in table.columns],
        ["---:" if column.number else "---" for column in table.columns],
        *([_cell(cell) for cell in row] for row in table.rows),
    ]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def escaped(text: str) -> str:
    """A text of one line that Markdown shows as it is."""
    return _SPECIAL.sub(r"\\\g<0>", " ".join(text.split()))


def _blocks(part: Part) -> Iterator[str]:
    match part:
        case Words(text):
            yield escaped(text)
        case Facts(pairs):
            yield "\n".join(f"- {escaped(name)}: {escaped(value)}" for name, value in pairs)
        case Numbers(table):
            yield table_markdown(table)
        case Picture(file, _, says):
            yield f"![{escaped(says)}]({file})"
        case _:
            yield f"### {escaped(part.title)}"
            for name, texts in part.found:
                yield f"{escaped(name)}"
                yield from map(_fenced, texts)


def _cell(cell: Cell) -> str:
    if cell.code:
        return _spanned(cell.text)
    return f"**{escaped(cell.text)}**" if cell.best else escaped(cell.text)


def _spanned(text: str) -> str:
    """Code within a cell: there a bar is the only thing that is escaped."""
    line = " ".join(text.split()).replace("|", "\\|")
    ticks = _ticks(line, 1)
    edge = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{ticks}{edge}{line}{edge}{ticks}"


def _fenced(text: str) -> str:
    ticks = _ticks(text, 3)
    return f"{ticks}\n{text}\n{ticks}"


def _ticks(text: str, least: int) -> str:
    """More backticks in a row than the text has."""
    longest = max(map(len, re.findall("`+", text)), default=0)
    return "`" * max(least, longest + 1)
