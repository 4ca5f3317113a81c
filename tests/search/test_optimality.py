"""NEAR's searches against brute force: the best program, the bound and the gap.

Each test goes through many random grammars with tabulated scores; messages name the seed.
"""

from __future__ import annotations

import contextlib
import itertools
import math
from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from small_grammars import IF, ODD, A, BruteForce, label, random_sketch
from tabulated import TOLERANCE, Case, Outcome, Table, random_case, solve

from nearstar.language.canonical import canonical
from nearstar.language.domain import Domain
from nearstar.language.grammar import Grammar, Rule
from nearstar.language.operators import Select, Window
from nearstar.language.program import Hole, Program
from nearstar.language.types import Sequence, Signature, Vector
from nearstar.search.astar import AStar
from nearstar.search.constraints import Constraints
from nearstar.search.frontier import Frontier
from nearstar.search.idsbb import IDSBB
from nearstar.search.protocol import Node, Score
from nearstar.search.space import Space
from nearstar.search.variation import neighbours

Search = AStar | IDSBB

SWITCHES: list[dict[str, Any]] = [
    dict(zip(("lazy", "pathmax", "closing_cost", "deduplicate", "probes"), values[:5], strict=True))
    | dict(zip(("width", "train_root", "margin", "correct"), values[5:], strict=True))
    for values in itertools.product(
        *[(True, False)] * 5, (1, 3), (True, False), (0.0, None), (True, False)
    )
]
"""All combinations of what may be on or off while the best program must still be found."""
EPSILON = 0.15


