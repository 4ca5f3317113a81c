"""Fewer and shorter numbers cost no more than they may; a hard ``if`` takes one branch alone."""

from __future__ import annotations

import contextlib
import math
import re
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import naive
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from model.files.random_models import Case, cases, some_data
from numpy.typing import NDArray
from strategies import domains, programs, signatures

from nearstar import (
    DataError,
    DataFormat,
    Domain,
    Model,
    NearstarError,
    Program,
    ProgramError,
    Sequences,
    harden,
    is_complete,
    parse,
    simplify,
)
from nearstar.language.deciding import classes_named
from nearstar.language.expression import Expression, mix
from nearstar.language.function import Function, record
from nearstar.language.operators import HARD, if_then_else
from nearstar.language.program import Apply, Hole
from nearstar.model.simplify.hardening import with_beta
from nearstar.model.simplify.judging import PARTS
from nearstar.model.simplify.rounding import digits_of

FEATURES = Domain.of_features(("a", "b", "c", "d"), {"all": ["a", "b", "c", "d"], "a": ["a"]})


def written(text: str, domain: Domain = FEATURES, **more: Any) -> Model:
    signature = domain.signature(1, per_frame=True)
    return Model.from_text(text, domain, signature, ("no", "yes"), **more)


def labelled(frames: NDArray[Any], yes: NDArray[Any], length: int = 10) -> Sequences:
    """Sequences of frames in their order."""
    shaped = frames.reshape(-1, length, frames.shape[1])
    labels = yes.astype(int).reshape(-1, length)
    return Sequences.from_arrays(shaped, labels, class_names=("no", "yes"))


def f1_by_hand(true: NDArray[Any], predicted: NDArray[Any], n_classes: int) -> float:
    """F1 of class 1 of two, else of all by how often each is true, from its definition."""
    total = 0.0
    for code in [1] if n_classes == 2 else range(n_classes):
        right = sum((true == code) & (predicted == code))
        either = sum(true == code) + sum(predicted == code)
        share = 1.0 if n_classes == 2 else sum(true == code) / max(len(true), 1)
        total += share * (2 * right / either if either else 0.0)
    return total


