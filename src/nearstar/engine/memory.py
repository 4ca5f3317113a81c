"""Memory for vector code."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import DTypeLike, NDArray

LINE = 64
"""Bytes of a cache line: a vector that straddles two of them takes twice as long to load."""


def pitch(n: int) -> int:
    """The least distance of rows of n float32 numbers at which all of them begin a cache line."""
    per_line = LINE // 4
    return -(-n // per_line) * per_line


def aligned_zeros(shape: tuple[int, ...], dtype: DTypeLike = np.float32) -> NDArray[np.float32]:
    """Zeros that begin at a cache line."""
    size = math.prod(shape) * np.dtype(dtype).itemsize
    memory = np.zeros(size + LINE, np.uint8)
    start = -memory.ctypes.data % LINE
    return memory[start : start + size].view(dtype).reshape(shape)
