"""Windows cover every frame, and stitched together they are the recordings again."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearstar.data import Sequences, cut
from nearstar.util.errors import DataError

LENGTHS = st.lists(st.integers(1, 12), min_size=1, max_size=5)


def recordings(lengths: list[int], per_frame: bool) -> Sequences:
    X = [np.stack([np.full(n, i), np.arange(n)], axis=1) for i, n in enumerate(lengths)]
    y = [np.arange(n) % 3 for n in lengths] if per_frame else np.arange(len(lengths)) % 3
    return Sequences.from_arrays(X, y, class_names=["a", "b", "c"])


@given(lengths=LENGTHS, window=st.integers(1, 9), hop=st.integers(1, 9), per_frame=st.booleans())
def test_windows_are_pieces_of_their_recordings(
    lengths: list[int], window: int, hop: int, per_frame: bool
) -> None:
    hop = min(hop, window)
    whole = recordings(lengths, per_frame)
    windows = cut(whole, window, hop)
    expected = []
    for i, n in enumerate(lengths):
        starts = [*range(0, max(n - window, 0), hop), max(n - window, 0)]
        expected += [(i, start) for start in starts]
    pieces = windows.sequences
    found = [pieces.sequence(w)[0].astype(int).tolist() for w in range(len(pieces))]
    assert found == [list(each) for each in expected]
    assert windows.owners.tolist() == [i for i, _ in expected]
    assert pieces.labels is not None and whole.labels is not None
    for w, (i, start) in enumerate(expected):
        size = min(window, lengths[i])
        piece = pieces.sequence(w)
        assert piece[:, 1].tolist() == list(range(start, start + size))
    np.testing.assert_array_equal(whole.frames[windows.frames], pieces.frames)
    places = windows.frames if per_frame else windows.owners
    np.testing.assert_array_equal(whole.labels[places], pieces.labels)


@given(lengths=LENGTHS, window=st.integers(1, 9), hop=st.integers(1, 9))
def test_stitched_windows_are_the_recordings(lengths: list[int], window: int, hop: int) -> None:
    whole = recordings(lengths, True)
    windows = cut(whole, window, min(hop, window))
    np.testing.assert_allclose(windows.stitch(windows.sequences.frames), whole.frames)
    np.testing.assert_allclose(windows.stitch(windows.sequences.frames[:, 1]), whole.frames[:, 1])


@given(
    lengths=LENGTHS,
    window=st.integers(2, 9),
    hop=st.integers(1, 9),
    seed=st.integers(0, 1000),
    per_window=st.booleans(),
)
def test_stitching_averages(
    lengths: list[int], window: int, hop: int, seed: int, per_window: bool
) -> None:
    whole = recordings(lengths, False)
    windows = cut(whole, window, min(hop, window))
    pieces = windows.sequences
    n = len(pieces) if per_window else len(pieces.frames)
    values = np.random.default_rng(seed).normal(size=n)
    seen: dict[tuple[int, int], list[float]] = {}
    for w in range(len(pieces)):
        for place, (i, t) in enumerate(pieces.sequence(w).astype(int).tolist()):
            value = values[w if per_window else pieces.offsets[w] + place]
            seen.setdefault((i, t), []).append(value)
    expected = [np.mean(seen[i, t]) for i, n in enumerate(lengths) for t in range(n)]
    if len(pieces) == len(pieces.frames):
        return  # every recording is one frame: both readings are the same
    np.testing.assert_allclose(windows.stitch(values), expected)


def test_vectors_stay_as_they_are() -> None:
    data = Sequences.from_arrays(np.eye(3), [0, 1, 1])
    assert cut(data, 5).sequences.fingerprint() == data.fingerprint()


@pytest.mark.parametrize(("window", "hop"), [(0, None), (5, 0), (5, 6), (-1, 1)])
def test_impossible_windows(window: int, hop: int | None) -> None:
    with pytest.raises(DataError, match="so that every frame is in a window"):
        cut(recordings([4], True), window, hop)


def test_values_that_fit_nothing() -> None:
    with pytest.raises(
        DataError, match=r"3 values cannot be stitched; expected .* 12 .* 2 windows"
    ):
        cut(recordings([8], True), 6, 3).stitch(np.zeros(3))
