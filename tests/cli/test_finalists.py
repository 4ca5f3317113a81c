"""``nearstar fit --finalists``: the best are trained again, also when a run is resumed."""

from __future__ import annotations

import contextlib
import io
import json
from pathlib import Path
from typing import Any

import pytest
from cli.calling import ROLES, fit, nearstar, refused

from nearstar.cli import main
from nearstar.cli.run_contents import contents_of
from nearstar.run.finals import finals_in

HASTY = ("--search", "enumeration", "--steps", "4", "--learning-rate", "0.01")
"""Trainings that longer ones are better than."""


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def timeless(report: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in report.items() if name != "seconds"}


def files(folder: str) -> dict[str, bytes]:
    paths = [Path(folder, "model.json"), *Path(folder).glob("front/*")]
    return {path.name: path.read_bytes() for path in paths}


def answers(folder: Path) -> int:
    return (folder / "journal.jsonl").read_text("utf-8").count('"kind": "training"')


def test_the_best_are_trained_again(mice: Path) -> None:
    common = (mice, *ROLES, *HASTY, "--trainings", "15", "--bank", "none")
    plain = fit(*common, "--out", "plain")
    again = fit(*common, "--finalists", "3", "--out", "again")
    assert "finalists" not in plain and again["finalists"] == 3
    assert again["path_cost"] < plain["path_cost"]
    assert [again[name] for name in ("trained", "ended")] == [15, "trainings"]
    assert again["gap"] == plain["gap"] > 0, "it is the search's own"
    history = contents_of(Path("again"), None).history
    assert history is not None and history.gap == plain["gap"]
    assert history.final_cost == again["path_cost"]
    assert history.summary()[1].startswith(f"cost {again['path_cost']:.4f} since the best were")
    before = contents_of(Path("plain"), None).history
    assert before is not None and before.final_cost is None
    shown = json.loads(nearstar("show", "again", "--json"))
    assert shown["program"] == again["program"]
    assert shown["provenance"]["finalists"] == 3
    assert shown["provenance"]["gap"] == plain["gap"]
    assert [each["program"] for each in shown["front"]].count(again["program"]) == 1
    off = fit(*common, "--finalists", "0", "--out", "off")
    assert off["program"] == plain["program"] and not finals_in(Path("off"))
    assert "trained again" in nearstar("resume", "again")
    network = fit(*common, "--search", "rnn", "--finalists", "3", "--out", "network")
    assert "finalists" not in network


def test_a_resumed_run_has_its_finals(mice: Path) -> None:
    common = (mice, *ROLES, *HASTY, "--finalists", "3")
    whole = fit(*common, "--trainings", "25", "--out", "whole")
    first = fit(*common, "--trainings", "12", "--out", "run")
    (folder,) = finals_in(Path("run"))
    same = json.loads(nearstar("resume", "run", "--json"))
    assert timeless(same) == timeless(first) and finals_in(Path("run")) == [folder]
    assert answers(folder) == 3
    later = json.loads(nearstar("resume", "run", "--trainings", "25", "--json"))
    assert later["path_cost"] == whole["path_cost"] and files("run") == files("whole")


def test_damage_in_finals_is_named_and_can_be_repaired(mice: Path) -> None:
    whole = fit(mice, *ROLES, *HASTY, "--trainings", "12", "--finalists", "3", "--out", "run")
    (folder,) = finals_in(Path("run"))
    journal = folder / "journal.jsonl"
    sound = journal.read_bytes()
    place = sound.index(b'"kind": "training"') + 30
    journal.write_bytes(sound[:place] + bytes([sound[place] ^ 1]) + sound[place + 1 :])
    said = refused("resume", "run")
    assert f"{journal} is damaged at byte" in said and "--repair" in said
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        assert main(["resume", "run", "--repair", "--json"]) == 0
    assert f"repaired {journal}" in err.getvalue()
    assert json.loads(out.getvalue())["program"] == whole["program"]
