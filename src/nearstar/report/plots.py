"""Figures of matplotlib: the front, how a search went, a program, and what it says over time."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from nearstar.data.recordings import Recordings
from nearstar.data.sequences import Sequences, check_sequences
from nearstar.model.model import Model
from nearstar.report import digits
from nearstar.report.search_data import drawn_bound
from nearstar.report.traces import telling, traces
from nearstar.report.words import Line, lines_of
from nearstar.run.results.evaluation import Candidate
from nearstar.run.results.front import Front
from nearstar.run.results.result import Result
from nearstar.util.errors import DataError, NearstarError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Which colour-blind people can tell apart.
_BLUE, _ORANGE, _GREY = "#0072b2", "#d55e00", "#767676"
CLASSES = (
    *("#0458b9", "#c38a07", "#078e7c", "#e959c1", "#7a2b01"),
    *("#5398da", "#25262e", "#7c7700", "#59388c", "#d45656"),
)
"""As on the page, so that a class has one colour."""
_UNLABELLED = "#e8e8e8"
_LINE, _INDENT, _LETTER, _COLUMN = 0.28, 0.3, 0.09, 2.0
"""Inches in the drawing of a program: of a line, a step inwards, a letter, an output's weights."""


def plot_front(front: Result | Sequence[Candidate], ax: Axes | None = None) -> Figure:
    """The best program at every price: structural cost against F1 in validation, or numbers to
    read where these have a price.

    The one of least path cost is marked. ``front`` is a result, such as ``clf.result_``, or its
    ``front``. Without ``ax`` the figure is a new one.
    """
    rows = Front(front.front if isinstance(front, Result) else front).rows()
    if not rows:
        raise NearstarError("there is no front to plot: no complete program was trained")
    simple, scores = [row.simplicity for row in rows], [row.height for row in rows]
    (best,) = (row.place for row in rows if row.chosen)
    axes = _axes() if ax is None else ax
    word, name = {
        "structural_cost": ("cost", "structural cost"),
        "numbers": ("size", "numbers to read"),
    }[rows[0].axis]
    axes.step(simple, scores, where="post", color=_BLUE, marker="o", label=f"best at this {word}")
    axes.plot(
        *(simple[best : best + 1], scores[best : best + 1]),
        color=_ORANGE,
        marker="*",
        markersize=14,
        linestyle="none",
        label="least path cost",
    )
    axes.set(xlabel=name, ylabel="F1 in validation")
    axes.legend()
    return _whole(axes)


def plot_history(result: Result, ax: Axes | None = None) -> Figure:
    """How a search went: the best path cost and the bound over time, the gap shaded.

    A bound above the best cost, by which nothing left is better, is drawn at the best cost.
    ``result`` may be ``clf.result_``.
    """
    points = [point for point in result.trace if point.best is not None or point.bound is not None]
    if not points:
        raise NearstarError("there is no history to plot: no complete program was trained")
    seconds = [point.seconds for point in points]
    best = [math.nan if point.best is None else point.best for point in points]
    bounds = [drawn_bound(point) for point in points]
    bound = [math.nan if value is None else value for value in bounds]
    axes = _axes() if ax is None else ax
    axes.step(seconds, best, where="post", color=_BLUE, label="best path cost")
    if not np.isnan(bound).all():
        axes.step(seconds, bound, where="post", color=_ORANGE, linestyle="--", label="bound")
        axes.fill_between(seconds, bound, best, step="post", color=_GREY, alpha=0.2, label="gap")
    axes.set(xlabel="seconds", ylabel="path cost")
    axes.legend()
    return _whole(axes)


def plot_ethogram(model: Model, data: Recordings | Sequences, index: int = 0) -> Figure:
    """One sequence over time: true and predicted labels as bands, and why under them.

    The traces are those of the program's parts and of its ``if`` gates, numbered as in `explain`;
    what never changes, or repeats another part, is left out.
    ``data`` are read with ``model.read(file, labelled=True)``, or are Sequences.
    """
    if not isinstance(data, Recordings):
        check_sequences(data, "the data")
    recordings = data if isinstance(data, Recordings) else Recordings.of(data)
    if recordings.sequences.vectors:
        raise DataError("plain vectors have no time to plot them over; expected sequences")
    if not 0 <= index < len(recordings):
        raise DataError(f"there is no sequence {index}; expected 0 to {len(recordings) - 1}")
    shown = traces(model, recordings, index)
    bands = {"predicted": shown.predicted}
    if shown.true is not None:
        bands = {"true": shown.true, **bands}
    rows = [shown.rows[place] for place in telling([shown])]
    figure = _figure(9, 1.4 + 0.7 * len(rows))
    heights = [0.4 * len(bands), *[1] * len(rows)]
    grid = figure.subplots(1 + len(rows), 1, sharex=True, squeeze=False, height_ratios=heights)
    top, *below = grid[:, 0]
    start = recordings.sequences.offsets[index]
    numbers = np.arange(len(shown.predicted))
    if recordings.frames is not None:
        numbers = recordings.frames[start : start + len(numbers)]
    _bands(top, bands, numbers, model)
    top.set_title(str(recordings.ids[index]), loc="left", parse_math=False)
    for axes, row in zip(below, rows, strict=True):
        axes.plot(numbers, row.values, color=_ORANGE if row.gate else _BLUE, linewidth=1)
        if row.gate:
            axes.fill_between(numbers, row.values, color=_ORANGE, alpha=0.2)
            axes.set_ylim(-0.05, 1.05)
        else:
            axes.axhline(0, color=_GREY, linewidth=0.5)
        axes.set_title(row.title, loc="left", fontsize="small", parse_math=False)
    grid[-1, 0].set_xlabel("frame")
    return figure


