"""Runs in folders: cut off anywhere, they come to the same end, and train nothing twice."""

from __future__ import annotations

import errno
import os
import random
import re
import shutil
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from run.driving import DOMAIN, QUICK, SMALL, Trainings, small_task, timeless

import nearstar as ns
from nearstar.data.examples.synthetic import HIDDEN_RULE
from nearstar.fit.resolve import SEARCHES
from nearstar.language.program import Program
from nearstar.run import Evaluated, Event, Limits, Result, learn, limits
from nearstar.run.store import JOURNAL, JournalError, JournalReader, repair
from nearstar.run.store.lines import line_of
from nearstar.search.constraints import Constraints
from nearstar.search.protocol import Ask, Node, Search
from nearstar.search.space import Space

TASK = small_task()
HASTY = ns.AStar(margin=1.0)
"""So short trainings say little: with this margin nothing is dropped for them."""


@ns.function("closing_speed", takes=("out",))
def closing_speed(x: Any, a: Any) -> Any:
    return a * ns.maximum(-x["distance_change"], 0)


USUAL: dict[str, Any] = {
    "task": TASK,
    "domain": DOMAIN,
    "algorithm": HASTY,
    "budget": QUICK,
    "constraints": SMALL,
    "limits": Limits(trainings=30),
    "workers": 1,
    "progress": False,
}


@dataclass(frozen=True)
class Repeating:
    """Asks for each program three times, in the same round."""

    def search(self, space: Space, seed: int) -> Search:
        programs = list(space.roots)
        for _ in range(4):
            programs = [each for program in programs for each in space.expansions(program)][:4]
            yield Ask(tuple(Node(p, None, space.cost(p)) for p in programs for _ in range(3)))
        return None


CASES: dict[str, dict[str, Any]] = {
    **{name: {"algorithm": search()} for name, search in SEARCHES.items()},
    "idsbb": {"algorithm": ns.IDSBB(margin=1.0)},
    "mcts": {"algorithm": ns.MCTS(samples=5, width=3)},
    "genetic": {"algorithm": ns.Genetic(population=6, select=3)},
    "rnn": {"algorithm": ns.RNN(units=3, steps=16)},
    "warm": {"algorithm": ns.AStar(warm_start=True, margin=1.0)},
    "twice": {"algorithm": ns.AStar(deduplicate=False, lazy=False, margin=1.0)},
    "repeating": {"algorithm": Repeating(), "workers": 2},
    "audit": {"audit_samples": 5, "algorithm": ns.AStar(margin=1.0, probes=False)},
    "start": {"start": HIDDEN_RULE, "constraints": Constraints(max_depth=5)},
    "warm from a start": {
        "start": HIDDEN_RULE,
        "constraints": Constraints(max_depth=5),
        "algorithm": ns.AStar(warm_start=True, margin=1.0),
    },
    "function": {"domain": DOMAIN.with_functions(closing_speed)},
    "three workers": {"workers": 3},
    "diverging": {"budget": replace(QUICK, learning_rate=1e30)},
}


def run(**changes: Any) -> Result:
    return learn(**{**USUAL, **changes})


@cache
def alone(case: str) -> Result:
    """What it comes to without a folder."""
    return run(**CASES[case])


def kinds(folder: Path) -> list[str]:
    """The kinds of a journal's sound records, the header left out."""
    return [
        line.record["kind"] for line in JournalReader(folder / JOURNAL).new_lines() if line.number
    ]


def once(folder: Path) -> bool:
    """Whether nothing was trained twice."""
    records = [line.record for line in JournalReader(folder / JOURNAL).new_lines() if line.number]
    asked = [
        tuple(record[name] for name in ("program", "goal", "start", "probe", "cut_after"))
        for record in records
        if record["kind"] == "training"
    ]
    return len(asked) == len(set(asked))


def cuts(content: bytes, draw: random.Random, number: int) -> list[int]:
    """Where to cut a journal off: ends of lines, and other places."""
    ends = np.cumsum([len(line) for line in content.splitlines(keepends=True)]).tolist()
    return [
        *draw.sample(ends, min(number, len(ends))),
        *(draw.randrange(len(content)) for _ in range(number)),
    ]


@pytest.mark.parametrize("case", CASES)
def test_cut_off_anywhere_it_comes_to_the_same_end(
    case: str, tmp_path: Path, trainings: Trainings
) -> None:
    check_cuts(case, tmp_path, trainings, number=2)


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_cut_off_at_many_places(case: str, tmp_path: Path, trainings: Trainings) -> None:
    check_cuts(case, tmp_path, trainings, number=100)


