"""The audit of the heuristic, against its definition."""

from __future__ import annotations

import io
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from run.driving import DOMAIN, Plain, Table, small_space, trained

from nearstar import Trained, parse
from nearstar.fit.dataframes import history_table
from nearstar.language.program import Hole, Program, completes, is_complete
from nearstar.run import Audit, Display, Evaluation, Event, Limits, drive
from nearstar.run.results.audit import audit_search
from nearstar.run.results.history import History

SIGNATURE = DOMAIN.signature(1, per_frame=True)
PARTIAL = parse("map (fun x_t. ??) x", DOMAIN, SIGNATURE).program
COMPLETE = parse("map (fun x_t. DistanceAffine(x_t)) x", DOMAIN, SIGNATURE).program
ROOT = Hole(SIGNATURE)


@st.composite
def trees(draw: st.DrawFn) -> list[Evaluation]:
    """Search trees: each node's parent is a partial one before it, or none.

    Complete programs may complete others besides, whichever of the two was trained first.
    """
    cost = st.sampled_from((0.0, 0.1, 0.2, 0.5))
    evaluations: list[Evaluation] = []
    for index in range(draw(st.integers(0, 15))):
        partial = [each.index for each in evaluations if not each.complete]
        complete = [each.index for each in evaluations if each.complete]
        program: Program = draw(st.sampled_from((PARTIAL, PARTIAL, COMPLETE, ROOT)))
        others = draw(st.sets(st.sampled_from(partial), max_size=2)) if partial else set()
        evaluations.append(
            Evaluation(
                program=program,
                index=index,
                parent=draw(st.sampled_from([None, *partial])),
                completes=tuple(sorted(others)) if is_complete(program) else (),
                completed_by=(
                    None if is_complete(program) else draw(st.sampled_from([None, *complete]))
                ),
                complete=is_complete(program),
                answer=is_complete(program),
                size=program.size,
                structural_cost=draw(cost),
                weight=2.0,
                error=draw(cost),
                f=draw(cost),
                diverged=draw(st.sampled_from((False, False, True))),
                stages=(),
                cut=False,
                step=1,
                seconds=0.0,
                accuracy=None,
                f1=None,
            )
        )
    return evaluations


def ancestors(evaluations: list[Evaluation], each: Evaluation) -> list[int]:
    found = []
    while each.parent is not None:
        found.append(each.parent)
        each = evaluations[each.parent]
    return found


def ranks(values: list[float]) -> list[float]:
    """Places in order, from 1; equals share the mean of theirs."""
    return [
        sum(other < value for other in values) + (1 + sum(other == value for other in values)) / 2
        for value in values
    ]


def correlation(x: list[float], y: list[float]) -> float:
    a, b = (np.array(values) - np.mean(values) for values in (x, y))
    return float(a @ b / math.sqrt((a @ a) * (b @ b)))


def below(evaluations: list[Evaluation], node: Evaluation) -> set[int]:
    """The complete programs that complete a node, or one that was made from it."""
    found = set()
    for each in evaluations:
        if each.parent == node.index:
            found |= {each.index} if each.complete else below(evaluations, each)
        if each.complete and (node.index in each.completes or node.completed_by == each.index):
            found.add(each.index)
    return found


@given(trees())
def test_against_the_definition(evaluations: list[Evaluation]) -> None:
    pairs = []
    for node in evaluations:
        errors = [evaluations[index].error for index in below(evaluations, node)]
        if errors and node.program == PARTIAL and not node.diverged:
            pairs.append((node.error, min(errors)))
    audit = audit_search(evaluations)
    if not pairs:
        assert audit is None
        return
    assert audit is not None
    excess = [max(0.0, h - reached) for h, reached in pairs]
    assert audit.nodes == len(pairs)
    assert audit.violations == sum(each > 1e-9 for each in excess) / len(pairs)
    assert audit.largest == max(excess)
    assert audit.mean == pytest.approx(sum(excess) / len(pairs))
    h, reached = ([*values] for values in zip(*pairs, strict=True))
    if len(pairs) < 3 or len(set(h)) == 1 or len(set(reached)) == 1:
        assert audit.correlation is None
    else:
        assert audit.correlation == pytest.approx(correlation(ranks(h), ranks(reached)))


def test_rounding_is_no_violation() -> None:
    audit = Audit.of([(0.1 + 0.2, 0.3), (0.1, 0.2)])
    assert audit is not None and audit.violations == 0 and audit.largest < 1e-9


def test_random_completions_of_what_was_left_unfinished() -> None:
    space = small_space()
    plain, audited = (
        drive(
            Plain(width=2).search(space),
            Table(),
            space,
            limits=Limits(trainings=60),
            samples=samples,
        )
        for samples in (0, 4)
    )
    n = len(plain.evaluations)
    assert audited.evaluations[:n] == plain.evaluations
    assert audited.audit == plain.audit and plain.pruned is None
    assert (audited.ended, audited.bound) == (plain.ended, plain.bound)
    extra = audited.evaluations[n:]
    assert len(extra) == 4 and audited.trained == plain.trained + 4
    parents = [each.parent for each in extra]
    assert len(set(parents)) == 4
    finished = {
        above
        for each in plain.evaluations
        if each.complete
        for above in (*ancestors([*plain.evaluations], each), *each.completes)
    }
    pairs = []
    for each in extra:
        assert each.parent is not None and each.parent not in finished
        above = audited.evaluations[each.parent]
        assert not above.complete and each.complete and completes(each.program, above.program)
        pairs.append((above.error, each.error))
    assert audited.pruned == Audit.of(pairs)
    # They are programs like all others: the best may be one of them.
    assert audited.best is not None
    assert audited.best.evaluation.path_cost == min(
        each.path_cost for each in audited.evaluations if each.complete
    )


def test_a_better_completion_is_not_the_search_s_own() -> None:
    """The gap is about what the search found and left; the audit looks beyond it."""
    space, limits = small_space(), Limits(trainings=60)
    events: list[Event] = []
    searched = drive(Plain(width=2).search(space), Table(), space, limits=limits).evaluations
    own = {each.program for each in searched}

    class Lucky(Table):
        def train(self, program: Program, *others: Any) -> Trained:
            if not is_complete(program):
                return super().train(program, *others)
            return trained(program, 0.9 if program in own else 0.1)

    plain, audited = (
        drive(
            Plain(width=2).search(space),
            Lucky(),
            space,
            limits=limits,
            samples=samples,
            listeners=[events.append] if samples else [],
        )
        for samples in (0, 4)
    )
    assert audited.best is not None and audited.best.evaluation.kind == "completion"
    assert plain.best is not None and plain.gap is not None and plain.gap > 0
    before = plain.best.evaluation.path_cost
    assert audited.best.evaluation.path_cost < before == audited.incumbent
    assert audited.gap == plain.gap == History.of(audited).gap
    assert [*history_table(audited)["gap"]][-1] == plain.gap
    display = Display(Console(file=io.StringIO()))
    for event in events:
        display(event)
    shown = io.StringIO()
    Console(file=shown, width=200).print(display)
    assert f"gap {plain.gap:.4f}" in shown.getvalue()


def test_no_more_completions_than_there_are_nodes_left() -> None:
    space = small_space()
    result = drive(Plain().search(space), Table(), space, samples=1000)
    # The search has completed everything: nothing is left.
    assert result.pruned is None and result.trained == len(result.evaluations)