def plot_program(model: Model) -> Figure:
    """A program drawn for reading: its parts by indentation, and weights as bars.

    A bar is as long as what a standard deviation of its feature changes, so that bars compare
    influence; the numbers are weights in the data's own units. With several outputs each has a
    column.
    """
    lines = [line for part in lines_of(model).values() for line in _lines(part, model)]
    columns = max(len(line.weights) for line in lines)
    # Only beside weights is a line in their way.
    left = max((line.length for line in lines if line.weights or line.titles), default=0.0)
    width = max(left + _COLUMN * columns, *(line.length for line in lines))
    figure = _figure(width, 0.6 + _LINE * len(lines))
    axes = figure.subplots()
    axes.set_axis_off()
    axes.set(xlim=(0, width), ylim=(len(lines) - 0.3, -0.7))
    largest = max((abs(bar) for line in lines for bar in line.bars), default=0.0) or 1.0
    for height, line in enumerate(lines):
        axes.text(_INDENT * line.depth, height, line.text, va="center", parse_math=False)
        for place, title in enumerate(line.titles):
            right = left + _COLUMN * (place + 1)
            axes.text(right, height, title, ha="right", va="center", parse_math=False)
        for place, weight in enumerate(line.weights):
            right = left + _COLUMN * (place + 1)
            axes.text(
                right, height, digits.shown(weight), ha="right", va="center", fontsize="small"
            )
        for place, bar in enumerate(line.bars):
            zero = left + _COLUMN * (place + 0.4)
            colour = _BLUE if bar >= 0 else _ORANGE
            axes.barh(height, 0.3 * _COLUMN * bar / largest, 0.6, left=zero, color=colour)
            axes.plot([zero, zero], [height - 0.4, height + 0.4], color=_GREY, linewidth=0.8)
    return figure


@dataclass(frozen=True)
class _Line:
    """A line of a drawn program: a part, or one input of a leaf with a weight for each output."""

    depth: int
    text: str
    titles: tuple[str, ...] = ()
    """Of the outputs, where there are several."""
    weights: tuple[float, ...] = ()
    bars: tuple[float, ...] = ()

    @property
    def length(self) -> float:
        """Inches from the left that its text takes."""
        return _INDENT * self.depth + _LETTER * len(self.text)


def _lines(part: Line, model: Model) -> Iterator[_Line]:
    node, depth = part.node, len(part.node.path)
    role = f"{part.role}:" if part.role else ""
    what = part.words if part.condition else f"{part.heading} {part.words and '– '}{part.words}"
    text = " ".join(filter(None, [str(node.number), role, what]))
    if (leaf := node.learned) is None:
        yield _Line(depth, text)
        return
    yield _Line(depth, text, node.called(model.class_names) if node.outputs > 1 else ())
    for column, weights in zip(leaf.columns, leaf.weights, strict=True):
        bars = weights * model.scale.std[column]
        feature = model.domain.features[column]
        yield _Line(depth + 1, feature, weights=tuple(weights), bars=tuple(bars))
    for name, weights in zip(leaf.carried, leaf.accumulator, strict=True):
        yield _Line(depth + 1, name, weights=tuple(weights))
    yield _Line(depth + 1, leaf.own, weights=tuple(leaf.bias))


def _bands(
    axes: Axes, bands: Mapping[str, NDArray[np.int64]], numbers: NDArray[Any], model: Model
) -> None:
    """A band for each of these class codes, with a legend of the classes that occur."""
    from matplotlib.patches import Patch

    step = (numbers[-1] - numbers[0]) / max(len(numbers) - 1, 1) or 1.0
    edges = np.append(numbers, numbers[-1] + step) - step / 2
    for place, codes in enumerate(bands.values()):
        changes = np.flatnonzero(np.diff(codes)) + 1
        starts, stops = edges[np.append(0, changes)], edges[np.append(changes, len(codes))]
        stretches = np.column_stack([starts, stops - starts])
        kinds = codes[np.append(0, changes)]
        for code in np.unique(kinds).tolist():
            axes.broken_barh(stretches[kinds == code], (place - 0.4, 0.8), color=_colour(code))
    axes.set_yticks(range(len(bands)), list(bands))
    axes.set_ylim(len(bands) - 0.5, -0.5)
    occurring = np.unique(np.concatenate(list(bands.values()))).tolist()
    # One of the axes would keep the traces below its own end.
    legend = _whole(axes).legend(
        [Patch(color=_colour(code)) for code in occurring],
        ["unlabelled" if code < 0 else model.class_names[code] for code in occurring],
        loc="outside right upper",
    )
    for text in legend.get_texts():
        text.set_parse_math(False)


def _colour(code: int) -> str:
    return _UNLABELLED if code < 0 else CLASSES[code % len(CLASSES)]


def _axes() -> Axes:
    return _figure(6.4, 4).subplots()


def check_plots() -> None:
    """Refuse, before any long work, if what draws figures is not installed."""
    try:
        import matplotlib.figure  # noqa: F401
    except ImportError:
        raise NearstarError("figures need matplotlib: pip install 'nearstar[plots]'") from None


def _figure(width: float, height: float) -> Figure:
    """A figure of its own, which pyplot neither knows nor shows."""
    check_plots()
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def _whole(axes: Axes) -> Figure:
    """The figure that the axes are in."""
    figure = axes.get_figure(root=True)
    assert figure is not None
    return figure
