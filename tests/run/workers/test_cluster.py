"""A Dask cluster trains as threads do, whoever comes, goes or dies; and it is left as it was."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numba
import pytest
from distributed import Client, LocalCluster, WorkerPlugin
from run.driving import timeless
from run.faraway import (
    SEARCHES,
    count_unpacking,
    ended,
    endless,
    expected,
    kill_those_who_train,
    searched,
    started,
    unpackings,
    until,
)

from nearstar import NearstarError, to_text
from nearstar.run import Evaluated, Event, Limits, Trainer
from nearstar.run.store import JOURNAL, JournalReader
from nearstar.run.workers import cluster
from nearstar.training.train import Trained


@pytest.fixture(scope="module")
def local() -> Iterator[LocalCluster]:
    with LocalCluster(
        n_workers=3, threads_per_worker=1, dashboard_address=":0", silence_logs=50
    ) as local:
        yield local


@pytest.fixture
def client(local: LocalCluster) -> Iterator[Client]:
    """A client of the user's; when a test has ended, nothing of ours is on the cluster."""
    with Client(local, set_as_default=False) as client:
        client.wait_for_workers(3)
        plugins = told_by_scheduler(client)
        yield client
        until(lambda: told_by_scheduler(client) == plugins)
        until(lambda: not any(name.startswith("nearstar") for name in names_on_workers(client)))


def told_by_scheduler(client: Client) -> Any:
    """All that a run may leave behind, and how often jobs are begun again."""

    def tell(dask_scheduler: Any) -> Any:
        ours = dask_scheduler
        plugins = {name for name in [*ours.plugins, *ours.worker_plugins] if "nearstar" in name}
        return plugins, len(ours.tasks), len(ours.clients), ours.allowed_failures

    return client.run_on_scheduler(tell)


def names_on_workers(client: Client) -> list[str]:
    names = client.run(lambda dask_worker: [*dask_worker.plugins, *dask_worker.state.tasks])
    return [name for of_worker in names.values() for name in of_worker]


def at(index: int, do: Callable[[], object]) -> Callable[[Event], None]:
    """A listener that does something when so many programs are trained."""

    def listen(event: Event) -> None:
        if isinstance(event, Evaluated) and event.evaluation.index == index:
            do()

    return listen


def pids(client: Client) -> list[int]:
    return list(client.run(os.getpid).values())


# The same everywhere


@pytest.mark.slow
@pytest.mark.parametrize("name", SEARCHES)
def test_a_worker_that_is_killed_changes_nothing(name: str, client: Client) -> None:
    kill = at(8, lambda: os.kill(pids(client)[0], signal.SIGKILL))
    assert timeless(searched(name, cluster=client, listeners=[kill])) == expected(name)
    assert client.status == "running"


@pytest.mark.slow
def test_all_workers_may_be_killed(client: Client) -> None:
    def kill() -> None:
        for pid in pids(client):
            os.kill(pid, signal.SIGKILL)

    assert timeless(searched(cluster=client, listeners=[at(8, kill)])) == expected()


@pytest.mark.slow
def test_workers_may_come_and_go(local: LocalCluster, client: Client) -> None:
    def come_and_go() -> None:
        oldest = next(iter(client.scheduler_info(n_workers=-1)["workers"]))
        local.scale(4)
        client.wait_for_workers(4)
        client.retire_workers([oldest])

    result = searched(cluster=local, listeners=[at(8, come_and_go)])
    assert timeless(result) == expected()
    local.scale(3)


def test_threads_of_a_worker_may_be_in_this_process() -> None:
    with LocalCluster(
        n_workers=2, threads_per_worker=2, processes=False, dashboard_address=":0"
    ) as here:
        assert timeless(searched(cluster=here)) == expected()
        assert timeless(searched(cluster=here.scheduler_address)) == expected()


@pytest.mark.slow
def test_runs_may_share_a_cluster(client: Client) -> None:
    def run(name: str) -> bool:
        return timeless(searched(name, cluster=client)) == expected(name)

    with ThreadPoolExecutor(2) as drivers:
        assert all(drivers.map(run, ["A*", "genetic"]))


