"""Short numbers: models of hard languages are what is printed, as far as that costs nothing."""

from __future__ import annotations

from dataclasses import replace

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


def test_a_threshold_that_cannot_be_short_leaves_the_others_short() -> None:
    """What is told apart by the 5th digit, and what lies so close by that any number is a value."""
    random = np.random.default_rng(0)
    close = 2.5 + np.array([-1e-6, 1e-6])
    frames = np.stack([random.normal(size=(20, 30)), random.choice(close, (20, 30))], axis=-1)
    frames[0, 0] = [0.1234, 2.5]
    codes = ((frames[..., 0] > 0.12341) | (frames[..., 1] > 9)).astype(int)
    valid = ns.Sequences.from_arrays(frames, codes, feature_names=NAMES, class_names=("no", "yes"))
    names = {"classes": valid.class_names}
    domain = ns.Domain.of_features(NAMES, {}, beta=HARD, **names)
    text = "if a > .12341111111111 then yes else if b < 2.4999999999 then no else no"
    signature = domain.signature(1, per_frame=True)
    model = ns.Model.from_text(f"map (fun t. {text}) x", domain, signature, valid.class_names)
    short, metrics = with_short_numbers(model, model.theta, valid)
    assert str(short) == "map (fun x_t. if a > .12341 then yes else if b < 2.5 then no else no) x"
    assert metrics == short.evaluate(valid) and metrics.f1 == 1


def test_no_offsets_where_classes_are_named() -> None:
    valid = data()
    domain = ns.Domain.of_features(NAMES, {}, beta=HARD, classes=valid.class_names)
    first, second = (f'"{name}"' for name in valid.class_names)
    text = f"map (fun t. if a > 1 then {second} else if a > 0 then (1·a - 1) else {first}) x"
    signature = domain.signature(1, per_frame=True)
    model = ns.Model.from_text(text, domain, signature, valid.class_names)
    tuned, metrics = with_best_offsets(model, valid)
    assert tuned.offsets is None and metrics == model.evaluate(valid)
    with pytest.raises(ns.ProgramError, match="would change the classes that the program names"):
        replace(model, offsets=np.array([0.5]))
    with pytest.raises(ns.ProgramError, match="the program names the classes 0, 1, the model a, b"):
        replace(model, class_names=("a", "b"), labels=())


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
