"""Figures have the data that were asked for; what they look like, people judge."""

from __future__ import annotations

import builtins
import io
import itertools
import re
import subprocess
import sys
from dataclasses import replace
from importlib.resources import files
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from model.files.random_models import Case, cases, some_data

import nearstar as ns
from nearstar.report.plots import CLASSES
from nearstar.util.errors import DataError, NearstarError, ProgramError

pytest.importorskip("matplotlib")
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

FEATURES = ("$speed", "_angle")
DOMAIN = ns.Domain.of_features(FEATURES, {"speed": ["$speed"], "angle": ["_angle"]})
GATED = (
    "map (fun x_t. if SpeedAffine[2; 0](x_t) > 0 then AngleAffine[1; 0](x_t) "
    "else SpeedAffine[-3; 1](x_t)) x"
)
NAMES = ("_sit$", "$run^")


def model(text: str = GATED) -> ns.Model:
    signature = DOMAIN.signature(1, per_frame=True)
    scale = ns.Scale(np.zeros(2), np.array([1.0, 5.0]))
    return replace(ns.Model.from_text(text, DOMAIN, signature, NAMES), scale=scale)


def data(n: int = 3, length: int = 20) -> ns.Sequences:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(n, length, 2)), rng.integers(-1, 2, (n, length))
    return ns.Sequences.from_arrays(X, y, feature_names=FEATURES, class_names=NAMES)


@pytest.fixture(scope="module")
def result() -> ns.Result:
    train, valid, _ = ns.two_animals_split(seed=0)
    budget = ns.Budget(symbolic_steps=32, neural_steps=24, restarts=1)
    return ns.learn(
        *(ns.Task(train, valid), ns.Domain.built_in("crim13"), ns.AStar(persist=True)),
        budget=budget,
        limits=ns.Limits(trainings=40),
        progress=False,
    )


def drawn(figure: Figure) -> Figure:
    """The figure, after it was drawn in full."""
    figure.savefig(io.BytesIO(), format="svg")
    return figure


def test_the_front(result: ns.Result) -> None:
    for given_as in (result, result.front):
        line, best = drawn(ns.plot_front(given_as)).axes[0].lines
        evaluations = [each.evaluation for each in result.front]
        assert line.get_xdata().tolist() == [each.structural_cost for each in evaluations]
        assert line.get_ydata().tolist() == [each.f1 for each in evaluations]
        assert result.best is not None
        assert best.get_xdata().tolist() == [result.best.evaluation.structural_cost]
        assert best.get_ydata().tolist() == [result.best.evaluation.f1]
    with pytest.raises(NearstarError, match="no complete program"):
        ns.plot_front(())


def test_a_front_over_numbers(result: ns.Result) -> None:
    priced = [
        replace(each, evaluation=replace(each.evaluation, price=0.001)) for each in result.front
    ]
    axes = drawn(ns.plot_front(priced)).axes[0]
    assert axes.get_xlabel() == "numbers to read"
    assert axes.lines[0].get_xdata().tolist() == [each.numbers for each in result.front]


def test_the_history(result: ns.Result) -> None:
    best, bound = drawn(ns.plot_history(result)).axes[0].lines
    points = [point for point in result.trace if point.best is not None or point.bound is not None]
    assert best.get_xdata().tolist() == [point.seconds for point in points]
    np.testing.assert_array_equal(
        best.get_ydata(), [np.nan if point.best is None else point.best for point in points]
    )
    assert bound.get_ydata().tolist() == [point.bound for point in points]


def test_a_history_without_a_bound_and_with_nothing_left(result: ns.Result) -> None:
    unknown = tuple(replace(point, bound=None) for point in result.trace)
    assert len(drawn(ns.plot_history(replace(result, trace=unknown))).axes[0].lines) == 1
    for above in (np.inf, 5.0):
        nothing_left = tuple(
            replace(point, bound=above) for point in result.trace if point.best is not None
        )
        best, bound = drawn(ns.plot_history(replace(result, trace=nothing_left))).axes[0].lines
        np.testing.assert_array_equal(best.get_ydata(), bound.get_ydata())
    with pytest.raises(NearstarError, match="no history"):
        ns.plot_history(replace(result, trace=()))


def test_axes_that_are_given_are_drawn_on(result: ns.Result) -> None:
    figure = Figure()
    left, right = figure.subplots(1, 2)
    assert ns.plot_front(result, ax=left) is figure and ns.plot_history(result, right) is figure
    assert len(left.lines) == 2 and len(right.lines) == 2


