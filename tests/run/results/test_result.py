"""Results: the gap, models, and a summary that a person can act on."""

from __future__ import annotations

import pickle
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from run.driving import DOMAIN, QUICK, Plain, Table, small_space, small_task

from nearstar import NearstarError, Trained, is_complete, to_text
from nearstar.language.program import Program
from nearstar.run import Audit, Limits, Result, TracePoint, drive, learn
from nearstar.run.results.history import History
from nearstar.run.results.result import gap_between
from nearstar.search.astar import AStar
from nearstar.search.constraints import Constraints
from nearstar.search.protocol import Ask, Search

NEVER = Audit(5, 0.0, 1e-12, 0.0, None)
SPACE = small_space()
COST = st.floats(0, 2)


def run(limits: Limits | None = None, plain: Plain | None = None) -> Result:
    return drive((plain or Plain()).search(SPACE), Table(), SPACE, limits=limits)


@given(st.none() | COST, st.none() | COST | st.just(float("inf")))
def test_the_gap_is_what_the_bound_leaves_open(best: float | None, bound: float | None) -> None:
    gap = gap_between(best, bound)
    assert (gap is None) == (best is None or bound is None)
    if gap is not None and best is not None and bound is not None:
        assert gap == max(best - bound, 0.0)


def test_a_summary_says_what_was_found_and_how_good_it_is() -> None:
    result = run(Limits(rounds=25))
    assert result.best is not None and result.gap is not None and result.gap > 0
    best = result.best.evaluation
    program, cost, gap, *_, end = result.summary().splitlines()
    assert program == to_text(best.program)
    assert cost == (
        f"cost {best.path_cost:.4f} = 1 × {best.structural_cost:g} for structure + "
        f"{best.error:.4f} error (accuracy {best.accuracy:.3f}, F1 {best.f1:.3f})"
    )
    assert result.audit is not None and result.epsilon == result.audit.largest > 0
    assert gap == (
        f"gap {result.gap:.4f} by the heuristic; {result.gap + result.epsilon:.4f} with the "
        f"measured ε of {result.epsilon:.4f}"
    )
    believed = replace(result, audit=NEVER).summary().splitlines()[2]
    assert believed == (
        f"gap {result.gap:.4f}: nothing unexplored can cost less than {result.bound:.4f}, if the "
        "heuristic never overestimates"
    )
    assert end.startswith(
        f"the limit of 25 rounds was reached; {result.trained} programs trained in "
    )


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"ended": "exhausted"}, "the search went through all that its settings allow; "),
        ({"ended": "finished", "bound": None}, "gap unknown"),
        ({"ended": "finished"}, "the search came to its end; "),
        ({"ended": "interrupted"}, "interrupted; "),
        ({"ended": "time", "limits": Limits(seconds=2.5)}, "the limit of 2.5 s was reached; "),
        ({"ended": "trainings", "limits": Limits(trainings=1)}, "the limit of 1 training was"),
        ({"trained": 1, "rounds": 1, "seconds": 3.14}, "1 program trained in 3.1 s"),
        ({"audit": Audit(5, 0.0, 0.0, 0.0, None)}, "audit: the heuristic overestimated at none of"),
        (
            {"pruned": Audit(4, 0.25, 0.125, 0.1, 0.5)},
            "audit of what was left unfinished: the heuristic overestimated at 25% of 4 nodes, by "
            "up to 0.1250: programs that much below the gap's bound may exist; rank correlation "
            "with what was reached 0.50",
        ),
    ],
)
def test_a_summary_says_why_it_ended_and_what_that_means(
    changes: dict[str, object], expected: str
) -> None:
    result = replace(run(), **{"limits": Limits(rounds=7), **changes})
    assert any(
        line.startswith(expected) or expected in line for line in result.summary().split("\n")
    )


