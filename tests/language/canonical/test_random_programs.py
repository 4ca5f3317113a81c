"""What canonical forms promise, on random programs."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable, Iterator

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from language.canonical.trees import DOMAIN, MOST, PLAIN, PLUS, Array, Matrices, random_matrices
from language.canonical.witnesses import Witness, scaled, shifted, signed
from naive import run
from strategies import domains, programs, signatures

from nearstar.language.canonical import canonical, canonical_with_each
from nearstar.language.domain import Domain
from nearstar.language.function import Function
from nearstar.language.grammar import Grammar
from nearstar.language.operators import (
    Affine,
    Constant,
    Group,
)
from nearstar.language.parameters import layout, size_of
from nearstar.language.program import Apply, Hole, Path, Program, node_at, replace, walk
from nearstar.language.types import Signature, Vector


@st.composite
def small_domains(draw: st.DrawFn) -> Domain:
    """Few rules, so that programs repeat themselves and identities meet."""
    vectors = st.sets(st.sampled_from(DOMAIN.vectors[:10]), max_size=3)
    windows = st.sets(st.sampled_from(DOMAIN.summaries[1:6]), max_size=2)
    lifted = st.sets(st.sampled_from([PLUS, MOST]), max_size=1)
    return Domain.of_size(
        3,
        groups=(Group("a", (0,)), Group("ab", (0, 1)), Group("bc", (1, 2))),
        sequences=("map", "mapprefix"),
        summaries=("fold", *sorted(draw(windows))),
        vectors=("const", "affine", *sorted(draw(vectors))),
    ).with_functions(*draw(lifted))


@st.composite
def tasks(draw: st.DrawFn, any_costs: bool = True) -> Grammar:
    """Grammars with all sorts of rules and costs."""
    some = [st.sampled_from([DOMAIN, PLAIN]), small_domains()]
    domain: Domain = draw(st.one_of(*some, domains()) if any_costs else st.one_of(*some))
    names = ["add", "difference", "if", "multiply", "fold", "mapprefix", "Affine", "const"]
    names += ["if: vector -> vector", "if: sequence -> vector", "if: sequence -> sequence"]
    costs = st.dictionaries(st.sampled_from(names), st.sampled_from([0.0, 0.003, 0.05]))
    if any_costs:
        domain = dataclasses.replace(domain, costs=draw(costs))
    return domain.grammar(draw(signatures(domain)))


@settings(deadline=None, max_examples=150)
@given(data=st.data(), grammar=tasks(), holes=st.booleans())
def test_promises(data: st.DataObject, grammar: Grammar, holes: bool) -> None:
    program = data.draw(programs(grammar, max_size=12, holes=holes))
    form = canonical(program, grammar)
    assert canonical(form, grammar) == form
    assert form in grammar
    assert grammar.cost(form) <= grammar.cost(program) + 1e-12
    assert form.size <= program.size
    assert _open(form) == _open(program)


@settings(deadline=None, max_examples=150)
@given(data=st.data(), grammar=tasks())
def test_children_come_in_their_canonical_form(data: st.DataObject, grammar: Grammar) -> None:
    program = data.draw(programs(grammar, max_size=12, holes=True))
    path, opened = grammar.openings(program, None)
    forms = [canonical(child, grammar) for child in grammar.expansions(program)]
    assert canonical_with_each(program, path, opened, grammar) == forms


def _open(program: Program) -> Counter[Signature]:
    return Counter(node.signature for _, node in walk(program) if isinstance(node, Hole))


@settings(deadline=None, max_examples=150)
@given(data=st.data(), grammar=tasks(any_costs=False), holes=st.booleans())
def test_equivalent_programs_meet(data: st.DataObject, grammar: Grammar, holes: bool) -> None:
    program = data.draw(programs(grammar, max_size=9, holes=holes))
    other = program
    for _ in range(data.draw(st.integers(1, 4))):
        changes = list(_equivalents(other, grammar))
        if changes:
            other = data.draw(st.sampled_from(changes))
    assert canonical(other, grammar) == canonical(program, grammar)


def _equivalents(program: Program, grammar: Grammar) -> Iterator[Program]:
    """Programs that can express the same functions, most of them longer."""
    for path, node in walk(program):
        if isinstance(node, Apply):
            for changed in [*_reordered(node), *_complicated(node)]:
                whole = replace(program, path, changed)
                if whole in grammar:
                    yield whole


def _reordered(node: Apply) -> Iterator[Apply]:
    operation, arguments = node.operation, node.arguments
    if isinstance(operation, Function) and operation.laws:
        left, right = arguments
        yield Apply(operation, node.signature, (right, left))
        if isinstance(left, Apply) and left.operation == operation:
            first, second = left.arguments
            inner = Apply(operation, node.signature, (second, right))
            yield Apply(operation, node.signature, (first, inner))
    if operation.name == "if" and _can(node, signed, (0,), -1):
        condition, then, otherwise = arguments
        yield Apply(operation, node.signature, (condition, otherwise, then))


def _complicated(node: Apply) -> Iterator[Apply]:
    """Longer equivalents, where the witnesses show that they are."""
    signature = node.signature
    if not signature.maps_vectors:
        return
    one = np.ones((1, signature.output.size))
    nothing = np.zeros((signature.input_size, signature.output.size))
    constant = Apply(Constant(), signature)
    if _can(node, shifted, (), np.vstack([nothing, one])):
        yield make_binary("add", constant, node)
        yield make_binary("difference", node, constant)
    if _can(node, scaled, (), one.ravel()):
        yield make_binary("multiply", node, constant)
    if isinstance(node.operation, Affine):
        yield make_binary("add", node, node)
        yield make_binary("difference", node, node)
        gate = Apply(Constant(), signature.giving(Vector(1)))
        operation = DOMAIN.operation("if")
        assert operation is not None
        yield Apply(operation, signature, (gate, node, node))


def make_binary(name: str, left: Program, right: Program) -> Apply:
    operation = DOMAIN.operation(name)
    assert operation is not None
    return Apply(operation, left.signature, (left, right))


def _can(node: Apply, change: Callable[..., Witness], path: Path, how: object) -> bool:
    """Whether a witness exists; holes have none."""
    if node_at(node, path).n_holes:
        return False
    matrices = random_matrices(node, 0) if not node.n_holes else _leaves_only(node)
    return change(node, path, matrices, how) is not None


def _leaves_only(node: Apply) -> Matrices:
    return {block.path: np.zeros((block.rows, block.outputs)) for block in layout(node)}


@settings(deadline=None, max_examples=60)
@given(data=st.data(), outputs=st.integers(1, 2), carried=st.integers(0, 2))
def test_sums_keep_every_function(data: st.DataObject, outputs: int, carried: int) -> None:
    """A sum is affine in its parameters, so that what it can express is a plane to compare."""
    columns = st.lists(st.integers(0, 3), min_size=1, max_size=3, unique=True).map(tuple)
    groups = tuple(Group(name, data.draw(columns)) for name in "abcd")
    domain = Domain.of_size(
        4, groups=groups, vectors=("add", "difference", "affine", "const", "sel")
    )
    grammar = domain.grammar(Signature(Vector(4), Vector(outputs), carried))
    program = data.draw(programs(grammar, max_size=11))
    form = canonical(program, grammar)
    origin, directions = _plane(program)
    form_origin, form_directions = _plane(form)
    together = np.vstack([directions, form_directions, origin - form_origin])
    # Values are of size 1: what summing in another order leaves is no direction.
    ranks = {
        int(np.linalg.matrix_rank(matrix, tol=1e-9))
        for matrix in (together, directions, form_directions)
    }
    assert len(ranks) == 1


def _plane(program: Program) -> tuple[Array, Array]:
    """The values without parameters, and what each parameter adds to them."""
    inputs = np.random.default_rng(0).normal(size=(10, program.signature.input_size))

    def value(flat: Array) -> Array:
        return np.concatenate([run(program, flat, each).value for each in inputs])

    size = size_of(layout(program))
    origin = value(np.zeros(size))
    # A row of zeros keeps the shape of programs without parameters.
    return origin, np.array([np.zeros_like(origin), *(value(row) - origin for row in np.eye(size))])