@pytest.mark.parametrize(
    ("index", "labelled", "step"), [(0, True, 1), (2, True, 0.04), (1, False, 7)]
)
def test_an_ethogram(index: int, labelled: bool, step: float) -> None:
    own, sequences = model(), data()
    if not labelled:
        sequences = sequences.with_labels(None)
    numbers = np.tile(np.arange(20) * step, 3)
    recordings = ns.Recordings(sequences, NAMES, ("a", "b", "$c"), frames=numbers)
    figure = drawn(ns.plot_ethogram(own, recordings, index))
    top, *below = figure.axes
    here = slice(20 * index, 20 * index + 20)
    codes = [own.predict(sequences)[here]]
    if sequences.labels is not None:
        codes = [sequences.labels[here], *codes]
    assert top.get_title("left") == recordings.ids[index]
    (legend,) = figure.legends  # not of the top axes: it would part them from those below
    occurring = sorted({code for each in codes for code in each.tolist()})
    assert [text.get_text() for text in legend.get_texts()] == [
        ("unlabelled", *NAMES)[code + 1] for code in occurring
    ]
    colours = dict(
        zip(
            (to_hex(patch.get_facecolor()) for patch in legend.get_patches()),
            occurring,
            strict=True,
        )
    )
    # Each frame's middle lies in a bar of its class.
    bars = [
        (place, colours[to_hex(bar.get_facecolor()[0])], path.get_extents())
        for bar in top.collections
        for path in bar.get_paths()
        for place in [round((path.get_extents().y0 + path.get_extents().y1) / 2)]
    ]
    for place, expected in enumerate(codes):
        for at, code in zip(numbers[:20], expected.tolist(), strict=True):
            assert [c for p, c, box in bars if p == place and box.x0 < at < box.x1] == [code]
    table = own.explain(sequences)
    titles = [axes.get_title("left") for axes in below]
    assert titles == ["2 if: gate", "2 if", "3 SpeedAffine", "4 AngleAffine", "5 SpeedAffine"]
    for axes, title in zip(below, titles, strict=True):
        np.testing.assert_array_equal(axes.lines[0].get_xdata(), numbers[:20])
        np.testing.assert_array_equal(axes.lines[0].get_ydata(), table[title][here])


def test_what_has_no_ethogram() -> None:
    with pytest.raises(DataError, match="no sequence 3"):
        ns.plot_ethogram(model(), data(), 3)
    with pytest.raises(DataError, match="must be Sequences"):
        ns.plot_ethogram(model(), np.zeros((2, 3)))  # type: ignore[arg-type]


def test_a_program() -> None:
    (axes,) = drawn(ns.plot_program(model())).axes
    texts = [text.get_text() for text in axes.texts]
    assert "$speed" in texts and "_angle" in texts
    assert any("if $speed is above 0" in text for text in texts)
    assert {"2", "0", "1", "−3"} <= {*texts}
    # Bars are of weight × deviation, one to each weight.
    widths = np.array([bar.get_width() for bar in axes.patches])
    np.testing.assert_allclose(widths / np.abs(widths).max(), np.array([2, 5, -3]) / 5)
    assert len({to_hex(bar.get_facecolor()) for bar in axes.patches}) == 2


def test_a_programs_bars_stand_beside_its_names_and_nothing_overlaps() -> None:
    long = GATED.replace("SpeedAffine[2; 0]", "Affine[1, 2; 0.5]")
    figure = ns.plot_program(model(long))
    figure.draw_without_rendering()
    (axes,) = figure.axes
    texts = [text.get_window_extent() for text in axes.texts]
    bars = [bar.get_window_extent() for bar in axes.patches]
    longest = max(texts, key=lambda box: box.width)
    assert min(bar.x0 for bar in bars) < longest.x1  # a long line is in no bar's way
    boxes = [*texts, *bars]
    assert not any(one.overlaps(other) for one, other in itertools.combinations(boxes, 2))
    assert all(figure.bbox.x0 <= box.x0 and box.x1 <= figure.bbox.x1 for box in boxes)


@pytest.mark.slow
@settings(max_examples=30)
@given(cases())
def test_any_program_and_what_it_says_can_be_drawn(case: Case) -> None:
    own = case.model()
    sequences = some_data(own.program.signature, case.random, n=3)
    if ns.is_complete(own.program):
        ns.plot_program(own)
    else:
        with pytest.raises(ProgramError, match="holes"):
            ns.plot_program(own)
    if sequences.vectors:
        with pytest.raises(DataError, match="no time"):
            ns.plot_ethogram(own, sequences)
    else:
        ns.plot_ethogram(own, sequences, 2)


@pytest.mark.slow
def test_nothing_is_shown_or_kept_by_pyplot() -> None:
    script = (
        "import sys, nearstar as ns; assert 'matplotlib' not in sys.modules; "
        "domain = ns.Domain.of_features(['a']); "
        "signature = domain.signature(1, per_frame=True); "
        "text = 'map (fun x_t. Affine[1; 0](x_t)) x'; "
        "ns.plot_program(ns.Model.from_text(text, domain, signature, ('no', 'yes'))); "
        "assert 'matplotlib' in sys.modules and 'matplotlib.pyplot' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


def test_without_matplotlib(monkeypatch: pytest.MonkeyPatch, result: ns.Result) -> None:
    for name in [each for each in sys.modules if each.split(".")[0] == "matplotlib"]:
        monkeypatch.delitem(sys.modules, name)
    load = builtins.__import__

    def without(name: str, *rest: Any, **more: Any) -> Any:
        if name.split(".")[0] == "matplotlib":
            raise ImportError(name)
        return load(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    for draw in (
        lambda: ns.plot_front(result),
        lambda: ns.plot_history(result),
        lambda: ns.plot_ethogram(model(), data()),
        lambda: ns.plot_program(model()),
    ):
        with pytest.raises(NearstarError, match=r"nearstar\[plots\]"):
            draw()


def test_a_class_has_one_colour_here_and_on_the_page() -> None:
    style = (files("nearstar.report") / "assets" / "page.css").read_text("utf-8")
    light, _, _ = style.partition("prefers-color-scheme: dark")
    assert tuple(re.findall(r"--class-\d: (#\w+);", light)) == CLASSES
