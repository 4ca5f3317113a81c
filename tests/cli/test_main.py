"""Exit codes, closed pipes, full disks and Ctrl-C."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from cli.calling import COMMAND, QUICK, ROLES, nearstar, table, written

import nearstar as package
from nearstar.model.model import Model


def test_version_and_help() -> None:
    assert nearstar("--version") == f"nearstar {package.__version__}\n"
    assert "commands:" in nearstar("--help")
    assert nearstar(code=2) == nearstar("--help")


def test_the_installed_command(mice: Path) -> None:
    script = Path(sys.executable).with_name("nearstar")
    ended = subprocess.run(
        [script, "fit", mice, "--tiem", "5"], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 2 and not ended.stdout
    assert ended.stderr == (
        "nearstar: unknown flag --tiem; did you mean --time?\nTry: nearstar fit --help\n"
    )


@pytest.mark.slow
def test_a_reader_that_has_seen_enough(run: Path, tmp_path: Path) -> None:
    path = written(table(200, 50), tmp_path / "many.csv")
    with subprocess.Popen(
        [*COMMAND, "predict", run, path], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None and process.stderr is not None
        assert process.stdout.readline() == b"video,frame,prediction\n"
        process.stdout.close()
        assert process.stderr.read() == b"" and process.wait(60) == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_output_that_cannot_be_written(run: Path) -> None:
    with open("/dev/full", "wb") as full:
        ended = subprocess.run(
            [*COMMAND, "show", run],
            env={name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"},
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert ended.returncode == 1
    assert ended.stderr == "nearstar: the output cannot be written: No space left on device\n"


def test_a_terminal_that_lacks_signs(mice: Path) -> None:
    ended = subprocess.run(
        [*COMMAND, "fit", "--help"],
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        check=True,
    )
    assert b"\\u03bb, what structure costs" in ended.stdout


@pytest.mark.slow
def test_files_that_may_not_grow(mice: Path, tmp_path: Path) -> None:
    """A full disk, as a limit on files has it."""
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (900, 900))\n"
    ended = subprocess.run(
        [*COMMAND[:2], limit + COMMAND[2], "fit", mice, *ROLES, *QUICK, "--out", "run"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 1
    assert ended.stderr.startswith("nearstar: run/journal.jsonl cannot be written: File too large")
    assert not list(tmp_path.iterdir())


def test_ctrl_c_saves_what_was_found(noisy: Path, tmp_path: Path) -> None:
    arguments = ["fit", noisy, *ROLES, "--time", "5m", "--out", "run", "--workers", "1"]
    with subprocess.Popen(
        [*COMMAND, *arguments, "--steps", "40", "--neural-steps", "40"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        while not (tmp_path / "run").exists():  # it is made when the search begins
            time.sleep(0.02)
            assert process.poll() is None
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        printed, said = process.communicate(timeout=60)
    assert process.returncode == 130 and not said
    assert "interrupted" in printed and "saved in run" in printed
    model = Model.load(tmp_path / "run" / "model.json")
    assert model.text() in nearstar("show", tmp_path / "run")
    assert model.facts["provenance"]["ended"] == "interrupted"


@pytest.mark.slow
def test_ctrl_c_before_anything_was_found_leaves_nothing(mice: Path, tmp_path: Path) -> None:
    # The first trainings, of probes and networks, take minutes.
    longer = ("--steps", "10000000", "--neural-steps", "10000000")
    arguments = ["fit", mice, *ROLES, "--out", "a/run", *longer]
    with subprocess.Popen(
        [*COMMAND, *arguments],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        while not (tmp_path / "a" / "run").exists():
            time.sleep(0.02)
            assert process.poll() is None
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        printed, said = process.communicate(timeout=60)
    assert (process.returncode, printed, said) == (130, "", "nearstar: interrupted\n")
    assert not list(tmp_path.iterdir())
