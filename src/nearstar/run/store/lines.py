"""The lines of a journal: numbered records in JSON, each with a checksum.

A line is ``["1c291ca3",7,{…}]``: the CRC-32 of all between the first comma and the last bracket,
the number of the line, and the record. Each line by itself is JSON.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Mapping
from typing import Any

from nearstar.util.errors import NearstarError
from nearstar.util.plain_json import to_json

JOURNAL = "journal.jsonl"
"""The name of the file in the folder of a run."""

Record = Mapping[str, Any]

_HEAD = len(b'["12345678",')
_TAIL = len(b"]\n")
_BEGINNING = re.compile(rb'\["[0-9a-f]{8}",[0-9]+,\{')


class JournalError(NearstarError):
    """A journal that cannot be read or written."""


def line_of(number: int, record: Record) -> bytes:
    """The line of a record."""
    body = f"{number},{to_json(record, 'records of a journal')}".encode()
    return b'["%08x",%b]\n' % (zlib.crc32(body), body)


def number_of(line: bytes) -> int | None:
    """The number of a sound line; None for one that is damaged or cut off."""
    body = line[_HEAD:-_TAIL]
    if line[:_HEAD] != b'["%08x",' % zlib.crc32(body) or line[-_TAIL:] != b"]\n":
        return None
    number = body.partition(b",")[0]
    return int(number) if number.isdigit() else None


def sound_end(text: bytes) -> bytes | None:
    """The sound line that a text ends with, whatever is before it.

    Where the end of a line is damaged, the next one seems to be a part of it.
    """
    ends = (text[match.start() :] for match in _BEGINNING.finditer(text))
    return next((end for end in ends if number_of(end) is not None), None)


def record_in(line: bytes) -> dict[str, Any]:
    """The record in a sound line."""
    record: dict[str, Any] = json.loads(line.decode())[2]
    return record