def check_cuts(case: str, folder: Path, trainings: Trainings, number: int) -> None:
    expected = timeless(alone(case))
    whole, trained = trainings.during(partial(run, **CASES[case], run=folder))
    assert timeless(whole) == expected
    content = (folder / JOURNAL).read_bytes()
    for size in cuts(content, random.Random(case), number):
        (folder / JOURNAL).write_bytes(content[:size])
        before = kinds(folder)
        result, again = trainings.during(partial(run, **CASES[case], run=folder))
        assert timeless(result) == expected, size
        # Of several workers, those who would be idle may train others each time.
        assert once(folder), size
        if CASES[case].get("workers", 1) == 1:
            assert again == trained - before.count("training"), size
        told = before.count("best") + before.count("round")
        assert result.trace[:told] == whole.trace[:told], size
    result, again = trainings.during(partial(run, **CASES[case], run=folder))
    assert timeless(result) == expected and again == 0


# Damage


@pytest.mark.parametrize(
    ("case", "times"), [("audit", 30), pytest.param("warm", 150, marks=pytest.mark.slow)]
)
def test_damage_is_named_or_does_not_matter_and_can_be_repaired(
    case: str, times: int, tmp_path: Path
) -> None:
    expected = timeless(alone(case))
    run(**CASES[case], run=tmp_path)
    content = (tmp_path / JOURNAL).read_bytes()
    header = content.index(b"\n")
    draw = random.Random(0)
    for place in sorted(draw.sample(range(len(content)), times)):
        damaged = bytearray(content)
        damaged[place] ^= 1 << draw.randrange(8)
        (tmp_path / JOURNAL).write_bytes(damaged)
        try:
            assert timeless(run(**CASES[case], run=tmp_path)) == expected
        except JournalError as problem:
            named = re.search(r"damaged at byte (\d+)", str(problem))
            assert named is not None and int(named[1]) <= place
            if place > header:
                repaired = repair(tmp_path)
                assert repaired is not None
                assert timeless(run(**CASES[case], run=tmp_path)) == expected
                repaired.original.unlink()


# The same run, or another one

