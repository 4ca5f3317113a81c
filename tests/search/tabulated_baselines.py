"""Small spaces with tabulated errors for the baselines, and what all of them promise.

A test file inherits ``Promises`` for its algorithm. Programs are enumerated by plain recursion on
the grammar; errors come from a hash of the canonical form, so that equivalent programs have the
same.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from itertools import product
from typing import Any, ClassVar

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from nearstar.language.canonical import canonical
from nearstar.language.domain import Domain
from nearstar.language.grammar import Grammar
from nearstar.language.operators import Group
from nearstar.language.program import Apply, Hole, Program, is_complete, node_at, replace, walk
from nearstar.language.text import to_text
from nearstar.language.types import Signature
from nearstar.search.constraints import Constraints
from nearstar.search.protocol import Algorithm, Node, Score
from nearstar.search.space import Space
from nearstar.util.errors import NearstarError
from nearstar.util.seeds import seed_for

CLOSE = 1e-9
"""Costs are sums of the same numbers in different orders."""

Errors = Callable[[Program], float]

GROUPS = (Group("left", (0,)), Group("right", (1,)), Group("both", (0, 1)))
LISTS = ("mapprefix", "if", "x")
SUMMARIES = ("SlidingWindowAverage5", "CentredWindowAverage11", "SlidingWindowMax1", "if")
VECTORS = ("add", "multiply", "difference", "min", "if", "const", "sel", "x")


# Spaces


@st.composite
def grammars(draw: st.DrawFn, prices: bool = False) -> Grammar:
    """Grammars of few rules; with ``prices``, some have costs of their own, or none."""
    some = [st.sets(st.sampled_from(names)).map(sorted) for names in (LISTS, SUMMARIES, VECTORS)]
    names = ("map", "fold", "add", "if", "LeftAffine", "BothAffine", "if: sequence -> vector")
    costs = st.dictionaries(st.sampled_from(names), st.sampled_from((0.0, 0.003, 0.05)))
    domain = Domain.of_size(
        2,
        groups=GROUPS[: draw(st.integers(1, 3))],
        sequences=("map", *draw(some[0])),
        summaries=("fold", *draw(some[1])),
        vectors=("affine", *draw(some[2])),
        penalty=draw(st.sampled_from((0.01, 0.3))),
    )
    # Only rules in use have a price.
    used = {name for name in names if domain.operation(name.partition(":")[0]) is not None}
    priced = {name: cost for name, cost in draw(costs).items() if name in used} if prices else {}
    domain = Domain.from_dict({**domain.to_dict(), "costs": priced})
    frames, vectors = draw(st.sampled_from([(True, False), (False, False), (False, True)]))
    return domain.grammar(
        domain.signature(draw(st.integers(1, 2)), per_frame=frames, vectors=vectors)
    )


@st.composite
def spaces(draw: st.DrawFn, prices: bool = False, most: int = 1500) -> Space:
    """Spaces of all programs of a small grammar up to a depth: at least one, few enough to list."""
    grammar = draw(grammars(prices))
    depth = draw(st.integers(int(grammar.least_rules[grammar.root]), 5))
    while depth > grammar.least_rules[grammar.root] and count(grammar, depth) > most:
        depth -= 1
    assume(count(grammar, depth) <= most)
    weight = draw(st.sampled_from((1.0, 0.0, 3.0)))
    return Space(grammar, Constraints(max_depth=depth), weight)


def plain_space(
    *, depth: int = 6, roots: tuple[Program, ...] = (), vectors: bool = False, **constraints: Any
) -> Space:
    """A space with all kinds of rules, far too large to be exhausted at the depth of 6."""
    domain = Domain.of_size(2, groups=GROUPS, vectors=("if", "add", "multiply", "affine", "const"))
    root = domain.signature(2, per_frame=not vectors, vectors=vectors)
    return Space(domain.grammar(root), Constraints(max_depth=depth, **constraints), 1.0, roots)


@st.composite
def sketches(draw: st.DrawFn, space: Space) -> Program:
    """Programs of a space with some parts opened again; perhaps none, perhaps all."""
    programs = complete_programs(space.grammar, space.constraints.max_depth)
    program = draw(st.sampled_from(programs))
    for _ in range(draw(st.integers(0, 3))):
        path, node = draw(st.sampled_from(list(walk(program))))
        program = replace(program, path, Hole(node.signature))
    return program


# Brute force


def complete_programs(grammar: Grammar, most_rules: int) -> list[Program]:
    """Every complete program of a grammar with at most so many rules."""
    return [
        program
        for rules in range(1, most_rules + 1)
        for program in of_size(grammar, grammar.root, rules)
    ]


def count(grammar: Grammar, most_rules: int) -> int:
    """How many they are; stops at the first size of too many to list."""
    total = 0
    for rules in range(1, most_rules + 1):
        total += len(of_size(grammar, grammar.root, rules))
        if total > 5000:
            break
    return total


def of_size(grammar: Grammar, signature: Signature, rules: int) -> list[Program]:
    """Every complete program of a signature with exactly so many rules."""
    return _table(id(grammar), grammar)(signature, rules)


_tables: dict[int, tuple[Grammar, Callable[[Signature, int], list[Program]]]] = {}


def _table(key: int, grammar: Grammar) -> Callable[[Signature, int], list[Program]]:
    """Programs by signature and size; kept by identity, since hashing a grammar takes long."""
    if key in _tables and _tables[key][0] is grammar:
        return _tables[key][1]

    @cache
    def exactly(signature: Signature, rules: int) -> list[Program]:
        return [
            Apply(rule.operation, signature, parts)
            for rule in grammar.rules(signature)
            for parts in fillings(rule.operation.arguments(signature) or (), rules - 1)
        ]

    def fillings(holes: tuple[Signature, ...], rules: int) -> list[tuple[Program, ...]]:
        if not holes:
            return [()] if rules == 0 else []
        return [
            (first, *rest)
            for share in range(1, rules - len(holes) + 2)
            for first, rest in product(exactly(holes[0], share), fillings(holes[1:], rules - share))
        ]

    if len(_tables) > 50:
        _tables.clear()
    _tables[key] = grammar, exactly
    return exactly


def naively_completes(program: Program, sketch: Program) -> bool:
    """Whether opening the program where the sketch is open gives the sketch."""
    for path, node in walk(sketch):
        if isinstance(node, Hole):
            try:
                program = replace(program, path, Hole(node_at(program, path).signature))
            except IndexError:
                return False
    return program == sketch


# Running


def hashed(space: Space, salt: int = 0) -> Errors:
    """Errors from 0 to 1 that only the canonical form decides."""

    def error(program: Program) -> float:
        return seed_for(salt, to_text(canonical(program, space.grammar))) / 2**63

    return error


@dataclass
class Run:
    """What a search asked, in order, and how it ended."""

    batches: list[list[Program]] = field(default_factory=list)
    bounds: list[float | None] = field(default_factory=list)
    nodes: list[Node] = field(default_factory=list)
    ended: float | None = None

    @property
    def asked(self) -> list[Program]:
        return [program for batch in self.batches for program in batch]


def run(algorithm: Algorithm, space: Space, seed: int = 0, error: Errors | None = None) -> Run:
    """Drive a search to its end with tabulated errors."""
    error = hashed(space) if error is None else error
    result, search = Run(), algorithm.search(space, seed)
    try:
        ask = next(search)
        while True:
            assert ask.nodes, "an empty ask"
            result.batches.append([node.program for node in ask.nodes])
            result.bounds.append(ask.bound)
            result.nodes += ask.nodes
            ask = search.send([Score(error(node.program)) for node in ask.nodes])
    except StopIteration as end:
        result.ended = end.value
    return result


# Promises of all baselines on complete programs


class Promises:
    """Tests that every baseline inherits; each names its algorithm."""

    few: ClassVar[Any]
    """The algorithm with settings for a short run."""
    published: ClassVar[Any]
    """The algorithm with what the paper has for crim13."""
    bad: ClassVar[tuple[tuple[str, Any], ...]]
    """Settings that are refused."""
    random: ClassVar[bool] = True

    def make(self, **changes: Any) -> Any:
        return dataclasses.replace(self.few, **changes)

    def most(self, algorithm: Any, space: Space) -> int:
        """The most programs that it may ask."""
        raise NotImplementedError

    @settings(max_examples=25)
    @given(space=spaces(prices=True), deduplicate=st.booleans(), seed=st.integers(0, 99))
    def test_asks_for_complete_programs_of_the_space_each_once(
        self, space: Space, deduplicate: bool, seed: int
    ) -> None:
        algorithm = self.make(deduplicate=deduplicate)
        error = hashed(space, seed)
        result = run(algorithm, space, seed, error)
        asked = result.asked
        assert 1 <= len(asked) <= self.most(algorithm, space)
        assert all(map(is_complete, asked))
        assert all(program in space.grammar and space.allows(program) for program in asked)
        assert len(set(asked)) == len(asked)
        if deduplicate:
            assert [space.form(program) for program in asked] == asked
        for node in result.nodes:
            assert node.trained and node.parent is None
            assert node.f == pytest.approx(space.cost(node.program) + error(node.program))

    @settings(max_examples=25)
    @given(data=st.data(), space=spaces(), deduplicate=st.booleans(), several=st.booleans())
    def test_starts(
        self, data: st.DataObject, space: Space, deduplicate: bool, several: bool
    ) -> None:
        starts = [data.draw(sketches(space)) for _ in range(3 if several else 1)]
        weight, constraints = space.weight, space.constraints
        space = Space(space.grammar, constraints, weight, starts)
        asked = run(self.make(deduplicate=deduplicate), space).asked
        assert asked and len(set(asked)) == len(asked)
        for program in asked:
            assert program in space.grammar and space.allows(program)
            assert any(naively_completes(program, start) for start in starts)

    @pytest.mark.parametrize("text", ["canonical", "not canonical"])
    def test_a_complete_start_is_asked_as_given(self, text: str) -> None:
        root = plain_space(vectors=True)
        adds = of_size(root.grammar, root.grammar.root, 3)
        start = next(p for p in adds if (root.form(p) == p) == (text == "canonical"))
        assert run(self.make(), plain_space(vectors=True, roots=(start,))).asked == [start]

    @pytest.mark.parametrize(
        "constraints",
        [
            {"require": ("multiply", "if"), "depth": 7},
            {"limit": {"add": 1, "BothAffine": 0}},
            {"forbid": ("if", "add")},
            {"max_height": 3, "limit": {"multiply": 1}},
            {"require": ("mapprefix", "fold", "add", "const"), "depth": 6},
        ],
        ids=str,
    )
    @pytest.mark.parametrize("deduplicate", [True, False])
    def test_keeps_constraints(self, constraints: dict[str, Any], deduplicate: bool) -> None:
        space = plain_space(**constraints)
        asked = run(self.make(deduplicate=deduplicate), space).asked
        assert asked
        for program in asked:
            names = [node.operation.name for _, node in walk(program) if isinstance(node, Apply)]
            assert program.size <= constraints.get("depth", 6)
            assert program.height <= constraints.get("max_height", 99)
            assert set(constraints.get("require", ())) <= set(names)
            assert not set(constraints.get("forbid", ())) & set(names)
            limits = constraints.get("limit", {})
            assert all(names.count(name) <= most for name, most in limits.items())

    def test_the_seed_decides(self) -> None:
        space = plain_space()
        runs = [run(self.make(), space, seed) for seed in (1, 1, 2)]
        assert runs[0].batches == runs[1].batches
        assert (runs[0].asked != runs[2].asked) == self.random

    def test_published_settings(self) -> None:
        kind, crim13 = type(self.few), Domain.built_in("crim13")
        assert kind.paper(crim13) == self.published
        changed = dataclasses.replace(self.published, deduplicate=True)
        assert kind.paper(crim13, deduplicate=True) == changed
        usual = {name: getattr(kind(), name) for name in kind.published}
        assert kind.sized(crim13) == dataclasses.replace(self.published, **usual)
        assert kind.sized(crim13, deduplicate=False) != kind.sized(crim13)
        for make in (kind.paper, kind.sized):
            with pytest.raises(NearstarError, match=r"no published .* domain watch"):
                make(Domain.built_in("watch"))

    def test_settings_that_cannot_be(self) -> None:
        for name, value in (*self.bad, ("deduplicate", 1)):
            with pytest.raises(NearstarError, match=f"^{name} .*not {value!r}"):
                self.make(**{name: value})
