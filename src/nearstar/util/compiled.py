"""How kernels are compiled.

Numba, without the interpreter lock, and with NumPy's error model: a division by zero gives
infinity, not an exception, so that loops can vectorise. Kernels allocate nothing, so they are
compiled without reference counts (``_nrt=False``), whose atomic operations would cost more than a
short loop.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import njit

_OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "_nrt": False}

_INNER: dict[str, Any] = {**_OPTIONS, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
"""For functions that only compiled ones call: without wrappers, which take long to compile."""

kernel = njit(fastmath={"contract"}, **_INNER)
"""Multiplications and additions may be fused; nothing else may change."""

reduction = njit(fastmath={"contract", "reassoc", "nsz"}, **_INNER)
"""Sums may be reordered, or they could not be vectorised; NaN and infinity keep their meaning."""


def entry(function: Callable[..., Any]) -> Any:
    """For functions called from Python: kept on disk, where there is a place for it."""
    try:
        return njit(cache=True, **_OPTIONS)(function)
    except RuntimeError:  # no folder can be written to: every process compiles for itself
        return njit(**_OPTIONS)(function)


inline = njit(inline="always")
"""For what must leave no call behind, such as functions that return a part of an array."""
