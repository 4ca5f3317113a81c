"""The usual choice of behaviour labs, beside programs: classifiers on statistics of windows."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from nearstar.data.sequences import Sequences
from nearstar.reproduce.authors import Parts
from nearstar.reproduce.resampling import confusions_by_unit
from nearstar.reproduce.study import Trial
from nearstar.training.metrics import Metrics

WINDOWS = (11, 31)
"""Sizes of the centred windows, in frames."""
MOST_ROWS = 300_000
"""Rows to learn from: 228,400 of 171 columns take a core some 40 seconds to boost."""

_AT_ONCE = 1 << 12
"""Frames that are worked on at a time: few enough for the processor's cache."""


def window_statistics(
    data: Sequences, rows: NDArray[np.int64] | None = None
) -> NDArray[np.float32]:
    """What the classifiers see: a row for each label, or for each of some, in ascending order.

    For labels of frames: the features themselves, then the mean, standard deviation, least and
    largest of each over centred windows of every size in `WINDOWS`, which end where the sequence
    ends. For labels of sequences: these four over the whole sequence, its first and last frame,
    and the mean absolute change from frame to frame.
    """
    if rows is None:
        rows = np.arange(len(data.frames) if data.per_frame else len(data))
    n_statistics = 1 + 4 * len(WINDOWS) if data.per_frame else 7
    table = np.empty((len(rows), n_statistics * data.n_features), np.float32)
    for first, last in _pieces(data):
        start, stop = data.offsets[[first, last]].tolist()
        frames = data.frames[start:stop].astype(np.float64)
        offsets = data.offsets[first : last + 1] - start
        statistics = _around(frames, offsets) if data.per_frame else _over_all(frames, offsets)
        begin, end = (start, stop) if data.per_frame else (first, last)
        own = slice(*np.searchsorted(rows, [begin, end]).tolist())
        table[own] = statistics[rows[own] - begin].reshape(-1, table.shape[1])
    return table


def fit_classic(
    name: str,
    train: Sequences,
    valid: Sequences,
    test: Sequences,
    seed: int = 0,
    class_weights: Sequence[float] | None = None,
) -> tuple[NDArray[np.int64], NDArray[np.int64], float]:
    """Class codes told for validation and test data, and the processor seconds of the training.

    The settings are scikit-learn's usual ones, the same for all data; nothing is tuned on the
    validation data. Logistic regression sees standardised statistics and may take 1000 steps.
    Gradient boosting grows 100 trees a class: without early stopping, which would hold out frames
    that lie next to frames it learns from. Unlabelled frames, and classes of weight 0, are left
    out of training; of more than `MOST_ROWS` rows that are left, as many are drawn by the seed.
    """
    from sklearn.exceptions import ConvergenceWarning

    rows, weights = _training_rows(train, seed, class_weights)
    classifier, weighing = _classifier(name, seed)
    # Threads that wait for each other take many times as long where others are at work as well;
    # and what a single one does is what its own clock counts.
    with threadpool_limits(1), warnings.catch_warnings():
        # The limit of steps is one of the settings; single precision may end them earlier as well.
        warnings.simplefilter("ignore", ConvergenceWarning)
        began = time.thread_time()
        table = window_statistics(train, rows)
        classifier.fit(table, np.asarray(train.labels)[rows], **{weighing: weights})
        seconds = time.thread_time() - began
        valid_codes, test_codes = (
            classifier.predict(window_statistics(part)).astype(np.int64) for part in (valid, test)
        )
    return valid_codes, test_codes, seconds


def classic_trial(
    name: str, parts: Parts, seed: int = 0, class_weights: Sequence[float] | None = None
) -> Trial:
    """The trial of a classifier, as those of programs are."""
    valid, test = parts.valid, parts.test
    labels = np.asarray(test.labels)
    valid_codes, test_codes, seconds = fit_classic(
        name, parts.train, valid, test, seed, class_weights
    )
    return Trial(
        algorithm=name,
        seed=seed,
        valid=Metrics.from_codes(np.asarray(valid.labels), valid_codes, valid.n_classes),
        test=Metrics.from_codes(labels, test_codes, test.n_classes),
        by_unit=confusions_by_unit(labels, test_codes, test, parts.units),
        seconds=seconds,
    )


