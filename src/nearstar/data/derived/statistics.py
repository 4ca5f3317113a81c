"""Statistics: what is made of a feature's values over some frames; each with all of its forms.

They are computed by one compiled loop over the frames of each window; exported Python modules have
the same in NumPy. A window is cut off at the ends of its sequence: only frames that are there
count.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from nearstar.util.compiled import entry

Values = NDArray[np.float64]
Rows = NDArray[np.int64]
Kind = Literal["around", "last", "whole"]


@dataclass(frozen=True)
class Statistic:
    """What is made of the values of some frames."""

    name: str
    python: str
    """Source over ``rows``, the values."""


_ALL = (
    Statistic("mean", "rows.mean()"),
    Statistic("spread", "rows.std()"),
    Statistic("least", "rows.min()"),
    Statistic("largest", "rows.max()"),
    Statistic("change", "rows[-1] - rows[0]"),
    Statistic("rate", "np.abs(np.diff(rows)).sum() / max(len(rows) - 1, 1)"),
    Statistic("first", "rows[0]"),
    Statistic("last", "rows[-1]"),
)
STATISTICS: Mapping[str, Statistic] = MappingProxyType({each.name: each for each in _ALL})
"""The statistics by name."""
_MEAN, _SPREAD, _LEAST, _LARGEST, _CHANGE, _RATE, _FIRST, _LAST = range(len(_ALL))


@dataclass(frozen=True)
class Stretch:
    """The frames that a statistic is of: so many around each one, the last so many, or all."""

    kind: Kind = "whole"
    size: int = 0

    @property
    def back(self) -> int | None:
        """Frames before each one; None: all."""
        return {"around": self.size // 2, "last": self.size - 1, "whole": None}[self.kind]

    @property
    def ahead(self) -> int | None:
        """Frames after each one; None: all."""
        return {"around": self.size // 2, "last": 0, "whole": None}[self.kind]

    @property
    def text(self) -> str:
        """As it is written."""
        return self.kind if self.kind == "whole" else f"{self.kind} {self.size}"

    def ends(self, offsets: NDArray[np.int64]) -> tuple[Rows, Rows]:
        """The first and the last row of its frames, for each row; sequence i is the rows from
        offsets[i] to offsets[i + 1]."""
        lengths = np.diff(offsets)
        begin, end = (np.repeat(each, lengths) for each in (offsets[:-1], offsets[1:] - 1))
        rows = np.arange(len(begin))
        first = begin if self.back is None else np.maximum(begin, rows - self.back)
        last = end if self.ahead is None else np.minimum(end, rows + self.ahead)
        return first, last


def sources() -> dict[str, str]:
    """The text of the functions that compute them in exported modules, by name."""
    return {"over": _OVER, **{helper(each.name): _source(each) for each in _ALL}}


def helper(statistic: str) -> str:
    """The name of the function that computes a statistic in exported modules."""
    return f"{statistic}_over"


def _source(statistic: Statistic) -> str:
    return (
        f"def {helper(statistic.name)}(values, back=None, ahead=None):\n"
        f"    return over(lambda rows: {statistic.python}, values, back, ahead)"
    )


_OVER = '''\
def over(statistic, values, back, ahead):
    """A statistic of the rows around each row: so many before and after it; None: all there are."""
    values = np.where(np.isnan(values), 0, values)
    first, last = (len(values) if each is None else each for each in (back, ahead))
    rows = range(len(values))
    return np.array([statistic(values[max(row - first, 0) : row + last + 1]) for row in rows])'''


def over(statistic: str, values: Values, stretch: Stretch, offsets: NDArray[np.int64]) -> Values:
    """A statistic of the values over the frames of each row."""
    result = np.empty(len(values))
    _over(list(STATISTICS).index(statistic), values, *stretch.ends(offsets), result)
    return result


def _of_windows(kind: int, values: Any, first: Any, last: Any, result: Any) -> None:
    for row in range(len(result)):
        a, b = first[row], last[row]
        if row > 0 and a == first[row - 1] and b == last[row - 1]:
            result[row] = result[row - 1]  # of the whole sequence, say
            continue
        count = b - a + 1
        value = 0.0
        if kind <= _SPREAD:
            for i in range(a, b + 1):
                value += values[i]
            value /= count
            if kind == _SPREAD:
                # From the window's own mean, so that a large offset of the data leaves it exact.
                mean, value = value, 0.0
                for i in range(a, b + 1):
                    value += (values[i] - mean) ** 2
                value = np.sqrt(value / count)
        elif kind == _LEAST:
            value = values[a]
            for i in range(a + 1, b + 1):
                value = min(value, values[i])
        elif kind == _LARGEST:
            value = values[a]
            for i in range(a + 1, b + 1):
                value = max(value, values[i])
        elif kind == _CHANGE:
            value = values[b] - values[a]
        elif kind == _RATE:
            for i in range(a + 1, b + 1):
                value += abs(values[i] - values[i - 1])
            value /= max(count - 1, 1)
        else:
            value = values[a] if kind == _FIRST else values[b]
        result[row] = value


_over = entry(_of_windows)
