"""How the time of a step grows with the data and with the program."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import matplotlib
import numpy as np
from candidates import prepared

from nearstar import Domain, Sequences, Units, parse

matplotlib.use("svg")
from matplotlib import pyplot
from matplotlib.axes import Axes

PROGRAMS = {
    "map (affine)": "map (fun x_t. Affine(x_t)) x",
    "mapprefix (fold)": "mapprefix (fun x_t. fold (fun x_i. Affine(x_i)) c x_t) x",
    "mapprefix (window)": "mapprefix (fun x_t. SlidingWindowAverage10(Affine(x_t))) x",
    "LSTM": "??",
}
BASE = {"sequences": 200, "length": 100, "features": 20}
VALUES = {
    "sequences": (50, 100, 200, 400, 800, 1600),
    "length": (10, 25, 50, 100, 200, 400, 800),
    "features": (2, 5, 10, 20, 40, 80),
}


def _data(sequences: int, length: int, features: int) -> Sequences:
    X = np.random.default_rng(0).normal(size=(sequences, length, features)).astype(np.float32)
    return Sequences.from_arrays(X, (X[..., 0] > 0).astype(int))


def _step(text: str, data: Sequences) -> Callable[[int], None]:
    domain = Domain.of_size(data.n_features)
    program = parse(text, domain, domain.signature(2, per_frame=True)).program
    return prepared(program, data, Units(16, 16), 50).step


def _chain(size: int) -> str:
    """A sum of leaves with this many rules."""
    leaves = (size - 1) // 2 + 1
    text = "Affine(x_t)"
    for _ in range(leaves - 1):
        text = f"add(Affine(x_t), {text})"
    return f"map (fun x_t. {text}) x"


def _label(axis: Axes, what: str, values: tuple[int, ...]) -> None:
    axis.set(xscale="log", yscale="log", xlabel=what, ylabel="ms a pass over all")
    axis.set_xticks(values, [str(value) for value in values])
    axis.minorticks_off()
    axis.grid(alpha=0.3)


def plot(folder: Path, interleaved: Callable[..., list[list[float]]]) -> Path:
    """Measure and draw; the path of the picture."""
    figure, axes = pyplot.subplots(2, 2, figsize=(10, 7), layout="constrained")
    for axis, (what, values) in zip(axes.flat, VALUES.items(), strict=False):
        for name, text in PROGRAMS.items():
            steps = [_step(text, _data(**{**BASE, what: value})) for value in values]
            rounds = interleaved(*steps, rounds=5)
            axis.plot(values, 1e3 * np.min(rounds, axis=0), marker="o", label=name)
        _label(axis, what, values)
    sizes = (2, 4, 8, 16, 32)
    steps = [_step(_chain(size), _data(**BASE)) for size in sizes]
    last = axes.flat[3]
    last.plot(sizes, 1e3 * np.min(interleaved(*steps, rounds=5), axis=0), marker="o", color="C0")
    _label(last, "rules of a map (sum of leaves)", sizes)
    axes.flat[0].legend()
    figure.suptitle(
        "Time of a pass (200 sequences × 100 frames × 20 features, batches of 50, one core)"
    )
    path = folder / "growth.svg"
    figure.savefig(path, metadata={"Date": None})
    return path
