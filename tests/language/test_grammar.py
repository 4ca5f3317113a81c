"""Grammars against brute force: what can be derived, how often, and at what cost."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from strategies import USER_FUNCTIONS, domains, programs, rich_domain, signatures

from nearstar.language.domain import Domain
from nearstar.language.function import record
from nearstar.language.grammar import Grammar, Rule
from nearstar.language.operation import Operation
from nearstar.language.operators import Affine, Group, Terms
from nearstar.language.program import Apply, Hole, Program, is_complete, walk
from nearstar.language.types import Signature, Vector
from nearstar.util.errors import DomainError, ProgramError

# Costs


@pytest.mark.parametrize("penalty", [0.01, 0.25])
def test_a_rule_costs_the_penalty_for_each_hole_it_opens(penalty: float) -> None:
    domain = rich_domain()
    domain = Domain.from_dict({**domain.to_dict(), "penalty": penalty})
    grammar = domain.grammar(domain.signature(2, per_frame=True))
    costs = {
        rule.operation.name: rule.cost / penalty
        for rule in (*grammar.sequences, *grammar.summaries, *grammar.vectors)
    }
    leaves = ("Affine", "LeftAffine", "FarRightAffine", "sel_left", "sel_far_right", "const", "x")
    holes = dict.fromkeys(leaves, 0)
    holes |= {"Affine{x0}": 0, "Affine{x0, x1}": 0}
    holes |= {name: 1 for name in costs if "Window" in name}
    holes |= {"map": 1, "mapprefix": 1, "fold": 1, "memory": 1}
    holes |= dict.fromkeys(("add", "multiply", "difference", "min", "max"), 2) | {"if": 3}
    holes |= {"ratio": 2, "manhattan": 2, "squares": 0, "blend": 2, "scaled": 1}
    assert costs == pytest.approx(holes)


def test_costs_can_be_overridden() -> None:
    dear = record(lambda a: a * 2, "dear", takes=("out",), cost=0.7)
    dearer = record(lambda a: a * 3, "dearer", takes=("out",), cost=0.7)
    costs = {"map": 0.5, "FRAffine": 0.125, "if": 0.0, "dearer": 2, "SlidingWindowAverage5": 4}
    domain = Domain.of_size(
        3, groups=(Group("far_right", (2,)),), aliases={"FR": "far_right"}, penalty=0.25
    ).with_functions(dear, dearer)
    domain = Domain.from_dict({**domain.to_dict(), "costs": costs})
    grammar = domain.grammar(domain.signature(2, per_frame=True))
    for kind, name, cost in (
        ("sequences", "map", 0.5),
        ("sequences", "mapprefix", 0.25),
        ("sequences", "if", 0.0),
        ("summaries", "if", 0.0),
        ("summaries", "SlidingWindowAverage5", 4),
        ("vectors", "FarRightAffine", 0.125),  # given for its alias
        ("vectors", "dear", 0.7),
        ("vectors", "dearer", 2),
        ("vectors", "add", 0.5),
    ):
        (found,) = {r.cost for r in getattr(grammar, kind) if r.operation.name == name}
        assert found == cost, name


ENDS = {"VV": "vector -> vector", "SV": "sequence -> vector", "SS": "sequence -> sequence"}


def ends_of(signature: Signature) -> str:
    return ENDS[type(signature.input).__name__[0] + type(signature.output).__name__[0]]


def priced(domain: Domain, operation: Operation, signature: Signature) -> float:
    """The cost of a rule by looking it up: first with its type, then without."""
    own = {0: domain.penalty * operation.opens, 1: operation.cost}[operation.cost is not None]
    by_name = domain.costs.get(operation.name, own)
    return domain.costs.get(f"{operation.name}: {ends_of(signature)}", by_name)


@pytest.mark.parametrize("cost", [0.0, 0.2, 0.5])
def test_a_cost_at_one_type_decides_what_closes_a_hole(cost: float) -> None:
    """A sequence as it is, if that is cheap; else map with a leaf, whatever x costs elsewhere."""
    rules = {"sequences": ("map", "x"), "vectors": ("x", "affine"), "summaries": ("fold",)}
    costs = {"map": 0.1, "Affine": 0.2, "x": 0.4, "x: sequence -> sequence": cost}
    domain = Domain.of_size(2, **rules, costs=costs)
    grammar = domain.grammar(domain.signature(2, per_frame=True))
    start = Hole(grammar.root)
    assert grammar.closing_cost(start) == pytest.approx(min(cost, 0.3))
    mapped, itself = grammar.expansions(start)
    assert (grammar.cost(itself), grammar.closing_cost(itself)) == (cost, 0)
    assert (grammar.cost(mapped), grammar.closing_cost(mapped)) == (0.1, 0.2)
    assert [grammar.cost(each) for each in grammar.expansions(mapped)] == [0.5, pytest.approx(0.3)]


@pytest.mark.parametrize("cost", [-0.1, math.nan, math.inf])
def test_costs_that_no_search_could_work_with(cost: float) -> None:
    with pytest.raises(DomainError, match="the cost of Affine must be from 0"):
        Rule(Affine(), cost)


# Brute force


def completions(grammar: Grammar, signature: Signature, size: int) -> Iterator[Program]:
    """Every complete program of exactly this size, from the definition of a derivation."""
    for rule in rules_of(grammar, signature):
        arguments = rule.operation.arguments(signature)
        for chosen in _choices(grammar, arguments, size - 1):
            yield Apply(rule.operation, signature, chosen)


def _choices(
    grammar: Grammar, signatures: tuple[Signature, ...], size: int
) -> Iterator[tuple[Program, ...]]:
    if not signatures:
        if size == 0:
            yield ()
        return
    for first in range(1, size - len(signatures) + 2):
        for rest in _choices(grammar, signatures[1:], size - first):
            for program in completions(grammar, signatures[0], first):
                yield (program, *rest)


def rules_of(grammar: Grammar, signature: Signature) -> list[Rule]:
    kind = {"VV": "vectors", "SV": "summaries", "SS": "sequences"}[
        type(signature.input).__name__[0] + type(signature.output).__name__[0]
    ]
    rules: tuple[Rule, ...] = getattr(grammar, kind)
    return [rule for rule in rules if rule.operation.arguments(signature) is not None]


def least(grammar, signature, weight, above=frozenset()) -> float:
    """Least weight of a completion: it never needs a type again below itself."""
    if signature in above:
        return math.inf
    return min(
        (
            weight(rule)
            + sum(
                least(grammar, argument, weight, above | {signature})
                for argument in rule.operation.arguments(signature)
            )
            for rule in rules_of(grammar, signature)
        ),
        default=math.inf,
    )


def reachable(grammar, signature: Signature, found: set[Signature]) -> set[Signature]:
    if signature not in found:
        found.add(signature)
        for rule in rules_of(grammar, signature):
            for argument in rule.operation.arguments(signature):
                reachable(grammar, argument, found)
    return found


class Rules:
    """What looks like a grammar to brute force, with no check of its own."""

    def __init__(self, domain: Domain) -> None:
        for kind in ("sequences", "summaries", "vectors"):
            operations = map(domain.operation, getattr(domain, kind))
            setattr(self, kind, tuple(Rule(operation, 1) for operation in operations if operation))


def subset(*names: str) -> st.SearchStrategy[tuple[str, ...]]:
    return st.lists(st.sampled_from(names), unique=True, max_size=3).map(tuple)


TYPED = (
    *(f"if: {ends}" for ends in ENDS.values()),
    *("x: vector -> vector", "x: sequence -> sequence", "fold: sequence -> vector"),
)


@st.composite
def small_domains(draw: st.DrawFn) -> Domain:
    """Few rules, at any costs; some holes may be impossible to close."""
    functions = draw(st.lists(st.sampled_from(USER_FUNCTIONS), unique=True, max_size=1))
    names = ("if", "add", "const", "Affine", "LeftAffine", "sel_left", "x")
    domain = Domain.of_size(
        2,
        groups=(Group("left", (0,)),),
        sequences=draw(subset("map", "mapprefix", "if", "x")),
        summaries=draw(subset("fold", "SlidingWindowAverage5", "if")),
        vectors=draw(subset(*names)),
        accumulator=draw(st.integers(0, 2)),
        costs=draw(
            st.dictionaries(st.sampled_from(("map", *names, *TYPED)), st.sampled_from((0, 0.5, 3)))
        ),
    )
    return domain.with_functions(*functions)


@settings(max_examples=150)
@given(st.data())
def test_holes_that_cannot_be_closed_are_an_error(data: st.DataObject) -> None:
    domain = data.draw(small_domains())
    root, rules = data.draw(signatures(domain, 2)), Rules(domain)
    types = reachable(rules, root, set())
    hopeless = [t for t in types if math.isinf(least(rules, t, lambda rule: 1))]
    if hopeless:
        with pytest.raises(DomainError, match="no rule can close") as raised:
            domain.grammar(root)
        named = [t for t in hopeless if f"of type {t}" in str(raised.value)]
        assert named
    else:
        grammar = domain.grammar(root)
        assert set(grammar.least_rules) == set(grammar.least_cost) == types


@pytest.mark.parametrize(
    ("rules", "named"),
    [
        ({"vectors": ["add", "if"]}, "Vector(2) → Vector(2), which add, if, map would open"),
        ({"vectors": []}, "Vector(2) → Vector(2), which map would open"),
        (
            {"summaries": ["if"], "sequences": ["mapprefix"]},
            "Sequence(2) → Vector(2), which if, mapprefix would open; add a rule that fits it, "
            "such as fold",
        ),
        ({"sequences": []}, "Sequence(2) → Sequence(2); add a rule that fits it, such as map"),
        (
            {"vectors": ["x"], "sequences": ["mapprefix"], "summaries": ["fold"]},
            "Vector(2) + 2 carried → Vector(2), which fold would open",
        ),
    ],
)
def test_the_type_at_fault_is_named(rules: dict[str, list[str]], named: str) -> None:
    sequences = {"sequences": ["map"], "summaries": ["SlidingWindowAverage5"]}
    domain = Domain.from_dict({"features": 2, "rules": {**sequences, **rules}})
    with pytest.raises(DomainError) as raised:
        domain.grammar(domain.signature(2, per_frame=True))
    assert f"no rule can close a hole of type {named}" in str(raised.value)


@settings(max_examples=150)
@given(st.data())
@pytest.mark.slow
def test_costs_by_type_add_up_and_bound_what_closes_a_hole(data: st.DataObject) -> None:
    """Against tables by hand and all small programs."""
    domain = data.draw(small_domains())
    try:
        grammar = domain.grammar(data.draw(signatures(domain, 2)))
    except DomainError:
        assume(False)
    by_hand = {
        signature: least_by_hand(domain, grammar, signature) for signature in grammar.least_cost
    }
    assert grammar.least_cost == pytest.approx(by_hand)
    for size in range(1, 5):
        for program in completions(grammar, grammar.root, size):
            nodes = [node for _, node in walk(program)]
            cost = sum(priced(domain, node.operation, node.signature) for node in nodes)
            assert grammar.cost(program) == pytest.approx(cost)
            assert domain.cost(program) == pytest.approx(cost)
            assert cost >= grammar.closing_cost(Hole(grammar.root)) - 1e-12


def least_by_hand(domain, grammar, signature, above=frozenset()) -> float:
    """Least cost of a completion: it never needs a type again below itself."""
    if signature in above:
        return math.inf
    return min(
        priced(domain, rule.operation, signature)
        + sum(
            least_by_hand(domain, grammar, argument, above | {signature})
            for argument in rule.operation.arguments(signature)
        )
        for rule in rules_of(grammar, signature)
    )


@st.composite
def small_grammars(draw: st.DrawFn) -> Grammar:
    domain = draw(small_domains())
    try:
        return domain.grammar(draw(signatures(domain, 2)))
    except DomainError:
        assume(False)
        raise


DEPTH = 6


@settings(max_examples=60)
@given(small_grammars(), st.integers(1, DEPTH))
def test_every_program_is_derived_exactly_once(grammar: Grammar, max_depth: int) -> None:
    derived: list[Program] = []

    def descend(program: Program) -> bool:
        """Whether it can be completed, and so can everything that is kept below it."""
        if is_complete(program):
            derived.append(program)
            return True
        below = [descend(child) for child in grammar.expansions(program, max_depth)]
        return bool(below) and all(below)  # whatever is kept can be completed

    if grammar.least_rules[grammar.root] <= max_depth:
        assert descend(Hole(grammar.root))
    else:
        assert grammar.expansions(Hole(grammar.root), max_depth) == []
    expected = [
        p for size in range(max_depth + 1) for p in completions(grammar, grammar.root, size)
    ]
    assert set(Counter(derived).values()) <= {1}
    assert set(derived) == set(expected)
    assert all(program in grammar for program in derived)


@settings(max_examples=60)
@given(small_grammars())
def test_what_it_takes_to_close_a_hole(grammar: Grammar) -> None:
    for signature, rules in grammar.least_rules.items():
        sizes = (size for size in range(1, 30) if any(completions(grammar, signature, size)))
        assert rules == next(sizes)
        cost = grammar.least_cost[signature]
        assert cost == pytest.approx(least(grammar, signature, lambda rule: rule.cost))
        for size in range(1, 5):
            for program in completions(grammar, signature, size):
                assert spent(grammar, program) >= cost - 1e-12


def spent(grammar: Grammar, program: Program) -> float:
    (rule,) = (r for r in rules_of(grammar, program.signature) if r.operation == program.operation)
    return rule.cost + sum(spent(grammar, argument) for argument in program.arguments)


@given(st.data())
def test_costs_along_a_derivation(data: st.DataObject) -> None:
    domain = data.draw(domains())
    grammar = domain.grammar(data.draw(signatures(domain)))
    program = data.draw(programs(grammar, holes=True))
    children = grammar.expansions(program)
    if is_complete(program):
        assert children == []
        assert grammar.cost(program) == pytest.approx(spent(grammar, program))
        assert grammar.closing_cost(program) == grammar.closing_rules(program) == 0
        return
    cost, closing = grammar.cost(program), grammar.closing_cost(program)
    assert all(child in grammar and child.size == program.size + 1 for child in children)
    assert all(grammar.cost(child) >= cost for child in children)
    # The bound never falls, and some child keeps it.
    bounds = [grammar.cost(child) + grammar.closing_cost(child) for child in children]
    assert min(bounds) == pytest.approx(cost + closing)
    sizes = [child.size + grammar.closing_rules(child) for child in children]
    assert min(sizes) == program.size + grammar.closing_rules(program)


RICH = rich_domain()


def is_made(node: Apply, grammar: Grammar) -> bool:
    """By a rule; or it is a leaf of a few features, and a leaf that reads these is a rule."""
    operations = [rule.operation for rule in rules_of(grammar, node.signature)]
    few = isinstance(node.operation, Affine) and isinstance(node.operation.group, Terms)
    reads = set(node.operation.columns(node.signature))
    return node.operation in operations or any(
        few and isinstance(each, Affine) and reads <= set(each.columns(node.signature))
        for each in operations
    )


@given(st.data())
def test_membership(data: st.DataObject) -> None:
    root = data.draw(signatures(RICH, 2))
    program = data.draw(programs(RICH.grammar(root), 6, holes=True))
    kept = {
        kind: data.draw(st.lists(st.sampled_from(getattr(RICH, kind)), unique=True, min_size=1))
        for kind in ("sequences", "summaries", "vectors")
    }
    try:
        domain = Domain.from_dict({**RICH.to_dict(), "rules": kept})
        grammar = domain.grammar(root)
    except DomainError:
        assume(False)
    inside = all(isinstance(node, Hole) or is_made(node, grammar) for _, node in walk(program))
    assert (program in grammar) == inside
    assert Hole(root.giving(Vector(7))) not in grammar
    if not inside:
        with pytest.raises(ProgramError, match="not a rule"):
            grammar.cost(program)
