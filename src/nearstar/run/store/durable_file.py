"""What a file that must not be lost needs: one writer at a time, and its contents on the disk."""

from __future__ import annotations

import errno
import os
import threading
from contextlib import suppress
from pathlib import Path
from types import ModuleType

try:
    import fcntl as _module

    fcntl: ModuleType | None = _module
except ImportError:  # pragma: no cover (systems without such locks)
    fcntl = None

_TAKEN = (errno.EAGAIN, errno.EACCES)
PAUSE = 0.1
"""Seconds between two times that the disk is asked: what is written meanwhile goes together."""


def take_lock(descriptor: int) -> bool:
    """Lock an open file; False if it is locked already, by another process or by this one.

    The lock ends with the process. Where the system or the file system has none, everybody gets
    one.
    """
    if fcntl is None:  # pragma: no cover
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as problem:
        return problem.errno not in _TAKEN
    return True


class Syncing:
    """Has a file on the disk soon after each call, in a thread of its own."""

    def __init__(self, descriptor: int) -> None:
        self.problem: OSError | None = None
        """Why the disk could not keep it."""
        self._descriptor = descriptor
        self._written = threading.Event()
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run, name="nearstar-journal", daemon=True)
        self._thread.start()

    def __call__(self) -> None:
        self._written.set()

    def end(self) -> None:
        """Return when all that was written is on the disk."""
        self._ending.set()
        self._written.set()
        self._thread.join()
        self._sync()

    def _run(self) -> None:
        while not self._ending.is_set():
            self._written.wait()
            self._written.clear()
            self._sync()
            self._ending.wait(PAUSE)

    def _sync(self) -> None:
        try:
            os.fsync(self._descriptor)
        except OSError as problem:
            self.problem = problem


def sync_folder(path: Path) -> None:
    """Have a folder's list of files on the disk, where systems have a way to ask for it."""
    with suppress(OSError):
        folder = os.open(path, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