def in_all_and_each_part(model: Model, data: Sequences) -> list[float]:
    """F1 of everything, and of each part of about as many sequences."""
    labels, codes = np.asarray(data.labels), model.predict(data)
    per_sequence = len(labels) == len(data)
    scores = [f1_by_hand(labels, codes, data.n_classes)]
    for part in range(PARTS):
        chosen = [i for i in range(len(data)) if i * PARTS // len(data) == part]
        places = [
            place
            for i in chosen
            for place in ([i] if per_sequence else range(*data.offsets[i : i + 2]))
        ]
        scores.append(f1_by_hand(labels[places], codes[places], data.n_classes))
    return scores


@settings(max_examples=25)
@given(cases(), st.sampled_from((0.0, 0.0, 0.01, 0.3)), st.booleans(), st.integers(4, 20))
@pytest.mark.slow
def test_no_more_is_lost_than_allowed(case: Case, loss: float, tuned: bool, n: int) -> None:
    assume(is_complete(case.program))
    signature = case.program.signature
    tuned = tuned and not classes_named(case.program)
    offsets = case.random.normal(size=signature.output.size) if tuned else None
    model, data = case.model(offsets=offsets), some_data(signature, case.random, n=n)
    assume(np.isfinite(model.outputs(data)).all())
    found = simplify(model, data, loss=loss)
    simple = found.model
    before, after = (in_all_and_each_part(each, data) for each in (model, simple))
    assert all(a >= b - loss - 1e-12 for b, a in zip(before, after, strict=True))
    assert found.before.f1 == pytest.approx(before[0])
    assert found.after == simple.evaluate(data) and found.after.f1 >= found.before.f1 - loss
    # Only numbers have changed, and nothing that was 0 has come to life.
    assert simple.program == model.program and simple.scale == model.scale
    assert np.array_equal(simple.offsets, model.offsets) if tuned else simple.offsets is None
    assert not simple.theta[model.theta == 0].any()
    assert found.weights_before == np.count_nonzero(model.theta)
    assert found.weights_after == np.count_nonzero(simple.theta) <= found.weights_before
    # What is printed is what runs.
    read = parse(simple.text(digits=None), model.domain, signature)
    assert read.program == model.program
    if simple.theta.size:
        assert read.theta is not None and read.theta.tobytes() == simple.theta.tobytes()
    again = simplify(model, data, loss=loss)
    assert again.model.theta.tobytes() == simple.theta.tobytes()
    more = simplify(simple, data, loss=loss)
    assert more.weights_after <= found.weights_after
    assert more.after.f1 >= found.after.f1 - loss


@settings(max_examples=12)
@given(st.integers(0, 1000), st.sampled_from((0.0, 30.0, -1000.0)))
def test_what_does_not_matter_goes_and_the_rest_stays(seed: int, far: float) -> None:
    random = np.random.default_rng(seed)
    spread = np.array([1.0, 3.0, 0.1, 10.0])
    centred = spread * random.normal(size=(1600, 4))
    # No frame is so near to the edge that the mean of what goes could decide it.
    rule = 2.0 * centred[:, 0] - 0.7 * centred[:, 1]
    centred[:, 0] += np.sign(rule - 0.3) * 0.02
    # c has a large weight in its own units, and hardly varies; d the other way round.
    frames = (far + centred).astype(np.float32)
    bias = -far * (2.0 - 0.7 + 0.4 - 0.004) - 0.3
    model = written(f"map (fun x_t. AllAffine[2, -.7, .4, -.004; {bias!r}](x_t)) x")
    data = labelled(frames, rule > 0.3)
    found = simplify(model, data)
    weights = found.model.theta[:4]
    assert (weights[2:] == 0).all() and (weights[:2] != 0).all()
    assert found.after.f1 > 0.99 and found.weights_after == 3 - (found.model.theta[4] == 0)
    assert all(digits_of(weight) <= found.digits for weight in weights)


def test_an_accumulator_that_does_not_matter_goes() -> None:
    random = np.random.default_rng(0)
    frames = random.normal(size=(400, 4)).astype(np.float32)
    model = written("mapprefix (fun t. fold (fun u. AAffine[1; .00001; .5](u)) c t) x")
    found = simplify(model, labelled(frames, frames[:, 0] > -0.5))
    assert found.model.theta[1] == 0 and found.model.theta[0] > 0
    assert "AAffine[1; 0; .5]" in found.model.text(digits=None)


def test_a_half_life_is_rounded_and_stays() -> None:
    """Also where no memory would do as well: it has one in any case."""
    frames = np.random.default_rng(0).normal(size=(400, 4))
    domain = Domain.of_features(("a", "b", "c", "d"), {"a": ["a"]}, summaries=("memory",))
    text = "mapprefix (fun t. memory[.034217] (fun i. AAffine[1.2345; .00021](i)) t) x"
    simple = simplify(written(text, domain), labelled(frames, frames[:, 0] > 0)).model
    assert simple.theta[0] > 0 and digits_of(simple.theta[0]) == 1
    assert simple.theta[1] > 0 and simple.theta[2] == 0


def test_an_output_that_does_not_matter_goes_as_a_whole() -> None:
    """Two large weights that cancel out: without either alone, all would be wrong."""
    random = np.random.default_rng(0)
    frames = random.normal(size=(800, 4)).astype(np.float32)
    frames[:, 2] = frames[:, 1]
    text = "map (fun t. add(AllAffine[0, 50, -50, 0; 1](t), AAffine[1; -1](t))) x"
    found = simplify(written(text), labelled(frames, frames[:, 0] > 0))
    assert not found.model.theta[:4].any() and found.after.f1 == 1


@settings(max_examples=8)
@given(st.integers(0, 1000), st.integers(2, 4), st.sampled_from((0.02, 0.05)))
def test_digits_that_are_asked_for(seed: int, digits: int, loss: float) -> None:
    random = np.random.default_rng(seed)
    frames = random.normal(5, 1, (400, 4)).astype(np.float32)
    weights = random.normal(size=4)
    bias = float(-5 * weights.sum() + 0.001)
    numbers = ", ".join(map(repr, weights.tolist()))
    model = written(f"map (fun x_t. AllAffine[{numbers}; {bias!r}](x_t)) x")
    data = labelled(frames, frames @ weights + bias > 0)
    found = None
    with contextlib.suppress(NearstarError):
        found = simplify(model, data, loss=loss, digits=digits)
    assume(found is not None)
    assert found is not None
    assert found.digits <= digits and found.after.f1 >= found.before.f1 - loss
    for value in found.model.theta[:4]:
        assert len(Decimal(repr(float(value))).normalize().as_tuple().digits) <= digits


def test_too_few_digits_are_refused() -> None:
    frames = np.random.default_rng(0).normal(size=(2000, 4)).astype(np.float32)
    model = written("map (fun x_t. AAffine[1; -.25](x_t)) x")
    data = labelled(frames, frames[:, 0] > 0.25)
    with pytest.raises(NearstarError, match=r"of 1 digit, F1 would fall .* more digits"):
        simplify(model, data, digits=1)
    found = simplify(model, data)  # .25 has three digits beside a feature that varies by 1
    assert found.digits == 2 and found.model.theta.tolist() == [1, -0.25]


def test_whatever_units_data_are_in() -> None:
    """The same program in other units loses the same weights."""
    random = np.random.default_rng(3)
    frames = random.normal(size=(800, 4)).astype(np.float32)
    weights = np.array([1.0, 0.5, 0.03, -0.02])
    units = np.array([1.0, 1000.0, 0.001, 8.0])
    zeros = []
    for unit in (np.ones(4), units):
        numbers = ", ".join(map(repr, (weights / unit).tolist()))
        model = written(f"map (fun x_t. AllAffine[{numbers}; .1](x_t)) x")
        data = labelled(frames * unit, frames[:, :2] @ weights[:2] + 0.1 > 0)
        zeros.append((simplify(model, data).model.theta == 0).tolist())
    assert zeros[0] == zeros[1] and zeros[0][2:4] == [True, True]


def test_a_model_says_what_was_done_and_is_saved_with_it(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    frames = random.normal(size=(200, 4)).astype(np.float32)
    facts = {"metrics": {"test": {"f1": 1.0}}, "provenance": {"seed": 7}}
    model = written("map (fun x_t. AllAffine[1, 0, .0012345, 0; 0](x_t)) x", facts=facts)
    data = labelled(frames, frames[:, 0] > 0)
    found = simplify(model, data)
    assert str(found).startswith(f"{found.weights_after} of 2 weights, with up to 1 digits")
    # What was measured of the model that it was is no longer so.
    assert list(found.model.facts["metrics"]) == ["validation"]
    assert found.model.facts["metrics"]["validation"]["f1"] == found.after.f1
    source = found.model.facts["provenance"]
    assert source["seed"] == 7 and source["simplified"]["weights_after"] == found.weights_after
    found.model.save(tmp_path / "model.json")
    loaded = Model.load(tmp_path / "model.json")
    assert loaded.text(digits=None) == found.model.text(digits=None)
    assert loaded.theta.tobytes() == found.model.theta.tobytes()


def test_recordings_in_windows_are_judged_as_they_are_scored() -> None:
    random = np.random.default_rng(0)
    frames = random.normal(size=(400, 4)).astype(np.float32)
    data = labelled(frames, frames[:, 0] > 0.2, length=40)
    text = "mapprefix (fun t. SlidingWindowAverage5(AllAffine[1, .3, 0, 0; -.1](t))) x"
    model = written(text, format=DataFormat(window=10, hop=5, per="frame"))
    found = simplify(model, data)
    assert found.after == found.model.evaluate(data) and found.after.f1 >= found.before.f1
    np.testing.assert_array_equal(model.scoring(data)(model.theta), model.scores(data))


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"loss": -0.1}, "loss must be a number from 0"),
        ({"loss": 1.0}, "below 1"),
        ({"loss": math.nan}, "loss must be a number"),
        ({"digits": 0}, "digits must be from 1 to 17"),
        ({"digits": True}, "digits must be from 1 to 17"),
        ({"digits": 18}, "digits must be from 1 to 17"),
    ],
)
def test_settings_that_cannot_be(more: dict[str, Any], words: str) -> None:
    model = written("map (fun x_t. AAffine[1; 0](x_t)) x")
    data = labelled(np.zeros((20, 4)), np.arange(20) > 3)
    with pytest.raises(NearstarError, match=words):
        simplify(model, data, **more)


