"""What processes do in tests of journals: here, since they are killed."""

from __future__ import annotations

import os
import signal
import time
from itertools import count
from pathlib import Path

from run.store.journals import HEADER, varied

from nearstar.run.store import Journal, JournalError

LARGEST = 100_000


def write_on(folder: str, said: str) -> None:
    """Append records for ever, bit by bit, and say after each how many there are."""
    write, file = os.write, os.open(said, os.O_WRONLY | os.O_CREAT)

    def slowly(file: int, data: bytes) -> int:
        time.sleep(0.0002)
        return write(file, data[:5000])

    os.write = slowly
    with Journal(folder, HEADER) as journal:
        earlier = sum(1 for _ in journal.earlier())
        for number in count(earlier):
            journal.append(varied(number, LARGEST))
            os.pwrite(file, b"%9d" % (number + 1), 0)


def hold(folder: str, ready: str) -> None:
    """Keep a journal open for ever."""
    with Journal(folder, HEADER) as journal:
        _say_who(journal)
        Path(ready).touch()
        signal.pause()


def hold_and_fork(folder: str, child: str) -> None:
    """Keep a journal open for ever, and have a child that does nothing."""
    with Journal(folder, HEADER) as journal:
        _say_who(journal)
        if not os.fork():
            # Told by the child, which has let go of the journal by now.
            Path(f"{child}.new").write_text(str(os.getpid()))
            os.rename(f"{child}.new", child)
        signal.pause()


def use_in_a_child(folder: str) -> None:
    """A child may do what it likes with a journal: that of its parent is as it was."""
    with Journal(folder, HEADER) as journal:
        offset = journal.append({"by": "parent"})
        if not (pid := os.fork()):
            os._exit(0 if _is_closed(journal, offset) else 1)
        assert os.waitpid(pid, 0)[1] == 0
        journal.append({"by": "parent again"})
        assert journal.read(offset) == {"by": "parent"}


def _is_closed(journal: Journal, offset: int) -> bool:
    others = [os.open(os.devnull, os.O_RDONLY) for _ in range(20)]
    refused = 0
    for action in (lambda: journal.append({"by": "child"}), lambda: journal.read(offset)):
        try:
            action()
        except JournalError:
            refused += 1
    journal.close()
    for other in others:
        os.fstat(other)  # raises if the journal has closed it
    return refused == 2


def _say_who(journal: Journal) -> None:
    list(journal.earlier())
    journal.append({"process": os.getpid(), "host": "here"})
