"""Runs that are killed at random moments, and then let come to their end.

``python killing.py KILLS SEED`` prints one line of JSON for each algorithm. The runs are forked off
one process that has everything imported, so that a kill meets a run at work, not Python starting.
"""

from __future__ import annotations

import json
import os
import pickle
import random
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from run.driving import DOMAIN, small_task, timeless

from nearstar import Budget, Units
from nearstar.run import Limits, Result, Trainer, learn
from nearstar.run.trainer import compile_engine
from nearstar.search.astar import AStar
from nearstar.search.constraints import Constraints
from nearstar.search.enumeration import Enumeration
from nearstar.search.genetic import Genetic
from nearstar.search.idsbb import IDSBB
from nearstar.search.mcts import MCTS
from nearstar.search.montecarlo import MonteCarlo
from nearstar.search.protocol import Algorithm
from nearstar.search.rnn import RNN

WORKERS = 2
BUDGET = Budget(neural_steps=320, symbolic_steps=480, units=Units(8, 4))
"""Trainings of some 10 ms."""
ALGORITHMS: dict[str, Algorithm] = {
    "A*": AStar(margin=1.0),
    "A*, warm": AStar(margin=1.0, warm_start=True),
    "IDS-BB": IDSBB(initial_depth=2, margin=1.0),
    "enumeration": Enumeration(max_programs=60),
    "Monte Carlo": MonteCarlo(samples=8),
    "MCTS": MCTS(samples=25),
    "genetic": Genetic(population=10, select=5, generations=6, evaluations=60),
    "RNN": RNN(units=16, steps=3200),
}


class Counting(Trainer):
    """Writes down each training that has come to its end, before anybody keeps it."""

    finished: int = -1

    def train(self, *arguments: Any, **more: Any) -> Any:
        trained = super().train(*arguments, **more)
        if Counting.finished >= 0:
            os.write(Counting.finished, b".")
        return trained


def run(algorithm: Algorithm, folder: Path | None = None) -> Result:
    return learn(
        TASK,
        DOMAIN,
        algorithm,
        seed=3,
        budget=BUDGET,
        limits=Limits(trainings=80),
        constraints=Constraints(max_depth=5),
        workers=WORKERS,
        audit_samples=3,
        progress=False,
        run=folder,
    )


def forked(work: Callable[[], None]) -> int:
    """The number of a process that does the work and ends."""
    child = os.fork()
    if child:
        return child
    try:
        work()
        os._exit(0)
    except BaseException as problem:
        print(repr(problem), file=sys.stderr)
        os._exit(1)


def answers(folder: Path) -> int:
    journal = folder / "journal.jsonl"
    return journal.read_bytes().count(b'"kind": "training"') if journal.exists() else 0


def survive(name: str, kills: int, chance: random.Random, place: Path) -> dict[str, Any]:
    """Kill runs of an algorithm, each twice at most, and let them come to their end."""
    algorithm, saved, log = ALGORITHMS[name], place / "result", place / "finished"

    def reference() -> None:
        began = time.monotonic()
        result = timeless(run(algorithm))
        saved.write_bytes(pickle.dumps((result, time.monotonic() - began)))

    assert os.waitpid(forked(reference), 0)[1] == 0
    whole, seconds = pickle.loads(saved.read_bytes())
    codes, lost, reached, same = [], [], [], True
    while codes.count(-signal.SIGKILL) < kills:
        folder = place / f"run{len(codes)}"

        def resumed(folder: Path = folder) -> None:
            Counting.finished = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
            saved.write_bytes(pickle.dumps(timeless(run(algorithm, folder))))

        for patience in (chance.uniform(0, seconds), chance.uniform(0, seconds), None):
            before, ended_before = answers(folder), size(log)
            child = forked(resumed)
            if patience is not None:
                time.sleep(patience)
                os.kill(child, signal.SIGKILL)
            codes.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
            reached.append(answers(folder))
            lost.append(size(log) - ended_before - (reached[-1] - before))
        same = same and codes[-1] == 0 and pickle.loads(saved.read_bytes()) == whole
    return {
        "name": name,
        "kills": codes.count(-signal.SIGKILL),
        "ended": set(codes) <= {0, -signal.SIGKILL},
        "same": same,
        "most_lost": max(lost),
        "reached": reached,
        "trained": whole["counts"][0],
    }


def size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


TASK = small_task()

if __name__ == "__main__":
    import nearstar.run.learn as learn_module

    learn_module.Trainer = Counting  # type: ignore[misc]
    compile_engine()
    kills, seed = map(int, sys.argv[1:])
    chance = random.Random(seed)
    each = -(-kills // len(ALGORITHMS))
    for name in ALGORITHMS:
        with tempfile.TemporaryDirectory() as place:
            print(json.dumps(survive(name, each, chance, Path(place))), flush=True)
