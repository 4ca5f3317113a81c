"""``nearstar report``: of every kind of run, whole or broken off, with its data or without."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from cli.calling import COMMAND, ROLES, fit, nearstar, refused, table, written

PROGRAM = "map (fun x_t. SpeedAffine(x_t)) x"
SLOWER = ("--steps", "320", "--neural-steps", "320", "--restarts", "1", "--max-depth", "5")
"""Trainings of some 10 ms."""


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def reported(run: object, *arguments: object) -> dict[str, Any]:
    """The data of the page that is written."""
    told = json.loads(nearstar("report", run, *arguments, "--json"))
    text = Path(told["report"]).read_text("utf-8")
    assert told["bytes"] == len(text.encode()) < 5e6
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.S)
    assert found is not None
    page: dict[str, Any] = json.loads(found[1])
    assert page["notes"] == told["notes"]
    return page


def check(page: dict[str, Any], report: dict[str, Any]) -> None:
    """The page says what the fit said."""
    assert page["program"]["text"] == report["program"]
    assert page["classes"] == list(map(str, report["classes"]))
    parts = {part["name"]: part for part in page["scores"]["parts"]}
    own = {name: part["models"][0] for name, part in parts.items()}
    assert own["validation"]["f1"] == report["f1"]
    assert own["validation"]["accuracy"] == report["accuracy"]
    if "test" in report:
        assert own["test"]["f1"] == report["test"]["f1"]
        assert parts["test"]["confusion"] == report["test"]["confusion"]
    front = [(each["cost"], each["error"]) for each in page["front"]]
    assert front == [(each["structural_cost"], each["error"]) for each in report["front"]]
    assert sum(each["chosen"] for each in page["front"]) == 1


def parts_table(n_videos: int = 12, **more: Any) -> pd.DataFrame:
    frame = table(n_videos, **more)
    quarters = pd.factorize(frame["video"])[0] * 4 // n_videos
    return frame.assign(part=np.array(["train", "train", "valid", "test"])[quarters])


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("--search", "rnn"),
        ("--window", "5", "--hop", "2"),
        *(
            pytest.param(each, marks=pytest.mark.slow)
            for each in (
                ("--search", "idsbb"),
                ("--search", "genetic"),
                ("--threshold", "tuned"),
                ("--audit", "3"),
                ("--program", PROGRAM),
            )
        ),
    ],
    ids=" ".join,
)
@pytest.mark.parametrize("classes", [("sit", "run"), ("sit", "run", "<script>")], ids=len)
def test_frames_of_two_and_more_classes(
    arguments: tuple[str, ...], classes: tuple[str, ...]
) -> None:
    path = written(parts_table(length=12, classes=classes), Path("mice.csv"))
    report = fit(path, *ROLES, "--parts", "part", *arguments, "--out", "run")
    page = reported("run")
    check(page, report)
    names = [part["name"] for part in page["scores"]["parts"]]
    assert names == ["training", "validation", "test"]
    assert {each["part"] for each in page["ethogram"]["sequences"]} == {"test"}
    searched = "--program" not in arguments
    assert (page["search"] is not None) == searched
    if searched:
        assert page["search"]["trained"] == report["trained"]
        assert page["search"]["ended"] == report["ended"]
    assert not page["notes"]


def test_sequences_with_one_label() -> None:
    frame = parts_table(40, length=4)
    fast = frame.groupby("video")["speed"].transform("mean") > 0
    path = written(frame.assign(does=np.where(fast, "run", "sit")), Path("mice.csv"))
    report = fit(path, *ROLES, "--parts", "part", "--out", "run")
    page = reported("run")
    check(page, report)
    assert page["ethogram"]["per"] == "sequence" and len(page["ethogram"]["sequences"]) == 6
    assert [part["elements"] for part in page["scores"]["parts"]] == [20, 10, 10]


def test_vectors() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3)).astype(np.float32)
    np.savez("rows.npz", X=X, y=(X[:, 0] > 0).astype(int))
    report = fit("rows.npz", "--out", "run")
    page = reported("run")
    check(page, report)
    assert page["ethogram"] is None and page["scores"]["parts"][0]["kind"] == "rows"


def test_long_recordings(mice: Path) -> None:
    path = written(table(3, 1200), Path("long.csv"))
    report = fit(path, *ROLES, "--validation", "0.34", "--out", "run")
    page = reported("run")
    check(page, report)
    assert "windows of 500 frames" in page["notes"][0]
    assert page["scores"]["parts"][1]["kind"] == "frames in windows"
    assert page["ethogram"]["sequences"][0]["length"] == 1200


def test_sequences_by_name_and_other_models_beside(mice: Path) -> None:
    fit(mice, *ROLES, "--bank", "none", "--out", "run")
    rnn = fit(mice, *ROLES, "--search", "rnn", "--out", "network")
    page = reported("run", "--only", "v03", "--only", "v01", "--compare", "network")
    assert [each["name"] for each in page["ethogram"]["sequences"]] == ["v03", "v01"]
    models = page["scores"]["parts"][1]["models"]
    assert [each["name"] for each in models] == ["this program", "majority class", "network"]
    assert models[2]["f1"] == rnn["f1"]
    assert "no sequence 'v99'" in refused("report", "run", "--only", "v99")
    shutil.copytree("network", "deep/network")
    page = reported("run", "--compare", "network", "--compare", "deep/network")
    names = [each["name"] for each in page["scores"]["parts"][0]["models"]]
    assert names[2:] == ["network", "deep/network"]
    fit(mice, *ROLES, "--features", "speed", "--out", "other")
    # A model that reads less of the same data can be compared with; not one that reads more.
    assert len(reported("run", "--compare", "other")["scores"]["parts"][0]["models"]) == 3
    assert "run cannot be compared" in refused("report", "other", "--compare", "run")


def test_a_model_by_itself(mice: Path) -> None:
    report = fit(mice, *ROLES, "--out", "run")
    page = reported("run/model.json")
    assert Path("report.html").exists() and page["search"] is None and page["front"] is None
    assert [part["name"] for part in page["scores"]["parts"]] == ["validation"]
    test = written(table(seed=3), Path("test.csv"))
    page = reported("run/front/1.json", "--test", test, "--out", "first.html")
    scores = json.loads(nearstar("evaluate", "run/front/1.json", test, "--json"))
    assert page["scores"]["parts"][1]["models"][0]["f1"] == scores["f1"]
    assert page["ethogram"]["sequences"][0]["part"] == "test"
    page = reported("run", "--test", test)
    assert page["program"]["text"] == report["program"]
    assert [part["name"] for part in page["scores"]["parts"]] == ["training", "validation", "test"]
    assert "--test" in refused("report", "run/model.json", "--data", mice)


def test_data_that_were_moved_or_changed() -> None:
    path = written(parts_table(), Path("mice.csv"))
    report = fit(path, *ROLES, "--parts", "part", "--out", "run")
    whole = reported("run")
    path.rename("moved.csv")
    page = reported("run")
    assert "mice.csv" in page["notes"][0] and "--data" in page["notes"][0]
    Path("mise.csv").touch()
    assert "mise.csv'? If they were moved" in reported("run")["notes"][0]
    check(page, report)
    assert [part["name"] for part in page["scores"]["parts"]] == ["validation", "test"]
    assert page["ethogram"] is None and page["search"]["nodes"] == whole["search"]["nodes"]
    assert reported("run", "--data", "moved.csv")["scores"] == whole["scores"]
    assert "--compare needs data" in refused("report", "run", "--compare", "run")
    written(parts_table(seed=5), path)
    page = reported("run")
    assert "training and validation data are not the same" in page["notes"][0]
    assert page["scores"] != whole["scores"]
    frame = parts_table()
    written(frame.drop(columns="speed"), path)
    assert "could not be used" in reported("run")["notes"][0]
    written(frame.assign(does=frame["does"].replace("run", "fly")), path)
    page = reported("run")
    assert "could not be used" in page["notes"][0]
    check(page, report)
    assert "nothing.csv" in refused("report", "run", "--data", "nothing.csv")


def written_after(journal: Path, first: str) -> str:
    text = journal.read_text("utf-8") if journal.exists() else ""
    return text.partition(first)[2]


def test_a_run_that_was_killed_before_anything_was_saved(noisy: Path) -> None:
    with subprocess.Popen(
        [*COMMAND, "fit", str(noisy), *ROLES, *SLOWER, "--time", "5m", "--out", "run"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        journal = Path("run/journal.jsonl")
        # A round has ended since there was a first program.
        while '"kind": "round"' not in written_after(journal, '"kind": "best"'):
            assert process.poll() is None
            time.sleep(0.005)
        process.kill()
    assert not Path("run/model.json").exists()
    page = reported("run")
    assert "nearstar resume run" in page["notes"][0]
    nodes = page["search"]["nodes"]
    assert page["search"]["ended"] is None and nodes["kind"][page["search"]["best"]] == 1
    # It is scored, and rebuilt, as it was trained.
    validation = page["scores"]["parts"][1]
    assert validation["name"] == "validation"
    error = nodes["error"][page["search"]["best"]]
    assert 1 - validation["models"][0]["f1"] == pytest.approx(error, abs=1e-5)
    assert page["ethogram"]["sequences"] and sum(each["chosen"] for each in page["front"]) == 1
    Path("run/settings.toml").unlink()
    page = reported("run")
    assert "not known" in page["notes"][1]
    assert 1 - page["scores"]["parts"][0]["models"][0]["f1"] == pytest.approx(error, abs=1e-5)
    assert "--test" in refused("report", "run", "--data", noisy)


def test_hostile_names_are_inert() -> None:
    frame = parts_table().rename(columns={"speed": "</script><script>pwned()</script>"})
    frame["video"] = "<b>" + frame["video"]
    path = written(frame.replace({"does": {"run": '"><img src=x onerror=pwned()>'}}), Path("a.csv"))
    fit(path, *ROLES, "--parts", "part", "--out", "<i>run")
    page = reported("<i>run")
    text = Path("<i>run/report.html").read_text("utf-8")
    assert page["title"] == "<i>run" and '"><img src=x onerror=pwned()>' in page["classes"]
    for piece in ("<script>pwned", "<img", "<b>v", "<i>run"):
        assert piece not in text


def test_what_is_printed_and_what_is_refused(mice: Path) -> None:
    fit(mice, *ROLES, "--out", "run")
    assert nearstar("report", "run").startswith("wrote run/report.html, 0.")
    same = Path("run/report.html").read_bytes()
    Path("run/journal.jsonl").unlink()
    assert reported("run")["search"] is None
    assert len(same) > Path("run/report.html").stat().st_size
    assert "reports are written as .html" in refused("report", "run", "--out", "run/model.json")
    assert "cannot be written" in refused("report", "run", "--out", "nowhere/a.html")
    Path("empty").mkdir()
    assert "no folder of a run" in refused("report", "empty")
    assert "nowhere" in refused("report", "nowhere")
    Path("run/result.json").write_text("{}", "utf-8")
    assert "result.json is damaged" in refused("report", "run")


def test_a_damaged_journal_is_told_of(mice: Path) -> None:
    report = fit(mice, *ROLES, "--trainings", "12", "--out", "run")
    journal = Path("run/journal.jsonl")
    sound = journal.read_bytes()
    place = len(sound) // 2
    journal.write_bytes(sound[:place] + bytes([sound[place] ^ 1]) + sound[place + 1 :])
    page = reported("run")
    assert "as far as its journal can be read" in page["notes"][0]
    check(page, report)


def test_a_run_that_is_not_there(tmp_path: Path) -> None:
    said = refused("report", tmp_path / "nowhere")
    assert said.endswith("nowhere; give the folder of a fit, or a model.json\n")
