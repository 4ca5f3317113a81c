"""Finals: the best programs are trained again as asked, nothing gets worse, and runs go on."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from run.driving import DOMAIN, QUICK, SMALL, Trainings, small_task

import nearstar as ns
from nearstar.language.canonical import canonical
from nearstar.language.program import Program
from nearstar.run import Evaluated, Evaluation, Event, Finalists, Limits, Result, Trainer
from nearstar.run.finals import final, finals_in
from nearstar.run.results.history import History
from nearstar.run.store import JOURNAL
from nearstar.run.store.following import Following
from nearstar.run.store.identity import Identity
from nearstar.search import FixedList

TASK = small_task()
SIGNATURE = TASK.signature()
SETTINGS: dict[str, Any] = {"budget": QUICK, "seed": 3, "workers": 1, "progress": False}


@cache
def searched(trainings: int = 60, weight: float = 1.0, deduplicate: bool = False) -> Result:
    """A search that has found some programs twice, in different words."""
    return search(trainings, weight=weight, deduplicate=deduplicate)


def search(
    trainings: int = 60, *, weight: float = 1.0, deduplicate: bool = False, **more: Any
) -> Result:
    return ns.learn(
        TASK,
        DOMAIN,
        ns.Enumeration(deduplicate=deduplicate),
        constraints=SMALL,
        weight=weight,
        limits=Limits(trainings=trainings),
        **SETTINGS,
        **more,
    )


def finals_of(result: Result, *numbers: int, **more: Any) -> Result:
    return final(TASK, DOMAIN, result, Finalists(*numbers), **{**SETTINGS, **more})


def naively_best(evaluations: tuple[Evaluation, ...], most: int) -> list[Program]:
    """The first of each canonical form, by path cost, of equals the cheaper and earlier one."""
    grammar, seen, best = DOMAIN.grammar(SIGNATURE), [], []
    by_cost = sorted(evaluations, key=lambda e: (e.path_cost, e.structural_cost, e.error, e.index))
    for each in by_cost:
        form = canonical(each.program, grammar)
        if each.complete and form not in seen:
            seen.append(form)
            best.append(each.program)
    return best[:most]


@settings(max_examples=12, deadline=None)
@given(
    programs=st.integers(1, 9),
    longer=st.integers(1, 3),
    restarts=st.integers(1, 5),
    weight=st.sampled_from((0.0, 1.0, 5.0)),
)
def test_the_best_are_trained_again_as_asked(
    programs: int, longer: int, restarts: int, weight: float
) -> None:
    result = searched(weight=weight)
    merged = finals_of(result, programs, longer, restarts)
    finals = merged.finals
    assert finals is not None and finals.ended == "finished" and finals.rounds == 1
    assert [each.program for each in finals.evaluations] == naively_best(
        result.evaluations, programs
    )
    budget = replace(
        QUICK,
        symbolic_steps=QUICK.symbolic_steps * longer,
        restarts=max(restarts, QUICK.restarts),
    )
    for each in finals.evaluations:
        seed = Trainer(TASK, QUICK, SETTINGS["seed"]).seed_of(each.program)
        assert each.error == ns.train(each.program, TASK, budget, seed).error
        assert each.weight == weight
    _check_best_and_front(result, merged)


def _check_best_and_front(result: Result, merged: Result) -> None:
    assert merged.finals is not None and merged.best is not None and result.best is not None
    everything = [e for e in (*result.evaluations, *merged.finals.evaluations) if e.complete]
    best = merged.best.evaluation
    assert best.path_cost == min(each.path_cost for each in everything)
    assert merged.best in merged.front
    points = {(each.structural_cost, each.error) for each in everything}
    unbeaten = sorted(
        (cost, error)
        for cost, error in points
        if not any(c <= cost and e <= error and (c, e) != (cost, error) for c, e in points)
    )
    front = [(each.evaluation.structural_cost, each.evaluation.error) for each in merged.front]
    assert front == unbeaten
    for each in merged.front:
        assert each.trained.error == each.evaluation.error
        assert each.trained.program == each.evaluation.program
    assert len({each.evaluation.index for each in merged.front}) == len(merged.front)
    # The search itself is told as it was.
    kept = ("evaluations", "trace", "bound", "ended", "trained", "seconds", "rounds", "audit")
    assert all(getattr(merged, name) is getattr(result, name) for name in kept)


def test_the_same_training_again_changes_nothing() -> None:
    result = searched()
    merged = finals_of(result, 5, 1, 1)
    assert merged.finals is not None and merged.best is result.best
    errors = {each.program: each.error for each in result.evaluations}
    assert all(each.error == errors[each.program] for each in merged.finals.evaluations)
    assert "trained again" in merged.summary() and "none became better" in merged.summary()
    assert "trained again" not in result.summary()


def test_longer_training_is_better_and_says_so() -> None:
    result = searched()
    merged = finals_of(result, 5, 12, 2)
    assert merged.best is not None and result.best is not None
    before = result.best.evaluation.path_cost
    assert merged.best.evaluation.path_cost < before
    assert f"5 programs, in {merged.finals.seconds:.1f} s; cost {before:.4f} before" in (
        merged.summary()
    )
    model = merged.model(DOMAIN, TASK.train.class_names)
    assert model.evaluate(TASK.valid).error == pytest.approx(merged.best.evaluation.error)
    several = replace(QUICK, restarts=4)
    assert Finalists(restarts=2).budget(several).restarts == 4


def test_the_gap_is_that_of_the_search(tmp_path: Path) -> None:
    result = search(run=tmp_path)
    merged = finals_of(result, 5, 12, 2, run=tmp_path)
    assert result.best is not None and merged.best is not None and result.bound is not None
    before, now = (each.best.evaluation.path_cost for each in (result, merged))
    # A retrained program may well be below the bound, which is about the search's own training.
    assert now < before and result.gap == before - min(before, result.bound) > 0
    assert merged.gap == result.gap and merged.incumbent == before
    assert merged.final_cost == now and result.final_cost is None
    assert f"before the finals: gap {result.gap:.4f}" in merged.summary()
    assert "before the finals" not in result.summary()
    # So it is told on pages, by the result and by the journals in the folder.
    told, following = History.of(merged), Following(tmp_path)
    following.look()
    assert following.history is not None
    assert told.gap == following.history.gap == result.gap
    assert told.summary()[0].startswith("before the finals: gap")
    assert told.summary()[1].startswith(f"cost {now:.4f} since")


def test_what_has_no_finals() -> None:
    network = ns.learn(TASK, DOMAIN, ns.RNN(units=2, steps=8), **SETTINGS)
    assert finals_of(network) is network
    interrupted = replace(searched(), ended="interrupted")
    assert finals_of(interrupted) is interrupted
    eager = ns.AStar(probes=False)
    nothing = ns.learn(TASK, DOMAIN, eager, limits=Limits(trainings=1), **SETTINGS)
    assert nothing.best is None and finals_of(nothing) is nothing


def test_two_numbers_for_two_classes() -> None:
    result = ns.learn(
        TASK,
        DOMAIN,
        ns.Enumeration(),
        single=False,
        constraints=SMALL,
        limits=Limits(trainings=4),
        **SETTINGS,
    )
    merged = finals_of(result, 2)
    assert merged.finals is not None and merged.finals.trained == 2


# Runs that go on


def timeless(result: Result) -> object:
    assert result.finals is not None
    candidates = [(e.evaluation.index, e.trained.theta.tobytes()) for e in result.front]
    errors = [(each.program, each.error) for each in result.finals.evaluations]
    return candidates, errors, result.best and result.best.evaluation.index, result.ended


def test_interrupted_finals_go_on(tmp_path: Path, trainings: Trainings) -> None:
    result = searched()
    whole = finals_of(result, 5)

    def interrupt(event: Event) -> None:
        if isinstance(event, Evaluated) and event.evaluation.index == 2:
            raise KeyboardInterrupt

    cut = finals_of(result, 5, run=tmp_path, listeners=[interrupt])
    assert cut.ended == "interrupted" and cut.finals is not None and cut.finals.trained == 3
    assert cut.best is not None and result.best is not None
    assert cut.best.evaluation.path_cost <= result.best.evaluation.path_cost
    (folder,) = finals_in(tmp_path)
    kept = (folder / JOURNAL).read_text("utf-8").count('"kind": "training"')
    resumed, count = trainings.during(lambda: finals_of(result, 5, run=tmp_path))
    assert timeless(resumed) == timeless(whole) and count == 5 - kept < 5
    again, count = trainings.during(lambda: finals_of(result, 5, run=tmp_path))
    assert timeless(again) == timeless(whole) and count == 0
    assert finals_in(tmp_path) == [folder]


def test_where_the_search_goes_on_only_new_programs_are_trained(
    tmp_path: Path, trainings: Trainings
) -> None:
    first = search(20, run=tmp_path)
    finals_of(first, 6, run=tmp_path)
    later = search(60, run=tmp_path)
    old, new = (set(naively_best(each.evaluations, 6)) for each in (first, later))
    assert old & new and new - old, "the test needs both"
    merged, count = trainings.during(lambda: finals_of(later, 6, run=tmp_path))
    assert count == len(new - old)
    assert timeless(merged) == timeless(finals_of(later, 6))
    # Other finals in the same folder are other runs.
    _, count = trainings.during(lambda: finals_of(later, 6, 2, run=tmp_path))
    assert count == 6 and len(finals_in(tmp_path)) == 3


def test_what_decides_a_run_is_told_by_texts() -> None:
    text = "map (fun x_t. AngleAffine(x_t)) x"
    listed = FixedList((ns.parse(text, DOMAIN, SIGNATURE).program,))
    usual, other = (
        Identity.of(Trainer(TASK, budget), DOMAIN, listed)
        for budget in (QUICK, replace(QUICK, loss="f1"))
    )
    assert usual.search["search"] == {"kind": "FixedList", "programs": [text]}
    with pytest.raises(ns.NearstarError, match=r"budget.loss was 'cross-entropy', and is 'f1' now"):
        other.check_same(usual, "the run", "take another")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((TASK, DOMAIN, "result"), "result must be"),
        ((TASK, DOMAIN, None, 5), "result must be"),
        ((TASK, DOMAIN, searched, 5), "result must be"),
        ((DOMAIN, TASK, ...), "task must be"),
        ((TASK, DOMAIN, ..., 5), "finalists must be Finalists"),
    ],
)
def test_what_cannot_be(arguments: tuple[Any, ...], message: str) -> None:
    given_arguments = [searched() if each is ... else each for each in arguments]
    with pytest.raises(ns.NearstarError, match=message):
        final(*given_arguments)


def test_settings_that_cannot_be() -> None:
    for bad in ({"programs": 0}, {"longer": 0.5}, {"restarts": math.inf}):
        with pytest.raises(ns.NearstarError, match="of finalists must be a whole number from 1"):
            Finalists(**bad)  # type: ignore[arg-type]
    with pytest.raises(ns.NearstarError, match="run must be the path"):
        final(TASK, DOMAIN, searched(), run=3)  # type: ignore[arg-type]
