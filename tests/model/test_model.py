"""Models: what training reported is what they give; decisions, and data that do not fit."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import naive
import numpy as np
import pytest
from engine.cases import UNITS
from hypothesis import given, settings
from hypothesis import strategies as st
from model.files.random_models import Case, cases, some_data
from sklearn.metrics import confusion_matrix

from nearstar import (
    Budget,
    DataError,
    Domain,
    Hole,
    Metrics,
    Model,
    NearstarError,
    ProgramError,
    Scale,
    Sequences,
    Task,
    Units,
    to_text,
    train,
    two_animals,
)
from nearstar.data.examples.synthetic import HIDDEN_RULE
from nearstar.language.deciding import classes_named
from nearstar.language.parameters import layout, size_of
from nearstar.language.types import Sequence, Signature, Vector

CRIM13 = Domain.built_in("crim13")
SNIFF = CRIM13.signature(1, per_frame=True)
NAMES = ("other", "sniff")
ANIMALS = two_animals(12, length=(5, 20))


# What training reported


@settings(max_examples=60)
@given(cases(), st.sampled_from(("best", "last")), st.sampled_from((0.0, 1.0, 1e4)))
def test_a_model_does_what_training_reported(case: Case, select: Any, offset: float) -> None:
    signature = case.program.signature
    data = some_data(signature, case.random, offset=offset)
    valid = some_data(signature, case.random, offset=offset)
    budget = Budget(neural_steps=16, symbolic_steps=16, batch_size=3, units=UNITS, select=select)
    trained = train(case.program, Task(data, valid), budget)
    if trained.diverged:
        return
    model = Model.of(trained, case.domain, data.class_names)
    assert model.evaluate(valid) == trained.metrics
    # Predictions and outputs are those that were counted.
    codes, outputs = model.predict(valid), model.outputs(valid)
    counts = np.zeros((data.n_classes, data.n_classes), np.int64)
    np.add.at(counts, (valid.labels, codes), 1)
    assert Metrics.from_confusion(counts) == trained.metrics
    decided = outputs[:, 0] > 0 if outputs.shape[1] == 1 else outputs.argmax(axis=1)
    np.testing.assert_array_equal(codes, decided)
    # Labels and company change nothing.
    alone = model.outputs(valid.subset([2]).with_labels(None))
    rows = slice(*valid.offsets[2:4]) if signature.maps_sequences else slice(2, 3)
    assert alone.tobytes() == outputs[rows].tobytes()


@pytest.fixture
def model() -> Model:
    return Model.from_text(HIDDEN_RULE, CRIM13, SNIFF, NAMES)


# Decisions


@settings(max_examples=60)
@given(cases(), st.booleans())
def test_offsets_are_added_before_deciding(case: Case, shifted: bool) -> None:
    signature = case.program.signature
    n_outputs = signature.output.size
    shifted = shifted and not classes_named(case.program)  # where a class is named, there are none
    offsets = case.random.normal(size=n_outputs) if shifted else None
    model = case.model(offsets=offsets)
    data = some_data(signature, case.random)
    plain = replace(model, offsets=None)
    outputs = model.outputs(data)
    assert outputs.tobytes() == plain.outputs(data).tobytes()
    codes, probabilities = model.predict(data), model.probabilities(data)
    assert probabilities.shape == (len(outputs), max(n_outputs, 2))
    added = [0.0] * n_outputs if offsets is None else offsets.tolist()
    for row, code, shares in zip(outputs.tolist(), codes, probabilities, strict=True):
        scores = [a + b for a, b in zip(row, added, strict=True)]
        scores = [0.0, *scores] if n_outputs == 1 else scores
        assert code == max(range(len(scores)), key=lambda k: scores[k])
        weights = [math.exp(score - max(scores)) for score in scores]
        np.testing.assert_allclose(shares, [w / sum(weights) for w in weights], atol=1e-9)
    # Scores are those of the decisions, on what is labelled.
    labels = np.where(case.random.random(len(codes)) < 0.3, -1, data.labels)
    labels[0] = 0
    metrics = model.evaluate(replace(data, labels=labels.astype(np.int16)))
    known = labels >= 0
    expected = confusion_matrix(labels[known], codes[known], labels=range(data.n_classes))
    assert metrics.confusion.tolist() == expected.tolist()


def test_outputs_that_are_not_finite_are_no_scores() -> None:
    domain = Domain.of_size(1, vectors=("x", "multiply"))
    text = "multiply(multiply(x, x), multiply(x, x))"
    huge = Model.from_text(text, domain, Signature(Vector(1), Vector(1)), ("a", "b"))
    data = Sequences.from_arrays(np.array([[1e30], [2.0]]), [0, 1], class_names=("a", "b"))
    for method in (huge.evaluate, huge.predict, huge.probabilities):
        with pytest.raises(NearstarError, match="not finite on these data"):
            method(data)


# Data that do not fit


def test_data_that_do_not_fit(model: Model) -> None:
    narrow = some_data(Signature(Sequence(4), Sequence(2)), np.random.default_rng(0))
    vectors = some_data(Signature(Vector(19), Vector(2)), np.random.default_rng(0))
    for method in (model.outputs, model.predict, model.evaluate):
        with pytest.raises(DataError, match=r"takes Sequence\(19\), the data are .* of 4 features"):
            method(narrow)
    for method in (model.outputs, model.predict):
        with pytest.raises(DataError, match="the data are vectors of 19 features"):
            method(vectors)
    three = ANIMALS.with_labels(ANIMALS.labels, ("a", "b", "c"))
    for data, labels in (
        (ANIMALS.with_labels(None), "the data have none"),
        (three, "the data have labels of 3"),
    ):
        with pytest.raises(DataError, match=f"needs labels of 2 classes; {labels}"):
            model.evaluate(data)
    swapped = ANIMALS.with_labels(ANIMALS.labels, ("sniff", "other"))
    with pytest.raises(DataError, match=r"tells other, sniff, but the data have .* sniff, other"):
        model.evaluate(swapped)
    per_sequence = ANIMALS.with_labels(np.zeros(len(ANIMALS), int))
    with pytest.raises(DataError, match="labelled per frame and the program is not, or vice versa"):
        model.evaluate(per_sequence)
    assert model.predict(per_sequence).shape == (len(ANIMALS.frames),)


def test_features_of_other_names(model: Model) -> None:
    names = list(ANIMALS.feature_names)
    names[3], names[4] = names[4], names[3]
    for method in (model.outputs, model.predict, model.probabilities, model.evaluate):
        with pytest.raises(DataError, match=f"feature 3 of the data is {names[3]!r}.*{names[4]!r}"):
            method(replace(ANIMALS, feature_names=tuple(names)))
    # Without names of their own, columns count.
    unnamed = replace(ANIMALS, feature_names=tuple(f"x{k}" for k in range(19)))
    assert model.predict(unnamed).tolist() == model.predict(ANIMALS).tolist()
    anonymous = replace(model, domain=replace(CRIM13, features=unnamed.feature_names))
    assert anonymous.predict(ANIMALS).tolist() == model.predict(ANIMALS).tolist()


def test_parts_of_a_model_that_do_not_fit(model: Model) -> None:
    for changed, problem in (
        ({"class_names": ("a", "b", "c")}, "1 outputs cannot tell 3 classes"),
        ({"class_names": ("a",)}, "1 outputs cannot tell 1 classes"),
        ({"theta": model.theta[1:]}, "has 8 parameters"),
        ({"theta": model.theta * np.nan}, "finite"),
        ({"theta": model.theta * 1e300}, "too large to compute with"),
        ({"scale": Scale.identity(4)}, "the scale is of 4 features"),
        ({"domain": Domain.of_size(4)}, "the domain plain has 4 features"),
        ({"program": Hole(SNIFF)}, "needs the units"),
    ):
        with pytest.raises(ProgramError, match=problem):
            replace(model, **{"labels": (), **changed})
    for changed, problem in (
        ({"offsets": [1.0, 2.0]}, "one for each of 1 outputs"),
        ({"offsets": [np.inf]}, "finite numbers"),
        ({"labels": (1, 2, 3)}, "3 labels were given for 2 classes"),
        ({"labels": (1, None)}, "not None"),
        ({"labels": (1, np.nan)}, "not nan"),
        ({"facts": {"f1": 1}}, "'metrics', 'provenance'.*'f1'"),
        ({"facts": {"metrics": 1}}, "facts are tables"),
        ({"facts": {"metrics": {"f1": np.nan}}}, "must be texts, finite numbers"),
        ({"facts": {"metrics": {"f1": object()}}}, "must be texts, finite numbers"),
    ):
        with pytest.raises(NearstarError, match=problem):
            replace(model, **changed)


def test_parts_are_plain_values_of_the_model_alone(model: Model) -> None:
    offsets, metrics = np.array([0.5]), {"f1": 1.0, "counts": (1, 2)}
    own = replace(
        model,
        offsets=offsets,
        labels=tuple(np.array([3, 7])),
        facts={"metrics": metrics},
    )
    offsets[0], metrics["f1"] = 9, 0
    assert own.offsets is not None and own.offsets.tolist() == [0.5]
    assert own.facts == {"metrics": {"f1": 1.0, "counts": [1, 2]}}
    assert [type(label) for label in own.labels] == [int, int]
    assert model.labels == model.class_names


# Text


def test_a_model_from_text(model: Model) -> None:
    expected = [
        naive.evaluate(model.program, model.theta, ANIMALS.sequence(i)) for i in range(len(ANIMALS))
    ]
    np.testing.assert_allclose(
        model.outputs(ANIMALS), np.concatenate(expected), rtol=1e-4, atol=1e-4
    )
    clean = two_animals(12, length=(5, 20), noise=0.0)  # the labels are what the rule says
    assert model.evaluate(clean).accuracy > 0.97
    with pytest.raises(ProgramError, match="the text has no parameters"):
        Model.from_text("map (fun x_t. AngleAffine(x_t)) x", CRIM13, SNIFF, NAMES)
    with pytest.raises(ProgramError, match="needs the units"):
        Model.from_text("??", CRIM13, SNIFF, NAMES)


def test_text_is_rounded_for_reading() -> None:
    text = "map (fun x_t. DistanceAffine[.123456789; -1234.56789](x_t)) x"
    model = Model.from_text(text, CRIM13, SNIFF, NAMES)
    assert model.text() == "map (fun x_t. DistanceAffine[.1235; -1235](x_t)) x"
    assert model.text(2) == "map (fun x_t. DistanceAffine[.12; -1200](x_t)) x"
    assert model.text(None) == text
    exact = Model.from_text(model.text(None), CRIM13, SNIFF, NAMES)
    assert exact.theta.tobytes() == model.theta.tobytes()
    with pytest.raises(ProgramError, match="digits must be from 1"):
        model.text(0)
    sketch = Model(
        Hole(SNIFF),
        np.zeros(size_of(layout(Hole(SNIFF), Units(2, 2)))),
        *(CRIM13, NAMES, model.scale, Units(2, 2)),
    )
    assert sketch.text() == to_text(sketch.program) == "??"
