"""Ctrl-C, as a person presses it: in a process of its own."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]

HEED = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
"""
"""Where tests run in the background, shells have interrupts ignored."""

LEARNING = """
from nearstar import Domain, Task, two_animals_split
from nearstar.run import NewBest, learn

def listener(event):
    if isinstance(event, NewBest):
        print("found", flush=True)

task = Task(*two_animals_split(0)[:2])
result = learn(task, Domain.built_in("crim13"), listeners=[listener], workers=2)
print(result.ended, result.best.evaluation.path_cost == min(
    each.path_cost for each in result.evaluations if each.complete))
print(result.summary())
"""

DEAF = """
import os, threading, time
from run.driving import Plain, Table, small_space
from nearstar.run import drive

def before(program, stop):
    if program.size > 1:
        print("training", flush=True)
        while not stop.flag[0]:
            time.sleep(0.001)
        print("told", flush=True)
        time.sleep(60)  # and does not care

space = small_space()
result = drive(Plain().search(space), Table(before=before), space)
print(result.ended, flush=True)
os._exit(0)
"""


def started(script: str, first: str) -> subprocess.Popen[str]:
    """A process that runs the script and has said its first word."""
    process = subprocess.Popen(
        [sys.executable, "-c", HEED + script],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=TESTS,
    )
    assert process.stdout is not None and process.stdout.readline() == f"{first}\n"
    return process


def test_ctrl_c_returns_the_best_so_far() -> None:
    process = started(LEARNING, "found")
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=60)
    assert process.returncode == 0 and not errors
    lines = output.replace("found\n", "").splitlines()
    assert lines[0] == "interrupted True"
    assert lines[-1].startswith("interrupted; ") and "x" in lines[1]


@pytest.mark.slow
def test_a_second_ctrl_c_does_not_wait_for_trainings_to_end() -> None:
    process = started(DEAF, "training")
    process.send_signal(signal.SIGINT)
    assert process.stdout is not None and process.stdout.readline() == "told\n"
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=30)
    assert process.returncode == 0 and not errors
    assert output == "interrupted\n"


TAKING_A_LOCK = """
import os, sys, threading
from concurrent.futures import wait
from run.driving import DOMAIN, small_task
from nearstar import Budget, learn

events, sent = [], []

def trace(frame, event, arg):
    # A wait has just taken its lock: now.
    taken = event == "return" and frame.f_code is threading.Condition.__enter__.__code__
    above = frame.f_back and frame.f_back.f_back
    waits = above is not None and above.f_code is wait.__code__
    if taken and waits and events and not sent:
        sent.append(True)
        os.kill(os.getpid(), signal.SIGINT)
    return trace

sys.settrace(trace)
result = learn(small_task(), DOMAIN, budget=Budget(neural_steps=10**8), workers=1,
               listeners=[events.append], progress=False)
assert sent and result.ended == "interrupted", (sent, result.ended)
"""


def test_ctrl_c_while_a_lock_is_taken_leaves_nothing_waiting() -> None:
    """An exception at that moment would leave the lock taken, and the trainings waiting for it."""
    command = [sys.executable, "-c", HEED + TAKING_A_LOCK]
    subprocess.run(command, timeout=60, check=True, cwd=TESTS)
