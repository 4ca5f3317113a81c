"""The page: one HTML file that needs nothing else."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping
from typing import Any

from markupsafe import Markup

from nearstar.report.frame import asset, framed

SECTIONS = {
    "program": "The program",
    "scores": "How good it is",
    "ethogram": "Over time",
    "front": "Simpler and better programs",
    "search": "The search",
}
"""What the page is made of, by the keys of its data."""
_STYLES = ("program", "scores", "ethogram", "search")
_SCRIPTS = ("base", "program", "scores", "ethogram", "chart", "front", "tree", "search", "main")


def render(page: Mapping[str, Any]) -> str:
    """The page that shows these data.

    Names, labels and texts come from anywhere: all but the data's own ``html`` is escaped, and no
    script runs but the page's own, whatever stands in the data.
    """
    script = "\n".join(asset(f"{name}.js") for name in _SCRIPTS)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; "
        "img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'"
    )
    data = json.dumps(page, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return framed(
        "report/assets/page.html",
        policy,
        page=page,
        sections=SECTIONS.items(),
        style=Markup("\n".join(asset(f"{name}.css") for name in _STYLES)),
        script=Markup(script),
        # In a script element only these can end it, or open a comment.
        data=Markup(data.replace("<", "\\u003c").replace("\u2028", "\\u2028")),
    )