def searches(seed: int, **changes: Any) -> list[Search]:
    """Both searches, with the combination of switches whose turn it is."""
    turn = seed // 64
    orders = {"correction": (1.0, 0.0, 4.0)[turn % 3], "exploration": (0, 2)[turn // 3 % 2]}
    # A step that has no factor in common with their number: all of them have their turn.
    switches = SWITCHES[seed * 187 % len(SWITCHES)] | orders | changes
    return [
        AStar(**switches),
        IDSBB(**switches, initial_depth=(3, 1, 2, 6)[turn % 4], bound_dives=seed % 3 > 0),
    ]


def cases(chunk: int, size: int, **changes: Any) -> Iterator[tuple[int, Case]]:
    """So many cases, others for each chunk."""
    for seed in range(chunk * size, (chunk + 1) * size):
        yield seed, random_case(seed, **changes)


def is_close(one: float, other: float) -> bool:
    return abs(one - other) <= TOLERANCE


# Without limits


@pytest.mark.parametrize(
    "chunk", [0, *(pytest.param(chunk, marks=pytest.mark.slow) for chunk in range(1, 16))]
)
def test_the_best_program_is_found_and_every_bound_holds(chunk: int) -> None:
    for seed, case in cases(chunk, 64):
        optimum = case.optimum()
        for search in searches(seed):
            told = f"case {seed}, {search}"
            outcome = solve(search, case.space(), case.table, seed)
            assert is_close(outcome.cost, optimum), told
            assert max(outcome.promises) <= optimum + TOLERANCE, told
            assert is_close(outcome.promises[-1], optimum), f"the gap is not 0: {told}"
            check_asked(case, outcome, search, told)


def check_asked(case: Case, outcome: Outcome, search: Search, told: str) -> None:
    """Every program is asked once, and each node knows no more than is true."""
    asked, grammar = outcome.asked, case.brute.grammar
    assert len(set(asked)) == len(asked), told
    if search.deduplicate:
        assert len({canonical(program, grammar) for program in asked}) == len(asked), told
    assert (Hole(grammar.root) in asked) == search.train_root, told
    for node in outcome.nodes:
        least = case.table.least(node.program)
        assert node.trained and least < math.inf, f"{label(node.program)}: {told}"
        if node.complete:
            assert is_close(node.f, case.table.cost(node.program)), told
        else:
            assert node.h <= least + TOLERANCE, f"{label(node.program)}: {told}"


def test_published_a_star_keeps_what_is_level_with_the_best_program() -> None:
    """By default it is dropped: it cannot lead to anything better."""
    domain = Domain.built_in("crim13")
    space = Space(domain.grammar(domain.signature(1, per_frame=True)), Constraints(max_depth=3))
    trained = []
    for search in (AStar.paper(domain), AStar.paper(domain, margin=0.0)):
        asks = search.search(space, 0)
        programs = [node.program for node in next(asks).nodes]
        with contextlib.suppress(StopIteration):
            while True:
                # Programs cost what they cost, and h is level with the first: f = .02 everywhere.
                ask = asks.send([Score(0.02 - space.cost(program)) for program in programs])
                programs = [node.program for node in ask.nodes]
                trained.append((search.margin > 0, len(programs)))
    kept = sum(n for margin, n in trained if margin)
    assert kept > sum(n for margin, n in trained if not margin) > 0


@pytest.mark.parametrize("bound_dives", [True, False])
def test_published_ids_bb_dives_whatever_f_is_and_comes_back_within_the_bound(
    bound_dives: bool,
) -> None:
    above = 0
    for seed, case in cases(0, 60, excess=0.3):
        search = IDSBB(**{**IDSBB.published, "train_root": False, "bound_dives": bound_dives})
        moments = solve(search, case.space(), case.table, seed).moments
        for before, now in itertools.pairwise(moments):
            (expanded,) = {node.parent for node in now.nodes}
            assert expanded is not None
            children = [node for node in before.nodes if not node.complete]
            is_above = expanded.f > now.incumbent - TOLERANCE
            if bound_dives or not children:
                assert not is_above, f"case {seed}"
            else:
                assert is_close(expanded.f, min(node.f for node in children)), f"case {seed}"
                assert expanded in children, f"case {seed}"
            above += is_above
    assert bound_dives or above > 0, "no dive leaves the bound: they show nothing"


def test_published_ids_bb_leaves_dives_unbounded() -> None:
    domain = Domain.built_in("crim13")
    assert not IDSBB.paper(domain).bound_dives and IDSBB().bound_dives


def test_the_cases_are_of_all_kinds() -> None:
    """Roots of each type, every depth, and many with more programs than canonical forms."""
    kinds, depths, equivalents = set(), set(), 0
    for _, case in cases(0, 200):
        root = case.brute.grammar.root
        kinds.add((root.maps_vectors, root.summarises))
        depths.add(case.constraints.max_depth)
        programs = case.programs()
        forms = {canonical(program, case.brute.grammar) for program in programs}
        equivalents += len(forms) < len(programs)
        assert 10 <= len(set(programs)) == len(programs) <= 200
    assert len(kinds) == 3 and depths == {2, 3, 4, 5, 6} and equivalents > 100


class Deceptive(Table):
    """Errors that make a dive meet a small form by way of a large program with a high h."""

    W, X = "SlidingWindowAverage5", "sel_a()"
    BEST, OTHER = f"{W}(if({X},{X},odd(odd({X}))))", f"{W}(odd({X}))"
    ERRORS = ((BEST, 0.4), (OTHER, 0.45), (f"{W}(if({X},{X},{X}))", 0.5))
    DETOUR = f"if({W}({X}),{W}({X}),??)"

    def score(self, program: Program) -> Score:
        if not program.n_holes:
            return Score(dict(self.ERRORS).get(label(canonical(program, self.grammar)), 0.9))
        blind = label(program).startswith("if") and label(program) != self.DETOUR
        return Score(0.0 if blind else self.least(program))


@pytest.mark.parametrize("lazy", [True, False])
@pytest.mark.parametrize("width", [1, 2, 4])
def test_a_form_that_is_smaller_takes_nothing_from_the_parent(width: int, lazy: bool) -> None:
    """It can grow further within the depth than what the parent's h speaks of."""
    root = Signature(Sequence(1), Vector(1))
    summaries = (Rule(IF, 0.0), Rule(Window("Average", 5), 0.0))
    vectors = (Rule(IF, 0.0), Rule(Select(A), 0.0), Rule(ODD, 0.0))
    grammar = Grammar(root, (), summaries, vectors)
    constraints = Constraints(max_depth=7)
    case = Case(BruteForce(grammar), constraints, Deceptive(grammar, constraints, seed=0))
    for search in (AStar(lazy=lazy, width=width), IDSBB(lazy=lazy, width=width, initial_depth=7)):
        outcome = solve(search, case.space(), case.table)
        assert outcome.best is not None and label(outcome.best) == Deceptive.BEST, search
        assert max(outcome.promises) <= case.optimum() + TOLERANCE, search


def test_a_training_may_end_when_it_reaches_the_parents_h() -> None:
    spared = 0
    for seed, case in cases(0, 30):
        for search in searches(seed, pathmax=True):
            full = solve(replace(search, early_stop=False), case.space(), case.table, seed)
            outcome = solve(replace(search, early_stop=True), case.space(), case.table, seed)
            assert outcome.asked == full.asked, f"case {seed}, {search}"
            assert [node.f for node in outcome.nodes] == [node.f for node in full.nodes]
            spared += sum(node.goal is not None for node in outcome.nodes)
            assert all(node.goal is None for node in (*full.nodes,))
    assert spared > 0


# With an h that is too high


@pytest.mark.parametrize("chunk", [0, pytest.param(1, marks=pytest.mark.slow)])
def test_an_h_too_high_by_epsilon_costs_no_more_than_epsilon(chunk: int) -> None:
    for seed, case in cases(chunk, 64, excess=EPSILON):
        limit = case.optimum() + EPSILON + TOLERANCE
        for search in searches(seed, margin=0.0):
            outcome = solve(search, case.space(), case.table, seed)
            assert max(outcome.cost, *outcome.promises) <= limit, f"case {seed}, {search}"


@pytest.mark.slow
def test_a_margin_of_epsilon_makes_up_for_it() -> None:
    missed = 0
    for seed, case in cases(2, 64, excess=EPSILON):
        optimum = case.optimum()
        for search in searches(seed, margin=EPSILON):
            outcome = solve(search, case.space(), case.table, seed)
            assert is_close(outcome.cost, optimum), f"case {seed}, {search}"
            without = solve(replace(search, margin=0.0), case.space(), case.table, seed)
            missed += without.cost > optimum + TOLERANCE
    assert missed > 0, "no case needs the margin: they show nothing"


@pytest.mark.slow
def test_persisting_goes_on_from_the_same_end_to_the_best_program() -> None:
    """However wrong h is, in the end all programs have been trained that are not too dear."""
    missed = 0
    for seed, case in cases(3, 64, excess=1.0):
        optimum = case.optimum()
        search = replace(searches(seed)[0], margin=0.0, probes=seed % 2 == 0)
        plain = solve(search, case.space(), case.table, seed)
        outcome = solve(replace(search, persist=True), case.space(), case.table, seed)
        assert is_close(outcome.cost, optimum), f"case {seed}, {search}"
        same = outcome.asked[: len(plain.asked)] == plain.asked
        assert same or search.probes, f"case {seed}, {search}"
        missed += plain.cost > optimum + TOLERANCE
    assert missed > 0, "h is never wrong enough: they show nothing"


# With limits


@pytest.mark.parametrize(
    "limits",
    [
        {"max_children": 2},
        {"frontier": 1},
        {"frontier": 3, "max_children": 3},
        {"multiplier": 0.7},
        {"depth_bias": 0.8},
        {"multiplier": 0.9, "depth_bias": 0.95, "frontier": 2},
    ],
    ids=str,
)
def test_the_gap_covers_what_is_given_up(limits: dict[str, Any]) -> None:
    missed = 0
    for seed, case in cases(1, 50):
        optimum = case.optimum()
        for search in searches(seed, margin=0.0):
            if isinstance(search, AStar) and not {"multiplier", "depth_bias"}.isdisjoint(limits):
                continue
            told = f"case {seed}, {search}"
            outcome = solve(replace(search, **limits), case.space(), case.table, seed)
            assert max(outcome.promises) <= optimum + TOLERANCE, told
            missed += outcome.cost > optimum + TOLERANCE
    assert missed > 0, "nothing is ever given up: they show nothing"


def test_the_worst_are_evicted_and_the_best_taken_out_first() -> None:
    for seed in range(50):
        random = Random(seed)
        programs = [random_sketch(random, each) for each in random_case(seed).programs()]
        nodes = [
            Node(program, None, g=random.choice((0.1, 0.5, random.random())))
            for program in random.sample(programs, 10)
        ]
        frontier = Frontier(capacity=6)
        evicted = [gone for node in nodes for gone in frontier.add([node])]
        assert {*frontier, *evicted} == set(nodes) and len(frontier) == 6
        taken = [frontier.pop(lambda holes: 0.0) for _ in range(6)]
        assert [node.f for node in taken] == sorted(node.f for node in nodes)[:6]
        assert not frontier


@pytest.mark.parametrize("kind", [AStar, IDSBB])
def test_children_are_capped_at_random_by_the_seed(kind: type[Search]) -> None:
    search = kind(max_children=2, deduplicate=False, lazy=False)
    for _, case in itertools.islice(filter(has_many_children, cases(0, 100)), 3):
        children = set(case.space().expansions(root_of(case)))
        kept = []
        for seed in range(40):
            outcome = solve(search, case.space(), case.table, seed)
            assert outcome.asked == solve(search, case.space(), case.table, seed).asked
            kept.append({node.program for node in outcome.moments[0].nodes})
        assert all(len(some) == 2 for some in kept)
        assert set.union(*kept) == children and not set.intersection(*kept)


def has_many_children(numbered: tuple[int, Case]) -> bool:
    case = numbered[1]
    return len(case.space().expansions(root_of(case))) > 3


def root_of(case: Case) -> Program:
    return Hole(case.brute.grammar.root)


class Even(Table):
    """All partial programs alike, and all complete ones: no reason to leave anything out."""

    def score(self, program: Program) -> Score:
        return Score(0.0 if program.n_holes else 0.5)


@pytest.mark.parametrize("initial_depth", [1, 2, 4])
def test_the_depth_limit_grows_when_all_within_it_is_done(initial_depth: int) -> None:
    deepened = 0
    for seed, case in cases(2, 60):
        table = Even(case.table.grammar, case.constraints, seed, weight=0.0)
        search = IDSBB(initial_depth=initial_depth, deduplicate=False, exploration=0)
        sizes = [program.size for program in solve(search, case.space(), table).asked]
        deeper = [size for size in sizes if size > initial_depth]
        assert deeper == sorted(deeper), f"case {seed}"
        assert not deeper or max(sizes[: sizes.index(deeper[0])]) == initial_depth
        deepened += len(set(deeper)) > 1
    assert initial_depth > 3 or deepened > 0


# Trainings that diverge


@pytest.mark.parametrize("share", [0.3, 1.0])
def test_diverged_programs_take_the_parents_h_or_error_1(share: float) -> None:
    for seed, case in cases(3, 50, diverging=share):
        optimum = case.optimum()
        for search in searches(seed):
            outcome = solve(search, case.space(), case.table, seed)
            told = f"case {seed}, {search}"
            assert is_close(outcome.cost, optimum), told
            assert max(outcome.promises) <= optimum + TOLERANCE, told
            for node in outcome.nodes:
                if case.table.score(node.program).diverged and node.parent is not None:
                    assert node.h == h_if_diverged(node, case, search), told


def h_if_diverged(node: Node, case: Case, search: Search) -> float:
    assert node.parent is not None
    if node.complete:
        return 1.0
    if isinstance(node.parent.program, Hole):
        root = case.table.score(node.parent.program)
        return root.error if search.train_root and not root.diverged else 0.0
    # A form that is smaller than the child itself has nothing from the parent.
    return node.parent.h if node.program.size > node.parent.program.size else 0.0


# From sketches and programs


def test_from_a_sketch_the_best_completion_is_found() -> None:
    for seed, case in cases(1, 128):
        random = Random(seed)
        sketch = random_sketch(random, random.choice(case.programs()))
        optimum, best = case.optimum(sketch), case.optimum()
        for search in searches(seed):
            outcome = solve(search, case.space(sketch), case.table, seed)
            told = f"case {seed}, {label(sketch)}, {search}"
            # A canonical form is smaller: it may be that of a completion beyond the depth.
            assert best - TOLERANCE <= outcome.cost <= optimum + TOLERANCE, told
            assert search.deduplicate or is_close(outcome.cost, optimum), told
            assert max(outcome.promises) <= optimum + TOLERANCE, told


def test_refining_never_gives_a_worse_program() -> None:
    better = 0
    for seed, case in cases(4, 60):
        given = Random(seed).choice(case.programs())
        starts = neighbours(case.space(), given)
        assert starts[0] == given
        optimum = case.optimum(*starts)
        for search in searches(seed):
            outcome = solve(search, case.space(*starts), case.table, seed)
            told = f"case {seed}, {label(given)}, {search}"
            assert outcome.cost <= optimum + TOLERANCE, told
            assert search.deduplicate or is_close(outcome.cost, optimum), told
            assert max(outcome.promises) <= optimum + TOLERANCE, told
            better += outcome.cost < case.table.cost(given) - TOLERANCE
    assert better > 60


# How much is trained


@pytest.mark.slow
def test_lazy_searches_train_less() -> None:
    trained = {(kind, lazy): 0 for kind in (AStar, IDSBB) for lazy in (True, False)}
    for seed, case in cases(5, 60):
        for search, lazy in itertools.product(searches(seed, probes=False), (True, False)):
            outcome = solve(replace(search, lazy=lazy), case.space(), case.table, seed)
            trained[type(search), lazy] += len(outcome.asked)
    for kind in (AStar, IDSBB):
        assert trained[kind, True] < trained[kind, False]


class Upward(Table):
    """f rises with every hole that is closed: its order alone would leave programs to the end."""

    def score(self, program: Program) -> Score:
        return Score(1 / (1 + program.n_holes))


def test_a_lazy_search_soon_has_a_program() -> None:
    """After at most one training more than the smallest program has rules, whatever f says."""
    for seed, case in cases(6, 60):
        grammar = case.table.grammar
        table = Upward(grammar, case.constraints, seed, case.table.weight)
        for search in searches(seed, lazy=True, probes=False):
            if isinstance(search, IDSBB):
                search = replace(search, initial_depth=case.constraints.max_depth)
            asked = solve(search, case.space(), table, seed).asked[search.train_root :]
            complete = [not program.n_holes for program in asked]
            assert complete.index(True) <= grammar.least_rules[grammar.root], (
                f"case {seed}, {search}"
            )


class Misleading(Table):
    """Every h is as high as it can be: nothing tells where the good programs are."""

    def _h(self, program: Program, text: str) -> float:
        return 1.0


@pytest.mark.slow
def test_programs_are_explored_beside_what_h_leads_to() -> None:
    """As many as are allowed; none comes twice, or costs more than the best."""
    counts = {0: 0, 1: 0, 2: 0}
    for seed, case in cases(7, 60):
        table = Misleading(case.table.grammar, case.constraints, seed, case.table.weight)
        always = {"lazy": True, "deduplicate": True, "exploration": 2, "width": 1}
        for search in searches(seed, **always, probes=False, margin=math.inf):
            outcome = solve(search, case.space(), table, seed)
            assert len(set(outcome.asked)) == len(outcome.asked), f"case {seed}, {search}"
            for moment in outcome.moments:
                _, *explored = moment.nodes  # the first is the search's own
                costs = [case.space().cost(node.program) for node in explored]
                assert all(cost < moment.incumbent for cost in costs), f"case {seed}, {search}"
                for node in explored:  # a canonical form need not complete what leads to it
                    above = node.parent and table.least(node.parent.program)
                    assert above is None or above <= table.score(node.program).error
                counts[len(explored)] += 1
    assert all(counts.values())