def _training_rows(
    train: Sequences, seed: int, class_weights: Sequence[float] | None
) -> tuple[NDArray[np.int64], NDArray[np.float64] | None]:
    """The rows to learn from, in ascending order, and the weight of each; None if all are 1."""
    labels = np.asarray(train.labels)
    # The last entry is where the unlabelled ones, -1, look.
    by_class = np.array([*(class_weights or [1.0] * train.n_classes), 0.0])
    rows = np.flatnonzero(by_class[labels] > 0)
    if len(rows) > MOST_ROWS:
        chosen = np.random.default_rng(seed).choice(len(rows), MOST_ROWS, replace=False)
        rows = rows[np.sort(chosen)]
    weights = by_class[labels[rows]]
    # Weights that say nothing would make boosting up to three times slower: it bins by them.
    return rows, None if (weights == 1).all() else weights


def _classifier(name: str, seed: int) -> tuple[Any, str]:
    """The classifier, and what it calls the weights of rows."""
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    if name == "logistic":
        regression = LogisticRegression(max_iter=1000, random_state=seed)
        return make_pipeline(StandardScaler(), regression), "logisticregression__sample_weight"
    boosting = HistGradientBoostingClassifier(max_iter=100, early_stopping=False, random_state=seed)
    return boosting, "sample_weight"


def _pieces(data: Sequences) -> Iterator[tuple[int, int]]:
    """Runs of whole sequences, as their first and the one after their last."""
    first = 0
    while first < len(data):
        full = np.searchsorted(data.offsets, data.offsets[first] + _AT_ONCE, "right") - 1
        last = max(first + 1, int(full))
        yield first, last
        first = last


def _around(frames: NDArray[np.float64], offsets: NDArray[np.int64]) -> NDArray[np.float32]:
    """The statistics around each frame: (frames, statistics, features)."""
    table = np.empty((len(frames), 1 + 4 * len(WINDOWS), frames.shape[1]), np.float32)
    table[:, 0] = frames
    owners = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    # Everything is counted from the frame in the middle: a feature that stays the same deviates
    # by exactly 0, and frames outside the sequence can count as no difference.
    count = np.ones((len(frames), 1))
    total, squares, least, largest = np.zeros((4, *frames.shape))
    for reach in range(1, max(WINDOWS) // 2 + 1):
        inside = (owners[reach:] == owners[:-reach])[:, None]
        change = (frames[reach:] - frames[:-reach]) * inside
        for rows, seen in ((slice(None, -reach), change), (slice(reach, None), -change)):
            count[rows] += inside
            total[rows] += seen
            squares[rows] += seen * seen
            np.minimum(least[rows], seen, out=least[rows])
            np.maximum(largest[rows], seen, out=largest[rows])
        if 2 * reach + 1 in WINDOWS:
            mean = total / count
            deviation = np.sqrt(np.maximum(squares / count - mean * mean, 0.0))
            place = 1 + 4 * WINDOWS.index(2 * reach + 1)
            table[:, place] = frames + mean
            table[:, place + 1] = deviation
            table[:, place + 2] = frames + least
            table[:, place + 3] = frames + largest
    return table


def _over_all(frames: NDArray[np.float64], offsets: NDArray[np.int64]) -> NDArray[np.float32]:
    """The statistics of whole sequences: (sequences, statistics, features)."""
    starts, lengths = offsets[:-1], np.diff(offsets)
    counts = lengths[:, None]
    mean = np.add.reduceat(frames, starts) / counts
    apart = frames - np.repeat(mean, lengths, axis=0)
    steps = np.abs(np.diff(frames, axis=0, prepend=frames[:1]))
    steps[starts] = 0.0  # from one sequence to the next
    statistics = (
        mean,
        np.sqrt(np.add.reduceat(apart * apart, starts) / counts),
        np.minimum.reduceat(frames, starts),
        np.maximum.reduceat(frames, starts),
        frames[starts],
        frames[offsets[1:] - 1],
        np.add.reduceat(steps, starts) / np.maximum(counts - 1, 1),
    )
    return np.stack(statistics, axis=1).astype(np.float32)
