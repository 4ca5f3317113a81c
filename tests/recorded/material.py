"""What the cases are made of: small data from seeds, and domains with every rule."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

import nearstar as ns

WINDOWS = (
    *("SlidingWindowAverage5", "CentredWindowAverage11", "SlidingWindowMax3"),
    *("CentredWindowMin7", "SlidingWindowChange10", "CentredWindowChange1"),
)


def sequences(
    kind: str,
    classes: int,
    seed: int = 0,
    *,
    n: int = 24,
    features: int = 4,
    shift: float = 1.5,
    unlabelled: float = 0.0,
    rare: float = 1.0,
) -> ns.Sequences:
    """Labelled data of a kind: frames, sequences or vectors.

    Labels follow a smooth rule of the first three features, and of time, with some noise; the
    higher ones are the rarer, the lower ``rare`` is.
    """
    rng = np.random.default_rng([seed, features])
    lengths = rng.integers(4, 13, size=n) if kind != "vectors" else np.ones(n, np.int64)
    spread = np.exp(rng.normal(size=features))
    frames = [shift + spread * rng.normal(size=(length, features)) for length in lengths]
    scores = [_score(each, spread, shift, rng) for each in frames]
    if kind != "frames":
        scores = [np.array([each.mean()]) for each in scores]
    flat = np.concatenate(scores)
    shares = np.cumsum(rare ** np.arange(classes))
    edges = np.quantile(flat, shares[:-1] / shares[-1])
    codes = [np.searchsorted(edges, each).astype(np.int64) for each in scores]
    if unlabelled:
        codes = [np.where(rng.random(len(each)) < unlabelled, -1, each) for each in codes]
    names = tuple(f"c{code}" for code in range(classes))
    if kind == "vectors":
        return ns.Sequences.from_arrays(
            np.concatenate(frames), np.concatenate(codes), class_names=names
        )
    y: Any = codes if kind == "frames" else np.concatenate(codes)
    return ns.Sequences.from_arrays(frames, y, class_names=names)


def _score(
    frames: np.ndarray[Any, Any],
    spread: np.ndarray[Any, Any],
    shift: float,
    rng: np.random.Generator,
) -> np.ndarray[Any, Any]:
    z = (frames - shift) / spread
    drift = np.cumsum(z[:, 0]) / np.sqrt(np.arange(len(z)) + 1)
    noise: np.ndarray[Any, Any] = rng.normal(size=len(z))
    return np.where(z[:, 1] > 0, drift, -z[:, -1]) + 0.3 * noise


@cache
def task(kind: str, classes: int, seed: int = 0, **more: Any) -> ns.Task:
    """Two thirds to train on, the rest to compare on."""
    whole = sequences(kind, classes, seed, **more)
    cut = 2 * len(whole) // 3
    return ns.Task(whole.subset(np.arange(cut)), whole.subset(np.arange(cut, len(whole))))


def other(kind: str, features: int = 4) -> ns.Sequences:
    """Data without labels that nothing was trained on; among them are very short sequences."""
    rng = np.random.default_rng([99, features])
    if kind == "vectors":
        return ns.Sequences.from_arrays(rng.normal(1, 2, (9, features)))
    lengths = (1, 2, 3, 7, 15)
    return ns.Sequences.from_arrays([rng.normal(1, 2, (each, features)) for each in lengths])


@cache
def animals_task() -> ns.Task:
    """Two animals, 19 features, labelled frame by frame."""
    whole = ns.two_animals(24, 3, length=(6, 12))
    return ns.Task(whole.subset(np.arange(16)), whole.subset(np.arange(16, 24)))


@cache
def small_domain() -> ns.Domain:
    """Few rules, so that searches come far."""
    return ns.Domain.of_size(
        4,
        groups={"left": [0, 1], "right": [2, 3]},
        sequences=("map", "mapprefix", "if"),
        summaries=("fold", "SlidingWindowAverage3", "CentredWindowMax3", "if"),
        vectors=("if", "add", "multiply", "affine"),
    )


@cache
def functions() -> tuple[ns.Function, ...]:
    """Words between arguments, fixed sizes, features, lifting, laws and every primitive."""

    @ns.function("ratio", takes=("out", "out"), prints="ratio {0} over {1}", cost=0.03)
    def ratio(a: Any, b: Any) -> Any:
        return a / (1 + abs(b))

    @ns.function("manhattan", takes=(2, 2), gives=1, prints="gap <{0}, {1}>")
    def manhattan(a: Any, b: Any) -> Any:
        return abs(a[0] - b[0]) + abs(a[1] - b[1])

    @ns.function("squares", takes=(), gives=1, prints="squares of {x}")
    def squares(x: Any) -> Any:
        return x[0] ** 2 + x["x1"] ** 2

    @ns.function("blend", takes=("out", "out"), lifts=True)
    def blend(a: Any, b: Any) -> Any:
        return (a + b) * 0.5

    @ns.function("scaled", takes=("out",), prints="scaled({0}) by {x} / 1")
    def scaled(x: Any, a: Any) -> Any:
        return a * x[1]

    @ns.function("hypot", takes=("out", "out"), laws=("commutative",), lifts=True)
    def hypot(a: Any, b: Any) -> Any:
        return ns.sqrt(a * a + b * b)

    @ns.function("softer", takes=("out",), lifts=True)
    def softer(a: Any) -> Any:
        return ns.log(ns.maximum(abs(a), 0.01)) + ns.exp(ns.minimum(a, 2.0)) - ns.relu(a)

    @ns.function("gated", takes=(1, "out", "out"), prints="gated {0} | {1} / {2}")
    def gated(g: Any, a: Any, b: Any) -> Any:
        return ns.mix(g > 0.25, ns.tanh(a), ns.sigmoid(b) / 2)

    return ratio, manhattan, squares, blend, scaled, hypot, softer, gated


def rich_domain(
    accumulator: int = 0, beta: float = 1.0, features: int = 4, **more: Any
) -> ns.Domain:
    """Every rule that there is, and the functions above."""
    names = tuple(each.name for each in functions())
    return ns.Domain.of_size(
        features,
        groups={"left": [0, 1], "far_right": [features - 1]},
        aliases={"FR": "far_right"},
        sequences=("map", "mapprefix", "if", "x", "blend"),
        summaries=("fold", *WINDOWS, "if", "blend", "hypot"),
        vectors=(
            *("if", "add", "multiply", "difference", "min", "max"),
            *("affine", "Affine", "sel", "const", "x", *names),
        ),
        accumulator=accumulator,
        beta=beta,
        functions=functions(),
        **more,
    )


def signature(domain: ns.Domain, kind: str, outputs: int) -> ns.Signature:
    """The type of a classifier for data of a kind."""
    return domain.signature(outputs, per_frame=kind == "frames", vectors=kind == "vectors")
