"""`ProgramClassifier`: what it finds, says and predicts, for all forms of data."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from recorded.exact import short
from recorded.material import sequences
from recorded.registry import Parts, case, family
from recorded.said import said

import nearstar as ns

BUDGET = ns.Budget(2, 3, batch_size=8)
QUICK: dict[str, Any] = {
    **{"budget": BUDGET, "trainings": 40, "finalists": 0, "n_jobs": 1, "random_state": 0},
    **{"weight": 0.3, "max_depth": 6},
}


def arrays(kind: str, classes: int, seed: int = 0) -> tuple[Any, Any]:
    """X and y; of two classes the second is clearly the rarer one, however data are split."""
    data = sequences(kind, classes, seed, n=40, rare=0.35)
    names = np.array(data.class_names)
    assert data.labels is not None
    if kind == "vectors":
        return data.frames, names[data.labels]
    X = [data.sequence(i) for i in range(len(data))]
    y = names[data.labels]
    return X, np.split(y, data.offsets[1:-1]) if kind == "frames" else y


def table(n: int = 30) -> pd.DataFrame:
    """Rows of tracked mice; every fifth frame has a label of its own."""
    whole = ns.tracking_table(n, 4)
    return whole[whole["frame"] < 14].reset_index(drop=True)


def fitted(classifier: Any, X: Any) -> Parts:
    """What is known after a fit, without times."""
    history = classifier.history_.drop(columns=["seconds", "engine_seconds"])
    programs = classifier.programs_
    return {
        "program": classifier.program_,
        "programs": short(programs.iloc[:, each].tolist() for each in range(programs.shape[1])),
        "columns": ", ".join(programs.columns),
        "history": short(history[name].to_numpy() for name in history),
        "gap": classifier.gap_,
        "classes": classifier.classes_.tolist(),
        "predicted": digested(classifier.predict(X)),
        "probabilities": digested(classifier.predict_proba(X)),
        "decisions": digested(classifier.decision_function(X)),
        "explained": short(
            [*classifier.explain(X).columns, *classifier.explain(X).to_numpy().ravel()]
        ),
        "file": short([classifier.model_.text(None), classifier.model_.facts["metrics"]]),
        "trained": [classifier.result_.trained, classifier.result_.ended],
        "finals": finals(classifier.result_.finals),
    }


def finals(result: ns.Result | None) -> str | None:
    """The programs that were trained again."""
    if result is None:
        return None
    return short([ns.to_text(each.program), each.error] for each in result.evaluations)


def digested(answer: Any) -> str:
    """Predictions: an array, a column, or a list of arrays."""
    parts = answer if isinstance(answer, list) else [np.asarray(answer)]
    return short(each.tolist() for each in parts)


def of_arrays(kind: str, classes: int, settings: dict[str, Any]) -> Parts:
    X, y = arrays(kind, classes)
    classifier = ns.ProgramClassifier(**{**QUICK, **settings})
    return {**fitted(classifier.fit(X, y), X), "score": classifier.score(X, y)}


_GROUPS = {"left": [0, 1], "rest": ["x2", 3]}
family(
    "estimator",
    of_arrays,
    {
        "frames": ("frames", 2, {}),
        "frames, 3 classes": ("frames", 3, {}),
        "sequences": ("sequences", 2, {}),
        "sequences, 5 classes": ("sequences", 5, {}),
        "vectors": ("vectors", 2, {}),
        "vectors, 3 classes": ("vectors", 3, {"groups": _GROUPS}),
        "groups": ("frames", 2, {"groups": _GROUPS}),
        "idsbb": ("frames", 2, {"search": "idsbb", "groups": _GROUPS}),
        "enumeration": ("sequences", 2, {"search": "enumeration"}),
        "montecarlo": ("frames", 2, {"search": "montecarlo"}),
        "mcts": ("vectors", 2, {"search": "mcts"}),
        "genetic": ("frames", 2, {"search": "genetic", "random_state": 3}),
        "a search with settings": ("frames", 2, {"search": ns.AStar(lazy=False, width=2)}),
        "f1": ("frames", 2, {"loss": "f1"}),
        "balanced": ("frames", 3, {"class_weight": "balanced"}),
        "class weights": ("frames", 2, {"class_weight": {"c1": 3.0}}),
        "no validation": ("sequences", 2, {"validation": 0}),
        "half for validation": ("sequences", 2, {"validation": 0.5}),
        "thresholds": ("frames", 2, {"tune_threshold": True}),
        "thresholds of 3": ("frames", 3, {"tune_threshold": True}),
        "windows": ("frames", 2, {"window": 4, "hop": 2}),
        "sketch": ("frames", 2, {"start": "map (fun t. if ?? > 0 then ?? else ??) x"}),
        "constraints": ("frames", 2, {"constraints": ns.Constraints(forbid=("if", "multiply"))}),
        "finalists": ("frames", 2, {"finalists": 2}),
        "two workers": ("frames", 2, {"n_jobs": 2}),
        "own budget": ("vectors", 2, {"budget": None, "trainings": 6}),
    },
    quick=("frames", "sequences, 5 classes", "vectors", "thresholds", "windows", "genetic"),
)


def of_validation_data() -> Parts:
    X, y = arrays("frames", 2)
    more = arrays("frames", 2, seed=1)
    classifier = ns.ProgramClassifier(**QUICK, validation=more)
    return fitted(classifier.fit(X, y), X)


case("estimator/validation data", of_validation_data)


def of_groups() -> Parts:
    X, y = arrays("sequences", 2)
    classifier = ns.ProgramClassifier(**QUICK)
    return fitted(classifier.fit(X, y, groups=np.arange(len(X)) % 8), X)


case("estimator/groups of sequences", of_groups)


def of_layouts() -> Parts:
    """Axes the other way round, and plain series."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(30, 6, 3))
    y = np.where(X[:, :, 0].mean(axis=1) > 0.25, "up", "down")
    settings = {**QUICK, "trainings": 15}
    turned = ns.ProgramClassifier(**settings, layout="features_frames")
    series = ns.ProgramClassifier(**settings, layout="series")
    turned.fit(X.transpose(0, 2, 1), y)
    series.fit(X[:, :, 0], y)
    return {
        "turned": fitted(turned, X.transpose(0, 2, 1)),
        "series": fitted(series, X[:, :, 0]),
    }


