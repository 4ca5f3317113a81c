"""What a derived feature is: an expression of points and columns, and its values."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearstar.data.conversion import positions
from nearstar.data.derived.measures import MEASURES, Values
from nearstar.data.derived.points import find_point
from nearstar.util.errors import DataError
from nearstar.util.nearest import suggestion


@dataclass(frozen=True)
class Column:
    """A column by its name."""

    name: str

    @property
    def title(self) -> str:
        return self.name


@dataclass(frozen=True)
class Point:
    """A tracked point by its name, or by its two columns."""

    name: str = ""
    columns: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        return self.name or "_".join(self.columns)


@dataclass(frozen=True)
class Call:
    """A function of points, or of something over some frames."""

    function: str
    arguments: tuple[Column | Point | Call, ...]
    lag: int = 1

    @property
    def frames(self) -> tuple[int, ...]:
        """The number of frames as an argument, if the function takes one."""
        return (self.lag,) if MEASURES[self.function].of_values else ()

    @property
    def computing(self) -> Callable[..., Values]:
        """What computes it of the values of its arguments."""
        own, first = MEASURES[self.function], self.arguments[0]
        turns = isinstance(first, Call) and MEASURES[first.function].is_heading
        return own.of_headings if turns and own.of_headings else own.compute

    @property
    def looks_back(self) -> bool:
        """Whether it is of functions that may compare frames with earlier ones."""
        own = MEASURES[self.function]
        inner = (each.looks_back for each in self.arguments if isinstance(each, Call))
        return own.of_values or any(own.frames_back.values()) or any(inner)

    @property
    def title(self) -> str:
        function = self.function if self.lag == 1 else f"{self.function}{self.lag}"
        title = "_".join((function, *(each.title for each in self.arguments)))
        return re.sub(r"\W+", "_", title)


@dataclass(frozen=True)
class Derived:
    """A derived feature: its name, the text of its expression, and the expression."""

    name: str
    text: str
    expression: Call

    def columns(self, known: Iterable[str]) -> tuple[str, ...]:
        """The columns that it is computed from, each once."""
        return tuple(dict.fromkeys(_columns(self.expression, list(known), self.where)))

    @property
    def where(self) -> str:
        return f"derived feature {self.name} = {self.text}"


def needed_columns(
    features: Iterable[str], derived: Mapping[str, Derived], known: Collection[str]
) -> tuple[str, ...]:
    """The columns that features are, then those that derived ones are computed from."""
    plain = [name for name in features if name not in derived]
    parts = (derived[name].columns(known) for name in features if name in derived)
    return tuple(dict.fromkeys([*plain, *chain.from_iterable(parts)]))


def compute(
    derived: Derived, columns: Mapping[str, NDArray[Any]], offsets: NDArray[np.int64]
) -> Values:
    """The feature in every frame; sequence i is the frames from offsets[i] to offsets[i + 1]."""
    with np.errstate(over="ignore", invalid="ignore"):  # whoever reads the values checks them
        values = _values(derived.expression, columns, derived.where)
    # The first frames of a sequence were compared with the sequence before it.
    values[positions(offsets) < _frames_back(derived.expression)] = 0
    return values


def _values(
    expression: Column | Point | Call, columns: Mapping[str, NDArray[Any]], where: str
) -> Values:
    """Of a column or a call in every frame, of a point as x and y."""
    if not isinstance(expression, Call):
        values = [np.asarray(columns[each]) for each in _columns(expression, [*columns], where)]
        return np.array(values[0] if isinstance(expression, Column) else values, np.float64)
    arguments = [_values(each, columns, where) for each in expression.arguments]
    return expression.computing(*arguments, *expression.frames)


def _frames_back(expression: Column | Point | Call) -> int:
    """Frames at the start of a sequence that have no value, since it looks so far back."""
    if not isinstance(expression, Call):
        return 0
    inner = max(map(_frames_back, expression.arguments))
    own = MEASURES[expression.function].frames_back[len(expression.arguments)]
    return inner + own + sum(expression.frames)


def _columns(expression: Column | Point | Call, known: Collection[str], where: str) -> list[str]:
    """The columns of an expression, all of them known."""
    match expression:
        case Call(arguments=arguments):
            return [name for each in arguments for name in _columns(each, known, where)]
        case Point(name=name, columns=()):
            return list(find_point(name, known, where))
    own = expression.columns if isinstance(expression, Point) else (expression.name,)
    for name in own:
        if name not in known:
            raise DataError(f"{where}: there is no column {name!r}; {suggestion(name, known)}")
    return list(own)