def test_models_and_data_that_cannot_be() -> None:
    model = written("map (fun x_t. AAffine[1; 0](x_t)) x")
    data = labelled(np.zeros((20, 4)), np.arange(20) > 3)
    with pytest.raises(NearstarError, match="not a str"):
        simplify("model.json", data)  # type: ignore[arg-type]
    with pytest.raises(NearstarError, match="not a str"):
        harden("model.json", data)  # type: ignore[arg-type]
    with pytest.raises(DataError, match="labels"):
        simplify(model, data.with_labels(None))
    half = np.where(np.arange(20) < 10, 1, -1)
    with pytest.raises(DataError, match="none of these is labelled"):
        simplify(model, labelled(np.zeros((20, 4)), half).subset([1]))
    with pytest.raises(ProgramError, match="no if"):
        harden(model, data)


@settings(max_examples=10)
@given(cases())
def test_networks_in_holes_are_refused(case: Case) -> None:
    assume(not is_complete(case.program))
    data = some_data(case.program.signature, case.random)
    with pytest.raises(ProgramError, match="holes"):
        simplify(case.model(), data)


# Hardening


def truly_hard(edge: float) -> Function:
    """An ``if`` that takes one branch alone: "then" above the edge."""

    def meaning(condition: Expression, then: Expression, otherwise: Expression) -> Expression:
        return mix(condition > edge, then, otherwise)

    form = "if {0} > 0 then {1} else {2}"
    return record(meaning, "if", takes=(1, "out", "out"), prints=form, lifts=True)


