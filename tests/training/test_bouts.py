"""Bouts: smoothing and scores agree with what follows their definitions step by step."""

from __future__ import annotations

import json
import time
from itertools import groupby, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearstar.data.runs import smooth
from nearstar.training.bouts import bout_scores
from nearstar.util.errors import NearstarError

Codes = list[int]
Bout = tuple[int, int, int]
"""Class, first frame, and the frame after the last."""


@st.composite
def runs(draw: st.DrawFn, least: int = 0) -> Codes:
    """Codes of frames in which one class often follows itself."""
    parts = draw(
        st.lists(st.tuples(st.integers(least, 2), st.integers(1, 6)), min_size=1, max_size=10)
    )
    return [code for code, length in parts for _ in range(length)]


def offsets_of(sequences: list[Codes]) -> list[int]:
    return [0, *np.cumsum([len(each) for each in sequences]).tolist()]


def bouts_in(codes: Codes, start: int = 0) -> list[Bout]:
    found = []
    for code, group in groupby(codes):
        length = len(list(group))
        found.append((code, start, start + length))
        start += length
    return found


# Smoothing


def naively_smooth(codes: Codes, min_bout: int) -> Codes:
    codes = list(codes)
    while True:
        bouts = bouts_in(codes)
        lengths = [stop - start for _, start, stop in bouts]
        if len(bouts) == 1 or min(lengths) >= min_bout:
            return codes
        i = lengths.index(min(lengths))
        neighbours = [j for j in (i - 1, i + 1) if 0 <= j < len(bouts)]
        taker = max(neighbours, key=lambda j: lengths[j])  # the first of equals
        _, start, stop = bouts[i]
        codes[start:stop] = [bouts[taker][0]] * (stop - start)


@given(st.lists(runs(), min_size=1, max_size=4), st.integers(1, 8))
def test_smoothing_is_what_its_rule_says(sequences: list[Codes], min_bout: int) -> None:
    smoothed = smooth(np.concatenate(sequences), offsets_of(sequences), min_bout)
    assert smoothed.tolist() == [c for each in sequences for c in naively_smooth(each, min_bout)]


def test_long_recordings_are_smoothed_at_once() -> None:
    codes = np.random.default_rng(0).integers(0, 3, 100_000)
    began = time.process_time()
    smoothed = smooth(codes, [0, len(codes)], 30)
    assert time.process_time() - began < 5
    assert min(stop - start for _, start, stop in bouts_in(smoothed.tolist())) >= 30


# Scores


def naively_scored(
    true: list[Codes], predicted: list[Codes], overlap: float
) -> dict[int, tuple[int, int, int]]:
    """For each class the numbers of true, predicted and matched bouts."""
    counts = {code: [0, 0, 0] for code in range(3)}
    for truth, guess in zip(true, predicted, strict=True):
        cuts = [-1, *(i for i, code in enumerate(truth) if code < 0), len(truth)]
        for before, after in pairwise(cuts):
            ours = bouts_in(truth[before + 1 : after])
            theirs = bouts_in(guess[before + 1 : after])
            for code, *_ in ours:
                counts[code][0] += 1
            for code, *_ in theirs:
                counts[code][1] += 1
            pairs = []
            for a in ours:
                for b in theirs:
                    common = set(range(*a[1:])) & set(range(*b[1:]))
                    either = set(range(*a[1:])) | set(range(*b[1:]))
                    if a[0] == b[0] and common and len(common) / len(either) >= overlap:
                        pairs.append((-len(common) / len(either), min(common), a, b))
            for _, _, a, b in sorted(pairs):
                if a in ours and b in theirs:
                    ours.remove(a)
                    theirs.remove(b)
                    counts[a[0]][2] += 1
    return {code: (a, b, c) for code, (a, b, c) in counts.items()}


@given(st.data(), st.sampled_from((0.05, 0.2, 0.3, 0.5, 0.75, 1.0)))
def test_scores_are_what_their_rule_says(data: st.DataObject, overlap: float) -> None:
    true, predicted = [], []
    for _ in range(data.draw(st.integers(1, 3))):
        truth, guess = data.draw(runs(least=-1)), data.draw(runs())
        length = min(len(truth), len(guess))
        true.append(truth[:length])
        predicted.append(guess[:length])
    scores = bout_scores(
        np.concatenate(true), np.concatenate(predicted), offsets_of(true), 3, overlap
    )
    expected = naively_scored(true, predicted, overlap)
    plain = scores.to_dict(("a", "b", "c"))
    assert json.loads(json.dumps(plain)) == plain
    f1s = []
    for code, (n_true, n_predicted, matched) in expected.items():
        assert scores.n_true[code] == n_true
        assert scores.n_predicted[code] == n_predicted
        assert scores.n_matched[code] == matched
        precision = matched / n_predicted if n_predicted else 0
        recall = matched / n_true if n_true else 0
        f1 = 2 * precision * recall / (precision + recall) if matched else 0
        assert plain["per_class"]["abc"[code]] == {
            "precision": precision,
            "recall": recall,
            "f1": pytest.approx(f1),
            "true": n_true,
            "predicted": n_predicted,
        }
        f1s += [f1] if n_true + n_predicted else []
    assert scores.f1_macro == pytest.approx(np.mean(f1s) if f1s else 0)


@given(st.lists(runs(), min_size=1, max_size=3))
def test_what_is_right_in_every_frame_has_every_bout(sequences: list[Codes]) -> None:
    codes = np.concatenate(sequences)
    scores = bout_scores(codes, codes, offsets_of(sequences), 3, 1.0)
    assert scores.f1_macro == 1
    assert scores.n_true.sum() == sum(len(bouts_in(each)) for each in sequences)


# Bad input


def test_bad_input_is_refused() -> None:
    codes = np.array([0, 1, 1])
    for offsets in ([0, 2], [0, 0, 3], [1, 3], [3], [[0, 3]], [0.0, 3.0]):
        with pytest.raises(NearstarError, match=r"offsets must rise from 0 to .* 3"):
            smooth(codes, offsets, 2)
    for wrong in ([0.5, 1.0, 2.0], [[0, 1, 1]], ["a", "b", "c"]):
        with pytest.raises(NearstarError, match="one whole number for each frame"):
            smooth(wrong, [0, 3], 2)
    for min_bout in (0, 2.5, None, True):
        with pytest.raises(NearstarError, match="min_bout must be a whole number from 1"):
            smooth(codes, [0, 3], min_bout)  # type: ignore[arg-type]
    for overlap in (0, 1.5, -1, np.nan, "half"):
        with pytest.raises(NearstarError, match="overlap must be above 0 and at most 1"):
            bout_scores(codes, codes, [0, 3], 2, overlap)  # type: ignore[arg-type]
    for true, predicted in ((codes, [0, -1, 1]), (codes, [0, 2, 1]), ([0, 2, 1], codes)):
        with pytest.raises(NearstarError, match="from 0 to 1"):
            bout_scores(true, predicted, [0, 3], 2)
    with pytest.raises(NearstarError, match="3 names were given for 2 classes"):
        bout_scores(codes, codes, [0, 3], 2).to_dict(("a", "b", "c"))
