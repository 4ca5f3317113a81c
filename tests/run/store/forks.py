"""Processes to be killed: forks of one that has everything imported, so that they begin at once."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

TESTS = Path(__file__).parents[2]

PARENT = """
import json, os, sys
from run.store import forked

for line in sys.stdin:
    name, *arguments = json.loads(line)
    if name == "wait":
        status = os.waitpid(*arguments, 0)[1]
        print(os.waitstatus_to_exitcode(status), flush=True)
    elif pid := os.fork():
        print(pid, flush=True)
    else:
        getattr(forked, name)(*arguments)
        os._exit(0)
"""


class Forks:
    """Runs functions of the module ``forked``, each in a process of its own."""

    def __enter__(self) -> Forks:
        command = [sys.executable, "-W", "ignore", "-c", PARENT]
        pipe = subprocess.PIPE
        self._parent = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, cwd=TESTS)
        return self

    def __exit__(self, *_: object) -> None:
        self._parent.kill()
        self._parent.communicate()

    def start(self, name: str, *arguments: str) -> int:
        """Begin to run a function; returns the number of its process."""
        return self._tell(name, *arguments)

    def run(self, name: str, *arguments: str) -> None:
        """Run a function to its end."""
        assert self._tell("wait", self.start(name, *arguments)) == 0

    def kill(self, pid: int) -> None:
        """End a process that was started, at once."""
        os.kill(pid, signal.SIGKILL)
        assert self._tell("wait", pid) == -signal.SIGKILL

    def _tell(self, *command: object) -> int:
        assert self._parent.stdin is not None and self._parent.stdout is not None
        self._parent.stdin.write(json.dumps(command) + "\n")
        self._parent.stdin.flush()
        return int(self._parent.stdout.readline())
