"""Plain JSON: values that are the same before and after a file."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from nearstar.util.errors import NearstarError

_MOST_DIGITS = 400
"""Whole numbers with more digits are beyond any double, and slow to read."""


def to_json(value: Any, what: str) -> str:
    """The text of a value, in one line."""
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
        text.encode()
    except (TypeError, ValueError, RecursionError) as problem:
        raise NearstarError(
            f"{what} must be texts, finite numbers, lists and tables: {problem}"
        ) from None
    return text


def from_json(text: str, what: str) -> Any:
    """The value of a text. Numbers in it may be infinite or NaN: ``to_json`` would refuse them."""
    try:
        return json.loads(text, parse_int=_whole, object_pairs_hook=_table)
    except (ValueError, RecursionError) as problem:
        raise NearstarError(f"{what}: {problem}") from None


def plain(value: Any, what: str) -> Any:
    """A copy of the value as a file would give it back."""
    return from_json(to_json(value, what), what)


def _whole(digits: str) -> int | float:
    return int(digits) if len(digits) <= _MOST_DIGITS else float(digits)


def _table(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) < len(pairs):
        twice, _ = Counter(name for name, _ in pairs).most_common(1)[0]
        raise ValueError(f"the key {twice!r} is there twice")
    return table
