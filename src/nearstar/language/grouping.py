"""Groups of features that are called alike: nose1_x and nose2_y are of the nose."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from nearstar.language.operators import Group

_MOST = 16
"""More groups than this are more rules than a search gets through."""
_NAMELESS = re.compile(r"(x|f|v|c|col|column|var|dim|ch|channel|feature)?[ _]?[0-9]+", re.I)
_AXES = {**dict.fromkeys("xyz", "xyz"), **dict.fromkeys("XYZ", "XYZ")}


def by_stem(names: Sequence[str]) -> dict[str, tuple[int, ...]]:
    """Columns by the name of their group; empty where names say too little or too much."""
    stems: dict[str, list[int]] = {}
    for column, name in enumerate(names):
        stems.setdefault(stem(name, names), []).append(column)
    if all(_NAMELESS.fullmatch(name) for name in names):
        return {}
    if not 2 <= len(stems) <= _MOST:
        stems = {name: [column] for column, name in enumerate(names)}
    return _valid(stems) if len(stems) <= _MOST else {}


def stem(name: str, names: Collection[str]) -> str:
    """A name without the numbers at its end, and without a coordinate that others share.

    An x, y or z is a coordinate where the same name with another of them is there, too.
    """
    for pattern in (r"()(.*)([xyzXYZ])([ ._]?[0-9]*)", r"([xyzXYZ])()([ ._]?)(.+)"):
        match = re.fullmatch(pattern, name, re.DOTALL)
        if match and (rest := _without_axis(match, name, names)) is not None:
            return _without_number(rest) or "position"
    return _without_number(name) or name


def _without_axis(match: re.Match[str], name: str, names: Collection[str]) -> str | None:
    at = match.start(1) if match[1] else match.start(3)
    partners = (name[:at] + axis + name[at + 1 :] for axis in _AXES[name[at]])
    if not any(partner in names for partner in partners if partner != name):
        return None
    return match[4] if match[1] else match[2]


def _without_number(name: str) -> str:
    return re.sub(r"[ ._]*[0-9]*[ ._]*$", "", name)


def _valid(stems: dict[str, list[int]]) -> dict[str, tuple[int, ...]]:
    """Names of letters, digits and _, whose titles are all different."""
    groups: dict[str, tuple[int, ...]] = {}
    titles: set[str] = set()
    for name, columns in stems.items():
        plain = re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_")
        plain = plain if plain[:1].isalpha() else f"group_{plain}".rstrip("_")
        valid, count = plain, 1
        while Group(valid, ()).title in titles:
            count += 1
            valid = f"{plain}_{count}"
        titles.add(Group(valid, ()).title)
        groups[valid] = tuple(columns)
    return groups
