"""``nearstar``: from the command line to a command, and from errors to messages."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Any

from nearstar.errors import NearstarError

INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command. 0: done; 1: something given cannot be used; 2: no such flag; 130: Ctrl-C."""
    try:
        return _run(sys.argv[1:] if arguments is None else list(arguments))
    except NearstarError as problem:
        print(f"nearstar: {problem}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("nearstar: interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read the output has seen enough; Python must not complain when it flushes.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _run(arguments: list[str]) -> int:
    # Imported late, so that Ctrl-C and errors are met from the first moment on.
    from nearstar import __version__
    from nearstar.cli.commands import COMMANDS
    from nearstar.cli.config import read_config
    from nearstar.cli.options import settle
    from nearstar.cli.parser import build

    parser = build(COMMANDS, __version__)
    given: dict[str, Any] = vars(parser.parse_args(arguments))
    name = given.pop("command")
    if name is None:
        parser.print_help()
        return 2
    command = next(each for each in COMMANDS if each.name == name)
    config = {}
    if path := given.pop("config", None):
        names = [option.name for group in command.options for option in group.options]
        config = read_config(path, [*names, *(place.rstrip("?") for place, _ in command.places)])
    settings = settle(command.options, given, config)
    for place, _ in command.places:
        what = place.rstrip("?")
        settings[what] = given.get(what) or config.get(what)
        if settings[what] is None and not place.endswith("?"):
            parser.error(f"{command.name} needs {what.upper()}")
    return command.run(settings)
