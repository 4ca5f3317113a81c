"""How values show themselves in notebooks, though the pages are made in a room above theirs."""

from __future__ import annotations

from importlib import import_module

RENDERERS = "nearstar.report.notebook"
"""The module whose ``html_of`` knows all kinds of values; imported when the first one is shown."""


class ShownInNotebooks:
    """A value that notebooks show as HTML."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        return str(import_module(RENDERERS).html_of(self))
