"""Driving: any number of workers gives the same; time cuts, accidents propagate, all is told."""

from __future__ import annotations

import sys
import threading
import time
from dataclasses import replace
from types import FrameType, SimpleNamespace
from typing import Any

import pytest
from run.driving import (
    DOMAIN,
    QUICK,
    SMALL,
    Plain,
    Table,
    as_trained,
    at_no_time,
    small_space,
    small_task,
    timeless,
    trained,
    trained_after_each_round,
    wait_for,
)

from nearstar import Stop, Task, is_complete
from nearstar.language.program import Program
from nearstar.run import (
    Evaluated,
    Event,
    Finished,
    Limits,
    NewBest,
    Result,
    Round,
    RunMemory,
    Started,
    drive,
    learn,
)
from nearstar.run import driver as driver_module
from nearstar.run import limits as clock_module
from nearstar.run import recorder as recorder_module
from nearstar.run.results.front import pareto
from nearstar.run.store.trainings import key_of
from nearstar.run.workers.threads import Threads
from nearstar.search.astar import AStar
from nearstar.search.idsbb import IDSBB
from nearstar.search.montecarlo import MonteCarlo
from nearstar.search.protocol import Algorithm

SPACE = small_space()
RECORDING = ("add", "_compare", "end_round", "_point", "_evaluation", "_nearest")


@pytest.fixture(scope="module")
def task() -> Task:
    return small_task()


def drive_table(table: Table, plain: Plain | None = None, **options: Any) -> Result:
    plain = plain or Plain()
    workers = Threads(options.pop("workers", 2))
    return drive(plain.search(SPACE), table, SPACE, workers=workers, **options)


@pytest.mark.parametrize(
    ("algorithm", "limits"),
    [
        (AStar(width=3, margin=1.0), Limits(trainings=35)),
        (AStar(warm_start=True, margin=1.0), Limits(rounds=9)),
        (IDSBB(initial_depth=2, margin=1.0), Limits(trainings=35)),
        (MonteCarlo(samples=6), Limits()),
    ],
    ids=["A*", "A*, warm", "IDS-BB", "Monte-Carlo"],
)
def test_any_number_of_workers_gives_the_same(
    task: Task, algorithm: Algorithm, limits: Limits
) -> None:
    one, two, four = (
        timeless(
            learn(
                task,
                DOMAIN,
                algorithm,
                seed=5,
                budget=QUICK,
                limits=limits,
                constraints=SMALL,
                workers=workers,
                audit_samples=4,
            )
        )
        for workers in (1, 2, 4)
    )
    assert one == two == four
    assert one["front"] and len(one["evaluations"]) >= 12


def test_a_limit_of_time_gives_a_prefix(task: Task) -> None:
    def run(limits: Limits) -> Result:
        algorithm = AStar(margin=1.0)
        return learn(task, DOMAIN, algorithm, budget=QUICK, constraints=SMALL, limits=limits)

    whole, cut = run(Limits()), run(Limits(seconds=0.05))
    n = len(cut.evaluations)
    assert [*map(as_trained, cut.evaluations)] == [*map(as_trained, whole.evaluations[:n])]
    n = len(cut.trace)
    assert [*map(at_no_time, cut.trace)] == [*map(at_no_time, whole.trace[:n])]
    assert cut.ended == ("time" if cut.trained < whole.trained else "exhausted")


@pytest.mark.parametrize("workers", [2, 5])
def test_what_is_trained_after_the_first_one_missing_does_not_count(
    monkeypatch: pytest.MonkeyPatch, workers: int
) -> None:
    whole = drive_table(Table(), Plain(width=5))
    first = trained_after_each_round(SPACE, width=5)[10]
    slow, following = (whole.evaluations[first + i].program for i in (1, 2))
    late = threading.Event()

    def before(program: Program, stop: Stop) -> None:
        if program == slow:
            wait_for(stop)
        if program == following:
            late.set()

    clock = SimpleNamespace(monotonic=lambda: time.monotonic() + (1e6 if late.is_set() else 0.0))
    monkeypatch.setattr(clock_module, "time", clock)
    monkeypatch.setattr(driver_module, "compile_engine", lambda: None)
    table = Table(before=before)
    cut = drive_table(table, Plain(width=5), workers=workers, limits=Limits(seconds=1e4))
    assert following in table.asked
    assert cut.ended == "time" and cut.rounds == 11 and len(cut.evaluations) <= first + 1
    if workers == 2:  # Only when the first one is done does a worker take the third.
        assert len(cut.evaluations) == first + 1
    n = len(cut.evaluations)
    assert [*map(as_trained, cut.evaluations)] == [*map(as_trained, whole.evaluations[:n])]
    assert cut.bound == 12 / 10_000
    assert not _threads_left()


