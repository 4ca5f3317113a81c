"""The name that somebody probably meant."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

_LONGEST = 60
"""Longer names are not compared with others: it takes long and helps nobody."""
_LISTED = 12


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name most like this one, if any is alike; capital letters do not matter."""
    if len(name) > _LONGEST:
        return None
    lowered: dict[str, str] = {}
    for each in known:
        lowered.setdefault(each.lower(), each)
    given = name.lower()
    matches = difflib.get_close_matches(given, lowered, n=3, cutoff=0.6)

    def likeness(known: str) -> tuple[float, bool]:
        ratio = difflib.SequenceMatcher(None, known, given).ratio()
        return ratio, known.startswith(given)  # of equals, the one that it is short for

    return lowered[max(matches, key=likeness)] if matches else None


def suggestion(name: str, known: Iterable[str]) -> str:
    """The end of a message about an unknown name: "did you mean …?", and what there is."""
    names = [str(each) for each in known]
    listed = ", ".join(names[:_LISTED]) + (", …" if len(names) > _LISTED else "")
    close = nearest(str(name), names)
    before = f"did you mean {close!r}? There" if close else "there"
    return f"{before} are {listed or 'none'}"
