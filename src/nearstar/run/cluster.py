"""Training on a Dask cluster, whose workers may come, go and die."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import numba
import numpy as np

import nearstar
from nearstar.errors import NearstarError
from nearstar.interrupt import Stop
from nearstar.program import Program
from nearstar.run.elsewhere import RETRIES, Elsewhere, Sent
from nearstar.run.trainer import Trainer
from nearstar.run.watched import train_watched
from nearstar.run.workers import Job
from nearstar.train import Trained

if TYPE_CHECKING:
    from distributed import Client

PATIENCE = 30
"""Seconds in which a scheduler must answer."""

Versions = dict[str, str]


class OnCluster(Elsewhere):
    """The workers of a Dask cluster.

    The data go to each worker once, and from worker to worker where one comes later. A job whose
    worker dies is done again by another one: the scheduler sees to that.
    """

    def __init__(self, client: Client) -> None:
        from distributed import CancelledError, KilledWorker

        self._client = client
        self.lost = (*Elsewhere.lost, CancelledError)
        self.hopeless = (KilledWorker,)

    @property
    def size(self) -> int:
        return sum(self._client.nthreads().values())

    def begin(self, trainer: Trainer, stop: Stop) -> None:
        super().begin(trainer, stop)
        self._client.wait_for_workers(1)
        _check_versions(self._client.run(_versions))
        self._usual_failures = _allow_failures(self._client, RETRIES)
        self._spread()

    def _spread(self) -> None:
        self._data = self._client.scatter(self._trainer, broadcast=True, hash=False)

    def send(self, job: Job, left: float) -> Sent:
        if self._data.status != "finished":  # all workers that had it are gone
            self._spread()
        sent: Sent = self._client.submit(
            _train,
            self._data,
            *(job.program, job.start, job.goal, left, _versions()),
            key=f"nearstar-train-{uuid4().hex}",
            pure=False,
        )
        return sent

    def end(self) -> None:
        super().end()
        _allow_failures(self._client, self._usual_failures)
        self._data.release()


@contextmanager
def connected(cluster: Any) -> Iterator[OnCluster]:
    """The workers of a cluster: by the address of its scheduler, or the file where that is written;
    or a Client or Cluster of Dask's, such as a SLURMCluster.
    """
    try:
        from distributed import Client
    except ImportError:
        raise NearstarError(
            "clusters need Dask: install it with pip install 'nearstar[cluster]'"
        ) from None
    if isinstance(cluster, Client):
        yield OnCluster(cluster)
        return
    named = isinstance(cluster, str | os.PathLike)
    if not named and not hasattr(cluster, "scheduler_address"):
        raise NearstarError(
            "a cluster is the address of a Dask scheduler, such as tcp://host:8786, or its "
            f"scheduler file, or a Client or Cluster of Dask's, not {cluster!r}"
        )
    how = {"scheduler_file": str(cluster)} if named and os.path.isfile(cluster) else {}
    try:
        client = Client(*([] if how else [cluster]), **how, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError) as problem:
        raise NearstarError(
            f"no Dask scheduler answers at {cluster}: {problem}. `dask scheduler` starts one, and "
            "prints its address"
        ) from None
    with client:
        yield OnCluster(client)


def _versions() -> Versions:
    """What must be the same everywhere for the same results."""
    return {"nearstar": nearstar.__version__, "numba": numba.__version__, "numpy": np.__version__}


def _check_versions(of_workers: dict[str, Versions]) -> None:
    ours = _versions()
    for worker, theirs in of_workers.items():
        _check_version(worker, theirs, ours)


def _check_version(worker: str, theirs: Versions, ours: Versions) -> None:
    if theirs != ours:
        raise NearstarError(
            f"the worker {worker} has other versions: {_told(theirs)}, not {_told(ours)} as here; "
            "install the same in both places, so that results do not depend on who trains"
        )


def _told(versions: Versions) -> str:
    return ", ".join(f"{name} {version}" for name, version in versions.items())


def _allow_failures(client: Client, most: int) -> int:
    """Let the scheduler do a job again so many times whose worker died; returns what held before.

    Defined within, so that the scheduler's machine needs no nearstar.
    """

    def allow(dask_scheduler: Any, most: int) -> int:
        before: int = dask_scheduler.allowed_failures
        dask_scheduler.allowed_failures = most
        return before

    before: int = client.run_on_scheduler(allow, most=most)
    return before


def _train(
    trainer: Trainer,
    program: Program,
    start: Trained | None,
    goal: float | None,
    left: float,
    versions: Versions,
) -> Trained:
    """The job, where the worker is."""
    from distributed import get_worker

    worker = get_worker()
    _check_version(worker.address, _versions(), versions)
    key = worker.get_current_task()

    def given_up() -> bool:
        task = worker.state.tasks.get(key)
        return task is None or task.state == "cancelled"

    return train_watched(trainer, program, start, goal, left, given_up)
