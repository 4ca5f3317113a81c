"""What the paper prints: its results, and how large its data sets are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from nearstar.reproduce.algorithms import NAMES


@dataclass(frozen=True)
class Published:
    """What the paper prints for an algorithm: means of three trials on the test data."""

    accuracy: float
    f1: float
    depth: float | None
    f1_deviation: float


_COLUMNS: Mapping[str, tuple[Published, ...]] = {
    "sniff": (
        Published(0.851, 0.221, 3, 0.105),
        Published(0.843, 0.281, 7, 0.127),
        Published(0.745, 0.338, 8.7, 0.076),
        Published(0.829, 0.181, 1.7, 0.015),
        Published(0.829, 0.446, 6, 0.056),
        Published(0.821, 0.369, 6, 0.114),
        Published(0.889, 0.481, None, 0.019),
    ),
    "other": (
        Published(0.707, 0.762, 2, 0.011),
        Published(0.630, 0.715, 1, 0.031),
        Published(0.666, 0.749, 1, 0.036),
        Published(0.727, 0.768, 3, 0.004),
        Published(0.729, 0.768, 1.3, 0.005),
        Published(0.706, 0.764, 2.7, 0.010),
        Published(0.756, 0.785, None, 0.002),
    ),
    "fly": (
        Published(0.819, 0.863, 2, 0.012),
        Published(0.833, 0.852, 4, 0.018),
        Published(0.817, 0.857, 4.7, 0.009),
        Published(0.850, 0.868, 6, 0.030),
        Published(0.876, 0.892, 4, 0.016),
        Published(0.872, 0.885, 4, 0.004),
        Published(0.963, 0.964, None, 0.005),
    ),
    "basketball": (
        Published(0.844, 0.857, 6.3, 0.009),
        Published(0.841, 0.853, 6, 0.012),
        Published(0.711, 0.729, 8, 0.002),
        Published(0.843, 0.853, 6.7, 0.019),
        Published(0.889, 0.903, 8, 0.006),
        Published(0.906, 0.918, 8, 0.034),
        Published(0.945, 0.950, None, 0.001),
    ),
}
"""Each column from top to bottom, in the order of ``NAMES``."""
PUBLISHED: Mapping[str, Mapping[str, Published]] = MappingProxyType(
    {
        column: MappingProxyType(dict(zip(NAMES, results, strict=True)))
        for column, results in _COLUMNS.items()
    }
)
"""The results by column of the paper's table and key of the algorithm."""

SIZES: Mapping[str, tuple[int, int, int]] = MappingProxyType(
    {
        "crim13": (12404, 3077, 2953),
        "fly": (5339, 594, 1048),
        "basketball": (18000, 2801, 2693),
    }
)
"""Sequences for training, validation and test, by domain."""