OTHERS: dict[str, tuple[dict[str, Any], str]] = {
    "training data": (
        {"task": ns.Task(TASK.train.subset(np.arange(11)), TASK.valid)},
        "the training data are not the same",
    ),
    "validation data": (
        {"task": ns.Task(TASK.train, TASK.valid.subset(np.arange(5)))},
        "the validation data are not the same",
    ),
    "seed": ({"seed": 1}, "seed was 0, and is 1 now"),
    "budget": (
        {"budget": replace(QUICK, symbolic_steps=32)},
        r"budget\.symbolic_steps was 24, and is 32 now",
    ),
    "algorithm": ({"algorithm": ns.MCTS()}, "search was AStar, and is MCTS now"),
    "settings": (
        {"algorithm": ns.AStar(margin=0.5)},
        r"search\.margin was 1\.0, and is 0\.5 now",
    ),
    "weight": ({"weight": 2.0}, r"weight was 1\.0, and is 2\.0 now"),
    "constraints": (
        {"constraints": Constraints(max_depth=5, forbid=("mapprefix",))},
        r"constraints\.max_depth was 4, and is 5 now",
    ),
    "domain": ({"domain": DOMAIN.with_functions(closing_speed)}, "closing_speed"),
    "single": ({"single": False}, "single was True, and is False now"),
    "audit": ({"audit_samples": 3}, "audit_samples was 0, and is 3 now"),
    "start": ({"start": "map (fun x_t. AngleAffine(x_t)) x"}, "start was None, and is 'map"),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """That of a run with the usual settings."""
    folder = tmp_path_factory.mktemp("usual")
    run(run=folder)
    return folder


@pytest.mark.parametrize("change", OTHERS)
def test_other_runs_are_refused_and_the_difference_is_named(
    folder: Path, trainings: Trainings, change: str
) -> None:
    changes, message = OTHERS[change]
    before = (folder / JOURNAL).read_bytes()
    with pytest.raises(ns.NearstarError, match=message) as refusal:
        run(**changes, run=folder)
    assert str(folder) in str(refusal.value)
    assert (folder / JOURNAL).read_bytes() == before
    assert trainings.count == 0
    run(run=folder)  # nobody is in the way


@pytest.mark.parametrize("case", ["astar", "audit", "warm", "genetic"])
def test_limits_and_workers_may_be_others(case: str, tmp_path: Path, trainings: Trainings) -> None:
    steps: list[dict[str, Any]] = [
        {"limits": Limits(trainings=7)},
        {"limits": Limits(rounds=3), "workers": 2},
        {"limits": Limits(trainings=5)},
        {"limits": Limits(trainings=20)},
        {"limits": Limits(trainings=30), "workers": 3},
    ]
    for step in steps:
        settings = {**CASES[case], **step}
        result, trained = trainings.during(partial(run, **settings, run=tmp_path))
        assert timeless(result) == timeless(run(**settings))
        if step["limits"].trainings == 5 and case != "audit":
            assert trained == 0


def test_time_goes_on_where_it_stopped(
    tmp_path: Path, trainings: Trainings, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [1000.0]
    monkeypatch.setattr(limits, "time", SimpleNamespace(monotonic=lambda: now[0]))

    def a_second() -> None:
        now[0] += 1

    trainings.before = a_second
    limited = partial(run, algorithm=ns.Enumeration(), run=tmp_path)
    first, trained = trainings.during(partial(limited, limits=Limits(seconds=10)))
    assert first.ended == "time" and first.seconds == trained >= 10
    now[0] += 500  # nobody works on it
    second, trained = trainings.during(partial(limited, limits=Limits(seconds=30)))
    assert second.ended == "time" and second.seconds == first.seconds + trained >= 30
    assert second.trace[: len(first.trace)] == first.trace
    assert [point.seconds for point in second.trace] == sorted(p.seconds for p in second.trace)
    now[0] += 500
    third, _ = trainings.during(partial(limited, limits=Limits(seconds=10)))
    assert third.ended == "time" and third.seconds >= second.seconds


# Answers of other runs


@pytest.mark.parametrize(
    "changes",
    [
        {"weight": 0.5},
        {"algorithm": ns.AStar(margin=1.0, width=2)},
        {"algorithm": ns.Enumeration(), "constraints": Constraints(max_depth=3)},
        {"limits": Limits(trainings=60), "audit_samples": 4},
    ],
)
def test_answers_of_another_run_are_used(
    folder: Path, tmp_path: Path, trainings: Trainings, changes: dict[str, Any]
) -> None:
    other = Path(shutil.copytree(folder, tmp_path / "other"))
    reference, all_trained = trainings.during(partial(run, **changes))
    cached = partial(run, **changes, run=tmp_path / "own")
    result, trained = trainings.during(partial(cached, cache=[other]))
    assert timeless(result) == timeless(reference)
    assert trained < all_trained
    shutil.rmtree(other)
    result, trained = trainings.during(cached)
    assert timeless(result) == timeless(reference) and trained == 0


def test_answers_serve_whatever_they_would_have_been_cut_off_at(
    tmp_path: Path, trainings: Trainings
) -> None:
    """Each search has cutoffs of its own, by what it has seen so far."""
    most: dict[str, Any] = {"limits": Limits(trainings=150)}
    first = run(**most, run=tmp_path)
    assert any(each.cut for each in first.evaluations)
    for changes in ({"weight": 0.7}, {"algorithm": ns.AStar(margin=1.0, exploration=3)}):
        reference, all_trained = trainings.during(partial(run, **most, **changes))
        cached, trained = trainings.during(partial(run, **most, **changes, cache=[tmp_path]))
        assert any(each.cut for each in reference.evaluations)
        assert timeless(cached) == timeless(reference) and trained < 0.8 * all_trained
    # A search without cutoffs takes what was trained whole, and nothing else.
    plain = {**most, "algorithm": ns.AStar(margin=1.0, race=False)}
    reference = run(**plain)
    cached, trained = trainings.during(partial(run, **plain, cache=[tmp_path]))
    assert timeless(cached) == timeless(reference) and 0 < trained < reference.trained
    assert not any(each.cut for each in cached.evaluations)


def test_several_caches_and_one_that_is_cut_off(
    folder: Path, tmp_path: Path, trainings: Trainings
) -> None:
    content = (folder / JOURNAL).read_bytes()
    for name, part in (("half", content[: len(content) // 2]), ("nearly", content[:-5])):
        (tmp_path / name).mkdir()
        (tmp_path / name / JOURNAL).write_bytes(part)
    caches = [tmp_path / "half", str(tmp_path / "nearly")]
    result, trained = trainings.during(partial(run, cache=caches))
    assert timeless(result) == timeless(run()) and trained == 0
    assert (tmp_path / "nearly" / JOURNAL).read_bytes() == content[:-5]


def test_a_run_that_is_still_going_on_is_a_cache(tmp_path: Path, trainings: Trainings) -> None:
    nested: list[Result] = []
    known: set[tuple[Program, bool]] = set()
    inner_trained: list[tuple[Program, bool]] = []

    def listener(event: Event) -> None:
        if isinstance(event, Evaluated) and len(known) <= 20:
            known.add((event.evaluation.program, event.evaluation.kind == "probe"))
        if isinstance(event, Evaluated) and event.evaluation.index == 20:
            # The worker goes on with the rest of the round meanwhile.
            before = len(trainings.done)
            nested.append(run(cache=[tmp_path]))
            inner_trained.extend(trainings.done[before:])

    outer = run(run=tmp_path, listeners=[listener])
    assert timeless(outer) == timeless(nested[0]) == timeless(run())
    assert len(known) == 21 and inner_trained and not known & set(inner_trained)


SHARED = ("training data", "validation data", "seed", "budget", "domain")


@pytest.mark.parametrize("change", SHARED)
def test_runs_that_train_otherwise_are_no_cache(
    folder: Path, trainings: Trainings, change: str
) -> None:
    changes, message = OTHERS[change]
    with pytest.raises(ns.NearstarError, match=f"trained otherwise there: .*{message}"):
        run(**changes, cache=[folder])
    assert trainings.count == 0


def test_where_there_is_no_run_there_is_no_cache(tmp_path: Path) -> None:
    (tmp_path / "foreign").mkdir()
    (tmp_path / "foreign" / JOURNAL).write_text("my own notes\n")
    for name, message in (("nothing", "no run in .*nothing"), ("foreign", "no journal of")):
        with pytest.raises(ns.NearstarError, match=message):
            run(cache=[tmp_path / name])


# What goes wrong


@pytest.mark.parametrize("used_as", ["run", "cache"])
def test_a_journal_of_an_earlier_nearstar_is_refused_with_what_to_do(
    tmp_path: Path, trainings: Trainings, used_as: str
) -> None:
    header = {"format": "nearstar-journal", "version": 1, "nearstar": "0.8", "training": {}}
    lines = [line_of(0, header), line_of(1, {"kind": "answer", "at": 0.5, "error": 0.25})]
    (tmp_path / JOURNAL).write_bytes(b"".join(lines))
    with pytest.raises(JournalError) as refusal:
        run(**{used_as: tmp_path if used_as == "run" else [tmp_path]})
    for part in (
        f"{tmp_path / JOURNAL} is the journal of a run by an earlier nearstar (0.8), in version 1",
        "finish the run with that nearstar, or begin a new one in another folder",
    ):
        assert part in str(refusal.value)
    assert (tmp_path / JOURNAL).read_bytes() == b"".join(lines) and trainings.count == 0


def test_a_folder_in_use_is_refused_with_who_uses_it(tmp_path: Path) -> None:
    refusals: list[str] = []

    def listener(event: Event) -> None:
        if isinstance(event, Evaluated) and not refusals:
            with pytest.raises(JournalError, match=r"in use: process \d+ on .* writes") as refusal:
                run(run=tmp_path)
            refusals.append(str(refusal.value))

    assert timeless(run(run=tmp_path, listeners=[listener])) == timeless(run())
    assert refusals


def test_a_disk_that_becomes_full_ends_the_run_which_can_be_resumed(
    tmp_path: Path, trainings: Trainings, monkeypatch: pytest.MonkeyPatch
) -> None:
    write, room = os.write, [10_000]

    def fill(file: int, data: bytes) -> int:
        if not room[0]:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        written = write(file, data[: room[0]])
        room[0] -= written
        return written

    with monkeypatch.context() as patched:
        patched.setattr(os, "write", fill)
        with pytest.raises(JournalError, match=r"No space left on device.*resume the run"):
            run(run=tmp_path)
    answers = kinds(tmp_path).count("training")
    result, trained = trainings.during(partial(run, run=tmp_path))
    assert timeless(result) == timeless(run())
    assert 0 < trained == 30 - answers < 30