def test_no_more_at_a_time_than_workers() -> None:
    lock, running, most = threading.Lock(), [0], [0]

    def before(program: Program, stop: Stop) -> None:
        with lock:
            running[0] += 1
            most[0] = max(most[0], running[0])
        time.sleep(0.002)
        with lock:
            running[0] -= 1

    drive_table(Table(before=before), Plain(width=10), workers=3)
    assert most[0] == 3


class _AccidentError(Exception):
    pass


def test_what_a_training_raises_ends_the_run() -> None:
    plain = Plain(width=4)
    order = [each.program for each in drive_table(Table(), Plain(width=4)).evaluations]
    first_of_a_round = 1 + 4 * 5

    def before(program: Program, stop: Stop) -> None:
        if program == order[first_of_a_round]:
            raise _AccidentError("no memory, say")
        if program in order[first_of_a_round:]:
            wait_for(stop)

    with pytest.raises(_AccidentError, match="no memory"):
        drive_table(Table(before=before), plain, workers=4)
    assert plain.closed and not _threads_left()


@pytest.mark.parametrize("kind", [Evaluated, NewBest, Round, Finished])
def test_what_a_listener_raises_ends_the_run(kind: type) -> None:
    def listener(event: Event) -> None:
        if isinstance(event, kind):
            # Not even this is mistaken for the end of the search.
            raise StopIteration

    plain = Plain()
    with pytest.raises(StopIteration):
        drive_table(Table(), plain, listeners=[listener])
    assert plain.closed and not _threads_left()


def test_an_interrupt_in_a_listener_keeps_what_was_found() -> None:
    bests: list[NewBest] = []

    def listener(event: Event) -> None:
        if isinstance(event, NewBest):
            bests.append(event)
            if len(bests) == 2:
                raise KeyboardInterrupt

    plain = Plain()
    result = drive_table(Table(), plain, listeners=[listener])
    assert result.ended == "interrupted"
    assert result.best is not None
    assert result.best.evaluation == bests[-1].candidate.evaluation == result.evaluations[-1]
    assert result.bound == bests[-1].point.bound
    assert plain.closed and not _threads_left()


@pytest.mark.parametrize("line", range(1500, 1560))
def test_an_interrupt_at_any_line_leaves_a_whole_record(line: int) -> None:
    count = [0]

    def trace(frame: FrameType, event: str, argument: object) -> object:
        code = frame.f_code
        if code.co_filename != recorder_module.__file__ or code.co_name not in RECORDING:
            return None
        if event == "line":
            count[0] += 1
            if count[0] == line:
                raise KeyboardInterrupt
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        result = drive_table(Table(), workers=1)
    finally:
        sys.settrace(before)
    assert result.ended == "interrupted" and len(result.evaluations) > 10
    answers = [each for each in result.evaluations if each.complete]
    assert tuple(each.evaluation for each in result.front) == pareto(answers)
    assert all(each.trained.program == each.evaluation.program for each in result.front)


def test_an_interrupt_of_the_audit_keeps_what_the_search_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    whole = drive_table(Table(), limits=Limits(trainings=60))
    asked: list[Program] = []

    def before(program: Program, stop: Stop) -> None:
        asked.append(program)
        if len(asked) > 62:
            interrupted()

    # In the trainings for it, two of which are done, and in its sums.
    result = drive_table(Table(before=before), limits=Limits(trainings=60), samples=5, workers=1)
    assert result.ended == "interrupted" and result.trained == 62
    assert result.pruned is not None and result.pruned.nodes == 2
    monkeypatch.setattr(driver_module, "audit_search", interrupted)
    result = drive_table(Table(), limits=Limits(trainings=60), samples=5)
    assert result.ended == "interrupted" and result.audit is None
    assert result.evaluations == whole.evaluations and result.bound == whole.bound


