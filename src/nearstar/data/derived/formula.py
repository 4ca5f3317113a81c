"""What a derived feature is: an expression of points and columns, and its values."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearstar.data.conversion import positions
from nearstar.data.derived.measures import MEASURES, Values
from nearstar.data.derived.points import find_point
from nearstar.data.derived.statistics import Stretch, over
from nearstar.util.errors import DataError, DomainError
from nearstar.util.nearest import suggestion


@dataclass(frozen=True)
class Column:
    """A column, or another derived feature, by its name."""

    name: str

    @property
    def title(self) -> str:
        return self.name

    @property
    def text(self) -> str:
        return self.name if re.fullmatch(r"[\w.]+", self.name) else f'"{self.name}"'


@dataclass(frozen=True)
class Point:
    """A tracked point by its name, or by its two columns."""

    name: str = ""
    columns: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        return self.name or "_".join(self.columns)

    @property
    def text(self) -> str:
        if self.name:
            return Column(self.name).text
        return f"({', '.join(Column(each).text for each in self.columns)})"


@dataclass(frozen=True)
class Call:
    """A function of points, or of something over some frames."""

    function: str
    arguments: tuple[Expression, ...]
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

    @property
    def text(self) -> str:
        lag = () if self.lag == 1 else (str(self.lag),)
        return f"{self.function}({', '.join((*(each.text for each in self.arguments), *lag))})"


@dataclass(frozen=True)
class Over:
    """A statistic of a feature over some frames."""

    statistic: str
    of: Value
    frames: Stretch

    @property
    def text(self) -> str:
        # Around is what a number alone says, but for changes, where it is a difference to before.
        frames = self.frames.text
        if self.statistic != "change":
            frames = frames.removeprefix("around ").removeprefix("whole")
        return f"{self.statistic}({', '.join(filter(None, (self.of.text, frames)))})"

    @property
    def title(self) -> str:
        """It is called what it is: a text that can be read again."""
        return self.text


Value = Column | Call | Over
"""What has a value in every frame."""
Expression = Value | Point


@dataclass(frozen=True)
class Derived:
    """A derived feature: its name, the text of its expression, and the expression."""

    name: str
    text: str
    expression: Call | Over

    @property
    def where(self) -> str:
        return f"derived feature {self.name} = {self.text}"


def needed_columns(
    features: Iterable[str], derived: Mapping[str, Derived], known: Collection[str]
) -> tuple[str, ...]:
    """The columns that features are, then those that derived ones are computed from."""
    plain = [name for name in features if name not in derived]
    parts = (
        _columns(inlined(derived[name], derived), (*known, *derived), derived[name].where)
        for name in features
        if name in derived
    )
    return tuple(dict.fromkeys([*plain, *chain.from_iterable(parts)]))


def inlined(feature: Derived, derived: Mapping[str, Derived]) -> Value:
    """The expression of a derived feature, with those of others in place of their names."""
    return _inlined(feature.expression, derived, (feature.name,))


def _inlined(part: Value, derived: Mapping[str, Derived], inside: tuple[str, ...]) -> Value:
    match part:
        case Column(name=name) if name in inside:
            circle = " of ".join((*inside[inside.index(name) :], name))
            raise DomainError(f"{derived[name].where}: derived features in a circle: {circle}")
        case Column(name=name) if name in derived:
            return _inlined(derived[name].expression, derived, (*inside, name))
        case Over(of=of):
            return replace(part, of=_inlined(of, derived, inside))
        case Call(arguments=arguments):
            of_points = (
                each if isinstance(each, Point) else _inlined(each, derived, inside)
                for each in arguments
            )
            return replace(part, arguments=tuple(of_points))
    return part


def named_in(features: Iterable[str], derived: Mapping[str, Derived]) -> list[str]:
    """Those of these features that are derived, and all derived ones that they name."""
    found: dict[str, None] = {}

    def look(part: Expression) -> None:
        match part:
            case Column(name=name) if name in derived and name not in found:
                found[name] = None
                look(derived[name].expression)
            case Over(of=of):
                look(of)
            case Call(arguments=arguments):
                for each in arguments:
                    look(each)

    for name in features:
        look(Column(name))
    return list(found)


class Computing:
    """Features of columns: themselves, and those derived of them, by name.

    Sequence i is the frames from offsets[i] to offsets[i + 1].
    """

    def __init__(
        self,
        columns: Mapping[str, NDArray[Any]],
        derived: Mapping[str, Derived],
        offsets: NDArray[np.int64],
    ) -> None:
        self._columns = columns
        self._derived = derived
        self._offsets = offsets

    def __getitem__(self, name: str) -> Values:
        if name not in self._derived:
            return np.asarray(self._columns[name])
        feature = self._derived[name]
        with np.errstate(over="ignore", invalid="ignore"):  # whoever reads the values checks them
            return self._feature(inlined(feature, self._derived), feature.where)

    def _feature(self, expression: Value, where: str) -> Values:
        values = self._values(expression, where)
        # The first frames of a sequence were compared with the sequence before it.
        if back := _frames_back(expression):
            values[positions(self._offsets) < back] = 0
        return values

    def _values(self, expression: Expression, where: str) -> Values:
        """Of a column or a call in every frame, of a point as x and y."""
        match expression:
            case Over(statistic=statistic, of=of, frames=frames):
                return over(statistic, self._feature(of, where), frames, self._offsets)
            case Call(arguments=arguments):
                given = [self._values(each, where) for each in arguments]
                return expression.computing(*given, *expression.frames)
        names = _columns(expression, list(self._columns), where)
        values = [np.asarray(self._columns[name]) for name in names]
        return np.array(values[0] if isinstance(expression, Column) else values, np.float64)


def _frames_back(expression: Expression) -> int:
    """Frames at the start of a sequence that have no value, since it looks so far back."""
    if not isinstance(expression, Call):
        return 0
    inner = max(map(_frames_back, expression.arguments))
    own = MEASURES[expression.function].frames_back[len(expression.arguments)]
    return inner + own + sum(expression.frames)


def _columns(expression: Expression, known: Collection[str], where: str) -> list[str]:
    """The columns of an expression, all of them known."""
    match expression:
        case Over(of=of):
            return _columns(of, known, where)
        case Call(arguments=arguments):
            return [name for each in arguments for name in _columns(each, known, where)]
        case Point(name=name, columns=()):
            return list(find_point(name, known, where))
    own = expression.columns if isinstance(expression, Point) else (expression.name,)
    for name in own:
        if name not in known:
            raise DataError(f"{where}: there is no column {name!r}; {suggestion(name, known)}")
    return list(own)
