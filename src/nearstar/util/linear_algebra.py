"""Linear algebra on one thread, while programs are trained.

Trainings run side by side, so that threads of their own would only be in each other's way; and sums
that are split among them have other last digits with each number of cores.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

_lock = threading.Lock()
_limits: list[Any] = []
"""The limit that holds, once for each of those who want it: it is for the whole process."""


@contextmanager
def on_one_thread() -> Iterator[None]:
    """BLAS computes on one thread from when the first comes until the last is gone."""
    with _lock:
        _limits.append(_limits[0] if _limits else _libraries().limit(limits=1, user_api="blas"))
    try:
        yield
    finally:
        with _lock:
            limit = _limits.pop()
            if not _limits:
                limit.restore_original_limits()


@lru_cache(maxsize=1)
def _libraries() -> ThreadpoolController:
    return ThreadpoolController()
