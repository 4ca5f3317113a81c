"""Scores of the report: those of the fit, beside the majority class and other models."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.dummy import DummyClassifier
from sklearn.metrics import accuracy_score, f1_score

import nearstar as ns
from nearstar.data.format import DataFormat
from nearstar.report.scores import scores
from nearstar.util.errors import NearstarError

FEATURES = ("speed", "angle")
DOMAIN = ns.Domain.of_features(FEATURES, {"speed": ["speed"], "angle": ["angle"]})


def model(
    weights: str = "1; 0", program: str = "map (fun x_t. SpeedAffine[{}](x_t)) x"
) -> ns.Model:
    signature = DOMAIN.signature(1, per_frame=program.startswith("map "))
    return ns.Model.from_text(program.format(weights), DOMAIN, signature, ("sit", "run"))


def recordings(seed: int, n: int = 5, *, per_frame: bool = True, least: int = -1) -> ns.Recordings:
    rng = np.random.default_rng(seed)
    lengths = rng.integers(1, 30, n)
    X = [rng.normal(size=(length, 2)) for length in lengths]
    y = [rng.integers(least, 2, length) for length in lengths]
    y[0][0] = 1
    labels = y if per_frame else [each[0] for each in y]
    data = ns.Sequences.from_arrays(X, labels, feature_names=FEATURES, class_names=("sit", "run"))
    return ns.Recordings(data, ("sit", "run"), tuple(f"v{i}" for i in range(n)))


@given(st.integers(0, 999), st.booleans())
def test_scores_are_those_of_scikit_learn(seed: int, per_frame: bool) -> None:
    program = "map (fun x_t. SpeedAffine[{}](x_t)) x"
    summary = "fold (fun x_i. SpeedAffine[1; 0; 0](x_i)) c x"
    own = model(program=program) if per_frame else model(program=summary)
    parts = {
        name: recordings(seed + n, per_frame=per_frame)
        for n, name in enumerate(["training", "validation", "test"])
    }
    page = scores(own, parts, {})
    assert page is not None and [part["name"] for part in page["parts"]] == list(parts)
    learned = parts["training"].sequences.labels
    constant = DummyClassifier().fit(learned[learned >= 0], learned[learned >= 0])
    for part, data in zip(page["parts"], parts.values(), strict=True):
        known = data.sequences.labels >= 0
        true = data.sequences.labels[known]
        predictions = {
            "this program": own.predict(data.sequences)[known],
            "majority class": constant.predict(true),
        }
        assert part["elements"] == len(true) == np.sum(part["confusion"])
        assert part["kind"] == ("frames" if per_frame else "sequences")
        for found in part["models"]:
            predicted = predictions.pop(found["name"])
            assert found["accuracy"] == pytest.approx(accuracy_score(true, predicted))
            assert found["f1"] == pytest.approx(f1_score(true, predicted, zero_division=0))
        assert not predictions
        supports = [each["support"] for each in part["per_class"]]
        assert supports == np.bincount(true, minlength=2).tolist()


def test_windows_count_where_they_counted_in_the_fit() -> None:
    long = recordings(3, 4)
    windowed = replace(model(), format=DataFormat(window=4, hop=2))
    page = scores(windowed, {"training": long, "validation": long, "test": long}, {})
    assert page is not None
    kinds = {part["name"]: part["kind"] for part in page["parts"]}
    assert kinds["validation"] == "frames in windows" and kinds["test"] == "frames"
    elements = {part["name"]: part["elements"] for part in page["parts"]}
    assert elements["training"] == elements["validation"] > elements["test"]


def test_what_was_kept_stands_in_for_data_that_are_gone() -> None:
    valid, test = recordings(1), recordings(2)
    own = model()
    metrics = {
        name: own.evaluate(part.sequences).to_dict(own.class_names)
        for name, part in {"validation": valid, "test": test}.items()
    }
    kept = replace(own, facts={"metrics": metrics})
    measured = scores(own, {"validation": valid, "test": test}, {})
    assert scores(kept, {}, {}) == measured
    assert scores(kept, {"validation": valid}, {}) == measured
    assert scores(replace(own, facts={"metrics": {"validation": None}}), {}, {}) is None
    unlabelled = replace(valid, sequences=valid.sequences.with_labels(None))
    assert scores(own, {"test": unlabelled}, {}) is None


def test_other_models_stand_beside_it() -> None:
    page = scores(model(), {"test": recordings(1)}, {"reversed": model("-1; 0")})
    assert page is not None
    models = {each["name"]: each for each in page["parts"][0]["models"]}
    assert list(models) == ["this program", "majority class", "reversed"]
    assert models["reversed"]["accuracy"] == pytest.approx(1 - models["this program"]["accuracy"])
    strange = ns.Domain.of_features(("a",))
    other = ns.Model.from_text(
        "map (fun x_t. Affine[1; 0](x_t)) x",
        strange,
        strange.signature(1, per_frame=True),
        ("sit", "run"),
    )
    with pytest.raises(NearstarError, match="other-run cannot be compared on these data"):
        scores(model(), {"test": recordings(1)}, {"other-run": other})
