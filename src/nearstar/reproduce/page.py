"""What is told of a study, as one HTML page that needs nothing else, not even a script."""

from __future__ import annotations

import base64
from functools import cache
from importlib.resources import files

from jinja2 import Environment, StrictUndefined, Template
from markupsafe import Markup

from nearstar.reproduce.contents import Contents

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
POLICY += "form-action 'none'"


def to_html(told: Contents) -> str:
    """The page. Names and programs come from anywhere: all of them are escaped."""
    from nearstar import __version__  # known once the package is there

    style = (files("nearstar.report") / "assets" / "page.css").read_text("utf-8")
    return _template().render(
        told=told, policy=POLICY, style=Markup(style), nearstar=__version__, address=_address
    )


def _address(svg: str) -> str:
    """The picture itself: as an image its style is its own, and nothing in it can run."""
    return f"data:image/svg+xml;base64,{base64.b64encode(svg.encode()).decode()}"


@cache
def _template() -> Template:
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    text = (files("nearstar.reproduce") / "page.html").read_text("utf-8")
    return environment.from_string(text)