def with_function(program: Program, function: Function) -> Program:
    """The program with another function in the place of each ``if``."""
    if isinstance(program, Hole):
        return program
    arguments = tuple(with_function(each, function) for each in program.arguments)
    own = function if program.operation.name == "if" else program.operation
    return Apply(own, program.signature, arguments)


def by_hand(model: Model, data: Sequences, edge: float) -> NDArray[np.float64]:
    """Outputs with a truly hard ``if``, by the naive interpreter."""
    program = with_function(model.program, truly_hard(edge))
    inputs = list(data.frames) if data.vectors else [data.sequence(i) for i in range(len(data))]
    results = [naive.run(program, model.theta, each) for each in inputs]
    assume(all(result.comparable for result in results))
    return np.concatenate([np.atleast_2d(result.value) for result in results])


@st.composite
def branching(draw: st.DrawFn) -> Case:
    """Models of programs that begin with an ``if``, of every type."""
    domain = draw(domains())
    signature, choice = draw(signatures(domain, 3)), if_then_else(domain.beta)
    arguments = choice.arguments(signature) or ()
    parts = tuple(draw(programs(domain.grammar(each), 3)) for each in arguments)
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    return Case(domain, Apply(choice, signature, parts), random)


@settings(max_examples=20)
@given(branching())
def test_a_hardened_if_takes_one_branch(case: Case) -> None:
    model, data = case.model(), some_data(case.program.signature, case.random)
    expected = by_hand(model, data, 0.0)
    # At the very edge single precision may see another side.
    near = [by_hand(model, data, edge) for edge in (-1e-3, 1e-3)]
    clear = np.all([np.isclose(expected, each).all(axis=1) for each in near], axis=0)
    hardest = with_beta(model, HARD)
    outputs = hardest.outputs(data)
    assert np.isfinite(outputs).all()
    np.testing.assert_allclose(outputs[clear], expected[clear], rtol=1e-3, atol=1e-3)
    found = harden(model, data)
    assert found.model.domain.beta == found.beta >= model.domain.beta
    assert math.log2(found.beta / model.domain.beta).is_integer() or found.beta == HARD
    np.testing.assert_array_equal(found.model.predict(data), hardest.predict(data))
    if found.beta > model.domain.beta:  # with half of it, decisions were others
        half = with_beta(model, found.beta / 2)
        assert (half.predict(data) != hardest.predict(data)).any()
    assert found.before == model.evaluate(data) and found.after == found.model.evaluate(data)
    if found.beta < HARD:  # a hard model has the numbers that it prints
        assert found.model.theta.tobytes() == model.theta.tobytes()
    assert str(found.model.program) == str(model.program)


TWO_RULES = (
    "map (fun t. if AAffine[.5; 0](t) > 0 then AllAffine[0, 1, 0, 0; 0](t) "
    "else AllAffine[0, 0, 1, 0; 0](t)) x"
)


def two_rules() -> tuple[Model, Sequences]:
    random = np.random.default_rng(0)
    frames = random.normal(size=(600, 4)).astype(np.float32)
    yes = np.where(frames[:, 0] > 0, frames[:, 1], frames[:, 2]) > 0
    return written(TWO_RULES), labelled(frames, yes)


def test_what_a_hard_rule_gains_or_loses_is_told() -> None:
    model, data = two_rules()
    found = harden(model, data)
    assert found.before.f1 < 0.95 and found.after.f1 == 1 and found.beta > 1
    assert str(found).startswith(f"β {found.beta:g}; F1 {found.before.f1:.3f} before, 1.000 after")
    source = found.model.facts["provenance"]["hardened"]
    assert source == {"beta": found.beta, "beta_before": 1.0, "f1_before": found.before.f1}
    softer = harden(model, data, 3)
    assert softer.beta == softer.model.domain.beta == 3
    assert found.before.f1 < softer.after.f1 < 1
    assert softer.after == written(TWO_RULES, replace(FEATURES, beta=3.0)).evaluate(data)
    both = simplify(found.model, data)
    assert both.after.f1 == 1 and both.model.domain.beta == found.beta


