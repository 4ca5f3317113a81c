"""The files of a study: its tables and figures, for people and for programs."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path

from nearstar.report.html_page import framed
from nearstar.reproduce.contents import Contents, Part, Picture, Programs, contents
from nearstar.reproduce.figures import EFFICIENCY, SWEEP, figures
from nearstar.reproduce.study import Study
from nearstar.reproduce.study_tables import efficiency_table, main_table, sweep_table, trial_table
from nearstar.reproduce.table import Table, escaped, ticks, to_csv
from nearstar.reproduce.table import to_markdown as table_markdown
from nearstar.util.errors import NearstarError
from nearstar.util.whole_files import write_whole

_OPTIONAL = {"lambda.csv", EFFICIENCY, SWEEP}
"""Files that not every study has."""
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
POLICY += "form-action 'none'"


def write_study(study: Study, folder: Path) -> list[Path]:
    """Write all files of a study, each whole, and tell which.

    ``results.md`` and ``index.html`` tell the same; ``table.csv``, ``trials.csv``,
    ``efficiency.csv`` and, if there is a sweep, ``lambda.csv`` have the numbers in full;
    ``efficiency.svg`` and ``lambda.svg`` are the figures; those that a study does not have are
    removed, where an earlier one had them. Nothing is written unless all of it can be made.
    """
    pictures = figures(study)
    told = contents(study, pictures)
    tables = {
        "table.csv": main_table(study),
        "trials.csv": trial_table(study),
        "efficiency.csv": efficiency_table(study),
    }
    if study.sweep:
        tables["lambda.csv"] = sweep_table(study)
    texts = {
        "results.md": to_markdown(told),
        "index.html": to_html(told),
        **{name: to_csv(table) for name, table in tables.items()},
        **pictures,
    }
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in texts.items():
            write_whole(folder / name, text)
        for name in _OPTIONAL - texts.keys():
            (folder / name).unlink(missing_ok=True)  # of an earlier writing, with more trials
    except OSError as problem:
        raise NearstarError(
            f"the results cannot be written to {folder}: {problem.strerror}; give another folder"
        ) from None
    return [folder / name for name in texts]


def to_markdown(told: Contents) -> str:
    """What is told, as Markdown. Names come from anywhere, and stay plain words."""
    blocks = [f"# {escaped(told.title)}", escaped(told.subtitle)]
    for section in told.sections:
        blocks.append(f"## {escaped(section.title)}")
        for part in section.parts:
            blocks += _blocks(part)
    return "\n\n".join(blocks) + "\n"


def _blocks(part: Part) -> Iterator[str]:
    match part:
        case str():
            yield escaped(part)
        case Table():
            yield table_markdown(part)
        case Picture(file, _, says):
            yield f"![{escaped(says)}]({file})"
        case Programs(title, found):
            yield f"### {escaped(title)}"
            for name, texts in found:
                yield escaped(name)
                yield from map(_fenced, texts)
        case facts:
            yield "\n".join(f"- {escaped(name)}: {escaped(text)}" for name, text in facts.items())


def _fenced(text: str) -> str:
    around = ticks(text, 3)
    return f"{around}\n{text}\n{around}"


def to_html(told: Contents) -> str:
    """What is told, as one page that needs nothing else, not even a script.

    Names and programs come from anywhere: all of them are escaped.
    """
    return framed("reproduce/page.html", POLICY, told=told, address=_address)


def _address(svg: str) -> str:
    """The picture itself: as an image its style is its own, and nothing in it can run."""
    return f"data:image/svg+xml;base64,{base64.b64encode(svg.encode()).decode()}"
