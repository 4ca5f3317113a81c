"""The bank of a data set: statistics of each of its features that programs may read, by default.

Labels of frames: each feature, and its mean, spread, least and largest over a short and a long
window. Labels of sequences: statistics of the whole, its first and its last element; where long
ones are cut to windows, of each window.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from nearstar.data.derived.formula import Column, Over
from nearstar.data.derived.statistics import STATISTICS, Kind, Stretch

OF_FRAMES = ("mean", "spread", "least", "largest")
OF_SEQUENCES = tuple(STATISTICS)
LONGEST = 31
"""Frames of the long window, where sequences are at least twice as long."""


def windows(longest: int) -> tuple[int, ...]:
    """The frames of the short window and of the long one, for sequences up to so long; odd."""
    long = min(LONGEST, _odd(longest // 2))
    short = _odd(long // 3)
    return tuple(dict.fromkeys(size for size in (short, long) if size >= 3))


def frame_terms(features: Iterable[str], sizes: Sequence[int], *, causal: bool) -> list[str]:
    """Statistics over windows of these sizes, around each frame or, if ``causal``, before it."""
    kind: Kind = "last" if causal else "around"
    return [
        Over(statistic, Column(feature), Stretch(kind, size)).text
        for feature in features
        for size in sizes
        for statistic in OF_FRAMES
    ]


def sequence_terms(features: Iterable[str], window: int | None) -> list[str]:
    """Statistics of whole sequences, or of windows of so many frames, as their last one sees it."""
    stretch = Stretch() if window is None else Stretch("last", window)
    return [
        Over(statistic, Column(feature), stretch).text
        for feature in features
        for statistic in OF_SEQUENCES
    ]


def _odd(size: int) -> int:
    return size if size % 2 else size + 1
