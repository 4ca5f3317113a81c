"""One writer at a time: a lock on an open file, which ends with the process that holds it."""

from __future__ import annotations

import errno
from types import ModuleType

try:
    import fcntl as _module

    fcntl: ModuleType | None = _module
except ImportError:  # pragma: no cover (systems without such locks)
    fcntl = None

_TAKEN = (errno.EAGAIN, errno.EACCES)


def take_lock(descriptor: int) -> bool:
    """Lock an open file; False if it is locked already, by another process or by this one.

    Where the system or the file system has no locks, everybody gets one.
    """
    if fcntl is None:  # pragma: no cover
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as problem:
        return problem.errno not in _TAKEN
    return True
