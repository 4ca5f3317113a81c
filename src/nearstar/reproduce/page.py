"""What is told of a study, as one HTML page that needs nothing else, not even a script."""

from __future__ import annotations

import base64

from nearstar.report.frame import framed
from nearstar.reproduce.contents import Contents

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
POLICY += "form-action 'none'"


def to_html(told: Contents) -> str:
    """The page. Names and programs come from anywhere: all of them are escaped."""
    return framed("reproduce/page.html", POLICY, told=told, address=_address)


def _address(svg: str) -> str:
    """The picture itself: as an image its style is its own, and nothing in it can run."""
    return f"data:image/svg+xml;base64,{base64.b64encode(svg.encode()).decode()}"