@pytest.mark.slow
def test_workers_may_come_late(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "PATIENCE", 1)
    with LocalCluster(n_workers=0, processes=False, dashboard_address=":0") as here:
        threading.Timer(1.5, here.scale, [1]).start()
        with pytest.warns(UserWarning, match="has no workers yet"):
            assert timeless(searched(cluster=here)) == expected()


def doing(setup: Callable[..., Callable[[], None]], *given: str) -> WorkerPlugin:
    """Has something done on each worker, also on those that come later, until it is removed.

    Defined within, so that it travels with its code: workers cannot import the tests.
    """

    class Doing(WorkerPlugin):
        def setup(self, worker: Any) -> None:
            self.undo = setup(*given)

        def teardown(self, worker: Any) -> None:
            self.undo()

    return Doing()


@pytest.mark.slow
def test_each_worker_is_given_the_data_once(client: Client, tmp_path: Path) -> None:
    """Also where it had nothing to do for a while: Dask frees what seems to be there too often."""
    client.register_plugin(doing(count_unpacking, str(tmp_path)), name="counting")
    pauses = [at(index, lambda: time.sleep(2.5)) for index in (10, 30)]
    searched(cluster=client, listeners=pauses, audit_samples=3)
    client.unregister_worker_plugin("counting")
    counts = unpackings(tmp_path)
    assert set(counts.values()) == {1}
    assert len(counts) > 1


