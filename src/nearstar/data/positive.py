"""Which of two classes is the positive one, that F1 is about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from nearstar.data.labels import class_names
from nearstar.data.recordings import Recordings


def rarer_second(parts: Mapping[str, Recordings], first: str) -> dict[str, Recordings]:
    """The parts with the rarer of two classes second; the ``first`` part says how rare it is.

    F1 is that of the second class; that of a frequent one says little. Other numbers of classes
    stay as they are, and so do classes that are equally frequent.
    """
    labels, codes = parts[first].labels, parts[first].sequences.labels
    if len(labels) != 2 or codes is None:
        return dict(parts)
    counts = np.bincount(codes[codes >= 0], minlength=2)
    if counts[1] <= counts[0]:
        return dict(parts)
    return {name: _swapped(part) for name, part in parts.items()}


def _swapped(part: Recordings) -> Recordings:
    labels = part.labels[::-1]
    sequences = part.sequences.relabel({0: 1, 1: 0}, class_names(labels))
    return replace(part, sequences=sequences, labels=labels)
