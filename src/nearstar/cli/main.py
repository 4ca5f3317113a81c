"""``nearstar``: from the command line to a command, and from errors to messages."""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Sequence
from typing import Any

from nearstar.util.errors import NearstarError
from nearstar.util.version import __version__

WRONG, MISUSED, INTERRUPTED = 1, 2, 130
"""Exit codes, beside 0: what was given cannot be used; there is no such flag; Ctrl-C."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command, and give its exit code."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # terminals that lack a sign
    try:
        code = _run(sys.argv[1:] if arguments is None else list(arguments))
        sys.stdout.flush()  # what cannot be written is told now, not while Python ends
        return code
    except NearstarError as problem:
        return _told(_with_flags(str(problem)), WRONG)
    except KeyboardInterrupt as pressed:
        return _told("; ".join(["interrupted", *filter(None, map(str, pressed.args))]), INTERRUPTED)
    except BrokenPipeError:
        _drop_output()  # whoever read it has seen enough
        return 0
    except OSError as problem:
        _drop_output()
        place = f"{problem.filename}: " if problem.filename else "the output cannot be written: "
        return _told(f"{place}{problem.strerror or problem}", WRONG)
    except MemoryError:
        return _told("there is not enough memory for these data", WRONG)


def _run(arguments: list[str]) -> int:
    # Imported late, so that Ctrl-C and errors are met from the first moment on.
    from nearstar.cli.commands import COMMANDS
    from nearstar.cli.config import read_config
    from nearstar.cli.options import settle
    from nearstar.cli.parser import Misuse, build
    from nearstar.cli.values import text

    for argument in arguments:
        if any("\ud800" <= sign <= "\udfff" for sign in argument):  # how Python marks such bytes
            raise NearstarError(f"{argument!r} is not text in UTF-8; rename the file")
    parser = build(COMMANDS, __version__)
    try:
        given: dict[str, Any] = vars(parser.parse_args(arguments))
    except Misuse as problem:
        return _told(str(problem), MISUSED)
    except SystemExit:  # after the help or the version
        return 0
    name = given.pop("command")
    if name is None:
        parser.print_help()
        return MISUSED
    command = next(each for each in COMMANDS if each.name == name)
    config = {}
    if path := given.pop("config", None):
        config = read_config(path, command.keys)
    settings = settle(command.options, given, config)
    for place in command.places:
        value = given.get(place.name) or config.get(place.name)
        if value is None and not place.optional:
            misuse = f"{name} needs {place.name.upper()}\nTry: nearstar {name} --help"
            return _told(misuse, MISUSED)
        settings[place.name] = None if value is None else text(value)
    return command.run(settings)


def _with_flags(message: str) -> str:
    """A message in which what Python writes as missing='interpolate' is a flag."""
    return re.sub(r"\b(missing|per|features)=\[?'([^']*)'\]?", r"--\1 \2", message)


def _told(message: str, code: int) -> int:
    print(f"nearstar: {message}", file=sys.stderr)
    return code


def _drop_output() -> None:
    """What is left in the buffer goes nowhere: Python must not complain when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
