"""Programs, candidates, fronts and results show themselves, as text and in notebooks."""

from __future__ import annotations

import math
import pickle
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from report.browsing import Showing, assert_accessible
from report.test_program_html import Elements, crim13, hostile
from run.driving import DOMAIN, QUICK, small_task

from nearstar import AStar, Constraints, Hole, to_text
from nearstar.run import Candidate, Result, learn
from nearstar.run.results.front import Front


@pytest.fixture(scope="module")
def result() -> Result:
    budget, constraints = replace(QUICK, symbolic_steps=160), Constraints(max_depth=4)
    return learn(small_task(), DOMAIN, AStar(margin=1.0), budget=budget, constraints=constraints)


def best_of(result: Result) -> Candidate:
    assert result.best is not None
    return result.best


def words_of(html: str) -> str:
    return " ".join(Elements(html).text)


def test_a_program_is_its_text(result: Result) -> None:
    program = best_of(result).evaluation.program
    hole = Hole(program.signature)
    assert str(program) == to_text(program) and str(hole) == "??"
    assert repr(program) == f"Apply({program}: {program.signature})"
    assert repr(hole) == f"Hole(??: {program.signature})"
    for each in (program, hole):
        assert str(each) in words_of(each._repr_html_())


def test_a_model_is_its_program_laid_out() -> None:
    model = crim13()
    assert str(model) == model.text() and repr(model) == f"Model({model}; other, sniff)"
    words = words_of(model._repr_html_())
    assert "if distance is above 9.085" in words and ".ns-program" in words  # with its styles


def test_a_candidate_has_the_text_of_its_model(result: Result) -> None:
    best = best_of(result)
    model = result.model(DOMAIN, ("a", "b"))
    for digits in (2, 4, None):
        assert best.text(digits) == model.text(digits)
    assert str(best) == model.text() and model.text() in repr(best)
    words = words_of(best._repr_html_())
    assert model.text() in words and f"{best.evaluation.error:.3f}" in words


def test_a_front_is_a_tuple_that_shows_itself(result: Result) -> None:
    front = result.front
    assert isinstance(front, Front) and len(front) > 1
    assert (
        front == tuple(front) and front[0] is next(iter(front)) and len(front[1:]) + 1 == len(front)
    )
    again = pickle.loads(pickle.dumps(front))
    assert isinstance(again, Front) and repr(again) == repr(front)
    head, *lines = str(front).splitlines()
    assert head.split() == ["cost", "numbers", "error", "F1", "accuracy", "program"]
    words = words_of(front._repr_html_())
    for line, each in zip(lines, front, strict=True):
        evaluation = each.evaluation
        cost, numbers, error, f1, accuracy, text = line.split(maxsplit=5)
        assert int(numbers) == each.numbers == len(each.trained.theta)
        assert float(cost) == pytest.approx(evaluation.structural_cost, rel=1e-3)
        assert [error, f1, accuracy] == [
            f"{value:.3f}" for value in (evaluation.error, evaluation.f1, evaluation.accuracy)
        ]
        assert text == each.text() and text in words
    assert repr(Front()).split() == head.split()


def test_what_diverged_has_no_scores(result: Result) -> None:
    best = best_of(result)
    diverged = replace(best, evaluation=replace(best.evaluation, f1=None, accuracy=None))
    assert str(Front((diverged,))).splitlines()[1].split()[3:5] == ["–", "–"]


def test_a_result_shows_what_was_found_and_how(result: Result) -> None:
    words = words_of(result._repr_html_())
    for text in (result.summary(), best_of(result).text()):
        assert text in str(result) and text in words
    assert str(result.front) in repr(result)
    nothing = replace(result, best=None, front=Front(), ended="interrupted")
    assert str(nothing) == nothing.summary()
    assert nothing.summary() in words_of(nothing._repr_html_())


@pytest.mark.parametrize("theta", [[0.5], [], [math.nan] * 99, [math.inf] * 99, [1e308] * 99])
def test_what_cannot_be_used_can_be_shown(result: Result, theta: list[float]) -> None:
    """Such as what a trainer of one's own gave."""
    found = best_of(result)
    best = replace(found, trained=replace(found.trained, theta=np.array(theta)))
    for shown in (best, Front((best,)), replace(result, best=best, front=Front((best,)))):
        for text in (str(shown), repr(shown), words_of(shown._repr_html_())):
            assert text.count("map") >= 1


@pytest.mark.slow
def test_learning_needs_nothing_of_the_report() -> None:
    code = (
        "import sys, nearstar, nearstar.run, nearstar.estimator; "
        "print([name for name in sys.modules if 'report' in name and 'nearstar.report' in name "
        "or name.split('.')[0] in ('jinja2', 'markupsafe')])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


@pytest.mark.parametrize(
    "colours", ["background: #fff; color: #222", "background: #111; color: #eee"]
)
def test_a_notebook_shows_them_in_its_own_colours(
    show: Showing, result: Result, colours: str
) -> None:
    shown = (crim13(), hostile(), result, result.front, best_of(result))
    cells = "".join(f"<div>{each._repr_html_()}</div>" for each in shown)
    opened = show.html(
        "<!doctype html><html lang=en><meta charset=utf-8><title>A notebook</title>"
        f"<body style='{colours}'><main><h1>Cells</h1>{cells}</main>"
    )
    assert opened.evaluate("window.pwned") is None
    assert_accessible(opened)
