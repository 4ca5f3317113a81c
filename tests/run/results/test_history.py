"""Histories: the same from a result and from its journal; sizes, thinning and increments."""

from __future__ import annotations

import json
import math
from dataclasses import fields
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from run.driving import Plain, Table, small_space
from run.store.test_journaled_run import CASES, run

from nearstar.report.search_data import COMPLETE, COMPLETION, search_data
from nearstar.run import Limits, Result, TracePoint, drive
from nearstar.run.results.audit import Audit
from nearstar.run.results.evaluation import Rated
from nearstar.run.results.history import History
from nearstar.run.store.following import Following


def followed(folder: Path) -> History:
    following = Following(folder)
    following.look()
    assert following.problem is None and following.history is not None
    return following.history


def told(history: History) -> dict[str, Any]:
    """All that a page has of a history, but which run it is."""
    return search_data(history) | {"run": None}


@pytest.mark.parametrize("case", CASES)
def test_a_result_and_its_journal_tell_the_same(case: str, tmp_path: Path) -> None:
    result = run(**CASES[case], run=tmp_path)
    history, from_journal = History.of(result), followed(tmp_path)
    assert told(from_journal) == told(history)
    assert [row.index for row in from_journal.front] == [
        each.evaluation.index for each in result.front
    ]
    assert_true(history, result)


def assert_true(history: History, result: Result) -> None:
    page = search_data(history)
    best = result.best and result.best.evaluation.index
    assert (page["best"], page["ended"], page["trained"]) == (best, result.ended, result.trained)
    assert history.audits == (result.audit, result.pruned)
    assert history.gap == result.gap
    complete = [bool(kind & COMPLETE) for kind in page["nodes"]["kind"]]
    assert complete == [each.complete for each in result.evaluations]


def test_all_that_a_run_knows_of_an_evaluation_is_in_its_journal(tmp_path: Path) -> None:
    result = run(**CASES["start"], run=tmp_path)
    names = [each.name for each in fields(Rated)]
    told = followed(tmp_path).evaluations
    for each, logged in zip(result.evaluations, told, strict=True):
        assert logged.text == each.text
        assert [getattr(logged, name) for name in names] == [getattr(each, name) for name in names]
    assert [each.kind for each in told].count("given") == 1


def test_random_completions_are_marked(tmp_path: Path) -> None:
    result = run(**CASES["audit"], run=tmp_path)
    kinds = search_data(followed(tmp_path))["nodes"]["kind"]
    assert isinstance(result.pruned, Audit)
    marked = [index for index, kind in enumerate(kinds) if kind & COMPLETION]
    assert marked == [*range(len(kinds) - result.pruned.nodes, len(kinds))]


def test_other_runs_may_be_too_short_for_all_completions(tmp_path: Path) -> None:
    result = run(**CASES["audit"] | {"audit_samples": 50}, run=tmp_path)
    assert isinstance(result.pruned, Audit) and 0 < result.pruned.nodes < 50
    assert followed(tmp_path).audits[1] == result.pruned


@given(st.data())
def test_increments_make_the_whole(data: st.DataObject) -> None:
    space = small_space()
    limits = Limits(trainings=data.draw(st.integers(1, 40)))
    history = History.of(drive(Plain().search(space), Table(), space, limits=limits))
    nodes, points = (
        data.draw(st.integers(0, len(of) + 2)) for of in (history.evaluations, history.points)
    )
    first, rest = search_data(history), search_data(history, nodes, points)
    assert first["trace"][:points] + rest["trace"] == first["trace"]
    for name, column in first["nodes"].items():
        assert len(column) == len(history.evaluations)
        assert column[:nodes] + rest["nodes"][name] == column
    assert {**rest, "nodes": 0, "trace": 0} == {**first, "nodes": 0, "trace": 0}


@given(st.lists(st.tuples(st.just(0.0) | st.floats(0.01, 0.5), st.integers(0, 3)), max_size=50))
@example([(0.0, 0)] * 50)
@example([(0.01, 0)] * 5 + [(0.5, 1)] * 45)
def test_the_trace_only_grows_and_keeps_what_matters(steps: list[tuple[float, int]]) -> None:
    """Thousands of rounds: few points, but every new best and the end among them."""
    history = History("", "any")
    seconds, best = 0.0, 100.0
    noted: list[TracePoint] = []
    for growth, better in steps:
        for _ in range(100):
            before = list(history.points)
            seconds += growth
            noted.append(TracePoint(seconds, 0.0, len(noted), len(noted), best, seconds))
            history.note(noted[-1])
            assert history.points[: len(before)] == before
        best -= better
    history.end("finished", None, seconds, len(noted), len(noted))
    bests = [b for a, b in pairwise(noted) if a.best != b.best]
    assert {*bests} <= {*history.points} <= {*noted} and history.points[-1:] == noted[-1:]
    longest = 50 * 100 * 0.5 / 0.01  # times the first seconds that there can be
    assert len(history.points) <= 502 + math.log(longest, 1.01) + len(bests)


@given(st.none() | st.floats(0, 2), st.none() | st.floats(0, 2) | st.just(math.inf))
def test_no_bound_is_drawn_above_the_best(best: float | None, bound: float | None) -> None:
    history = History("", "any")
    history.note(TracePoint(1.0, 1.0, 1, 1, best, bound))
    ((*_, shown, drawn, gap),) = search_data(history)["trace"]
    assert shown is None or drawn is None or drawn <= shown
    assert (drawn is None) == (bound is None or (bound == math.inf and best is None))
    assert (gap is None) == (best is None or bound is None)


def test_what_is_not_finite_is_json() -> None:
    history = History("", "any")
    history.note(TracePoint(1.0, 1.0, 1, 1, 0.5, math.inf))
    page = json.loads(json.dumps(search_data(history), allow_nan=False))
    assert page["bound"] == "inf" and page["trace"] == [[1.0, 1, 0.5, 0.5, 0.0]]


def test_thousands_of_evaluations_are_small() -> None:
    space = small_space(max_depth=7)
    result = drive(Plain(width=20).search(space), Table(), space, limits=Limits(trainings=5000))
    page = search_data(History.of(result))
    assert len(page["nodes"]["text"]) == 5000
    assert len(json.dumps(page)) < 2_000_000
