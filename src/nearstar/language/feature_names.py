"""Names of features in the text of programs: as they are, or, where that cannot be read, quoted.

A name is letters, digits, ``_`` and ``.``, and may have parentheses after them, as terms have:
``mean(distance(nose, tail), 31)``. Any other name stands in quotes, written as in JSON.
"""

from __future__ import annotations

import json
import re
from functools import lru_cache

_PLAIN = re.compile(r"[\w.]+")
_INSIDE = re.compile(r'[^()"]+|"[^"]*"')


@lru_cache(maxsize=4096)
def written_name(name: str) -> str:
    """A name as it stands in the text of a program."""
    read = read_name(name, 0)
    return name if read == (name, len(name)) else json.dumps(name, ensure_ascii=False)


def read_name(text: str, start: int) -> tuple[str, int] | None:
    """The name that begins at a place of a text, and where it ends; None if none does."""
    if text.startswith('"', start):
        try:
            name, end = json.JSONDecoder().raw_decode(text, start)
        except json.JSONDecodeError:
            return None
        return name, end
    plain = _PLAIN.match(text, start)
    if plain is None:
        return None
    end = _closed(text, plain.end()) or plain.end()
    return text[start:end], end


def read_names(text: str) -> list[str] | None:
    """The names in a list in braces; None if the text is no such list."""
    names: list[str] = []
    place = 0
    while text.startswith("," if names else "{", place):
        read = read_name(text, len(text) - len(text[place + 1 :].lstrip()))
        if read is None:
            return None
        names.append(read[0])
        place = len(text) - len(text[read[1] :].lstrip())
    return names if text[place:] == "}" else None


def _closed(text: str, start: int) -> int | None:
    """Where the parentheses end that open here; None if none do, or they are never closed."""
    depth, place = 0, start
    while place < len(text):
        if text[place] == "(":
            depth, place = depth + 1, place + 1
        elif text[place] == ")":
            depth, place = depth - 1, place + 1
        elif depth and (match := _INSIDE.match(text, place)):
            place = match.end()
        else:
            return None
        if depth <= 0:
            return place if depth == 0 else None
    return None
