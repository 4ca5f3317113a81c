"""Training on a Dask cluster, whose workers may come, go and die."""

from __future__ import annotations

import json
import math
import os
import pickle
import threading
import time
import warnings
from collections.abc import Callable, Iterable
from concurrent.futures import CancelledError
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from nearstar.run.requests import Arguments, Request
from nearstar.run.trainer import Trainer
from nearstar.run.workers.remote import TRIES, RemoteWorkers, WorkerLostError, train_with_deadline
from nearstar.training.train import Trained
from nearstar.util.errors import NearstarError
from nearstar.util.interrupt import Stop

if TYPE_CHECKING:
    from distributed import Client, Future, SchedulerPlugin, Worker, WorkerPlugin

PATIENCE = 30
"""Seconds in which a scheduler must answer, and a worker should come."""
SAME = ("nearstar", "numba", "numpy")
"""Packages that must have the same version everywhere for the same results."""

_LOADING = threading.Lock()


class ClusterWorkers(RemoteWorkers):
    """The workers of a Dask cluster, by a client that is used for nothing else.

    The data go to each worker once, as a plugin, which workers that come later are given before
    any training. All that is left on the cluster goes when the client does, whatever becomes of it.
    """

    drops = True

    def __init__(self, client: Client) -> None:
        super().__init__()
        self._client = client
        self._name = f"nearstar-{uuid4().hex}"
        self._carry = _carrier()
        self._delivered = False
        self._count = 0
        self._counted_at = -math.inf

    @property
    def size(self) -> int:
        """As of a second ago at the most: workers come and go, but to ask takes time."""
        now = time.monotonic()
        if now - self._counted_at > 1:
            self._counted_at = now
            with suppress(OSError):  # that the scheduler is gone is told by trainings
                self._count = sum(self._client.nthreads().values())
        return self._count

    def begin(self, trainer: Trainer, stop: Stop) -> None:
        super().begin(trainer, stop)
        self._await_workers()
        if not self._delivered:
            self._deliver()

    def _await_workers(self) -> None:
        """Wait for the first one: it may stand in the queue of a cluster for long."""
        try:
            self._client.wait_for_workers(1, timeout=PATIENCE)
        except TimeoutError:
            warnings.warn("the cluster has no workers yet: waiting for the first", stacklevel=2)
            self._client.wait_for_workers(1)

    def _deliver(self) -> None:
        caretaker = _caretaker(self._client.id, self._name)
        self._client.register_plugin(caretaker, name=self._name)
        versions = {name: str(import_module(name).__version__) for name in SAME}
        data = _data(pickle.dumps(self._trainer), versions)
        for _ in range(TRIES):
            try:
                self._client.register_plugin(data, name=self._name)
            except RuntimeError as problem:
                raise NearstarError(str(problem)) from None
            except OSError:  # a worker died before it had the data: now it is not counted on
                continue
            self._delivered = True
            return
        raise _gone()

    def send(self, request: Request, left: float) -> Future:
        if self._client.status != "running":
            raise _gone()
        # In bytes, so that the scheduler need not understand it.
        load = pickle.dumps((_train, (self._name, request.arguments, left)))
        key = f"nearstar-train-{uuid4().hex}"
        return self._client.submit(self._carry, load, key=key, pure=False)

    def received(self, sent: Future) -> Trained:
        from distributed import KilledWorker

        try:
            trained: Trained = sent.result()
        except KilledWorker as problem:
            raise WorkerLostError(f"its worker {problem.last_worker.address} died") from None
        except CancelledError as problem:
            if self._client.status != "running":
                raise _gone() from None
            raise WorkerLostError(str(problem)) from None
        except ImportError as problem:
            raise NearstarError(
                f"a worker of the cluster cannot import {problem.name}: {problem}. Install the "
                "same nearstar there as here"
            ) from None
        return trained

    def recall(self, sent: Iterable[Any]) -> None:
        for each in sent:
            each.release()


def _gone() -> NearstarError:
    return NearstarError(
        "the connection to the scheduler of the cluster is lost. A run in a folder goes on with "
        "what is trained already, on this or another cluster, or without one"
    )


def client_of(cluster: Any) -> Client:
    """A client of our own for a cluster: by the address of its scheduler, or the file where that is
    written; or a Client or Cluster of Dask's, such as a SLURMCluster.
    """
    try:
        from distributed import Client
        from distributed.comm import get_address_host
    except ImportError:
        raise NearstarError(
            "clusters need Dask: install it with pip install 'nearstar[cluster]'"
        ) from None
    where = _where(cluster, isinstance(cluster, Client))
    try:
        if isinstance(where["address"], str):
            get_address_host(where["address"])  # a client with a wrong one is never done
        return Client(**where, timeout=PATIENCE, set_as_default=False)
    except Exception as problem:
        raise NearstarError(
            f"no Dask scheduler answers at {cluster}: {problem}. `dask scheduler` starts one, and "
            "prints its address"
        ) from problem


