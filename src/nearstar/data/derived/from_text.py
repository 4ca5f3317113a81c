"""Derived features read from their texts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import get_args

from nearstar.data.derived.formula import Call, Column, Derived, Over, Point, Value
from nearstar.data.derived.measures import MEASURES
from nearstar.data.derived.statistics import STATISTICS, Kind, Stretch
from nearstar.util.caret import pointing
from nearstar.util.errors import DomainError
from nearstar.util.nearest import suggestion


def parse_derived(text: str, name: str | None = None) -> Derived:
    """Read ``distance(nose, tail)`` or ``gap = distance(nose, tail)``.

    Without a name it is named after what it is: distance_nose_tail.
    """
    if not isinstance(text, str):
        raise DomainError(f"a derived feature is a text such as distance(a, b), not {text!r}")
    match = re.match(r"\s*([^\"()=]+?)\s*=", text)
    own, start = (match[1], match.end()) if match else (None, 0)
    parser = _Parser(text, start)
    expression = parser.read_call()
    parser.expect("end", "nothing more")
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
_FUNCTIONS = (*MEASURES, *(name for name in STATISTICS if name not in MEASURES))
_STRETCHES = get_args(Kind)


class _Parser:
    """Reads one token after the other; each error shows its place."""

    def __init__(self, text: str, start: int) -> None:
        self._text = text
        self._next = start
        self._take()

    def read_call(self, depth: int = 0) -> Call | Over:
        if depth > _MAX_NESTING:
            raise self._error(f"expressions are at most {_MAX_NESTING} deep")
        start = self._start
        function = self.expect("name", f"a function; {suggestion(self._shown, _FUNCTIONS)}")
        if function not in _FUNCTIONS:
            raise self._error(
                f"there is no function {function!r}; {suggestion(function, _FUNCTIONS)}", start
            )
        self.expect("(", f"'(' after {function}")
        if function in MEASURES and not MEASURES[function].of_values:
            return self._of_points(function, start)
        return self._of_value(function, depth)

    def _of_points(self, function: str, start: int) -> Call:
        arguments, counts = [self._point()], MEASURES[function].frames_back
        while self._kind == ",":
            self._take()
            arguments.append(self._point())
        if len(arguments) not in counts:
            raise self._error(
                f"{function} takes {' or '.join(map(str, counts))} "
                f"point{'s' if max(counts) > 1 else ''}, not {len(arguments)}",
                start,
            )
        self.expect(")", "')' or ','")
        return Call(function, tuple(arguments))

    def _of_value(self, function: str, depth: int) -> Call | Over:
        """A function of a column or another function, and perhaps of some frames."""
        of = self._value(depth)
        call: Call | Over = (
            Call(function, (of,)) if function in MEASURES else Over(function, of, Stretch())
        )
        if self._kind != ",":
            self.expect(")", "')' or ','")
            return call
        self._take()
        if isinstance(call, Over) or self._word in _STRETCHES:
            call = Over(function, of, self._stretch())
        else:
            call = Call(function, (of,), self._frames())
        self.expect(")", "')'")
        return call

    def expect(self, kind: str, what: str) -> str:
        fits = self._kind == kind or (kind == "name" and self._kind == "quoted")
        if not fits:
            raise self._error(f"expected {what}")
        word = self._word
        if kind != "end":
            self._take()
        return word

    def _value(self, depth: int) -> Value:
        follows = self._text[self._next :].lstrip()[:1]
        if self._kind == "name" and follows == "(":
            return self.read_call(depth + 1)
        return Column(self.expect("name", "a column or a function"))

    def _point(self) -> Point:
        if self._kind == "(":
            self._take()
            x = self.expect("name", "a column")
            self.expect(",", "','")
            y = self.expect("name", "a column")
            self.expect(")", "')'")
            return Point(columns=(x, y))
        return Point(self.expect("name", "a point: a name, or (column, column)"))

    def _stretch(self) -> Stretch:
        kind: Kind = "around"
        for each in _STRETCHES:
            if self._word == each:
                kind = each
                self._take()
        if kind == "whole":
            return Stretch()
        start, size = self._start, self._frames()
        if kind == "around" and size % 2 == 0:
            raise self._error(
                f"frames around one are an odd number of frames, {size - 1} or {size + 1}, say; "
                f"or the last ones: last {size}",
                start,
            )
        return Stretch(kind, size)

    def _frames(self) -> int:
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
