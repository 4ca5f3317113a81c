"""Tracked points: pairs of columns that hold the x and the y of one thing."""

from __future__ import annotations

from collections.abc import Iterable

from nearstar.util.errors import DataError
from nearstar.util.nearest import suggestion

_FORMS = ("{}_x", "{}.x", "{} x", "{}x", "x_{}", "x{}")
"""How trackers call the x of a point; y is written likewise. The first form that fits counts."""


def points_of(columns: Iterable[str]) -> dict[str, tuple[str, str]]:
    """All points that these columns hold, by name: ``nose`` is nose_x and nose_y."""
    names = list(columns)
    known = set(names)
    points: dict[str, tuple[str, str]] = {}
    for form in _FORMS:
        before, after = form.split("{}")
        for name in names:
            point = name.removeprefix(before).removesuffix(after)
            if not point or form.format(point) != name:
                continue
            partner = form.replace("x", "y").format(point)
            # nose_x and nose_y are the point nose, and not "nose_" as well.
            if partner in known and (name, partner) not in points.values():
                points.setdefault(point, (name, partner))
    return points


def find_point(name: str, columns: Iterable[str], where: str) -> tuple[str, str]:
    """The columns of a point; `where` says where it was asked for."""
    points = points_of(columns)
    if name not in points:
        raise DataError(
            f"{where}: there is no point {name!r}, such as columns {name}_x and {name}_y; "
            f"{suggestion(name, points)}. Two columns make a point, too: (column, column)"
        )
    return points[name]
