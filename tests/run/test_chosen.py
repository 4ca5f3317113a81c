"""Searches over leaves that choose their terms: what comes of it are answers like others."""

from __future__ import annotations

from pathlib import Path

import pytest

import nearstar as ns
from nearstar.fit.resolve import SEARCHES
from nearstar.language.choosing import chooses_terms
from nearstar.language.numbers import least_numbers, numbers_of
from nearstar.language.operators import Affine
from nearstar.language.program import applied
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

OTHERS = ("idsbb", "enumeration", "genetic", "mcts")
EACH = ["astar", *(pytest.param(name, marks=pytest.mark.slow) for name in OTHERS)]


def learned(
    trainings: int,
    search: str = "astar",
    domain: ns.Domain = DOMAIN,
    numbers: int | None = None,
    **more: object,
) -> Result:
    return ns.learn(
        TASK,
        domain,
        SEARCHES[search](),
        budget=BUDGET,
        limits=Limits(trainings=trainings),
        constraints=ns.Constraints(max_depth=8, numbers=numbers),
        progress=False,
        **more,  # type: ignore[arg-type]
    )


def within(result: Result, numbers: int) -> None:
    """All answers keep a limit on numbers; the best of them is the best."""
    answers = [each for each in result.evaluations if each.answer]
    assert answers and all((numbers_of(each.program) or 0) <= numbers for each in answers)
    others = [each for each in result.evaluations if each.kind == "chosen" and not each.answer]
    assert all((numbers_of(each.program) or 0) > numbers for each in others)
    assert result.best is not None
    assert result.best.evaluation == min(answers, key=lambda each: each.rank)
    assert all((each.numbers or 0) <= numbers for each in result.front)


def told(result: Result) -> list[object]:
    return [(each.text, each.error, each.kind, each.answer, each.f) for each in result.evaluations]


@pytest.mark.parametrize("search", EACH)
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


@pytest.mark.parametrize("search", EACH)
@pytest.mark.parametrize("numbers", [2, 5])
def test_answers_are_within_a_limit_of_numbers(search: str, numbers: int) -> None:
    result = learned(10, search, numbers=numbers)
    within(result, numbers)
    structures = [each for each in result.evaluations if each.kind != "probe"]
    assert all(
        least_numbers(each.program) <= numbers for each in structures if each.kind != "chosen"
    )
    # What the search takes for the cost of a structure is that of the best answer of it.
    for each in structures:
        if each.kind == "search" and each.complete and search in ("astar", "idsbb"):
            came = [own for own in result.evaluations if own.parent == each.index and own.answer]
            if came:
                assert each.f == pytest.approx(min(own.path_cost for own in came))


def test_a_run_within_a_limit_is_gone_on_with_and_one_with_another_is_refused(
    tmp_path: Path,
) -> None:
    alone = learned(12, numbers=5)
    learned(6, numbers=5, run=tmp_path / "run")
    again = learned(12, numbers=5, run=tmp_path / "run")
    assert told(again) == told(alone) and str(again.front) == str(alone.front)
    for other in (None, 4):
        with pytest.raises(ns.NearstarError, match=r"constraints\.numbers was 5"):
            learned(12, numbers=other, run=tmp_path / "run")
    # Its trainings are the same: they can be used again.
    cached = learned(12, numbers=6, cache=[tmp_path / "run"])
    assert told(cached) == told(learned(12, numbers=6))


def test_leaves_end_with_as_many_terms_as_they_may() -> None:
    domain = DOMAIN.with_most_terms(2)
    result = learned(12, domain=domain)
    grammar = domain.grammar(TASK.signature())
    answers = [each for each in result.evaluations if each.answer]
    assert answers and result.best is not None
    for each in answers:
        assert each.program in grammar
        sizes = [
            len(node.operation.columns(node.signature))
            for node in applied(each.program)
            if isinstance(node.operation, Affine)
        ]
        assert sizes and max(sizes) <= 2
    final = ns.final(TASK, domain, result, ns.Finalists(2), budget=BUDGET, progress=False)
    assert final.best is not None
    assert final.best.evaluation.path_cost <= result.best.evaluation.path_cost


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
