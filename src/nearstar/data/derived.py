"""Features derived from tracked points and columns: ``gap = distance(nose, tail)``.

========================  =========================================================================
``distance(a, b)``        between two points
``speed(a)``              length of the step from the frame before
``acceleration(a)``       change of the speed
``heading(a)``            direction of the step from the frame before, from −π to π
``heading(a, b)``         direction from a to b
``angle(a, b, c)``        at b, between the directions to a and to c, from 0 to π
``angle(a, b, c, d)``     between the directions from a to b and from c to d
``change(e)``             difference to the frame before, of a column or a derived feature
``change(e, k)``          difference to k frames before; of a heading, the turn from −π to π
========================  =========================================================================

A point ``nose`` is the columns nose_x and nose_y (or nose.x, "nose x", nosex, x_nose, xnose); any
two columns make one: ``(left, top)``. Names with other signs than letters, digits, ``_`` and ``.``
stand in quotes. Where there is no earlier frame to compare with, a value is 0.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from nearstar.data.points import find_point
from nearstar.util.caret import pointing
from nearstar.util.errors import DataError, DomainError
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
    """A function of points, or the change of something over some frames."""

    function: str
    arguments: tuple[Column | Point | Call, ...]
    lag: int = 1

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
        return tuple(dict.fromkeys(_columns(self.expression, list(known), self.place)))

    @property
    def place(self) -> str:
        return f"derived feature {self.name} = {self.text}"


def _columns(expression: Column | Point | Call, known: list[str], place: str) -> list[str]:
    if isinstance(expression, Column):
        check_column(expression.name, known, place)
        return [expression.name]
    if isinstance(expression, Point):
        return list(point_columns(expression, known, place))
    return [name for each in expression.arguments for name in _columns(each, known, place)]


def point_columns(point: Point, known: Iterable[str], place: str) -> tuple[str, ...]:
    """The columns of a point, all of them known."""
    if not point.columns:
        return find_point(point.name, known, place)
    for name in point.columns:
        check_column(name, known, place)
    return point.columns


def check_column(name: str, known: Iterable[str], place: str) -> None:
    """Raise unless a column is known."""
    if name not in known:
        raise DataError(f"{place}: there is no column {name!r}; {suggestion(name, known)}")


# Reading

_FUNCTIONS: dict[str, tuple[int, ...]] = {
    "distance": (2,),
    "speed": (1,),
    "acceleration": (1,),
    "heading": (1, 2),
    "angle": (3, 4),
    "change": (1,),
}
"""How many arguments each function takes."""


def parse_derived(text: str, name: str | None = None) -> Derived:
    """Read ``distance(nose, tail)`` or ``gap = distance(nose, tail)``.

    Without a name it is named after what it is: distance_nose_tail.
    """
    if not isinstance(text, str):
        raise DomainError(f"a derived feature is a text such as distance(a, b), not {text!r}")
    match = re.match(r"\s*([^\"()=]+?)\s*=", text)
    own, start = (match[1], match.end()) if match else (None, 0)
    reader = _Reader(text, start)
    expression = reader.read_call()
    reader.expect("end", "nothing more")
    if name is not None and own is not None and name != own:
        raise DomainError(f"the derived feature {name!r} calls itself {own!r}: {text!r}")
    return Derived(name or own or expression.title, text[start:].strip(), expression)


def read_derived(given: Mapping[str, str] | Iterable[str] | None) -> dict[str, Derived]:
    """Derived features by name, from a table of names and expressions or a list of texts."""
    if given is None:
        return {}
    if isinstance(given, str):
        raise DomainError(f"derived features are a list or a table; write [{given!r}] for one")
    if isinstance(given, Mapping):
        read = [parse_derived(text, name) for name, text in given.items()]
    else:
        read = [parse_derived(text) for text in given]
    features: dict[str, Derived] = {}
    for each in read:
        if features.setdefault(each.name, each) != each:
            raise DomainError(f"two derived features are called {each.name!r}; rename one")
    return features


_TOKEN = re.compile(r"\s*(?:(?P<name>[\w.]+)|\"(?P<quoted>[^\"]*)\"|(?P<sign>\S)|(?P<end>\Z))")
_MAX_NESTING = 20


class _Reader:
    """Reads one token after the other; each error shows its place."""

    def __init__(self, text: str, start: int) -> None:
        self._text = text
        self._next = start
        self._take()

    def read_call(self, depth: int = 0) -> Call:
        if depth > _MAX_NESTING:
            raise self._error(f"expressions are at most {_MAX_NESTING} deep")
        start = self._start
        function = self.expect("name", f"a function; {suggestion(self._shown, _FUNCTIONS)}")
        if function not in _FUNCTIONS:
            raise self._error(
                f"there is no function {function!r}; {suggestion(function, _FUNCTIONS)}", start
            )
        self.expect("(", f"'(' after {function}")
        arguments: list[Column | Point | Call] = [self._argument(function, depth)]
        lag = 1
        while self._kind == ",":
            self._take()
            if function == "change":
                lag = self._lag()
                break
            arguments.append(self._argument(function, depth))
        counts = _FUNCTIONS[function]
        if len(arguments) not in counts:
            raise self._error(
                f"{function} takes {' or '.join(map(str, counts))} "
                f"point{'s' if max(counts) > 1 else ''}, not {len(arguments)}",
                start,
            )
        self.expect(")", "')' or ','" if function != "change" or lag == 1 else "')'")
        return Call(function, tuple(arguments), lag)

    def expect(self, kind: str, what: str) -> str:
        fits = self._kind == kind or (kind == "name" and self._kind == "quoted")
        if not fits:
            raise self._error(f"expected {what}")
        word = self._word
        if kind != "end":
            self._take()
        return word

    def _argument(self, function: str, depth: int) -> Column | Point | Call:
        if function == "change":
            follows = self._text[self._next :].lstrip()[:1]
            if self._kind == "name" and follows == "(":
                return self.read_call(depth + 1)
            return Column(self.expect("name", "a column or a function"))
        if self._kind == "(":
            self._take()
            x = self.expect("name", "a column")
            self.expect(",", "','")
            y = self.expect("name", "a column")
            self.expect(")", "')'")
            return Point(columns=(x, y))
        return Point(self.expect("name", "a point: a name, or (column, column)"))

    def _lag(self) -> int:
        start, word = self._start, self.expect("name", "a number of frames")
        if not re.fullmatch(r"[1-9][0-9]{0,6}", word):
            raise self._error("expected a number of frames, from 1", start)
        return int(word)

    def _take(self) -> None:
        match = _TOKEN.match(self._text, self._next)
        assert match is not None  # the last two alternatives match anything
        kind = match.lastgroup or "end"
        self._word = match[kind]
        self._kind = self._word if kind == "sign" else kind
        self._start, self._next = match.start(kind), match.end()

    @property
    def _shown(self) -> str:
        return self._word if self._kind == "name" else ""

    def _error(self, problem: str, start: int | None = None) -> DomainError:
        where = self._start if start is None else start
        return DomainError(f"derived feature: {pointing(self._text, where, problem)}")
