"""Values as short JSON that is equal only if every bit of them is."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd

LONGEST = 280
"""Characters of a part that is recorded as it is; longer ones are recorded as a digest."""


def digest(content: str | bytes) -> str:
    """The first 16 hexadecimal digits of the SHA-256."""
    data = content.encode() if isinstance(content, str) else content
    return hashlib.sha256(data).hexdigest()[:16]


def exact(value: Any) -> Any:
    """The value as JSON: floats in hexadecimal, arrays, tables and long things as digests."""
    match value:
        case None | bool() | int():
            return value
        case str():
            return _text(value)
        case float() | np.floating():
            return float(value).hex()
        case np.generic():
            return exact(value.item())
        case bytes():
            return f"bytes {len(value)} {digest(value)}"
        case np.ndarray():
            return _array(value)
        case pd.DataFrame():
            return _table(value)
        case Mapping():
            return {str(key): exact(each) for key, each in value.items()}
        case list() | tuple():
            return _listed([exact(each) for each in value])
    raise TypeError(f"cannot be recorded: {type(value).__name__}")


def short(values: Iterable[Any]) -> str:
    """Many values as their number and one digest."""
    items = [exact(each) for each in values]
    return f"{len(items)} {digest(json.dumps(items))}"


def _text(text: str) -> str:
    if len(text) <= LONGEST:
        return text
    # The beginning is for people: it tells what sort of text it was that has changed.
    return f"text {len(text)} {digest(text)} {text[:60]}"


def _array(array: np.ndarray[Any, Any]) -> str:
    if array.dtype == object or array.dtype.kind in "US":
        content = json.dumps(array.tolist(), default=str).encode()
    else:
        content = np.ascontiguousarray(array, array.dtype.newbyteorder("<")).tobytes()
    return f"{array.dtype} {array.shape} {digest(content)}"


def _table(table: pd.DataFrame) -> dict[str, Any]:
    columns = [_array(table.iloc[:, place].to_numpy()) for place in range(table.shape[1])]
    return {
        "columns": _text(", ".join(map(str, table.columns))),
        "rows": len(table),
        "values": _listed(columns),
    }


def _listed(items: list[Any]) -> Any:
    content = json.dumps(items)
    return items if len(content) <= LONGEST else f"list {len(items)} {digest(content)}"
