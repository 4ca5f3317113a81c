"""The search graph: its edges and forms against brute force, and what cannot be searched."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from small_grammars import ODD, A, B, BruteForce, expanded, keeps, label, random_sketch
from tabulated import TOLERANCE, Case, Table, random_case, solve

from nearstar.language.canonical import canonical
from nearstar.language.domain import Domain
from nearstar.language.grammar import Grammar, Rule
from nearstar.language.operation import Operation
from nearstar.language.operators import ADD, MINIMUM, MULTIPLY, Affine, Constant, Group, Select
from nearstar.language.program import Hole, Program, walk
from nearstar.language.text import parse
from nearstar.language.types import Signature, Vector
from nearstar.search.astar import AStar
from nearstar.search.constraints import Constraints
from nearstar.search.idsbb import IDSBB
from nearstar.search.space import Space
from nearstar.util.errors import NearstarError, ProgramError


def constrained(first: int, n: int) -> Iterator[tuple[int, Case]]:
    """Cases with constraints, and some without."""
    for seed in range(first, first + n):
        yield seed, random_case(seed, constrained=seed % 5 > 0)


def tall_chains(first: int, n: int) -> Iterator[tuple[int, Case]]:
    """Cases where canonical forms, chains nested to the right, can be higher than allowed."""
    root = Signature(Vector(2), Vector(1))
    for seed in range(first, first + n):
        random = Random(seed)
        chained: list[Operation] = [
            random.choice((ADD, MINIMUM)),
            *random.sample((MULTIPLY, ODD), seed % 2),
        ]
        leaves: list[Operation] = random.sample((Affine(A), Affine(B), Select(A), Constant()), 2)
        rules = [Rule(each, random.choice((0.0, 0.1))) for each in [*chained, *leaves]]
        grammar = Grammar(root, (), (), tuple(rules))
        constraints = Constraints(max_depth=7, max_height=random.choice((3, 3, 4)))
        yield seed, Case(BruteForce(grammar), constraints, Table(grammar, constraints, seed))


def sketches(seed: int, case: Case) -> list[Program]:
    """Sketches that some program keeps the constraints with, holes anywhere."""
    random = Random(seed)
    programs = case.programs()
    return [random_sketch(random, random.choice(programs)) for _ in range(6)]


def test_children_are_what_leads_to_allowed_programs() -> None:
    refused = 0
    for seed, case in constrained(0, 120):
        space = case.space()
        for sketch in sketches(seed, case):
            assert space.allows(sketch)
            if not sketch.n_holes:
                assert space.expansions(sketch) == []
                continue
            children = expanded(sketch, case.brute.grammar)
            kept = [child for child in children if case.programs(child)]
            assert space.expansions(sketch) == kept, f"case {seed}, {label(sketch)}"
            refused += len(children) - len(kept)
    assert refused > 100


def test_costs_bound_those_of_completions() -> None:
    met = 0
    for seed, case in constrained(200, 80):
        space = case.space()
        for sketch in sketches(seed, case):
            least = min(map(space.cost, case.programs(sketch)))
            bound = space.cost(sketch) + space.closing_cost(sketch)
            assert bound <= least + TOLERANCE, f"case {seed}, {label(sketch)}"
            met += bound >= least - TOLERANCE
            assert space.cost(sketch) == case.table.weight * case.brute.grammar.cost(sketch)
    assert met > 200


def test_expanded_are_the_forms_of_the_children() -> None:
    for seed, case in (*constrained(400, 60), *tall_chains(0, 20)):
        space = case.space()
        for sketch in sketches(seed, case):
            rooms: dict[Program, bool] = {}
            for child in space.expansions(sketch):
                form = space.form(child)
                rooms[form] = rooms.get(form, False) or space.same_room(form, child)
            expanded = space.expanded(sketch)
            assert [*expanded.items()] == [*rooms.items()], f"case {seed}, {label(sketch)}"


def test_forms_lead_to_an_equivalent_of_every_program() -> None:
    """No dearer and no larger, within the same constraints; where said, to nothing else."""
    changed = Counter[tuple[bool, bool]]()
    for seed, case in (*constrained(400, 130), *tall_chains(0, 20)):
        space, grammar = case.space(), case.table.grammar
        for sketch in sketches(seed, case):
            form, told = space.form(sketch), f"case {seed}, {label(sketch)}"
            assert form in (sketch, canonical(sketch, grammar)), told
            assert space.form(form) == form, told
            before, after = reached(case, sketch), reached(case, form)
            assert all(after[each] <= cost + TOLERANCE for each, cost in before.items()), told
            same_room = space.same_room(form, sketch)
            assert not same_room or set(after) == set(before), told
            if form != sketch:
                only_depth = case.constraints == Constraints(case.constraints.max_depth)
                changed[only_depth, same_room] += 1
    assert min(changed[only_depth, True] for only_depth in (True, False)) > 5
    assert min(changed[only_depth, False] for only_depth in (True, False)) > 0


def reached(case: Case, sketch: Program) -> dict[Program, float]:
    """The canonical forms of completions, with the least cost of those that have it."""
    found: dict[Program, float] = {}
    for program in case.programs(sketch):
        form = canonical(program, case.table.grammar)
        found[form] = min(found.get(form, math.inf), case.table.grammar.cost(program))
    return found


@pytest.mark.parametrize(
    "chunk", [0, *(pytest.param(chunk, marks=pytest.mark.slow) for chunk in range(1, 4))]
)
def test_the_best_program_within_constraints_is_found(chunk: int) -> None:
    for seed, case in (*constrained(chunk * 40, 40), *tall_chains(chunk * 8, 8)):
        optimum = case.optimum()
        switches: dict[str, Any] = {
            "deduplicate": seed % 2 > 0,
            "lazy": seed % 4 > 1,
            "pathmax": seed % 8 > 3,
            "width": 1 + seed % 3,
        }
        for search in (AStar(**switches), IDSBB(**switches)):
            outcome = solve(search, case.space(), case.table, seed)
            told = f"case {seed}, {search}, {case.constraints}"
            assert outcome.best is not None and keeps(outcome.best, case.constraints), told
            assert abs(outcome.cost - optimum) <= TOLERANCE, told
            assert max(outcome.promises) <= optimum + TOLERANCE, told
            for node in outcome.nodes:
                least = case.table.least(node.program)
                assert node.h <= least + TOLERANCE and least < math.inf, told


# What cannot be searched

DOMAIN = Domain.of_size(
    3,
    groups=(Group("left", (0, 1)), Group("right", (2,))),
    sequences=("map",),
    summaries=("SlidingWindowAverage5",),
    vectors=("if", "add", "affine", "const"),
)
GRAMMAR = DOMAIN.grammar(DOMAIN.signature(1, per_frame=True))


def space(*starts: str, weight: Any = 1.0, **constraints: Any) -> Space:
    programs = [parse(start, DOMAIN, GRAMMAR.root).program for start in starts]
    return Space(GRAMMAR, Constraints(**constraints), weight, programs)


@pytest.mark.parametrize(
    ("constraints", "told"),
    [
        ({"forbid": ["fold"]}, "'fold', which is no rule here; "),
        ({"require": ["Add"]}, "'Add', which is no rule here; "),
        ({"limit": {"sel": 2}}, "'sel', which is no rule here; "),
        ({"require": ["if"], "max_depth": 4}, "no program of this grammar keeps"),
        ({"require": ["if"], "forbid": ["if"]}, "no program of this grammar keeps"),
        ({"require": ["if"], "limit": {"if": 0}}, "no program of this grammar keeps"),
        ({"max_height": 1}, "no program of this grammar keeps"),
        ({"max_depth": 1}, "no program of this grammar keeps"),
        ({"forbid": ["affine", "const"]}, "with LeftAffine, RightAffine, const forbidden, no rule"),
        ({"forbid": ["map"]}, "with map forbidden, no rule can close a hole of type Sequence(3)"),
        ({"weight": -1}, "λ of structural cost must be a number from 0, not -1"),
        ({"weight": math.nan}, "λ of structural cost must be a number from 0, not nan"),
        ({"weight": math.inf}, "λ of structural cost must be a number from 0, not inf"),
        ({"weight": True}, "λ of structural cost must be a number from 0, not True"),
        ({"weight": "1"}, "λ of structural cost must be a number from 0, not '1'"),
    ],
    ids=str,
)
def test_what_leaves_no_program_is_refused(constraints: dict[str, Any], told: str) -> None:
    with pytest.raises(NearstarError) as caught:
        space(**constraints)
    assert told in str(caught.value)


@pytest.mark.parametrize(
    ("start", "constraints", "told"),
    [
        ("map (fun x. add(??, ??)) x", {"max_depth": 3}, "no completion of the sketch"),
        ("map (fun x. ??) x", {"require": ["if"], "limit": {"map": 0}}, "no completion of the"),
        ("map (fun x. const) x", {"require": ["affine"]}, "the given program, of 2 rules,"),
        (
            "map (fun x. add(??, ??)) x",
            {"forbid": ["add"]},
            "the start has add where it is no rule, or forbidden",
        ),
    ],
)
def test_a_start_that_leads_nowhere_is_refused(
    start: str, constraints: dict[str, Any], told: str
) -> None:
    assert space(start).roots[0].size > 0, "without the constraints it is a start"
    with pytest.raises(NearstarError) as caught:
        space(start, **constraints)
    assert told in str(caught.value)


def test_a_start_of_another_type_is_refused() -> None:
    with pytest.raises(ProgramError):
        Space(GRAMMAR, roots=[Hole(DOMAIN.signature(2, per_frame=True))])


def test_a_single_hole_is_the_root() -> None:
    assert space().from_scratch and space("??").from_scratch
    assert not space("map (fun x. ??) x").from_scratch
    assert not space("??", "map (fun x. ??) x").from_scratch


def test_families_stand_for_their_rules() -> None:
    """To require one is to require any of its rules; to forbid one forbids them all."""
    (sketch,) = space("map (fun x. add(const, ??)) x").roots
    children = space(require=["affine"], max_depth=4).expansions(sketch)
    leaves = [node for child in children for path, node in walk(child) if path == (0, 1)]
    assert [label(leaf) for leaf in leaves] == ["LeftAffine()", "RightAffine()"]
    children = space(forbid=["affine"], max_depth=4).expansions(sketch)
    assert [label(child) for child in children] == ["map(add(const(),const()))"]
