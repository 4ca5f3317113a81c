"""Who trains: threads, processes, machines of a cluster; as the user gave them."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import ExitStack, contextmanager
from typing import Any

from nearstar.run.workers.cluster import ClusterWorkers, client_of
from nearstar.run.workers.executors import ExecutorWorkers
from nearstar.run.workers.pool import available_cores
from nearstar.run.workers.remote import RemoteWorkers
from nearstar.run.workers.threads import Threads, Workers
from nearstar.util.errors import NearstarError


@contextmanager
def open_workers(workers: int | Executor | None, cluster: Any = None) -> Iterator[Workers]:
    """A number of threads (None: one for each core), an executor, or a cluster."""
    if cluster is not None and workers is not None:
        raise NearstarError("either workers train or a cluster does: give only one of them")
    if cluster is None and not isinstance(workers, Executor):
        yield Threads(available_cores() if workers is None else int(workers))
        return
    with ExitStack() as stack:
        if isinstance(workers, Executor):
            elsewhere: RemoteWorkers = ExecutorWorkers(workers)
        else:
            elsewhere = ClusterWorkers(stack.enter_context(client_of(cluster)))
        stack.callback(elsewhere.end)  # also if the run could not, being interrupted twice
        yield elsewhere
