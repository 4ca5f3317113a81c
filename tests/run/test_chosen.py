"""Searches over leaves that choose their terms: what comes of it are answers like others."""

from __future__ import annotations

from pathlib import Path

import pytest

import nearstar as ns
from nearstar.fit.resolve import SEARCHES
from nearstar.language.choosing import chooses_terms
from nearstar.language.numbers import numbers_of
from nearstar.run.limits import Limits
from nearstar.run.results.front import pareto
from nearstar.run.results.result import Result
from nearstar.run.store import JOURNAL

TRAIN, VALID, _ = ns.two_animals_split(seed=0)
TASK = ns.Task(TRAIN.subset(range(60)), VALID.subset(range(30)))
DOMAIN = ns.Domain(
    "terms",
    TRAIN.feature_names,
    sequences=("map",),
    vectors=("if", "multiply", "Affine{*}"),
    beta=1e30,
    price=0.0015,
)
BUDGET = ns.Budget(symbolic_steps=45, neural_steps=10, choosing_steps=10, batch_size=16, restarts=1)


def learned(trainings: int, search: str = "astar", **more: object) -> Result:
    return ns.learn(
        TASK,
        DOMAIN,
        SEARCHES[search](),
        budget=BUDGET,
        limits=Limits(trainings=trainings),
        constraints=ns.Constraints(max_depth=8),
        progress=False,
        **more,  # type: ignore[arg-type]
    )


def told(result: Result) -> list[object]:
    return [(each.text, each.error, each.kind, each.answer, each.f) for each in result.evaluations]


@pytest.mark.parametrize("search", ["astar", "idsbb", "enumeration", "genetic", "mcts"])
def test_answers_are_what_came_of_choosing(search: str) -> None:
    result = learned(12, search)
    grammar = DOMAIN.grammar(TASK.signature())
    assert 0 < result.trained <= 12
    chosen = [each for each in result.evaluations if each.kind == "chosen"]
    assert chosen and result.best is not None
    for each in result.evaluations:
        assert each.answer == (each.kind == "chosen")
        if each.kind == "chosen":
            parent = result.evaluations[each.parent or 0]
            assert chooses_terms(parent.program) and not chooses_terms(each.program)
            assert each.structural_cost == pytest.approx(grammar.cost(each.program))
            assert each.structural_cost >= grammar.cost(parent.program) - 1e-9
            assert each.f == pytest.approx(each.path_cost)
    best = min(chosen, key=lambda each: each.rank)
    assert result.best.evaluation == best
    assert tuple(each.evaluation for each in result.front) == pareto(result.evaluations)
    # The front is over numbers to read: none but the best is beaten in these and in error.
    numbers = [each.numbers for each in result.front]
    assert numbers == sorted(n for n in numbers if n is not None)
    for on_front in (each.evaluation for each in result.front):
        assert on_front.numbers == numbers_of(on_front.program)
        assert on_front == best or not any(
            (other.numbers or 0) <= (on_front.numbers or 0) and other.error < on_front.error
            for other in chosen
        )
    # What the search itself takes for the cost of a structure is that of the best that came of it.
    for each in result.evaluations:
        if each.kind == "search" and each.complete and search in ("astar", "idsbb"):
            came = [own.path_cost for own in chosen if own.parent == each.index]
            if came:
                assert each.f == pytest.approx(min(came))


def test_any_workers_and_a_run_that_stopped_give_the_same(tmp_path: Path) -> None:
    alone = learned(16, workers=1)
    assert told(learned(16, workers=3)) == told(alone)
    learned(7, run=tmp_path / "run")
    again = learned(16, run=tmp_path / "run")
    assert told(again) == told(alone)
    assert again.best is not None and alone.best is not None
    assert str(again.best) == str(alone.best)
    # Once more, with nothing left to train.
    size = (tmp_path / "run" / JOURNAL).stat().st_size
    assert told(learned(16, run=tmp_path / "run")) == told(alone)
    assert (tmp_path / "run" / JOURNAL).stat().st_size - size < 20_000
    cached = learned(16, cache=[tmp_path / "run"], run=tmp_path / "other")
    assert told(cached) == told(alone)
    assert cached.engine_seconds == pytest.approx(again.engine_seconds)


def test_a_journal_cut_off_anywhere_is_gone_on_with(tmp_path: Path) -> None:
    whole = learned(6, run=tmp_path / "run")
    journal = tmp_path / "run" / JOURNAL
    content = journal.read_bytes()
    lines = [place for place in range(len(content)) if content[place : place + 1] == b"\n"]
    for cut in (lines[len(lines) // 3] + 1, lines[len(lines) // 2] + 40, lines[-2] + 1):
        journal.write_bytes(content[:cut])
        assert told(learned(6, run=tmp_path / "run")) == told(whole)


def test_finals_train_answers(tmp_path: Path) -> None:
    result = learned(10)
    final = ns.final(TASK, DOMAIN, result, ns.Finalists(3), budget=BUDGET, progress=False)
    assert final.finals is not None and final.best is not None and result.best is not None
    assert final.finals.trained >= 3
    assert final.best.evaluation.path_cost <= result.best.evaluation.path_cost
    assert not any(chooses_terms(each.program) for each in final.finals.evaluations)
