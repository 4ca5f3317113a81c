"""``nearstar reproduce``: the list, a study from end to end, Ctrl-C, ``kill -9``, going on."""

from __future__ import annotations

import csv
import io
import signal
import subprocess
import time
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest
from cli.calling import COMMAND, nearstar

from nearstar.cli import main
from nearstar.reproduce import TASKS
from nearstar.run.store import JournalReader


def run(*arguments: object) -> tuple[str, str]:
    """What is printed, and what is said of its progress."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        assert main(["reproduce", *map(str, arguments)]) == 0, err.getvalue()
    return out.getvalue(), err.getvalue()


def started(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    """A study that has trained something for its first trials."""
    process = subprocess.Popen(
        [*COMMAND, "reproduce", "hidden-rule", *arguments, "--out", "study"],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    while not any((folder / "study").glob("runs/*/journal.jsonl")):
        time.sleep(0.02)
        assert process.poll() is None
    time.sleep(1)
    return process


def answers(run: Path) -> list[tuple[str, float]]:
    """The programs of a run in the order in which they were trained, and their errors."""
    records = (line.record for line in JournalReader(run / "journal.jsonl").new_lines())
    return [(each["program"], each["error"]) for each in records if each.get("kind") == "training"]


LONG = ("--algorithms", "astar,rnn", "--trials", "2", "--time", "1h", "--weights", "none")


def test_without_a_task_they_are_listed() -> None:
    printed = nearstar("reproduce")
    for name, kind in TASKS.items():
        assert name in printed and kind.title in printed


@pytest.mark.slow
def test_a_study_from_end_to_end(tmp_path: Path) -> None:
    folder = tmp_path / "study"
    given = ("hidden-rule", "--algorithms", "astar,logistic", "--time", "1s", "--weights", "none")
    given += ("--finalists", "1")
    printed, said = run(*given, "--trials", 1, "--out", folder)
    assert "| A\\* NEAR | 1 |" in printed and str(folder / "index.html") in printed
    assert said.count("\n") == 2 and "2 of 2" in said
    command = "nearstar reproduce hidden-rule --trials 1 --time 1s --algorithms astar,logistic"
    assert command in (folder / "results.md").read_text("utf-8")
    printed, said = run(*given, "--trials", 2, "--out", folder)
    with (folder / "trials.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert {(row["algorithm"], row["seed"]) for row in rows} == {
        (name, seed) for name in ("astar", "logistic") for seed in "01"
    }
    shown = nearstar("show", folder / "runs" / "astar-1" / "model.json")
    (program,) = [
        row["program"] for row in rows if (row["algorithm"], row["seed"]) == ("astar", "1")
    ]
    assert program.split("(")[0] in shown


@pytest.mark.slow
def test_ctrl_c_keeps_what_was_trained(tmp_path: Path) -> None:
    with started(tmp_path, *LONG) as process:
        process.send_signal(signal.SIGINT)
        printed, said = process.communicate(timeout=60)
    assert process.returncode == 130 and not printed
    assert said.endswith("what was trained is in study, and the same command goes on with it\n")
    assert "Traceback" not in said


@pytest.mark.slow
def test_a_killed_study_goes_on_to_the_result_of_one_that_was_not(tmp_path: Path) -> None:
    given = ("--algorithms", "enumeration,mcts", "--trials", "2", "--time", "4s")
    given += ("--weights", "none", "--finalists", "2")
    for _ in range(3):
        with started(tmp_path, *given) as process:
            process.kill()
            process.communicate(timeout=60)
    run("hidden-rule", *given, "--out", tmp_path / "study")
    run("hidden-rule", *given, "--out", tmp_path / "whole")
    for name in ("enumeration-0", "enumeration-1", "mcts-0", "mcts-1"):
        # A limit of time ends the same search at another moment: one is the beginning of the other.
        killed, whole = (answers(tmp_path / study / "runs" / name) for study in ("study", "whole"))
        common = min(len(killed), len(whole))
        assert common > 5 and killed[:common] == whole[:common]
    for study in ("study", "whole"):
        with (tmp_path / study / "trials.csv").open(newline="") as file:
            assert len(list(csv.DictReader(file))) == 4