def test_everything_that_happens_is_told_in_order() -> None:
    events: list[Event] = []
    result = drive_table(Table(), listeners=[events.append], limits=Limits(rounds=20))
    assert events[0] == Started(Limits(rounds=20), workers=2)
    assert isinstance(events[-1], Finished) and events[-1].result is result
    told = [event.evaluation for event in events if isinstance(event, Evaluated)]
    assert [*map(as_trained, told)] == [*map(as_trained, result.evaluations)]
    points = [event.point for event in events if isinstance(event, NewBest | Round)]
    assert tuple(points) == result.trace
    rounds = [event for event in events if isinstance(event, Round)]
    assert len(rounds) == 20 and rounds[-1].waiting > 0
    last = [event.candidate for event in events if isinstance(event, NewBest)][-1]
    assert result.best is not None and last.evaluation == result.best.evaluation
    costs = [each.path_cost for each in result.evaluations if each.complete]
    assert result.best.evaluation.path_cost == min(costs)


@pytest.mark.parametrize("warm", [False, True])
def test_what_is_remembered_is_not_trained_again_and_changes_nothing(warm: bool) -> None:
    memory = RunMemory()
    first = drive_table(
        Table(), Plain(warm=warm), memory=memory, limits=Limits(trainings=10), keep=warm
    )
    assert len(memory) == first.trained == 10
    remembered = {each.program for each in first.evaluations}
    table, whole = Table(), drive_table(Table(), Plain(warm=warm), keep=warm)
    result = drive_table(table, Plain(warm=warm), memory=memory, keep=warm)
    assert not remembered & set(table.asked)
    assert len(table.asked) == whole.trained - 10
    assert [*map(as_trained, result.evaluations)] == [*map(as_trained, whole.evaluations)]
    assert result.trained == whole.trained == len(memory)
    nobody, limits = Table(), Limits(trainings=20)
    again = drive_table(nobody, Plain(warm=warm), memory=memory, limits=limits, keep=warm)
    assert not nobody.asked and again.trained == 20 and again.ended == "trainings"


def test_another_goal_or_start_is_another_training() -> None:
    program = small_space().roots[0]
    starts = [None, *(trained(program, error) for error in (0.25, 0.5))]
    keys = {key_of(program, goal, start) for goal in (None, 0.5) for start in starts}
    assert len(keys) == 6
    # What diverged has nothing to pass on.
    failed = replace(trained(program, 0.25), diverged=True)
    assert key_of(program, None, failed) == key_of(program)


def test_a_given_answer_counts_from_the_beginning_and_only_once() -> None:
    program = next(each.program for each in drive_table(Table()).evaluations if each.complete)
    answer = trained(program, 0.0, step=0)
    table = Table()
    result = drive_table(table, given=answer)
    assert program not in table.asked
    assert result.best is not None and result.best.trained is answer
    assert result.trace[0].best == result.best.evaluation.path_cost
    assert [each.index for each in result.evaluations if each.program == program] == [0]
    places = [each.index for each in result.evaluations]
    assert places == list(range(len(places)))


def test_programs_with_holes_are_answers_only_where_wanted() -> None:
    for relaxed in (False, True):
        result = drive_table(Table(), relaxed=relaxed)
        complete = [is_complete(each.trained.program) for each in result.front]
        assert all(complete) != relaxed


def test_evaluations_have_what_the_search_made_of_them() -> None:
    result = drive_table(Table())
    h: dict[int | None, float] = {None: 0.0}
    for each in result.evaluations:
        h[each.index] = each.error if each.complete else max(each.error, h[each.parent])
        assert each.f == pytest.approx(SPACE.cost(each.program) + h[each.index])
        assert each.structural_cost == SPACE.grammar.cost(each.program)
        if each.parent is not None:
            above = result.evaluations[each.parent]
            assert each.program in SPACE.expansions(above.program)
        else:
            assert each.index == 0


def test_parameters_to_start_from_are_those_of_the_start() -> None:
    table = Table()
    result = drive_table(table, Plain(warm=True), keep=True)
    above = {
        each.program: result.evaluations[each.parent].program
        for each in result.evaluations
        if each.parent is not None
    }
    assert table.starts == above
    with pytest.raises(ValueError, match="keep=True"):
        drive_table(Table(), Plain(warm=True))


def test_a_search_without_a_bound_finishes() -> None:
    result = drive_table(Table(), Plain(bounded=False))
    assert (result.ended, result.bound, result.gap) == ("finished", None, None)
    assert all(point.bound is None for point in result.trace)


def _threads_left() -> list[threading.Thread]:
    return [each for each in threading.enumerate() if each.name.startswith("nearstar")]
