"""Short numbers: models of hard languages are what is printed, as far as that costs nothing."""

from __future__ import annotations

import numpy as np
import pytest

import nearstar as ns
from nearstar.language.operators import HARD
from nearstar.language.thresholds import thresholds_of
from nearstar.model.short_numbers import TOLERATED, with_best_offsets, with_short_numbers

NAMES = ("a", "b")


def model_on(data: ns.Sequences, text: str, beta: float = HARD) -> ns.Model:
    domain = ns.Domain.of_features(NAMES, {}, beta=beta)
    return ns.Model.from_text(
        f"map (fun t. {text}) x", domain, domain.signature(1, per_frame=True), data.class_names
    )


def data(centre: float = 0.0, seed: int = 0) -> ns.Sequences:
    frames = np.random.default_rng(seed).normal(size=(20, 30, 2)) + centre
    codes = (frames[..., 0] > centre + 0.1).astype(int)
    return ns.Sequences.from_arrays(frames, codes, feature_names=NAMES)


TEXT = "if (-3.123456789·a + .4123456789) > 0 then (1.987654321·b - 9.123456789) else (1·b + 9)"


def test_what_is_printed_is_the_model() -> None:
    valid = data()
    long = model_on(valid, TEXT)
    short, metrics = with_short_numbers(long, long.theta, valid)
    text = str(short)
    assert text == short.text(digits=None)
    assert "if a < .132" in text and "(1.988·b - 9.123)" in text
    assert metrics == short.evaluate(valid)
    assert abs(metrics.f1 - long.evaluate(valid).f1) <= TOLERATED
    again, _ = with_short_numbers(short, short.theta, valid)
    np.testing.assert_array_equal(again.theta, short.theta)
    parsed = ns.parse(text, short.domain, short.program.signature)
    np.testing.assert_array_equal(parsed.theta, short.theta)
    assert "1.99·b" in short.text(digits=3)  # for those who ask for less


def test_more_digits_where_four_cost_something() -> None:
    """What is told apart by a hundred thousandth needs six of them."""
    random = np.random.default_rng(0)
    a, side = random.uniform(1, 2, (20, 30)), random.choice([-1, 1], (20, 30))
    frames = np.stack([a, a * (1.00004 + 1e-5 * side)], axis=-1)
    valid = ns.Sequences.from_arrays(frames, (side < 0).astype(int), feature_names=NAMES)
    model = model_on(valid, "(1.00004·a - 1·b)")
    assert model.evaluate(valid).f1 == 1
    short, metrics = with_short_numbers(model, model.theta, valid)
    assert metrics.f1 == 1 and str(short) == str(model)
    few, _ = with_short_numbers(model, np.array([1.00000004, -1, 0.5]), valid)
    assert str(few) == "map (fun x_t. (1·a - 1·b + .5)) x"


@pytest.mark.parametrize("value", [5.00001, 4.99999, -3.00001])
def test_thresholds_are_no_values_of_the_data(value: float) -> None:
    frames = np.random.default_rng(0).integers(-9, 9, (20, 30, 2)).astype(float)
    codes = (frames[..., 0] > value).astype(int)
    valid = ns.Sequences.from_arrays(frames, codes, feature_names=NAMES)
    model = model_on(valid, f"if a > {value} then (0·b + 1) else (0·b - 1)")
    short, metrics = with_short_numbers(model, model.theta, valid)
    assert metrics.f1 == 1
    (asked,) = thresholds_of(short.program, short.theta).values()
    assert asked.value == pytest.approx(value, abs=1e-4) and asked.value != round(value)
    assert np.array_equal(short.predict(valid), valid.frames[:, 0] > asked.value)


def test_offsets_are_short_too() -> None:
    valid = data()
    model = model_on(valid, "(1·a + 3)")
    tuned, metrics = with_best_offsets(model, valid)
    assert tuned.offsets is not None
    assert all(float(f"{each:.4g}") == each for each in tuned.offsets)
    assert metrics == tuned.evaluate(valid) and metrics.f1 > 0.98


def test_smooth_models_keep_their_numbers() -> None:
    smooth = model_on(data(), TEXT, beta=1.0)
    assert "-3.123·a" in str(smooth) and "-3.123456789·a" in smooth.text(digits=None)
    hard = ns.harden(smooth, data(), beta=HARD).model
    assert "if a < .132" in str(hard) and str(hard) == hard.text(digits=None)