@pytest.mark.parametrize("beta", [None, 7.5, 1e6, HARD])
def test_a_hardened_model_is_the_same_everywhere(beta: float | None, tmp_path: Path) -> None:
    model, data = two_rules()
    hard = harden(model, data, beta).model
    hard.save(tmp_path / "model.json")
    loaded = Model.load(tmp_path / "model.json")
    assert loaded.program == hard.program and loaded.domain.beta == hard.domain.beta
    outputs = hard.outputs(data)
    assert np.isfinite(outputs).all()
    np.testing.assert_array_equal(loaded.outputs(data), outputs)
    text = hard.export("python")
    assert isinstance(text, str)
    module: dict[str, Any] = {"__name__": "exported"}
    exec(text, module)
    exported = np.concatenate([module["scores"](data.sequence(i)) for i in range(len(data))])
    np.testing.assert_allclose(exported.reshape(outputs.shape), outputs, rtol=1e-5, atol=1e-6)
    assert hard.explain(data).notna().all(axis=None)


@pytest.mark.parametrize("beta", [0, -1, 0.5, 1e31, math.inf, math.nan, "hard"])
def test_a_beta_that_cannot_be(beta: Any) -> None:
    model, data = two_rules()
    with pytest.raises(NearstarError, match="beta must be"):
        harden(model, data, beta)


def test_conditions_of_nothing_but_zero() -> None:
    """Where a condition is 0, half of each branch counts; a hard ``if`` takes the second."""
    model = written(
        "map (fun t. if AAffine[0; 0](t) > 0 then AAffine[0; 3](t) else AAffine[0; 1](t)) x"
    )
    data = labelled(np.ones((20, 4)), np.arange(20) > 3)
    np.testing.assert_allclose(with_beta(model, 1e20).outputs(data), 2.0)
    np.testing.assert_allclose(with_beta(model, HARD).outputs(data), 1.0)


def test_terms_go_while_what_is_left_is_trained_on() -> None:
    """Of two that say the same, without training on neither could go: half the weight would."""
    random = np.random.default_rng(0)
    frames = random.normal(size=(80, 30, 4)).astype(np.float32)
    frames[..., 1] = frames[..., 0] + random.normal(size=(80, 30)) * 0.05
    labels = (frames[..., 0] + frames[..., 1] > 0.3).astype(int)
    train, valid = (Sequences.from_arrays(*part) for part in zip(
        np.split(frames, 2), np.split(labels, 2), strict=True
    ))  # fmt: skip
    domain = Domain.of_size(4)
    text = "map (fun t. Affine[10, 10, .4, -.3; -3](t)) x"
    model = Model.from_text(text, domain, domain.signature(1, per_frame=True), ("0", "1"))
    alone = simplify(model, valid, loss=0.06)
    found = simplify(model, valid, train=train, loss=0.06)
    assert found.weights_after < alone.weights_after or found.after.f1 > alone.after.f1
    assert found.weights_after == 2 and found.after.f1 > found.before.f1 - 0.06
    assert found.model.evaluate(valid) == found.after
    again = parse(found.model.text(digits=None), domain, model.program.signature)
    assert again.program == found.model.program


@pytest.mark.parametrize("trained", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_classes_that_leaves_name_stay(trained: bool) -> None:
    """Also those that no element comes to: nothing of a name is a number."""
    random = np.random.default_rng(3)
    frames = random.normal(size=(400, 4))
    data = labelled(frames, (frames[:, 0] > 0.25) & (frames[:, 1] < 0.5))
    domain = replace(FEATURES, beta=HARD, classes=("no", "yes"))
    text = (
        "map (fun x_t. if a > .25123456 then if b < .50123456 then yes else no "
        "else if (1.23456789·c + .001·d - 99.123456) > 0 then yes else no) x"
    )
    model = written(text, domain)
    found = simplify(model, data, loss=0.02, train=data if trained else None)
    said = re.findall(r"\b(?:yes|no)\b", str(found.model))
    assert said == ["yes", "no", "yes", "no"]
    assert re.search(r"a > \.\d+ then if b < \.\d then", str(found.model))
    assert found.after.f1 > 0.95
