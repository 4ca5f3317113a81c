"""The files of a study: all there, readable, and whole."""

from __future__ import annotations

import csv
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from reproduce import studies
from reproduce.studies import HOSTILE, nothing, study, trial

from nearstar.reproduce.study import Study
from nearstar.reproduce.writing import write_study
from nearstar.util.errors import NearstarError

pytest.importorskip("matplotlib")

ALWAYS = {"results.md", "index.html", "table.csv", "trials.csv", "efficiency.csv"}
STUDIES = {
    "many classes": studies.full(5),
    "one trial": study(trial()),
    "only the RNN": study(trial("rnn")),
    "nothing found": study(nothing("astar"), nothing("mcts")),
    "no trials": study(),
    "hostile": studies.hostile(),
}


@pytest.mark.parametrize("whole", STUDIES.values(), ids=STUDIES)
def test_all_files_are_there_and_readable(whole: Study, tmp_path: Path) -> None:
    written = write_study(whole, tmp_path / "new" / "folder")
    assert {*written} == {*(tmp_path / "new" / "folder").iterdir()}
    names = {path.name for path in written}
    assert names >= ALWAYS
    assert ("lambda.csv" in names) == bool(whole.sweep)
    for path in written:
        text = path.read_text("utf-8")
        assert text.endswith("\n") or path.suffix == ".html"
        if path.suffix == ".svg":
            ElementTree.fromstring(text)
        if path.suffix == ".csv":
            with path.open(newline="", encoding="utf-8") as file:
                heading, *rows = csv.reader(file)
            assert len({*heading}) == len(heading)
            assert all(len(row) == len(heading) for row in rows)
    table = next(path for path in written if path.name == "table.csv")
    assert len(table.read_text("utf-8").splitlines()) == 1 + len(whole.algorithms)


def test_no_file_is_left_of_an_earlier_study(tmp_path: Path) -> None:
    write_study(studies.full(5), tmp_path)
    own = tmp_path / "run"  # nor is anything else touched
    own.mkdir()
    written = write_study(study(nothing("astar")), tmp_path)
    assert {*tmp_path.iterdir()} == {own, *written}


def test_the_same_study_gives_the_same_files(tmp_path: Path) -> None:
    small = study(trial(), trial("rnn"))
    first, again = (write_study(small, tmp_path / name) for name in "ab")
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in again]


def test_markdown_tells_everything(tmp_path: Path) -> None:
    write_study(studies.full(), tmp_path)
    text = (tmp_path / "results.md").read_text("utf-8")
    titles = ("How it was made", "Table 1", "Efficiency", "λ", "Programs found", "Guarantee")
    assert re.findall("^## (.*)$", text, re.MULTILINE) == [*titles, "Stability"]
    linked = re.findall(r"!\[.*\]\((.*)\)", text)
    assert linked == ["efficiency.svg", "lambda.svg"]
    assert all((tmp_path / name).exists() for name in linked)
    for wanted in (studies.PROGRAM, studies.LEARNED, "- time: 2 h on 2 cores", "2 of 3 found"):
        assert wanted in text
    assert "Seed 1: no program was found" in text
    assert "resampling videos" in text


def test_parts_without_anything_to_tell_are_left_out(tmp_path: Path) -> None:
    write_study(study(trial("rnn"), made={}), tmp_path)
    text = (tmp_path / "results.md").read_text("utf-8")
    assert re.findall("^## (.*)$", text, re.MULTILINE) == ["Table 1"]
    write_study(study(trial(), nothing("mcts")), tmp_path)
    text = (tmp_path / "results.md").read_text("utf-8")
    assert "In half of the trials or more no program was found: MCTS." in text
    assert "Stability" not in text and "## λ" not in text


def test_markdown_of_hostile_names_is_inert(tmp_path: Path) -> None:
    write_study(studies.hostile(), tmp_path)
    text = (tmp_path / "results.md").read_text("utf-8")
    outside, fence = [], ""
    for line in text.splitlines():
        ticks = re.match("`{3,}", line)
        if not fence and ticks and not line.strip("`"):
            fence = line
        elif fence and line == fence:
            fence = ""
        elif not fence:
            outside.append(re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "", line))
    assert not fence
    assert not [line for line in outside if re.search(r"(?<!\\)<[/\w]", line)]
    assert HOSTILE not in "\n".join(outside)


def test_a_folder_that_cannot_be_written_to(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(NearstarError, match=r"cannot be written to .*file.*give another folder"):
        write_study(study(trial(curve=())), tmp_path / "file")
    assert (tmp_path / "file").read_text() == "in the way"


def test_old_files_are_replaced_and_nothing_else_is_left(tmp_path: Path) -> None:
    write_study(study(trial(f1=0.4, curve=())), tmp_path)
    before = {path.name for path in tmp_path.iterdir()}
    write_study(study(trial(f1=0.6, curve=())), tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == before
    assert ".600" in (tmp_path / "results.md").read_text("utf-8")
