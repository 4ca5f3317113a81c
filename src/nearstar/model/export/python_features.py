"""Features of a table as a Python function: columns as they are, derived ones computed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from nearstar.data.derived import Call, Column, Over, Point, read_derived
from nearstar.data.derived.formula import Expression, inlined
from nearstar.data.derived.points import points_of
from nearstar.data.derived.statistics import helper
from nearstar.language.domain import Domain
from nearstar.model.export.python_body import TAKEN
from nearstar.model.export.python_expression import quoted
from nearstar.model.export.python_helpers import FEATURE_HELPERS

_HEAD = '''\
def features(table):
    """x from a table: a dictionary of columns by name, or a structured array."""'''


def features_function(domain: Domain, features: Sequence[str]) -> str:
    """The source of ``features(table)``, which makes these features."""
    known = read_derived(domain.derived)
    derived = {name: inlined(known[name], known) for name in features if name in known}
    if not derived:
        stacked = "np.column_stack([column(table, name) for name in FEATURES])"
        return f"{_HEAD}\n    return {stacked}"
    columns = [name for name in domain.features if name not in domain.derived]
    points = _points_named(derived.values())
    made = {name: _text(derived.get(name, Column(name)), points) for name in features}
    lines = [
        *(f"{variable} = {_point(point, columns)}" for point, variable in points.items()),
        *("made = {", *(f"    {quoted(name)}: {text}," for name, text in made.items()), "}"),
        *_stacked(any(isinstance(each, Call) and each.looks_back for each in derived.values())),
    ]
    return "\n".join([_HEAD, *(f"    {line}" for line in lines)])


def _stacked(compares: bool) -> list[str]:
    stacked = "np.column_stack(list(made.values()))"
    if not compares:
        return [f"return {stacked}"]
    return [
        f"x = {stacked}",
        "# Where there is no earlier frame to compare with, a value is 0.",
        "return np.where(np.isnan(x), 0, x)",
    ]


def _text(expression: Expression, points: Mapping[Point, str]) -> str:
    match expression:
        case Column(name=name):
            return f"column(table, {quoted(name)})"
        case Point():
            return points[expression]
        case Call(arguments=arguments, lag=lag):
            texts = [_text(each, points) for each in arguments]
            if lag > 1:
                texts.append(str(lag))
            return f"{expression.computing.__name__}({', '.join(texts)})"
        case Over(statistic=statistic, of=of, frames=frames):
            ends = () if frames.kind == "whole" else (str(frames.back), str(frames.ahead))
            return f"{helper(statistic)}({', '.join((_text(of, points), *ends))})"


def _point(point: Point, columns: Sequence[str]) -> str:
    """A point by its columns where they are known, or else by its name."""
    likely = (f"{point.name}_x", f"{point.name}_y")
    # Other forms of the name count only if a table lacks this one.
    known = likely if points_of(columns).get(point.name) == likely else point.columns
    if known:
        return f"xy(table, {', '.join(map(quoted, known))})"
    return f"point(table, {quoted(point.name)})"


def _points_named(expressions: Iterable[Expression]) -> dict[Point, str]:
    """A variable for each point, called like it as far as Python allows."""
    taken = {*TAKEN, *FEATURE_HELPERS, "table", "made"}
    found: dict[Point, str] = {}
    for point in dict.fromkeys(point for each in expressions for point in _points(each)):
        name = re.sub(r"\W", "_", point.title, flags=re.ASCII)
        name = name if re.match(r"[A-Za-z]", name) else f"point_{name}"
        while name in taken:
            name += "_"
        taken.add(name)
        found[point] = name
    return found


def _points(expression: Expression) -> Iterator[Point]:
    match expression:
        case Point():
            yield expression
        case Call(arguments=arguments):
            for each in arguments:
                yield from _points(each)
        case Over(of=of):
            yield from _points(of)
