"""What the paper prints: its results, and how large its data sets are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any


@dataclass(frozen=True)
class Published:
    """What the paper prints for an algorithm: means of three trials on the test data."""

    accuracy: float
    f1: float
    depth: float | None
    f1_deviation: float


_TABLE = """\
            | sniff              | other              | fly                | basketball
enumeration | .851 .221   3 .105 | .707 .762   2 .011 | .819 .863   2 .012 | .844 .857 6.3 .009
montecarlo  | .843 .281   7 .127 | .630 .715   1 .031 | .833 .852   4 .018 | .841 .853   6 .012
mcts        | .745 .338 8.7 .076 | .666 .749   1 .036 | .817 .857 4.7 .009 | .711 .729   8 .002
genetic     | .829 .181 1.7 .015 | .727 .768   3 .004 | .850 .868   6 .030 | .843 .853 6.7 .019
idsbb       | .829 .446   6 .056 | .729 .768 1.3 .005 | .876 .892   4 .016 | .889 .903   8 .006
astar       | .821 .369   6 .114 | .706 .764 2.7 .010 | .872 .885   4 .004 | .906 .918   8 .034
rnn         | .889 .481   – .019 | .756 .785   – .002 | .963 .964   – .005 | .945 .950   – .001
"""
"""The paper's Table 1: accuracy, F1, depth, and the standard deviation of F1."""


def _read(table: str) -> Iterator[tuple[str, Mapping[str, Published]]]:
    """The columns, and what stands in them for each algorithm."""
    (_, *columns), *rows = ([part.split() for part in row.split("|")] for row in table.splitlines())
    for place, (column,) in enumerate(columns, 1):
        results = {row[0][0]: Published(*map(_number, row[place])) for row in rows}
        yield column, MappingProxyType(results)


def _number(text: str) -> Any:
    return None if text == "–" else int(text) if text.isdigit() else float(text)


PUBLISHED: Mapping[str, Mapping[str, Published]] = MappingProxyType(dict(_read(_TABLE)))
"""The results by column of the paper's table and key of the algorithm."""

SIZES: Mapping[str, tuple[int, int, int]] = MappingProxyType(
    {
        "crim13": (12404, 3077, 2953),
        "fly": (5339, 594, 1048),
        "basketball": (18000, 2801, 2693),
    }
)
"""Sequences for training, validation and test, by domain."""
