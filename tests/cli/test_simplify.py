"""``nearstar simplify``: of a run on its own data, of a model alone, and what stays as it is."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from cli.bad_input import good_model
from cli.calling import ROLES, fit, nearstar, refused, rows, table, written

from nearstar.model.model import Model

HARD = "map (fun t. if SpeedAffine(t) > 0 then SpeedAffine(t) else NoseAffine(t)) x"


def simplified(*arguments: object) -> dict[str, Any]:
    report: dict[str, Any] = json.loads(nearstar("simplify", *arguments, "--json"))
    return report


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def own(run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the run to write in."""
    monkeypatch.chdir(tmp_path)
    return Path(shutil.copytree(run, "own"))


def test_a_run_on_its_own_validation_data(own: Path) -> None:
    before = contents(own)
    report = simplified(own)
    path = own / "simplified.json"
    assert report["model"] == str(path)
    found = json.loads((own / "result.json").read_text("utf-8"))
    assert report["before"]["f1"] == found["f1"] <= report["after"]["f1"]
    assert report["weights_after"] <= report["weights_before"] and report["hardened"] is None
    model = Model.load(path)
    assert model.text(digits=None) == report["program"]
    assert model.facts["metrics"]["validation"] == report["after"]
    assert model.format == Model.load(own / "model.json").format
    # Nothing else has changed, and the same again is the same.
    written_first = path.read_bytes()
    simplified(own)
    assert contents(own) == {**before, str(path): written_first}


def test_what_a_person_reads(own: Path) -> None:
    report = simplified(own, "--loss", "0.1")
    text = nearstar("simplify", own, "--loss", "0.1")
    lines = text.splitlines()
    assert lines[0] == report["program"]
    assert lines[2].split() == ["accuracy", "F1"]
    for line, name in zip(lines[3:5], ("before", "after"), strict=True):
        scores = report[name]
        assert line.split()[1:3] == [f"{scores['accuracy']:.3f}", f"{scores['f1']:.3f}"]
    assert f"{report['weights_after']} of {report['weights_before']} weights" in text
    assert lines[-1] == f"wrote {own / 'simplified.json'}"
    shown = nearstar("show", own / "simplified.json")
    assert f"F1 {report['after']['f1']:.3f}" in shown


def test_a_model_alone_on_labelled_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    good_model().save("model.json")
    frame = table()
    report = simplified("model.json", written(frame, Path("mice.csv")))
    assert report["model"] == "simplified.json"
    scores = json.loads(nearstar("evaluate", "model.json", "mice.csv", "--json"))
    assert report["before"]["confusion"] == scores["confusion"]
    scores = json.loads(nearstar("evaluate", "simplified.json", "mice.csv", "--json"))
    assert report["after"]["confusion"] == scores["confusion"]
    assert "DATA" in refused("simplify", "model.json")
    assert "nothing.csv" in refused("simplify", "model.json", "nothing.csv")


def test_the_validation_part_decides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    frame = table()
    part = frame["video"].map(lambda video: "valid" if video < "v06" else "train")
    path = written(frame.assign(part=part), Path("mice.csv"))
    fit(path, *ROLES, "--parts", "part", "--out", "run")
    valid = written(frame[part == "valid"], Path("valid.csv"))
    found = [simplified("run"), simplified("run", path), simplified("run", valid)]
    assert found[0] == found[1] == found[2]
    other = written(frame.assign(part=part.replace("valid", "test")), Path("other.csv"))
    assert "the parts" in refused("simplify", "run", other)


def test_windows_are_compared_as_they_were(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = written(table(length=20), Path("mice.csv"))
    fitted = fit(path, *ROLES, "--window", "5", "--hop", "2", "--threshold", "tuned", "--out", "r")
    report = simplified("r")
    assert report["before"]["f1"] == fitted["f1"] <= report["after"]["f1"]
    offsets = [Model.load(f"r/{name}.json").offsets for name in ("model", "simplified")]
    assert offsets[0] is not None and offsets[1] is not None
    assert offsets[0].tolist() == offsets[1].tolist()


def test_a_hard_if(mice: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    fit(mice, *ROLES, "--program", HARD, "--bank", "none", "--out", "run")
    report = simplified("run", "--harden")
    assert report["beta"] >= 1 and Model.load("run/simplified.json").domain.beta == report["beta"]
    assert report["after"]["f1"] >= report["hardened"]["f1"]
    given = simplified("run", "--beta", "50", "--out", "sharp.json")
    assert given["beta"] == 50 and given["model"] == "sharp.json"
    text = nearstar("simplify", "run", "--beta", "50")
    f1 = given["hardened"]["f1"]
    assert "hard, β 50" in text and f"{f1:.3f}" in text
    if abs(f1 - given["before"]["f1"]) >= 0.0005:
        change = "lost" if f1 < given["before"]["f1"] else "gained"
        assert f"{abs(f1 - given['before']['f1']):.3f} {change}" in text
    assert "with β 50:" in nearstar("show", "sharp.json")
    # The file is what was measured, wherever it is used.
    scores = json.loads(nearstar("evaluate", "sharp.json", mice, "--json"))
    nearstar("export", "sharp.json", "--to", "python", "--out", "sharp.py")
    assert "50.0 * " in Path("sharp.py").read_text("utf-8")
    assert len(rows("predict", "sharp.json", mice)) == scores["elements"]


def test_what_is_there_is_not_written_over(own: Path, mice: Path) -> None:
    for name in ("model.json", "result.json", "front/1.json"):
        assert "no simplified model" in refused("simplify", own, "--out", own / name)
    assert "written as .json" in refused("simplify", own, "--out", own / "journal.jsonl")
    assert "there is no folder" in refused("simplify", own, "--out", "nowhere/a.json")
    shutil.copy(own / "model.json", own / "simplified.json")
    assert "no simplified model" in refused("simplify", own)


def test_data_that_were_moved(mice: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copy(mice, "here.csv")
    fit("here.csv", *ROLES, "--out", "run")
    report = simplified("run")
    Path("here.csv").rename("there.csv")
    said = refused("simplify", "run")
    assert "here.csv" in said and "settings.toml" in said
    settings = Path("run/settings.toml")
    settings.write_text(settings.read_text("utf-8").replace("here.csv", "there.csv"), "utf-8")
    assert simplified("run") == report
