"""Choosing features by name, by pattern or by place."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Collection, Iterable, Sequence

from nearstar.util.errors import DataError
from nearstar.util.nearest import suggestion


def select(
    names: Sequence[str], patterns: Iterable[str], *, places: bool = False
) -> tuple[str, ...]:
    """The names that match, in the order of the patterns, each once; all without patterns.

    With `places`, ``4`` is also the name at that place, counted from 0, and ``0-18`` those from
    place 0 to 18.
    """
    chosen: dict[str, None] = {}
    for pattern in patterns:
        # A name may have signs of patterns in it: itself it always matches.
        found = [pattern] if pattern in names else _at(names, pattern) if places else []
        found = found or [name for name in names if fnmatch.fnmatchcase(name, pattern)]
        if not found:
            ways = "a name, a pattern or a place" if places else "a name or a pattern"
            raise DataError(
                f"no feature matches {pattern!r}; expected {ways}: {suggestion(pattern, names)}"
            )
        chosen.update(dict.fromkeys(found))
    return tuple(chosen) or tuple(names)


def check_known(wanted: Iterable[str], known: Collection[str], what: str) -> None:
    """Raise unless all wanted features are known."""
    for name in wanted:
        if name not in known:
            raise DataError(f"{what} has no feature {name!r}; {suggestion(name, known)}")


def _at(names: Sequence[str], text: str) -> list[str]:
    match = re.fullmatch(r"([0-9]{1,9})(?:-([0-9]{1,9}))?", text)
    if not match:
        return []
    first, last = int(match[1]), int(match[2] or match[1])
    if not first <= last < len(names):
        raise DataError(
            f"the features {text} were asked for; there are {len(names)}, at the places 0 to "
            f"{len(names) - 1}"
        )
    return list(names[first : last + 1])
