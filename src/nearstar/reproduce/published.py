"""What the paper prints: its results, and how large its data sets are."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from nearstar.reproduce.study import Published

PUBLISHED: Mapping[str, Mapping[str, Published]] = MappingProxyType(
    {
        "sniff": MappingProxyType(
            {
                "enumeration": Published(0.851, 0.221, 3, 0.105),
                "montecarlo": Published(0.843, 0.281, 7, 0.127),
                "mcts": Published(0.745, 0.338, 8.7, 0.076),
                "genetic": Published(0.829, 0.181, 1.7, 0.015),
                "idsbb": Published(0.829, 0.446, 6, 0.056),
                "astar": Published(0.821, 0.369, 6, 0.114),
                "rnn": Published(0.889, 0.481, None, 0.019),
            }
        ),
        "other": MappingProxyType(
            {
                "enumeration": Published(0.707, 0.762, 2, 0.011),
                "montecarlo": Published(0.630, 0.715, 1, 0.031),
                "mcts": Published(0.666, 0.749, 1, 0.036),
                "genetic": Published(0.727, 0.768, 3, 0.004),
                "idsbb": Published(0.729, 0.768, 1.3, 0.005),
                "astar": Published(0.706, 0.764, 2.7, 0.010),
                "rnn": Published(0.756, 0.785, None, 0.002),
            }
        ),
        "fly": MappingProxyType(
            {
                "enumeration": Published(0.819, 0.863, 2, 0.012),
                "montecarlo": Published(0.833, 0.852, 4, 0.018),
                "mcts": Published(0.817, 0.857, 4.7, 0.009),
                "genetic": Published(0.850, 0.868, 6, 0.030),
                "idsbb": Published(0.876, 0.892, 4, 0.016),
                "astar": Published(0.872, 0.885, 4, 0.004),
                "rnn": Published(0.963, 0.964, None, 0.005),
            }
        ),
        "basketball": MappingProxyType(
            {
                "enumeration": Published(0.844, 0.857, 6.3, 0.009),
                "montecarlo": Published(0.841, 0.853, 6, 0.012),
                "mcts": Published(0.711, 0.729, 8, 0.002),
                "genetic": Published(0.843, 0.853, 6.7, 0.019),
                "idsbb": Published(0.889, 0.903, 8, 0.006),
                "astar": Published(0.906, 0.918, 8, 0.034),
                "rnn": Published(0.945, 0.950, None, 0.001),
            }
        ),
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
