"""What is read is what runs: printed rules, read by hand, give all predictions of their models."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from reading import Reader
from test_real_data import FOLDER, parts

import nearstar as ns
from nearstar.data.derived.extending import with_features
from nearstar.fit.bank import Bank
from nearstar.language.operators import HARD
from nearstar.language.thresholds import thresholds_of
from nearstar.run.results.models import model_of
from nearstar.util.errors import NearstarError


def by_hand(text: str, data: ns.Sequences) -> Any:
    columns = {
        name: data.frames[:, place].astype(np.float64)
        for place, name in enumerate(data.feature_names)
    }
    return Reader(text, columns, data.offsets, data.class_names).codes()


def found(train: ns.Sequences, valid: ns.Sequences, trainings: int = 6) -> list[ns.Model]:
    """Models of a front, by a short search over a bank of terms, and some with choices."""
    bank = Bank.of(train, {}, causal=False)
    task, domain = ns.Task(bank.computed(train), bank.computed(valid)), bank.domain()
    loss = "f1" if train.n_classes == 2 else "cross-entropy"
    budget = ns.Budget(symbolic_steps=60, choosing_steps=30, loss=loss)
    limits = ns.Limits(trainings=trainings)
    result = ns.learn(task, domain, budget=budget, limits=limits, progress=False)
    chosen: list[ns.Trained] = [each.trained for each in result.front]
    choice = "if Affine{*}(x_t) > 0 then Affine{*}(x_t) else "
    body = f"{choice}{choice}multiply(Affine{{*}}(x_t), Affine{{*}}(x_t))"
    text = f"map (fun x_t. {body}) x" if train.per_frame else f"last (fun x_t. {body}) x"
    trained = ns.train(ns.parse(text, domain, task.signature()).program, task, budget)
    chosen += trained.chosen[:: max(len(trained.chosen) // 3, 1)]
    names = task.train.class_names
    return [model_of(each, task, domain, names, provenance={}) for each in chosen]


def assert_read(models: list[ns.Model], valid: ns.Sequences, test: ns.Sequences) -> None:
    """The printed programs give all predictions, and the scores that are told."""
    assert any(thresholds_of(model.program, model.theta) for model in models)
    for model in models:
        text = str(model)
        for data in (valid, test):
            assert np.array_equal(by_hand(text, data), model.predict(data)), text
        told = model.facts["metrics"]["validation"]["f1"]
        assert model.evaluate(valid).f1 == told
        assert model.facts["provenance"]["error"] == 1 - told
        parsed = ns.parse(text, model.domain, model.program.signature)
        assert parsed.program == model.program
        np.testing.assert_array_equal(parsed.theta, model.theta)


def animals(seed: int) -> list[ns.Sequences]:
    """A few features of pairs of animals."""
    parts = ns.two_animals_split(seed=seed, sizes=(20, 10, 20))
    return [with_features(part, part.feature_names[4:8], {}) for part in parts]


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1])
def test_of_a_hidden_rule(seed: int) -> None:
    train, valid, test = animals(seed)
    assert_read(found(train, valid), valid, test)


def classes_of(data: ns.Sequences, cuts: tuple[float, ...]) -> ns.Sequences:
    """The same with other labels: where a feature is among these."""
    codes = np.digitize(data.frames[:, 0], cuts).astype(np.int16)
    return replace(data, labels=codes, class_names=tuple(map(str, range(len(cuts) + 1))))


@pytest.mark.slow
def test_of_several_classes() -> None:
    parts = animals(2)
    cuts = tuple(np.quantile(parts[0].frames[:, 0], [0.3, 0.6]).tolist())
    train, valid, test = (classes_of(part, cuts) for part in parts)
    assert_read(found(train, valid), valid, test)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_of_whole_sequences(n_classes: int) -> None:
    random = np.random.default_rng(n_classes)
    frames = random.normal(size=(90, 30, 3)).cumsum(axis=1)
    swing = np.ptp(frames[..., 1], axis=1)
    codes = np.digitize(swing, np.quantile(swing, np.arange(1, n_classes) / n_classes))
    data = ns.Sequences.from_arrays(
        frames, codes, lengths=random.integers(2, 31, 90), feature_names=("a", "b b", "c")
    )
    train, valid, test = (data.subset(range(start, start + 30)) for start in (0, 30, 60))
    assert_read(found(train, valid), valid, test)


def test_of_rounded_data() -> None:
    """Where values are whole numbers, thresholds would like to be such, too."""
    random = np.random.default_rng(0)
    frames = random.integers(0, 9, (60, 20, 3)).astype(float)
    codes = np.where(frames[..., 0] > 4, frames[..., 1] > 2, frames[..., 2] > 6).astype(int)
    data = ns.Sequences.from_arrays(frames, codes, feature_names=("a", "b", "c"))
    train, valid, test = (data.subset(range(start, start + 20)) for start in (0, 20, 40))
    assert_read(found(train, valid), valid, test)


@pytest.mark.slow
def test_of_the_watch() -> None:
    try:
        train, valid, test = ns.watch_exercises()
    except NearstarError as problem:
        pytest.skip(str(problem))
    some = [part.subset(range(0, len(part), 4)) for part in (train, valid, test)]
    assert_read(found(some[0], some[1]), some[1], some[2])


@pytest.mark.slow
@pytest.mark.skipif(not FOLDER.is_dir(), reason="no folder with recordings")
@pytest.mark.parametrize(
    ("name", "label", "every"),
    [
        ("rat_social.npz", 1, 30),
        ("nba_ballhandler.npz", None, 20),
        ("rat_bouts.npz", None, 10),
    ],
)
def test_of_recordings(name: str, label: int | None, every: int) -> None:
    some = (part.subset(range(0, len(part), every)) for part in parts(name, 19, label))
    train, valid, test = some
    assert_read(found(train, valid), valid, test)


NAMES = ("gap", "speed", "odd name", "mean(speed, 31)", "x_t")


@pytest.mark.parametrize(
    "body",
    [
        "(1.5·gap - 2·speed + .25)",
        "if gap > .5 then (1·speed - .125) else (-1·speed)",
        'if "odd name" < -.25 then (1·speed) else if gap > 0 then (2·gap - 1) else (-3·speed + 1)',
        "if gap > 1 then if speed < 0 then (1·gap - 2) else (1·x_t) else (1·speed)",
        "if x_t > .125 then (1·gap) else multiply((1·gap - 1), (1·speed + 2))",
        "add((1·gap), if (1·gap - 2·speed + 1) > 0 then (1·speed) else (-1·gap - 1))",
        "if mean(speed, 31) > -1e-3 then (1·gap) else (1·speed)",
        "if if gap > 0 then (1·speed) else (1·gap - 1) > 0 then (1·gap) else (1·speed)",
        'if gap > .5 then süß else if x_t < -1 then "if" else (1·gap - 2·speed)',
        'if (1·gap - 2·speed) > 0 then if x_t > 0 then süß else "if" else if speed > .125 then '
        '"if" else süß',
    ],
)
@pytest.mark.parametrize("grid", [1, 1 / 8, 2**-20])
def test_of_hand(body: str, grid: float) -> None:
    """Rounded data, so that conditions are 0 and thresholds are met."""
    classes = ("süß", "if")
    domain = ns.Domain.of_features(NAMES, {}, beta=HARD, classes=classes)
    signature = domain.signature(1, per_frame=True)
    model = ns.Model.from_text(f"map (fun t. {body}) x", domain, signature, classes)
    frames = np.random.default_rng(0).normal(size=(5, 40, len(NAMES))) * 2
    data = ns.Sequences.from_arrays(np.round(frames / grid) * grid, feature_names=NAMES)
    columns = dict(zip(NAMES, data.frames.T.astype(np.float64), strict=True))
    # A term's name is that of a column here.
    read = str(model).replace("mean(speed, 31)", "term")
    columns["term"] = columns.pop("mean(speed, 31)")
    codes = Reader(read, columns, data.offsets, classes).codes()
    assert np.array_equal(codes, model.predict(data))
