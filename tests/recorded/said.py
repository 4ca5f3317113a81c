"""What errors say."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import nearstar as ns


def said(attempt: Callable[[], Any]) -> dict[str, Any]:
    """The kind and the text of the error that an attempt ends with."""
    try:
        attempt()
    except ns.NearstarError as problem:
        return {"kind": type(problem).__name__, "said": str(problem)}
    return {"kind": None, "said": None}