case("estimator/layouts", of_layouts)


def of_labels(labels: tuple[Any, Any], unlabelled: list[Any]) -> Parts:
    """Labels of other types, and labels that mean none."""
    rng = np.random.default_rng(6)
    X = rng.normal(size=(40, 5, 3))
    # A third are of the second class, in whatever part.
    y: Any = np.where(X[..., 1] > 0.5, labels[1], labels[0])
    if unlabelled:
        y = np.where(rng.random(y.shape) < 0.1, unlabelled[0], y)
    settings = {**QUICK, "trainings": 15, "unlabelled": unlabelled}
    return fitted(ns.ProgramClassifier(**settings).fit(X, y), X)


family(
    "estimator/labels",
    of_labels,
    {
        "numbers": ((3, 7), []),
        "the rarer one first": (("z", "a"), []),
        "booleans": ((False, True), []),
        "whole fractions": ((2.0, 1.0), []),
        "unlabelled": ((0, 1), [-1]),
    },
    quick=("the rarer one first",),
)


def selected() -> Parts:
    """Other programs of the front."""
    X, y = arrays("frames", 2)
    classifier = ns.ProgramClassifier(**{**QUICK, "weight": 0.01}).fit(X, y)
    found: dict[str, Any] = {"front": len(classifier.programs_)}
    for name, how in {
        "first": {"index": 0},
        "cheap": {"max_cost": 0.03},
        "small": {"max_depth": 3},
        "within": {"within": 0.1},
        "default": {},
    }.items():
        chosen = classifier.select(**how)  # type: ignore[arg-type]
        found[name] = [chosen.program_, digested(chosen.predict(X))]
    found["refused"] = said(lambda: classifier.select(index=99))
    found["nothing so cheap"] = said(lambda: classifier.select(max_cost=-1))
    return found


case("estimator/select", selected, quick=True)


def of_table(settings: dict[str, Any]) -> Parts:
    rows = table()
    classifier = ns.ProgramClassifier(
        **{**QUICK, "trainings": 30, **settings}, sequence="video", frame="frame", label="behavior"
    ).fit(rows)
    return {**fitted(classifier, rows), "score": classifier.score(rows)}


_DERIVED = ["gap = distance(mouse1_body, mouse2_body)", "change(gap)"]
family(
    "estimator/table",
    of_table,
    {
        "plain": ({},),
        "derived": (
            {"derive": _DERIVED[:1], "features": ["mouse1_nose_*"], "groups": {"gap": ["gap"]}},
        ),
        "speeds": (
            {"derive": ["speed(mouse1_nose)", "angle(mouse1_nose, mouse1_body, mouse2_body)"]},
        ),
        "windows": ({"window": 5},),
    },
    quick=("derived",),
)


def warm() -> Parts:
    """A fit that goes on with the last one."""
    X, y = arrays("frames", 2)
    classifier = ns.ProgramClassifier(**{**QUICK, "trainings": 10}, warm_start=True).fit(X, y)
    first = fitted(classifier, X)
    classifier.set_params(trainings=30).fit(X, y)
    return {"first": first, "more": fitted(classifier, X)}


case("estimator/warm start", warm)


def refused(settings: dict[str, Any]) -> Parts:
    X, y = arrays("vectors", 2)
    return said(lambda: ns.ProgramClassifier(**{**QUICK, **settings}).fit(X, y))


family(
    "estimator/refused",
    refused,
    {
        "search": ({"search": "astr"},),
        "domain": ({"domain": "crim14"},),
        "groups": ({"groups": {"a": ["nothing"]}},),
        "loss": ({"loss": "f2"},),
        "class weight": ({"class_weight": {"c9": 1}},),
        "depth": ({"max_depth": 0},),
        "trainings": ({"trainings": 0},),
        "start": ({"start": "map (fun t. ??) x"},),
        "missing": ({"missing": "guess"},),
        "layout": ({"layout": "sideways"},),
        "validation": ({"validation": 2.0},),
        "window": ({"hop": 2},),
    },
)
