"""What completes what, against its definition: in any order, by forms, from sketches."""

from __future__ import annotations

from dataclasses import replace as changed
from functools import cache
from typing import Any

import pytest
from run.driving import DOMAIN, Table, small_space

import nearstar as ns
from nearstar.language.canonical import canonical
from nearstar.language.program import (
    Apply,
    Program,
    completes,
    first_hole,
    node_at,
    open_up,
    replace,
    walk,
)
from nearstar.run import Evaluation, Limits, Result, drive
from nearstar.search.constraints import Constraints
from nearstar.search.space import Space
from nearstar.search.variation import neighbours

SIGNATURE = DOMAIN.signature(1, per_frame=True)
GRAMMAR = DOMAIN.grammar(SIGNATURE)


def read(text: str) -> Program:
    return ns.parse(text, DOMAIN, SIGNATURE).program


SKETCH = read("map (fun x_t. if ?? > 0 then DistanceAffine(x_t) else add(??, ??)) x")
START = read("map (fun x_t. add(AngleAffine(x_t), DistanceAffine(x_t))) x")


def space_of(max_depth: int, *roots: Program) -> Space:
    return Space(GRAMMAR, Constraints(max_depth=max_depth), 1.0, roots)


CASES: dict[str, tuple[Any, Space]] = {
    "A*": (ns.AStar(margin=1.0), small_space(6)),
    "A* that goes on": (ns.AStar(persist=True, probes=False), small_space(7)),
    "A* without forms": (ns.AStar(deduplicate=False, lazy=False, margin=1.0), small_space(5)),
    "A* without probes": (ns.AStar(margin=1.0, probes=False), small_space(6)),
    "IDS-BB": (ns.IDSBB(margin=1.0), small_space(6)),
    "from a sketch": (ns.AStar(margin=1.0), space_of(10, SKETCH)),
    "around a program": (ns.AStar(margin=1.0), space_of(6, *neighbours(space_of(6), START))),
}


def searched(algorithm: Any, space: Space, samples: int = 0) -> Result:
    limits = Limits(trainings=600)
    return drive(algorithm.search(space, 0), Table(), space, limits=limits, samples=samples)


def derivation(program: Program, root: Program) -> set[Program]:
    """All that a program was on its way from a root, one rule on the first hole after the other."""
    found, state = set(), root
    while state != program:
        found.add(state)
        path = first_hole(state)
        assert path is not None
        node = node_at(program, path)
        assert isinstance(node, Apply)
        state = replace(state, path, open_up(node.operation, node.signature))
    return found


def moved(program: Program) -> list[Program]:
    """With two operands exchanged, or two of a chain."""
    found = []
    for path, node in walk(program):
        if len(node.arguments) < 2 or not isinstance(node, Apply):
            continue
        *others, one, other = node.arguments
        if one.signature == other.signature:
            found.append(replace(program, path, node.on((*others, other, one))))
        if isinstance(other, Apply) and other.production == node.production and not others:
            first, *rest = other.arguments
            turned = node.on((first, other.on((one, *rest))))
            found.append(replace(program, path, turned))
    return found


@cache
def equals(program: Program) -> frozenset[Program]:
    """Those that differ in the order of operands alone."""
    found, new = {program}, [program]
    while new:
        for each in moved(new.pop()):
            if each not in found and canonical(each, GRAMMAR) == canonical(program, GRAMMAR):
                found.add(each)
                new.append(each)
    return frozenset(found)


def led_from(space: Space, *programs: Program) -> set[Program]:
    """All partial programs that lead from the roots to these."""
    return {
        each
        for program in programs
        for root in space.roots
        if completes(program, root)
        for each in derivation(program, root)
    }


def above(evaluations: tuple[Evaluation, ...], each: Evaluation) -> set[int]:
    """By links alone."""
    found = set()
    while each.parent is not None:
        each = evaluations[each.parent]
        found.add(each.index)
    return found


@pytest.mark.parametrize("case", CASES)
def test_all_that_completes_a_program_counts(case: str) -> None:
    """Whatever the search linked it to, and whichever of the two it trained first."""
    algorithm, space = CASES[case]
    result = searched(algorithm, space)
    every = result.evaluations
    partial = [each for each in every if each.relaxed and not each.is_root]
    pairs, links, before = set(), set(), dict[int, list[tuple[float, int]]]()
    for w in (each for each in every if each.complete):
        as_written = led_from(space, w.program, space.form(w.program))
        in_any_order = led_from(space, *equals(w.program), *equals(space.form(w.program)))
        found = set(w.completes)
        earlier = [u for u in partial if u.index < w.index]
        most = {u.index for u in earlier if u.program in in_any_order}
        # Roots may be written otherwise than forms are: not all orders of theirs are tried.
        least = as_written if case == "around a program" else in_any_order
        assert {u.index for u in earlier if u.program in least} <= found <= most
        pairs |= {(u, w.index) for u in found}
        links |= {(u, w.index) for u in above(every, w) if not every[u].is_root}
        for u in partial:
            if u.index > w.index and u.program in as_written:
                before.setdefault(u.index, []).append((w.error, w.index))
    for u in partial:
        assert u.completed_by == (min(before[u.index])[1] if u.index in before else None)
    pairs |= {(u, w) for u, found in before.items() for _, w in found}
    excess = [every[u].error - every[w].error for u, w in pairs | links]
    assert result.audit is not None
    assert result.audit.largest == pytest.approx(max(0.0, *excess))
    assert pairs - links, "links alone would do"


def test_random_completions_stay_apart() -> None:
    algorithm, space = ns.AStar(margin=1.0, probes=False), small_space(7)
    plain, audited = (searched(algorithm, space, samples) for samples in (0, 8))
    extra = audited.evaluations[len(plain.evaluations) :]
    assert audited.audit == plain.audit is not None and len(extra) == 8
    assert all(each.completes == () for each in extra)
    assert audited.audit is not None and audited.pruned is not None
    assert audited.epsilon == max(audited.audit.largest, audited.pruned.largest)
    assert changed(audited, audit=None, pruned=None).epsilon is None
