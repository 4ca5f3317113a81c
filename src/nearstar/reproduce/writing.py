"""The files of a study: its tables and figures, for people and for programs."""

from __future__ import annotations

from pathlib import Path

from nearstar.reproduce.cells import to_csv
from nearstar.reproduce.contents import contents
from nearstar.reproduce.figures import EFFICIENCY, SWEEP, figures
from nearstar.reproduce.markdown import to_markdown
from nearstar.reproduce.page import to_html
from nearstar.reproduce.study import Study
from nearstar.reproduce.tables import efficiency_table, main_table, sweep_table, trial_table
from nearstar.util.errors import NearstarError
from nearstar.util.whole_files import write_whole

_OPTIONAL = {"lambda.csv", EFFICIENCY, SWEEP}
"""Files that not every study has."""


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
