"""``nearstar``: from the command line to a command, and from errors to messages."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Sequence

from nearstar.cli.messages import INTERRUPTED, WRONG, as_flag, tell
from nearstar.util.errors import NearstarError, message_of


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command, and give its exit code."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # terminals that lack a sign
    try:
        # Imported late, so that Ctrl-C and errors are met from the first moment on.
        from nearstar.cli.commands import run

        code = run(sys.argv[1:] if arguments is None else list(arguments))
        sys.stdout.flush()  # what cannot be written is told now, not while Python ends
        return code
    except NearstarError as problem:
        return tell(message_of(problem, as_flag), WRONG)
    except KeyboardInterrupt as pressed:
        return tell("; ".join(["interrupted", *filter(None, map(str, pressed.args))]), INTERRUPTED)
    except BrokenPipeError:
        _drop_output()  # whoever read it has seen enough
        return 0
    except OSError as problem:
        _drop_output()
        place = f"{problem.filename}: " if problem.filename else "the output cannot be written: "
        return tell(f"{place}{problem.strerror or problem}", WRONG)
    except MemoryError:
        return tell("there is not enough memory for these data", WRONG)


def _drop_output() -> None:
    """What is left in the buffer goes nowhere: Python must not complain when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
