"""Part of the data held out for validation, with nobody on both sides."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nearstar.data.conversion import UNLABELLED, read_groups
from nearstar.data.recordings import Recordings, stretches
from nearstar.data.sequences import Sequences
from nearstar.util.errors import DataError

_TRIES = 100
_UNTRAINED, _UNSEEN = 100.0, 1.0
"""What a class costs that is not in the training part, or not in the validation part."""


def hold_out(recordings: Recordings, share: float, seed: int) -> tuple[Recordings, Recordings]:
    """Training and validation recordings, about `share` of the data being for validation.

    Whole groups are held out, or whole recordings if there are no groups; see `split_indices`. A
    recording that is alone is cut in time: its end is for validation, or its beginning, if labels
    of the end are nowhere else.
    """
    _check_share(share)
    if len(recordings) > 1:
        train, valid = split_indices(recordings.sequences, share, seed, recordings.groups)
        return recordings.subset(train), recordings.subset(valid)
    n = len(recordings.sequences.frames)
    if n < 2:
        raise DataError("one recording of one frame cannot be split; give more data")
    held = min(max(round(share * n), 1), n - 1)
    end = _between(recordings, 0, n - held), _between(recordings, n - held, n)
    beginning = _between(recordings, held, n), _between(recordings, 0, held)
    for parts in (end, beginning):
        if not _untrained(*parts):
            return parts
    name = recordings.labels[_untrained(*end)[0]]
    raise DataError(
        f"the only recording cannot be split in time: all of the label {name!r} would be held out "
        "for validation; give more recordings, or a validation set of their own"
    )


def _untrained(train: Recordings, valid: Recordings) -> list[int]:
    """Classes that validation has and training has not."""
    codes = [part.sequences.labels for part in (train, valid)]
    known = [set() if each is None else set(each[each >= 0].tolist()) for each in codes]
    return sorted(known[1] - known[0])


def split_indices(
    sequences: Sequences, share: float, seed: int, groups: ArrayLike | None = None
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Indices of the training and of the validation sequences, no group on both sides.

    Of a hundred random splits the most balanced one: the size of the validation part near the
    share, its classes as frequent as in all data, and as few classes as possible that are missing
    in a part, above all in the training part. A sequence that is alone is on both sides.
    """
    _check_share(share)
    if len(sequences) < 2:
        both = np.arange(len(sequences))
        return both, both
    group = read_groups(None if groups is None else _texts(groups), len(sequences))
    n_groups = int(group.max()) + 1
    if n_groups < 2:
        raise DataError(
            "all sequences are of one group, so none can be held out for validation; give a "
            "validation set, or leave the groups out"
        )
    counts, sizes = _contents(sequences, group, n_groups)
    rng = np.random.default_rng(seed)
    splits = [_random_split(rng, sizes, share) for _ in range(_TRIES)]
    held = min(splits, key=lambda held: _imbalance(held, counts, sizes, share))
    return np.flatnonzero(~held[group]), np.flatnonzero(held[group])


def _texts(groups: ArrayLike) -> NDArray[np.str_]:
    """Groups of any types as texts, which can be sorted."""
    return np.array([f"{type(each).__name__} {each}" for each in np.asarray(groups, dtype=object)])


def _contents(
    sequences: Sequences, group: NDArray[np.int64], n_groups: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Labelled elements of each class in each group, and the size of each group."""
    codes = sequences.labels
    in_frames = codes is None or sequences.per_frame
    owner = np.repeat(group, sequences.lengths) if in_frames else group
    sizes = np.bincount(owner, minlength=n_groups).astype(np.float64)
    counts = np.zeros((n_groups, sequences.n_classes))
    if codes is not None:
        known = codes != UNLABELLED
        np.add.at(counts, (owner[known], codes[known]), 1)
    return counts, sizes


def _random_split(
    rng: np.random.Generator, sizes: NDArray[np.float64], share: float
) -> NDArray[np.bool_]:
    """Groups in a random order until the share is best met, one at least and not all."""
    order = rng.permutation(len(sizes))
    filled = np.cumsum(sizes[order])[:-1]
    taken = int(np.argmin(np.abs(filled - share * sizes.sum()))) + 1
    held = np.zeros(len(sizes), dtype=bool)
    held[order[:taken]] = True
    return held


def _imbalance(
    held: NDArray[np.bool_],
    counts: NDArray[np.float64],
    sizes: NDArray[np.float64],
    share: float,
) -> float:
    valid, train, whole = counts[held].sum(0), counts[~held].sum(0), counts.sum(0)
    frequency = np.abs(valid / max(valid.sum(), 1) - whole / max(whole.sum(), 1)).sum()
    untrained = np.count_nonzero((train == 0) & (whole > 0))
    # A class of a single group is better learned than tested.
    unseen = np.count_nonzero((valid == 0) & ((counts > 0).sum(0) > 1))
    size = abs(sizes[held].sum() / sizes.sum() - share)
    return float(_UNTRAINED * untrained + _UNSEEN * unseen + frequency + size)


def _between(recordings: Recordings, start: int, stop: int) -> Recordings:
    """A stretch of the only recording."""
    only, length = np.zeros(1, np.int64), np.array([stop - start])
    return stretches(recordings, slice(start, stop), only, length)


def _check_share(share: float) -> None:
    if not 0 < share < 1:
        raise DataError(f"the share for validation is {share}; expected a number between 0 and 1")
