"""Executors train as threads do, lose what they like, break when they must, and are left clean."""

from __future__ import annotations

import multiprocessing
import os
import signal
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from run.driving import QUICK, small_task, timeless
from run.faraway import (
    SEARCHES,
    count_unpacking,
    ended,
    endless,
    expected,
    searched,
    started,
    unpackings,
    until,
)

from nearstar import NearstarError, Stop, Trained
from nearstar.language.program import Hole
from nearstar.run import Evaluated, Limits, RunMemory
from nearstar.run.requests import Request
from nearstar.run.store.trainings import Key, Training, key_of
from nearstar.run.trainer import Trainer
from nearstar.run.workers import executors
from nearstar.run.workers.executors import ExecutorWorkers


def processes(method: str, **more: Any) -> ProcessPoolExecutor:
    return ProcessPoolExecutor(2, mp_context=multiprocessing.get_context(method), **more)


class AtOnce(Executor):
    """Does everything itself, when it is asked to."""

    def submit(self, do: Callable[..., Any], /, *given: Any, **named: Any) -> Future[Any]:
        future: Future[Any] = Future()
        try:
            future.set_result(do(*given, **named))
        except BaseException as problem:
            future.set_exception(problem)
        return future


@pytest.fixture(scope="module")
def spawned() -> Iterator[ProcessPoolExecutor]:
    with processes("spawn") as pool:
        yield pool


@pytest.fixture(autouse=True)
def left_clean(tmp_path_factory: pytest.TempPathFactory, monkeypatch: Any) -> Iterator[None]:
    """Nothing stays behind: no file, no thread of a watcher, no data of a run."""
    folder = tmp_path_factory.mktemp("temporary")
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    yield
    assert not list(folder.glob("nearstar-*"))
    assert not executors._HERE


# The same everywhere


@pytest.mark.parametrize("name", SEARCHES)
@pytest.mark.slow
def test_threads_and_processes_give_the_same(name: str, spawned: ProcessPoolExecutor) -> None:
    for workers in (2, 4):
        assert timeless(searched(name, workers=workers)) == expected(name)
    with ThreadPoolExecutor(3) as threads:
        assert timeless(searched(name, workers=threads)) == expected(name)
    for workers in (AtOnce(), spawned):
        assert timeless(searched(name, workers=workers)) == expected(name)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["fork", "forkserver"])
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded")
def test_processes_may_be_started_in_any_way(method: str) -> None:
    with processes(method) as pool:
        assert timeless(searched(workers=pool)) == expected()


@pytest.mark.slow
def test_each_process_reads_the_data_once(tmp_path: Path) -> None:
    with processes("spawn", initializer=count_unpacking, initargs=(str(tmp_path),)) as pool:
        searched(workers=pool)
        assert set(unpackings(tmp_path).values()) == {1}
        searched(workers=pool, limits=Limits(trainings=8))
        assert max(unpackings(tmp_path).values()) <= 2


# Jobs that get lost


class Losing(ThreadPoolExecutor):
    """Loses each program as often as is told."""

    def __init__(self, losses: list[int]) -> None:
        super().__init__(3)
        self.losses = losses
        self.programs: list[Any] = []
        self.tries: Counter[Any] = Counter()
        self.at_work: set[int] = set()
        self.beside_a_last_try: list[int] = []
        self._taken = threading.Lock()

    def submit(self, do: Callable[..., Any], /, *given: Any, **named: Any) -> Future[Any]:
        return super().submit(self._do, do, *given)

    def _do(self, do: Callable[..., Any], path: str, arguments: Any, left: float) -> Any:
        program = arguments[0]
        with self._taken:
            if program not in self.programs:
                self.programs.append(program)
            index = self.programs.index(program)
            self.tries[index] += 1
            self.at_work.add(index)
        try:
            if self.tries[index] == 3:
                self.beside_a_last_try += self.at_work - {index}
            if index < len(self.losses) and self.tries[index] <= self.losses[index]:
                raise ConnectionError("gone")
            return do(path, arguments, left)
        finally:
            with self._taken:
                self.at_work.remove(index)


@settings(max_examples=10)
@given(st.lists(st.integers(0, 4), max_size=12))
def test_lost_jobs_are_tried_three_times(losses: list[int]) -> None:
    with Losing(losses) as losing:
        result = searched("genetic", workers=losing)  # which trains nothing ahead
    failures = {each.program: each.failure for each in result.evaluations if each.failure}
    for index, program in enumerate(losing.programs):
        lost = losses[index] if index < len(losses) else 0
        assert losing.tries[index] == min(lost + 1, 3)
        assert (program in failures) == (lost >= 3)
    assert not losing.beside_a_last_try
    assert set(failures.values()) <= {"ConnectionError: gone, at the last of 3 tries"}
    assert failures or timeless(result) == expected("genetic")


def test_a_failure_is_not_tried_again_by_a_resumed_run(tmp_path: Path) -> None:
    with Losing([0, 0, 3]) as losing:
        whole = searched(workers=losing, run=tmp_path / "run", limits=Limits(trainings=20))
    again = searched(workers=2, run=tmp_path / "run", limits=Limits(trainings=20))
    assert timeless(again) == timeless(whole)
    assert sum(each.failure is not None for each in again.evaluations) == 1


