"""``nearstar resume``: a run goes on after Ctrl-C, kill -9, limits, damage; and only itself."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from cli.calling import COMMAND, ROLES, fit, nearstar, refused, table, written

SLOWER = (
    *("--steps", "320", "--neural-steps", "320", "--restarts", "1", "--max-depth", "5"),
    *("--finalists", "0"),
)
"""Trainings of some 10 ms; the finals have tests of their own."""


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def resume(*arguments: object) -> dict[str, Any]:
    report: dict[str, Any] = json.loads(nearstar("resume", *arguments, "--json"))
    return report


def timeless(report: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in report.items() if name != "seconds"}


def answers(folder: Path) -> int:
    lines = (folder / "journal.jsonl").read_text("utf-8").splitlines()
    return sum('"kind": "training"' in line for line in lines)


def times(folder: Path) -> set[float]:
    lines = (folder / "journal.jsonl").read_text("utf-8").splitlines()
    records = [json.loads(line)[2] for line in lines]
    return {record["seconds"] for record in records if record.get("kind") == "training"}


def files(folder: Path) -> dict[str, bytes]:
    return {
        path.name: path.read_bytes() for path in [folder / "model.json", *folder.glob("front/*")]
    }


@pytest.mark.parametrize("search", ["astar", pytest.param("genetic", marks=pytest.mark.slow)])
def test_a_killed_run_ends_as_if_it_had_not_been(mice: Path, search: str) -> None:
    arguments = [mice, *ROLES, *SLOWER, "--search", search, "--trainings", "60", "--workers", "2"]
    arguments += ["--bank", "none"]
    whole = fit(*arguments, "--out", "whole")
    with subprocess.Popen(
        [*COMMAND, "fit", *map(str, arguments), "--out", "cut"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        while not (Path("cut/journal.jsonl").exists() and answers(Path("cut")) > 5):
            assert process.poll() is None
            time.sleep(0.005)
        process.kill()
    before = answers(Path("cut"))
    assert before < whole["trained"] and not Path("cut/model.json").exists()
    assert "nearstar resume cut" in refused("show", "cut")
    resumed = resume("cut")
    assert timeless(resumed) | {"model": 0, "front": 0} == timeless(whole) | {
        "model": 0,
        "front": 0,
    }
    assert files(Path("cut")) == files(Path("whole"))
    assert answers(Path("cut")) >= whole["trained"]  # idle workers train some ahead
    assert timeless(resume("cut")) == timeless(resumed)


def test_limits_are_of_the_whole_run_and_can_be_raised(noisy: Path) -> None:
    whole = fit(noisy, *ROLES, "--trainings", "25", "--out", "whole")
    first = fit(noisy, *ROLES, "--trainings", "10", "--out", "run")
    assert (first["trained"], first["ended"]) == (10, "trainings")
    assert "nearstar resume run --trainings" in nearstar("resume", "run")
    on = resume("run", "--trainings", "25")
    assert on["trained"] == 25 and on["program"] == whole["program"]
    assert files(Path("run")) == files(Path("whole"))
    # What was raised stays so; a limit of time takes the place of that of trainings.
    assert resume("run")["trained"] == 25
    assert resume("run", "--time", "2s", "--workers", "1")["trained"] > 25


def test_from_another_place_and_with_moved_data(
    mice: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copy(mice, "mice.csv")
    report = fit("mice.csv", *ROLES, "--out", "run")
    Path("deep").mkdir()
    monkeypatch.chdir("deep")
    assert resume("../run")["program"] == report["program"]
    Path("../mice.csv").rename("moved.csv")
    assert "mice.csv" in refused("resume", "../run")
    assert resume("../run", "--data", "moved.csv")["program"] == report["program"]
    written(table(seed=5), Path("other.csv"))
    said = refused("resume", "../run", "--data", "other.csv")
    assert "training data are not the same" in said


def test_changed_settings_are_refused_by_name(mice: Path) -> None:
    fit(mice, *ROLES, "--out", "run")
    settings = Path("run/settings.toml")
    text = settings.read_text("utf-8")
    settings.write_text(text.replace("weight = 1.0", "weight = 0.5"), "utf-8")
    before = Path("run/journal.jsonl").read_bytes()
    said = refused("resume", "run")
    assert "weight was 1.0, and is 0.5 now" in said
    assert Path("run/journal.jsonl").read_bytes() == before


@pytest.mark.slow
def test_damage_is_named_and_can_be_repaired(mice: Path) -> None:
    whole = fit(mice, *ROLES, "--trainings", "12", "--out", "run")
    journal = Path("run/journal.jsonl")
    sound = journal.read_bytes()
    place = len(sound) // 2
    journal.write_bytes(sound[:place] + bytes([sound[place] ^ 1]) + sound[place + 1 :])
    start = sound.rindex(b"\n", 0, place) + 1
    said = refused("resume", "run")
    assert f"damaged at byte {start}" in said and "--repair" in said
    damaged = journal.read_bytes()
    process = subprocess.run(
        [*COMMAND, "resume", "run", "--repair", "--json"], capture_output=True, check=True
    )
    assert b"repaired" in process.stderr
    assert timeless(json.loads(process.stdout)) == timeless(whole)
    assert Path("run/journal.jsonl.damaged").read_bytes() == damaged
    assert timeless(resume("run", "--repair")) == timeless(whole)


@pytest.mark.slow
def test_a_run_in_use_is_refused(noisy: Path) -> None:
    endless = ("--max-depth", "10", "--time", "5m")
    with subprocess.Popen(
        [*COMMAND, "fit", str(noisy), *ROLES, *SLOWER, *endless, "--out", "run"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        while not (Path("run/journal.jsonl").exists() and answers(Path("run")) > 2):
            assert process.poll() is None
            time.sleep(0.01)
        said = refused("resume", "run")
        assert "in use" in said and str(process.pid) in said
        process.send_signal(signal.SIGINT)
        process.wait(60)
    assert process.returncode == 130
    assert resume("run", "--trainings", "30")["trained"] == 30


def test_trainings_of_another_run_are_used_again(mice: Path) -> None:
    common = (mice, *ROLES, "--trainings", "30", "--seed", "3", "--bank", "none")
    fit(*common, "--out", "one")
    alone = fit(*common, "--weight", "0.5", "--out", "two")
    cached = fit(*common, "--weight", "0.5", "--out", "three", "--cache", "one")
    assert cached["program"] == alone["program"] and files(Path("two")) == files(Path("three"))
    # The processor time that a training took tells it from all others.
    assert len(times(Path("one")) & times(Path("three"))) > 3
    assert not times(Path("one")) & times(Path("two"))
    shutil.rmtree("one")
    assert timeless(resume("three")) == timeless(cached)
    said = refused(
        "fit", mice, *ROLES, "--seed", "4", "--bank", "none", "--out", "four", "--cache", "two"
    )
    assert "seed was 3, and is 4 now" in said
    assert "there is no run in nowhere" in refused(
        "fit", *common, "--out", "five", "--cache", "nowhere"
    )
    assert not Path("four").exists() and not Path("five").exists()


def test_what_cannot_be_resumed(mice: Path) -> None:
    assert "no folder of a search" in refused("resume", "nowhere")
    fit(mice, *ROLES, "--program", "map (fun x_t. SpeedAffine(x_t)) x", "--out", "one")
    assert "no folder of a search" in refused("resume", "one")
    Path("two").mkdir()
    assert "settings.toml" in refused("resume", "two")
    trained = fit(mice, *ROLES, "--out", "run")["trained"]
    assert "nearstar resume run goes on" in refused("fit", mice, *ROLES, "--out", "run")
    journal = Path("run/journal.jsonl")
    journal.write_bytes(journal.read_bytes()[:100])
    assert resume("run")["trained"] == trained  # a journal that was never begun begins anew


@pytest.mark.slow
def test_ctrl_c_goes_on_where_it_was(noisy: Path) -> None:
    with subprocess.Popen(
        [*COMMAND, "fit", str(noisy), *ROLES, *SLOWER, "--time", "30m", "--out", "run", "--quiet"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        journal = Path("run/journal.jsonl")
        while not (journal.exists() and '"kind": "best"' in journal.read_text("utf-8")):
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        printed, _ = process.communicate(timeout=60)
    assert process.returncode == 130 and "to search on: nearstar resume run" in printed
    trained = json.loads(Path("run/result.json").read_text("utf-8"))["trained"]
    assert resume("run", "--trainings", trained + 5)["trained"] == trained + 5
