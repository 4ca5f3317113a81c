"""How commands end: exit codes, and messages that name settings as flags."""

from __future__ import annotations

import sys

from nearstar.util.errors import Setting

WRONG, MISUSED, INTERRUPTED = 1, 2, 130
"""Exit codes, beside 0: what was given cannot be used; there is no such flag; Ctrl-C."""


def tell(message: str, code: int) -> int:
    """Say on standard error why it ends, and give the exit code."""
    print(f"nearstar: {message}", file=sys.stderr)
    return code


def as_flag(setting: Setting) -> str:
    """A setting that a message names, as it is given here: --missing interpolate."""
    flag, value = "--" + setting.name.replace("_", "-"), setting.value
    if value is None:
        return flag
    return f"{flag} {','.join(value) if isinstance(value, list) else value}"
