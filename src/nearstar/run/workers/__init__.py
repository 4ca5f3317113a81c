"""Who trains: threads, processes, machines of a cluster; as the user gave them."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from typing import Any

from nearstar.run.workers.cluster import connected
from nearstar.run.workers.executors import ExecutorWorkers
from nearstar.run.workers.pool import available_cores
from nearstar.run.workers.threads import Threads, Workers
from nearstar.util.errors import NearstarError


@contextmanager
def open_workers(workers: int | Executor | None, cluster: Any = None) -> Iterator[Workers]:
    """A number of threads (None: one for each core), an executor, or a cluster."""
    if cluster is not None:
        if workers is not None:
            raise NearstarError("either workers train or a cluster does: give only one of them")
        with connected(cluster) as on_cluster:
            yield on_cluster
    elif isinstance(workers, Executor):
        on_executor = ExecutorWorkers(workers)
        try:
            yield on_executor
        finally:
            on_executor.end()  # also if the run could not, being interrupted twice
    else:
        yield Threads(available_cores() if workers is None else int(workers))