@pytest.mark.slow
@pytest.mark.parametrize("n_workers", [1, 3])
def test_a_program_that_kills_its_workers_fails_alone(
    n_workers: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deadly_text = to_text(searched(workers=1, limits=Limits(trainings=5)).evaluations[4].program)
    tries = tmp_path / "tries"
    tries.mkdir()
    where: dict[str, Any] = {"run": tmp_path / "run", "limits": Limits(trainings=25)}
    with LocalCluster(
        n_workers=n_workers, threads_per_worker=2, dashboard_address=":0", silence_logs=50
    ) as local:
        with Client(local, set_as_default=False) as client:
            client.register_plugin(doing(kill_those_who_train, deadly_text, str(tries)))
        result = searched(cluster=local, **where)
    assert len(list(tries.iterdir())) == 3
    [failed] = [each for each in result.evaluations if each.failure is not None]
    assert to_text(failed.program) == deadly_text and failed.diverged
    assert "died, at the last of 3 tries" in str(failed.failure)
    records = [line.record for line in JournalReader(where["run"] / JOURNAL).new_lines()]
    assert [each["failure"] for each in records if each.get("failure")] == [failed.failure]
    assert timeless(searched(workers=2, **where)) == timeless(result)

    # And all others are as they would be without it.
    usual = Trainer.train

    def train(trainer: Trainer, program: Any, *more: Any) -> Trained:
        if to_text(program) == deadly_text:
            return trainer.failed(program, str(failed.failure))
        return usual(trainer, program, *more)

    monkeypatch.setattr(Trainer, "train", train)
    here = searched(workers=1, limits=where["limits"])
    assert timeless(here) == timeless(result)


# Ends


def test_time_ends_trainings_on_workers(client: Client) -> None:
    assert endless(cluster=client, limits=Limits(seconds=0.5)).ended == "time"
    until(lambda: not at_work(client))
    assert timeless(searched(cluster=client)) == expected()


def at_work(client: Client) -> int:
    """Jobs that workers have in hand, also those that nobody wants any more."""
    return sum(client.run(lambda dask_worker: len(dask_worker.state.tasks)).values())


ENDLESS = """
import sys
from run.faraway import endless
print(endless(cluster=sys.argv[1]).ended)
"""


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_trainings_end_with_their_driver(
    how: signal.Signals, local: LocalCluster, client: Client
) -> None:
    searched(cluster=client)  # so that all have the engine, and a training begins at once
    process = started("print('begun', flush=True)\n" + ENDLESS, local.scheduler_address)
    try:
        until(lambda: at_work(client) > 0)
    finally:
        process.send_signal(how)
    if how == signal.SIGINT:
        assert ended(process) == "interrupted\n"
    else:
        process.communicate()
    until(lambda: not at_work(client))
    assert timeless(searched(cluster=client)) == expected()


# Errors


@pytest.mark.slow
def test_a_scheduler_that_goes_ends_the_run(tmp_path: Path) -> None:
    file, run = tmp_path / "scheduler.json", tmp_path / "run"
    command = [sys.executable, "-m", "dask", "scheduler", "--no-dashboard", "--port", "0"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    scheduler = subprocess.Popen([*command, "--scheduler-file", str(file)], **quiet)
    until(file.exists)
    command = [sys.executable, "-m", "dask", "worker", "--scheduler-file", str(file)]
    worker = subprocess.Popen([*command, "--no-nanny", "--no-dashboard"], **quiet)
    try:
        with pytest.raises(NearstarError, match=r"connection to the scheduler .* is lost"):
            searched(cluster=file, run=run, listeners=[at(12, scheduler.kill)])
        assert timeless(searched(workers=2, run=run)) == expected()
    finally:
        for process in (scheduler, worker):
            process.kill()
            process.wait()


CUT_OFF = """
import sys
from run.faraway import endless
from nearstar import NearstarError
try:
    endless(cluster=sys.argv[1])
except NearstarError as problem:
    print(problem)
"""


@pytest.mark.slow
def test_a_connection_that_is_cut_for_a_moment_ends_the_run(
    local: LocalCluster, client: Client
) -> None:
    """The data are gone by then; its programs must not be taken for failed ones."""
    others = client.run_on_scheduler(lambda dask_scheduler: list(dask_scheduler.client_comms))

    def cut(dask_scheduler: Any) -> None:
        for name, comm in dask_scheduler.client_comms.items():
            if name not in others:
                comm.abort()

    process = started("print('begun', flush=True)\n" + CUT_OFF, local.scheduler_address)
    try:
        until(lambda: at_work(client) > 0)
    finally:
        client.run_on_scheduler(cut)
    assert "connection to the scheduler of the cluster is lost" in ended(process)


def test_places_where_no_scheduler_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(cluster, "PATIENCE", 1)
    (tmp_path / "file").write_text("{}")
    for given, said in (
        ("tcp://127.0.0.1:1", "no Dask scheduler answers at tcp://127.0.0.1:1: Timed out"),
        ("nowhere://there", "unknown address scheme 'nowhere'"),
        (tmp_path / "none.json", "none.json: `dask scheduler --scheduler-file"),
        (tmp_path / "file", "file is no scheduler file"),
        ("nonsense", "a cluster is the address of a Dask scheduler"),
        (3, "Client or Cluster of Dask's, not 3"),
        (LocalCluster, "Client or Cluster of Dask's, not <class"),
    ):
        with pytest.raises(NearstarError, match=re.escape(said)):
            searched(cluster=given)
    with pytest.raises(NearstarError, match="give only one"):
        searched(cluster="tcp://127.0.0.1:1", workers=2)


def test_clients_that_are_of_no_use(local: LocalCluster) -> None:
    with Client(local, set_as_default=False) as client:
        pass
    with pytest.raises(NearstarError, match="client of the cluster is closed"):
        searched(cluster=client)

    async def of_a_loop() -> None:
        address = local.scheduler_address
        async with Client(address, asynchronous=True, set_as_default=False) as client:
            searched(cluster=client)

    with pytest.raises(NearstarError, match="cannot wait for an asynchronous Client"):
        asyncio.run(of_a_loop())


def test_workers_with_another_version(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numba, "__version__", "0.0")
    with pytest.raises(NearstarError, match=r"worker tcp://.* has another numba: .*, not 0\.0"):
        searched(cluster=client)


def test_dask_that_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(NearstarError, match=r"pip install 'nearstar\[cluster\]'"):
        searched(cluster="tcp://127.0.0.1:1")