def _where(cluster: Any, is_client: bool) -> dict[str, Any]:
    """How a client of our own finds the scheduler."""
    if getattr(cluster, "asynchronous", False) is True:
        raise NearstarError(f"nearstar cannot wait for an asynchronous {type(cluster).__name__}")
    if is_client:
        if cluster.status != "running":
            raise NearstarError(f"the client of the cluster is {cluster.status}: give a new one")
        return {"address": cluster.scheduler.address, "security": cluster.security}
    if hasattr(cluster, "scheduler_address") and not isinstance(cluster, type):
        return {"address": cluster}
    name = os.fspath(cluster) if isinstance(cluster, str | os.PathLike) else ""
    if os.path.isfile(name):
        return {"address": _address_in(name)}
    if "://" not in name and (name.endswith(".json") or os.sep in name):
        raise NearstarError(
            f"there is no scheduler file {name}: `dask scheduler --scheduler-file {name}` writes it"
        )
    if ":" not in name:
        raise NearstarError(
            "a cluster is the address of a Dask scheduler, such as tcp://host:8786, or its "
            f"scheduler file, or a Client or Cluster of Dask's, not {cluster!r}"
        )
    return {"address": name}


def _address_in(file: str) -> str:
    try:
        return str(json.loads(Path(file).read_bytes())["address"])
    except (ValueError, LookupError, TypeError):
        raise NearstarError(
            f"{file} is no scheduler file: `dask scheduler --scheduler-file {file}` writes one"
        ) from None


# What is defined within functions goes to the cluster with its code: neither the scheduler nor
# workers that have another nearstar, or none, stumble over it.


def _carrier() -> Callable[[bytes], Any]:
    """What workers are to do with the load of a training."""

    def carry(load: bytes) -> Any:
        import pickle

        function, arguments = pickle.loads(load)
        return function(*arguments)

    return carry


def _caretaker(client: str, name: str) -> SchedulerPlugin:
    """What the scheduler does for a run, as long as its client is there.

    Trainings whose worker dies are not begun again by itself: who drives decides on that. When the
    client has gone, even without a word, its data are removed from all workers.
    """
    from distributed import SchedulerPlugin

    class Caretaker(SchedulerPlugin):  # type: ignore[misc]
        def update_graph(self, scheduler: Any, *, client: str, tasks: Any, **_: Any) -> None:
            if client == self.client:
                for key in tasks:
                    scheduler.tasks[key].suspicious = scheduler.allowed_failures

        def remove_client(self, scheduler: Any, client: str) -> None:
            if client == self.client:
                scheduler.remove_plugin(name=self.name)
                if scheduler.worker_plugins.pop(self.name, None) is not None:
                    scheduler.loop.add_callback(
                        scheduler.broadcast,
                        msg={"op": "plugin-remove", "name": self.name},
                        on_error="ignore",
                    )

    caretaker = Caretaker()
    caretaker.client = client
    caretaker.name = name
    return caretaker


def _data(load: bytes, versions: dict[str, str]) -> WorkerPlugin:
    """The data, as they go to workers: they are unpacked when the first training comes."""
    from distributed import WorkerPlugin

    class Data(WorkerPlugin):  # type: ignore[misc]
        def setup(self, worker: Any) -> None:
            from importlib import import_module

            self.wrong = None
            for name, ours in self.versions.items():
                try:
                    theirs = str(import_module(name).__version__)
                except ImportError:
                    theirs = "none"
                if theirs != ours:
                    self.wrong = (
                        f"the worker {worker.address} has another {name}: {theirs}, not {ours} as "
                        "here. Install the same in both places, so that results do not depend on "
                        "who trains"
                    )
                    raise RuntimeError(self.wrong)

    data = Data()
    data.load = load
    data.versions = versions
    data.trainer = None
    return data


def _train(name: str, arguments: Arguments, left: float) -> Trained:
    """Train, where the worker is."""
    from distributed import get_worker

    worker = get_worker()
    key = worker.get_current_task()

    def given_up() -> bool:
        task = worker.state.tasks.get(key)
        return task is None or task.state == "cancelled"

    return train_with_deadline(_trainer(worker, name), arguments, left, given_up)


def _trainer(worker: Worker, name: str) -> Trainer:
    data = worker.plugins.get(name)
    if data is None:  # they were removed when the client, for a moment, had gone
        raise _gone()
    if data.wrong is not None:
        raise NearstarError(data.wrong)
    with _LOADING:
        if data.trainer is None:
            data.trainer, data.load = pickle.loads(data.load), b""
    trainer: Trainer = data.trainer
    return trainer
