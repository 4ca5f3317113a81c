"""The paper's figures as SVG: path cost against time, and depth and F1 against λ."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from statistics import fmean, median
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from nearstar.report.plots import CLASSES, check_plots
from nearstar.reproduce.algorithms import ALONE, called
from nearstar.reproduce.study import Study
from nearstar.reproduce.summaries import known, median_curve, tested

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

EFFICIENCY, SWEEP = "efficiency.svg", "lambda.svg"
"""The files of the figures."""
# Told apart by lines and markers too: by those who see no colours, and on grey paper.
_STYLES: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        "enumeration": {"color": CLASSES[5], "linestyle": "--", "marker": "s"},
        "montecarlo": {"color": CLASSES[1], "linestyle": "-.", "marker": "^"},
        "mcts": {"color": CLASSES[2], "linestyle": (0, (3, 1, 1, 1, 1, 1)), "marker": "v"},
        "genetic": {"color": CLASSES[3], "linestyle": (0, (8, 2)), "marker": "D"},
        "idsbb": {"color": CLASSES[4], "linestyle": "-", "marker": "P", "linewidth": 2},
        "astar": {"color": CLASSES[0], "linestyle": "-", "marker": "o", "linewidth": 2},
        ALONE: {"color": CLASSES[8], "linestyle": (0, (1, 1)), "marker": "X", "linewidth": 2},
    }
)
_RNN = CLASSES[6]
_WIDE = 20
"""Times that differ by more than this factor are drawn on a logarithmic axis."""
# The same study gives the same file; text stays text, to be searched and read aloud.
_SETTINGS = {"svg.hashsalt": "nearstar", "svg.fonttype": "none", "axes.grid": True}
_LOOK = {"grid.color": "#e3e3e3", "axes.axisbelow": True, "axes.edgecolor": "#767676"}


def figures(study: Study) -> Mapping[str, str]:
    """The study's figures as SVG, by their files; only those that there is something to draw in."""
    check_plots()
    drawn = {EFFICIENCY: efficiency_svg(study), SWEEP: sweep_svg(study)}
    return {name: svg for name, svg in drawn.items() if svg is not None}


def efficiency_svg(study: Study) -> str | None:
    """The median best path cost of every search against time; None if none found anything."""
    curves = {each: median_curve(study.of(each)) for each in study.searches}
    curves = {algorithm: curve for algorithm, curve in curves.items() if curve[0]}
    if not curves:
        return None
    with _figure(7.2, 4.3) as (figure, written):
        axes = figure.subplots()
        for algorithm, (times, costs) in curves.items():
            axes.plot(
                *(times, costs),
                **{"linewidth": 1.3, **_STYLES[algorithm]},
                drawstyle="steps-post",
                markersize=4,
                label=called(algorithm),
            )
        errors = [1 - trial.valid.f1 for trial in study.of("rnn") if trial.valid is not None]
        if errors:
            label = "RNN: 1 − F1"
            axes.axhline(median(errors), color=_RNN, linestyle=":", linewidth=1.5, label=label)
        _scale_time(axes, [seconds for times, _ in curves.values() for seconds in times])
        axes.set(xlabel="processor time, s", ylabel="path cost in validation")
        axes.set_title("Best program so far, median of the trials", loc="left", fontsize="medium")
        figure.legend(loc="outside right upper", frameon=False, fontsize="small")
    return written.getvalue()


def sweep_svg(study: Study) -> str | None:
    """Depth and F1 against λ: means, with whiskers from least to largest; None if unknown."""
    depths = {weight: known(trials, "depth") for weight, trials in study.by_weight.items()}
    scores = {weight: tested(trials, "f1") for weight, trials in study.by_weight.items()}
    if not any(depths.values()) and not any(scores.values()):
        return None
    with _figure(7.2, 3.2) as (figure, written):
        left, right = figure.subplots(1, 2)
        _whiskers(left, depths)
        _whiskers(right, scores)
        left.set_title("Depth of the program", loc="left", fontsize="medium")
        right.set_title("F1 on the test data", loc="left", fontsize="medium")
        left.set_ylim(bottom=0)
    return written.getvalue()


def _whiskers(axes: Axes, values: Mapping[float, Sequence[float]]) -> None:
    # Equally far apart: λ may be 0, and the others differ by factors.
    drawn = {place: own for place, own in enumerate(values.values()) if own}
    means = [fmean(own) for own in drawn.values()]
    below = [mean - min(own) for mean, own in zip(means, drawn.values(), strict=True)]
    above = [max(own) - mean for mean, own in zip(means, drawn.values(), strict=True)]
    # A mean may lie outside by rounding.
    extent = [[max(each, 0.0) for each in ends] for ends in (below, above)]
    axes.errorbar([*drawn], means, extent, color=_STYLES["astar"]["color"], marker="o", capsize=4)
    axes.set_xticks(range(len(values)), [f"{weight:g}" for weight in values])
    axes.set_xlim(-0.5, len(values) - 0.5)
    axes.set_xlabel("λ")


def _scale_time(axes: Axes, times: Sequence[float]) -> None:
    positive = [seconds for seconds in times if seconds > 0]
    if len(positive) == len(times) and max(times) > _WIDE * min(times):
        from matplotlib.ticker import FuncFormatter, NullFormatter

        axes.set_xscale("log")
        axes.xaxis.set_major_formatter(FuncFormatter(lambda seconds, _: f"{seconds:,.10g}"))
        axes.xaxis.set_minor_formatter(NullFormatter())


@contextmanager
def _figure(width: float, height: float) -> Iterator[tuple[Figure, io.StringIO]]:
    """A figure in the same look everywhere, and where it is written to as SVG in the end."""
    from matplotlib import style
    from matplotlib.figure import Figure

    # Whatever the user's own settings are.
    with style.context(["default", {**_SETTINGS, **_LOOK}]):
        figure, written = Figure(figsize=(width, height), layout="constrained"), io.StringIO()
        yield figure, written
        figure.savefig(written, format="svg", metadata={"Date": None, "Creator": None})