@pytest.mark.parametrize(
    ("ended", "better", "largest", "expected"),
    [
        ("exhausted", None, 0.0, "gap 0: nothing unexplored can be better, if the heuristic never"),
        ("exhausted", 0.0, 0.033, "gap 0 by the heuristic after 1.64 s; 0.0330 with the measured"),
        (
            *("rounds", 0.0, 0.0),
            "gap 0 after 1.64 s: nothing unexplored can be better, if the heuristic never "
            "overestimates; nothing better was found since",
        ),
        (
            *("time", 0.0, 0.033),
            "gap 0 by the heuristic after 1.64 s; nothing better was found since; 0.0330 with the "
            "measured ε",
        ),
        (
            *("rounds", 0.017, 0.033),
            "gap 0 by the heuristic after 1.64 s; 0.0170 better was found since; 0.0330 with the "
            "measured ε",
        ),
    ],
)
def test_a_gap_of_0_is_not_told_alone(
    ended: str, better: float | None, largest: float, expected: str
) -> None:
    """When it was 0, what was found since, and by how much the heuristic is known to be wrong."""
    result = run()
    least = result.incumbent
    assert least is not None
    before = TracePoint(0.5, 0.5, 1, 1, least + 0.5, 0.1)
    later = TracePoint(9.0, 9.0, 3, 3, least, 9.0)
    trace: tuple[TracePoint, ...] = (before,)
    if better is not None:
        trace = (before, TracePoint(1.64, 1.6, 2, 2, least + better, least + better), later)
    told = replace(
        result,
        trace=trace,
        bound=9.0,
        ended=ended,
        limits=Limits(seconds=9, rounds=3),
        audit=replace(NEVER, largest=largest),
    )
    assert told.gap == 0 and told.summary().splitlines()[2].startswith(expected)
    history = History.of(told)
    history._audits, history._audited = (told.audit, None), len(told.evaluations)
    assert history.summary()[0] == told.summary().splitlines()[2]


@pytest.mark.parametrize(
    ("limits", "why"),
    [
        (Limits(trainings=3), "the limit of 3 trainings was reached before one was trained; allow"),
        (Limits(rounds=1), "the limit of 1 round was reached before one was trained; allow more"),
    ],
)
def test_a_summary_without_a_program_says_why_and_what_to_do(limits: Limits, why: str) -> None:
    result = run(limits)
    assert result.best is None and result.gap is None and not result.front
    assert (
        result.summary().startswith("No complete program was found: ") and why in result.summary()
    )
    with pytest.raises(NearstarError, match="No complete program"):
        result.model(DOMAIN, ("no", "yes"))
    interrupted = replace(result, ended="interrupted").summary()
    assert "before the run was interrupted" in interrupted.splitlines()[0]
    given_up = replace(result, ended="exhausted").summary()
    assert "wider frontier" in given_up.splitlines()[0]


def test_a_training_that_diverged_is_not_hidden() -> None:
    class Failing(Table):
        def train(self, program: Program, *others: object) -> Trained:
            trained = super().train(program, *others)
            if not is_complete(program):
                return trained
            return replace(trained, error=1.0, metrics=None, diverged=True)

    result = drive(Plain().search(SPACE), Failing(), SPACE)
    assert result.best is not None and result.best.evaluation.diverged
    assert result.best.evaluation.f1 is None and "the training diverged" in result.summary()


def test_a_search_that_asks_for_nothing_ends_at_once() -> None:
    def nothing() -> Search:
        yield Ask(())
        return None

    result = drive(nothing(), Table(), SPACE)
    assert (result.ended, result.trained, result.rounds) == ("finished", 0, 1)


def test_models_of_a_result_and_a_copy_of_it() -> None:
    task = small_task()
    budget = replace(QUICK, symbolic_steps=160)
    constraints = Constraints(max_depth=4)
    result = learn(task, DOMAIN, AStar(margin=1.0), budget=budget, constraints=constraints)
    names = task.train.class_names
    assert result.best is not None and len(result.front) > 1
    for candidate in (None, *result.front):
        evaluation = (candidate or result.best).evaluation
        model = result.model(DOMAIN, names, candidate)
        assert model.program == evaluation.program
        assert model.evaluate(task.valid).error == evaluation.error
    again = pickle.loads(pickle.dumps(result))
    assert again.summary() == result.summary() and again.evaluations == result.evaluations