# Late answers


class Slow(AtOnce):
    """Hands out nothing before it is told to."""

    def __init__(self) -> None:
        self.later: list[Callable[[], object]] = []

    def submit(self, do: Callable[..., Any], /, *given: Any, **named: Any) -> Future[Any]:
        future: Future[Any] = Future()
        answer = Trainer(small_task(), QUICK).train(*given[1])
        future.set_running_or_notify_cancel()
        self.later.append(lambda: future.set_result(answer))
        return future


def test_an_answer_that_comes_too_late_is_not_kept() -> None:
    slow, memory = Slow(), RunMemory()
    result = searched(workers=slow, run=memory, limits=Limits(seconds=0.1))
    assert result.ended == "time" and slow.later
    for answer in slow.later:
        answer()
    assert len(memory) == 0


def test_answers_of_a_run_are_not_taken_for_those_of_the_next() -> None:
    """Workers begin anew for the audit, with another stop."""
    slow, kept = Slow(), list[Any]()
    workers, trainer = ExecutorWorkers(slow), Trainer(small_task(), QUICK)
    hole = small_task().signature()
    key = key_of(Hole(hole))

    def keep(_: Key, trained: Trained) -> Training:
        kept.append(trained)
        return Training.of(trained, 0.0)

    first, second = Stop(), Stop()
    workers.begin(trainer, first)
    workers.submit(Request(Hole(hole), None, None, (), key, keep), 60)
    first.set()
    workers.cancel()
    workers.end()
    workers.begin(trainer, second)
    in_time = workers.submit(Request(Hole(hole), None, None, (), key, keep), 60)
    for answer in slow.later:
        answer()
    assert kept == [in_time.result()]
    workers.end()


# Ends


@pytest.mark.parametrize("where", [AtOnce, lambda: ThreadPoolExecutor(2)])
def test_time_ends_trainings_in_this_process(where: Callable[[], Executor]) -> None:
    with where() as executor:
        assert endless(workers=executor, limits=Limits(seconds=0.5)).ended == "time"


def test_time_ends_trainings_in_other_processes(spawned: ProcessPoolExecutor) -> None:
    assert endless(workers=spawned, limits=Limits(seconds=0.5)).ended == "time"
    are_free(spawned)


def are_free(pool: ProcessPoolExecutor) -> None:
    """Both processes take something up."""
    naps = [pool.submit(time.sleep, 0.2) for _ in range(2)]
    assert not wait(naps, 60).not_done


INTERRUPTED = """
import multiprocessing, threading, time
from concurrent.futures import ProcessPoolExecutor, wait
from run.faraway import endless
from nearstar.run import Started

def tell(event):
    if isinstance(event, Started):
        threading.Timer(1.0, print, ["begun"], {"flush": True}).start()

if __name__ == "__main__":
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(2, mp_context=context) as pool:
        wait([pool.submit(time.sleep, 0.2) for _ in range(2)])
        print(endless(workers=pool, listeners=[tell]).ended, flush=True)
        done = not wait([pool.submit(time.sleep, 0.2) for _ in range(2)], 60).not_done
        print("free" if done else "busy")
"""


@pytest.mark.slow
def test_ctrl_c_ends_trainings_in_other_processes() -> None:
    process = started(INTERRUPTED)
    process.send_signal(signal.SIGINT)
    assert ended(process) == "interrupted\nfree\n"


@pytest.mark.slow
def test_processes_whose_driver_is_killed_end_their_trainings(tmp_path: Path) -> None:
    process = started(INTERRUPTED, TMPDIR=str(tmp_path))
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    if not children.exists():
        pytest.skip("children are found with /proc")
    trains = [int(pid) for pid in children.read_text().split()]
    until(lambda: any(map(is_busy, trains)))
    process.kill()
    process.wait()
    try:
        until(lambda: not any(map(is_busy, trains)))
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def is_busy(pid: int) -> bool:
    """Whether a process uses the processor."""
    before = ticks(pid)
    time.sleep(0.3)
    return ticks(pid) - before > 10


def ticks(pid: int) -> int:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except FileNotFoundError:
        return 0
    return int(fields[11])


# Executors that are of no use


@pytest.mark.slow
def test_a_run_goes_on_elsewhere_when_a_process_was_killed(tmp_path: Path) -> None:
    pool = processes("spawn")

    def kill(event: object) -> None:
        if isinstance(event, Evaluated) and event.evaluation.index == 12:
            os.kill(next(iter(pool._processes)), signal.SIGKILL)

    with pool, pytest.raises(NearstarError, match=r"takes no more work .*terminated.*folder"):
        searched(workers=pool, run=tmp_path / "run", listeners=[kill])
    resumed = searched(workers=2, run=tmp_path / "run")
    assert timeless(resumed) == expected()


def test_an_executor_that_was_shut_down() -> None:
    pool = ThreadPoolExecutor(1)
    pool.shutdown()
    with pytest.raises(NearstarError, match=r"takes no more work .*after shutdown"):
        searched(workers=pool)
