"""What all pages have in common: their head, their look, their foot."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from nearstar.util.version import __version__


def framed(template: str, policy: str, **given: Any) -> str:
    """A page: the template, which extends ``frame.html``, with what is given, escaped.

    The template is named from the folder of the package; the policy says what the page may do.
    """

    return (
        _environment()
        .get_template(template)
        .render(nearstar=__version__, policy=policy, look=Markup(asset("page.css")), **given)
    )


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
