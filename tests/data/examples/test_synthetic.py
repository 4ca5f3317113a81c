"""The simulated animals obey the rule that the text states, and no single leaf can say it."""

from __future__ import annotations

import re

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score
from sklearn.preprocessing import StandardScaler

from nearstar.data import HIDDEN_RULE, Sequences, two_animals, two_animals_split
from nearstar.util.errors import DataError

GROUPS = {
    "PositionAffine": [0, 1, 2, 3],
    "DistanceAffine": [4],
    "DistanceChangeAffine": [5],
    "AngleAffine": [6, 7, 10],
    "AngleChangeAffine": [8, 9],
    "VelocityAffine": [11, 12, 13, 14],
    "AccelerationAffine": [15, 16, 17, 18],
    "all": list(range(19)),
}


def rule_from_text(frames: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Read the numbers out of the printed rule and apply its definition."""
    leaves = re.findall(r"(\w+)\[([^;]*); ([^\]]*)\]", HIDDEN_RULE)
    far, then, otherwise = (
        frames[:, GROUPS[name]] @ np.array(weights.split(","), dtype=float) + float(bias)
        for name, weights, bias in leaves
    )
    gate = 1 / (1 + np.exp(-far))
    value: NDArray[np.float64] = gate * then + (1 - gate) * otherwise
    return value > 0


def labels(data: Sequences) -> NDArray[np.int16]:
    assert data.labels is not None
    return data.labels


def test_without_noise_the_labels_are_the_printed_rule() -> None:
    assert re.fullmatch(r"map \(fun x_t\. if \S+\[.*\) > 0 then .* else .*\) x", HIDDEN_RULE)
    clean, noisy = two_animals(noise=0.0), two_animals(noise=0.1)
    np.testing.assert_array_equal(labels(clean), rule_from_text(clean.frames))
    np.testing.assert_array_equal(clean.frames, noisy.frames)
    assert np.mean(labels(clean) != labels(noisy)) == pytest.approx(0.1, abs=0.02)


@pytest.mark.parametrize("seed", range(3))
def test_one_leaf_falls_clearly_short_of_the_rule(seed: int) -> None:
    train, _, test = two_animals_split(seed)
    for part in (train, test):
        assert 0.1 < labels(part).mean() < 0.3
    oracle = f1_score(labels(test), rule_from_text(test.frames))
    scaler = StandardScaler().fit(train.frames)
    best = 0.0
    for columns in GROUPS.values():
        leaf = LogisticRegression(class_weight="balanced", max_iter=200)
        leaf.fit(scaler.transform(train.frames)[:, columns], labels(train))
        predicted = leaf.predict(scaler.transform(test.frames)[:, columns])
        best = max(best, f1_score(labels(test), predicted))
    assert oracle > 0.86
    assert best < oracle - 0.15


def test_features_mean_what_their_names_say() -> None:
    rate = 20.0
    data = two_animals(3, length=(50, 50), rate=rate)
    first = {
        name: column.astype(np.float64)
        for name, column in zip(data.feature_names, data.sequence(0).T, strict=True)
    }
    gap = np.hypot(first["x1"] - first["x2"], first["y1"] - first["y2"])
    np.testing.assert_allclose(first["distance"], gap, rtol=1e-4)
    for value, change in [
        ("distance", "distance_change"),
        *((f"angle{i}", f"angle_change{i}") for i in (1, 2)),
        *((f"{axis}{i}", f"v{axis}{i}") for axis in "xy" for i in (1, 2)),
        *((f"v{axis}{i}", f"a{axis}{i}") for axis in "xy" for i in (1, 2)),
    ]:
        np.testing.assert_allclose(np.diff(first[value]) * rate, first[change][1:], atol=0.02)
    for angle in ("angle1", "angle2", "angle_between"):
        assert 0 <= first[angle].min() <= first[angle].max() <= np.pi + 1e-6


def test_it_is_seeded_and_its_lengths_vary_within_bounds() -> None:
    data = two_animals(50, seed=3, length=(5, 8))
    assert set(data.lengths) == {5, 6, 7, 8}
    assert data.fingerprint() == two_animals(50, seed=3, length=(5, 8)).fingerprint()
    assert data.fingerprint() != two_animals(50, seed=4, length=(5, 8)).fingerprint()
    assert [len(part) for part in two_animals_split(sizes=(5, 3, 2))] == [5, 3, 2]
    assert np.isfinite(two_animals(5, rate=0.5).frames).all()


def test_impossible_settings_are_refused() -> None:
    with pytest.raises(DataError, match="n_sequences=0"):
        two_animals(0)
    with pytest.raises(DataError, match=r"length=\(9, 5\)"):
        two_animals(length=(9, 5))
    with pytest.raises(DataError, match=r"noise=0\.7"):
        two_animals(noise=0.7)
    with pytest.raises(DataError, match="sizes"):
        two_animals_split(sizes=(1, 0, 1))
