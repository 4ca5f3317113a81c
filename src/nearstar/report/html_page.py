"""Pages: HTML files that need nothing else, of one look."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from nearstar.util.version import __version__

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


def framed(template: str, policy: str, **given: Any) -> str:
    """A page: the template, which extends ``frame.html``, with what is given, escaped.

    The template is named from the folder of the package; the policy says what the page may do.
    """
    look = Markup(asset("page.css"))
    found = _environment().get_template(template)
    return found.render(nearstar=__version__, policy=policy, look=look, **given)


@cache
def asset(name: str) -> str:
    """A part of a page, as it stands in its file."""
    return (files("nearstar.report") / "assets" / name).read_text("utf-8")


@cache
def _environment() -> Environment:
    return Environment(
        loader=PackageLoader("nearstar", ""),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        keep_trailing_newline=True,
    )
