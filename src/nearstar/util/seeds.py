"""Seeds for single decisions, each from the run's seed and what is decided: order plays no part."""

from __future__ import annotations

import hashlib


def seed_for(seed: int, *what: str) -> int:
    """A seed for one purpose of a run, such as training one program."""
    text = "\0".join((str(seed), *what))
    digest = hashlib.blake2b(text.encode(), digest_size=8).digest()
    return int.from_bytes(digest, "little") >> 1  # fits a signed 64-bit number
