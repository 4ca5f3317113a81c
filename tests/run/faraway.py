"""Searches to be made wherever one can train, and what is done to those who train."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any
from uuid import uuid4

from run.driving import DOMAIN, QUICK, SMALL, small_task, timeless

from nearstar import Budget, Task, Trained, function, learn, to_text
from nearstar.language.program import Program
from nearstar.run import Limits, Result, Trainer
from nearstar.search.astar import AStar
from nearstar.search.genetic import Genetic
from nearstar.search.idsbb import IDSBB
from nearstar.search.protocol import Algorithm

TESTS = Path(__file__).parents[1]


@function("damped", takes=("out", "out"), prints="damped {0} by {1}")
def damped(a: Any, b: Any) -> Any:
    return a / (abs(b) + 1)


EXTENDED = DOMAIN.with_functions(damped)
ENDLESS = Budget(neural_steps=10**8, symbolic_steps=10**8)
"""Trainings that somebody has to end."""
SEARCHES: dict[str, Algorithm] = {
    "A*": AStar(margin=1.0, width=6),
    "A*, warm": AStar(margin=1.0, warm_start=True),
    "IDS-BB": IDSBB(initial_depth=2, margin=1.0),
    "genetic": Genetic(population=10, select=5, generations=4, evaluations=40),
}


def searched(name: str = "A*", **where: Any) -> Result:
    """A search of some 50 programs, with a function of the user's."""
    given = {"budget": QUICK, "constraints": SMALL, "limits": Limits(trainings=50), **where}
    return learn(small_task(), EXTENDED, SEARCHES[name], progress=False, **given)


@cache
def expected(name: str = "A*") -> Mapping[str, object]:
    """How it ends on one thread."""
    return timeless(searched(name, workers=1))


def endless(**where: Any) -> Result:
    """A search that comes no further than its first trainings."""
    return searched(budget=ENDLESS, **where)


def count_unpacking(folder: str) -> Callable[[], None]:
    """Have each unpacking of a task leave a file, named after the process; returns what ends it."""
    usual = Task.__setstate__

    def counted(self: Task, state: dict[str, Any]) -> None:
        (Path(folder) / f"{os.getpid()}-{uuid4().hex}").touch()
        usual(self, state)

    Task.__setstate__ = counted  # type: ignore[method-assign]
    return lambda: setattr(Task, "__setstate__", usual)


def kill_those_who_train(text: str, folder: str) -> Callable[[], None]:
    """Have a program leave a file and end the process that trains it; returns what ends that."""
    usual = Trainer.train

    def train(self: Trainer, program: Program, *more: Any) -> Trained:
        if to_text(program) == text:
            (Path(folder) / uuid4().hex).touch()
            os._exit(1)
        return usual(self, program, *more)

    Trainer.train = train  # type: ignore[method-assign,assignment]
    return lambda: setattr(Trainer, "train", usual)


def unpackings(folder: Path) -> dict[str, int]:
    """How often each process has unpacked a task."""
    pids = [path.name.partition("-")[0] for path in folder.iterdir()]
    return {pid: pids.count(pid) for pid in pids}


def until(holds: Callable[[], bool]) -> None:
    """Wait until it holds; fails if it never does."""
    end = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.05)


HEED = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
"""
"""Where tests run in the background, shells have interrupts ignored."""


def started(script: str, *arguments: str, **variables: str) -> subprocess.Popen[str]:
    """A process of its own group that runs the script and has said its first word, "begun"."""
    process = subprocess.Popen(
        [sys.executable, "-c", HEED + script, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=TESTS,
        env={**os.environ, **variables},
        start_new_session=True,
    )
    assert process.stdout is not None
    first = process.stdout.readline()
    if first != "begun\n":
        process.kill()
        raise AssertionError((first, process.communicate()))
    return process


def ended(process: subprocess.Popen[str]) -> str:
    """What a process said until its end, which must be a good one."""
    try:
        output, errors = process.communicate(timeout=60)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
    assert process.returncode == 0, errors
    return output
