"""Figures: well-formed, the same every time, with all that should be in them."""

from __future__ import annotations

import builtins
from typing import Any
from xml.etree import ElementTree

import pytest
from reproduce import studies
from reproduce.studies import nothing, study, trial

from nearstar.report.plots import check_plots
from nearstar.reproduce.figures import EFFICIENCY, SWEEP, efficiency_svg, figures, sweep_svg
from nearstar.util.errors import NearstarError

WITHOUT = "pip install 'nearstar\\[plots\\]'"


def words(svg: str | None) -> list[str]:
    """All texts of a figure."""
    assert svg is not None
    texts = ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")
    return ["".join(text.itertext()) for text in texts]


def test_without_matplotlib_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    load = builtins.__import__

    def without(name: str, *rest: Any) -> Any:
        if name.split(".")[0] == "matplotlib":
            raise ImportError(name)
        return load(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(NearstarError, match=WITHOUT):
        check_plots()
    with pytest.raises(NearstarError, match=WITHOUT):
        figures(studies.full())


@pytest.fixture(scope="module", autouse=True)
def _plots() -> None:
    pytest.importorskip("matplotlib")


def test_the_same_study_gives_the_same_bytes() -> None:
    first, again = figures(studies.full(seeds=1)), figures(studies.full(seeds=1))
    assert first == again
    assert set(first) == {EFFICIENCY, SWEEP}


def test_the_users_own_settings_change_nothing() -> None:
    import matplotlib

    small = study(trial())
    with matplotlib.rc_context({"svg.fonttype": "path", "font.size": 30, "axes.grid": False}):
        changed = efficiency_svg(small)
        assert matplotlib.rcParams["font.size"] == 30
    assert changed == efficiency_svg(small)


def test_every_search_and_the_rnn_are_named() -> None:
    shown = words(efficiency_svg(studies.full()))
    names = ("enumeration", "Monte Carlo", "MCTS", "genetic", "IDS-BB NEAR", "A* NEAR")
    assert {*names, "A* NEAR, heuristic alone", "RNN: 1 − F1"} <= {*shown}
    assert "gradient boosting" not in shown


def test_only_what_is_there_is_drawn() -> None:
    shown = words(efficiency_svg(study(trial("astar"), nothing("mcts"))))
    assert "A* NEAR" in shown
    assert not {"MCTS", "RNN: 1 − F1"} & {*shown}
    for empty in (study(), study(nothing("mcts")), study(trial("rnn"))):
        assert figures(empty) == {}
    assert sweep_svg(study(sweep=(nothing("astar", weight=2.0),))) is None


def test_times_far_apart_or_zero() -> None:
    for start, end in ((0.0, 500.0), (0.01, 5000.0), (4.0, 5.0)):
        shown = words(efficiency_svg(study(trial(curve=((start, 0.9), (end, 0.3)), seconds=end))))
        assert {"processor time, s", "path cost in validation", "A* NEAR"} <= {*shown}


def test_every_weight_has_a_place() -> None:
    # One of a single trial, and one at which nothing was found.
    sweep = (
        *(trial(seed=seed, weight=0.0, f1=0.1 * seed) for seed in (1, 2, 3)),
        trial(weight=0.25),
        nothing("astar", weight=1.0),
    )
    shown = words(sweep_svg(study(sweep=sweep)))
    assert {"0", "0.25", "1", "λ", "Depth of the program", "F1 on the test data"} <= {*shown}
