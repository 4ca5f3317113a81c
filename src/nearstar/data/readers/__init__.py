"""The formats of files that are read: one module each, with its `Reader` in READERS.

A module that is put beside these is found by itself, and nothing else has to know of it.
"""

from __future__ import annotations

import pkgutil
from functools import cache
from importlib import import_module
from pathlib import Path

from nearstar.data.readers.reader import Reader, inner_ending
from nearstar.util.errors import DataError


@cache
def readers() -> tuple[Reader, ...]:
    """All of them, those of tables first; those that look into a file before those that do not."""
    modules = [import_module(f"{__name__}.{each.name}") for each in pkgutil.iter_modules(__path__)]
    found = [reader for module in modules for reader in getattr(module, "READERS", ())]
    return tuple(sorted(found, key=lambda each: (each.gives != "table", each.claims is None)))


def find_reader(path: Path) -> Reader:
    """The reader of a file, by the ending of its name and by what is in it."""
    inner, last = inner_ending(path), path.suffix.lower()
    fitting = [each for each in readers() if (inner if each.compressed else last) in each.endings]
    for reader in fitting:
        if reader.claims is None or reader.claims(path):
            return reader
    if not path.exists():
        raise FileNotFoundError(path)
    if fitting:
        raise DataError(f"{path} is not of {' or '.join(each.name for each in fitting)}")
    known = dict.fromkeys(ending for each in readers() for ending in each.endings)
    what = f"the ending {last!r}" if last else "no ending"
    raise DataError(f"{path} has {what}; files that are read end in {', '.join(known)}, or .csv.gz")
