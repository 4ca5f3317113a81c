"""Programs for use elsewhere: as Python source, ONNX, LaTeX or JSON."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from nearstar.model.export.json import to_json
from nearstar.model.export.latex import to_latex
from nearstar.model.export.onnx import to_onnx
from nearstar.model.export.python import to_python
from nearstar.util.errors import NearstarError
from nearstar.util.nearest import suggestion

if TYPE_CHECKING:
    from nearstar.model.model import Model

__all__ = ["FORMATS", "export"]

FORMATS: dict[str, Callable[[Model], str | bytes]] = {
    "python": to_python,
    "onnx": to_onnx,
    "latex": to_latex,
    "json": to_json,
}
"""What writes each format; all but ONNX are text."""


def export(model: Model, to: str) -> str | bytes:
    """The model's program in another format: the contents of a file.

    ``python``: a module that needs only NumPy, with functions ``scores``, ``probabilities`` and
    ``predict``. ``onnx``: a graph from one sequence, of any length, to ``scores``,
    ``probabilities`` and ``label``. ``latex``: equations for a paper. ``json``: the tree with all
    its parameters, for other tools.
    """
    if to not in FORMATS:
        raise NearstarError(f"cannot export to {to!r}; {suggestion(str(to), FORMATS)}")
    return FORMATS[to](model)
