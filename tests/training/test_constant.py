"""Features that are constant, however large: they get no weight, and cost no model its score."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import nearstar as ns
from nearstar.language.parameters import layout
from nearstar.language.text import parse
from nearstar.model.export import export
from nearstar.run.warm_start import starting_parameters

SINCE_1970 = 1.7e18
"""A time in nanoseconds."""
FEATURES = ("speed", "angle", "time")
UNITS = ns.Units(6, 3)
BUDGET = ns.Budget(symbolic_steps=240, neural_steps=80, units=UNITS, learning_rate=0.05)
SETTINGS: dict[str, Any] = {
    "seed": 0,
    "budget": BUDGET,
    "limits": ns.Limits(trainings=12),
    "constraints": ns.Constraints(max_depth=4),
    "progress": False,
}
TIMES = {
    "3": lambda frames: np.full(frames.shape, 3.0),
    "a large number": lambda frames: np.full(frames.shape, SINCE_1970),
    # In single precision numbers of that size are 1.4e11 apart: about 14,000 frames.
    "within rounding": lambda frames: SINCE_1970 + 1e7 * frames,
    "two values": lambda frames: SINCE_1970 + 1.4e11 * (frames % 2),
}


def data(time: str | None, later: float = 0.0, seed: int = 0) -> ns.Sequences:
    """Moments of two features that decide, and of a time, of a recording that began later."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(40, 25, 2))
    y = (1.5 * X[..., 0] + 0.3 * X[..., 1] > 0.2).astype(int)
    if time is not None:
        frames = np.arange(X[..., 0].size, dtype=np.float64).reshape(X.shape[:2])
        X = np.concatenate([X, (TIMES[time](frames) + later)[..., None]], axis=2)
    names = FEATURES[: X.shape[2]]
    return ns.Sequences.from_arrays(X, y, feature_names=names, class_names=("sit", "run"))


def searched(time: str | None) -> tuple[ns.Result, ns.Task, ns.Domain]:
    task = ns.Task(data(time), data(time, seed=1))
    # Leaves that read all there is, whatever it is worth.
    names = task.train.feature_names
    domain = ns.Domain.of_features(names, {"all": names})
    return ns.learn(task, domain, ns.Enumeration(), **SETTINGS), task, domain


def weights_of_time(trained: ns.Trained) -> NDArray[np.float64]:
    """The weights of the third feature in every matrix that reads it."""
    units = None if ns.is_complete(trained.program) else trained.units
    found = [
        block.of(trained.theta)[block.columns.index(2)]
        for block in layout(trained.program, units)
        if 2 in block.columns
    ]
    return np.concatenate([np.empty(0), *found])


@pytest.mark.parametrize("time", TIMES)
def test_a_model_is_as_good_as_without_them(time: str) -> None:
    plain, _, _ = searched(None)
    result, task, domain = searched(time)
    assert plain.best is not None and result.best is not None
    f1, expected = (each.best.evaluation.f1 for each in (result, plain))
    assert f1 is not None and expected is not None and f1 > expected - 0.01 > 0.9
    model = result.model(domain, ("sit", "run"))
    assert model.evaluate(task.valid) == result.best.trained.metrics
    # Recordings of another day are no worse.
    for later in (1.0, 1e-3 * SINCE_1970):
        assert model.evaluate(data(time, later, seed=1)).f1 > expected - 0.01


@pytest.mark.parametrize("time", TIMES)
@pytest.mark.parametrize(
    "text",
    [
        "map (fun x_t. Affine(x_t)) x",
        "map (fun x_t. add(Affine(x_t), multiply(TimeAffine(x_t), SpeedAffine(x_t)))) x",
        "mapprefix (fun x. fold (fun x_t. Affine(x_t)) c x) x",
        "mapprefix (fun x. SlidingWindowAverage5(Affine(x))) x",
        "map (fun x_t. if TimeAffine(x_t) > 0 then ?? else Affine(x_t)) x",
        "mapprefix (fun x. ??) x",
    ],
)
def test_they_have_no_weight_and_print_as_0(time: str, text: str) -> None:
    task = ns.Task(data(time), data(time, 1.0, seed=1))
    domain = ns.Domain.of_features(FEATURES)
    program = parse(text, domain, task.signature()).program
    trained = ns.train(program, task, BUDGET)
    weights = weights_of_time(trained)
    assert len(weights) and not weights.any() and np.abs(trained.theta).max() < 1e3
    assert task.scale.constant == (2,) and not trained.diverged
    # A start that has weights for them, as a program that was given may, loses these alone.
    start = trained.theta + 0.5
    again = ns.train(program, task, BUDGET, start=start)
    assert not weights_of_time(again).any()
    warm = starting_parameters(program, BUDGET, task.scale, trained, 5)
    assert not weights_of_time(ns.train(program, task, BUDGET, start=warm)).any()
    if text == "map (fun x_t. Affine(x_t)) x":
        assert ", 0; " in ns.Model.of(trained, domain, ("sit", "run")).text()


def test_what_varies_is_left_alone() -> None:
    """A feature that is large but tells something keeps its weight."""
    random = np.random.default_rng(0)
    moved = 5e6 + random.normal(size=(30, 20, 1)).cumsum(axis=1) * 3  # metres, on a map
    y = (moved[..., 0] > moved.mean()).astype(int)
    task = ns.Task(ns.Sequences.from_arrays(moved, y))
    domain = ns.Domain.of_size(1)
    trained = ns.train(
        parse("map (fun x_t. Affine(x_t)) x", domain, task.signature()).program, task
    )
    assert task.scale.constant == () and trained.theta[0] != 0 and trained.error < 0.05


@pytest.mark.parametrize("time", TIMES)
def test_models_are_saved_exported_and_printed_with_their_score(time: str, tmp_path: Path) -> None:
    result, task, domain = searched(time)
    model = result.model(domain, ("sit", "run"))
    fresh = data(time, 1e-3 * SINCE_1970, seed=2)
    expected = model.predict(fresh)
    scores = np.asarray(model.outputs(fresh))
    model.save(tmp_path / "model.json")
    np.testing.assert_array_equal(ns.Model.load(tmp_path / "model.json").predict(fresh), expected)
    signature = task.signature()
    for digits in (None, 4):
        text = model.text(digits=digits)
        read = ns.Model.from_text(text, domain, signature, ("sit", "run"))
        assert (read.predict(fresh) == expected).mean() > 0.99, text
    space: dict[str, Any] = {"__name__": "exported"}
    exec(str(export(model, "python")), space)
    written = np.concatenate([space["scores"](x) for x in parts(fresh)])
    np.testing.assert_allclose(written.reshape(scores.shape), scores, rtol=1e-4, atol=1e-4)
    runtime = pytest.importorskip("onnxruntime")
    session = runtime.InferenceSession(export(model, "onnx"), providers=["CPUExecutionProvider"])
    graph = np.concatenate([session.run(["scores"], {"x": x})[0] for x in parts(fresh)])
    np.testing.assert_allclose(graph.reshape(scores.shape), scores, rtol=1e-4, atol=1e-4)


def parts(sequences: ns.Sequences) -> list[NDArray[np.float32]]:
    return np.split(sequences.frames, sequences.offsets[1:-1])
