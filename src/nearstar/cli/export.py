"""``nearstar export``: a program for other places."""

from __future__ import annotations

import sys
from typing import Any

from nearstar.cli import values
from nearstar.cli.folder import load_model
from nearstar.cli.options import Option, OptionGroup
from nearstar.cli.output import write_file
from nearstar.model.export import FORMATS
from nearstar.util.errors import NearstarError

OPTIONS = (
    OptionGroup(
        "output",
        (
            Option("to", values.text, "what to write", choices=tuple(FORMATS)),
            Option("out", values.text, "file to write (standard output)", "FILE"),
        ),
    ),
)


def export(settings: dict[str, Any]) -> int:
    """``nearstar export``."""
    if settings["to"] is None:
        raise NearstarError(f"export needs --to, one of {', '.join(FORMATS)}")
    content = load_model(settings["model"]).export(settings["to"])
    if settings["out"] is not None:
        write_file(settings["out"], content)
    elif isinstance(content, bytes):
        raise NearstarError(f"--to {settings['to']} writes no text; give a file with --out FILE")
    else:
        sys.stdout.write(content)
    return 0
