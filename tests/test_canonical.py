"""Canonical forms: each identity by converting parameters, and the promises on random programs."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from naive import run
from numpy.typing import NDArray
from strategies import USER_FUNCTIONS, domains, programs, signatures

from nearstar.canonical import canonical
from nearstar.canonical.closure import Closure, closure_of, closures_of_holes
from nearstar.canonical.covers import MAX_COVERS
from nearstar.domain import Domain
from nearstar.errors import ProgramError
from nearstar.expression import tanh
from nearstar.function import Function, record
from nearstar.grammar import Grammar
from nearstar.library import (
    MAXIMUM,
    Affine,
    Constant,
    Fold,
    Group,
    Input,
    Map,
    MapPrefix,
    Select,
    Window,
)
from nearstar.parameters import layout, size_of
from nearstar.program import Apply, Hole, Path, Program, node_at, replace, walk
from nearstar.types import Signature, Vector

Array = NDArray[np.float64]
Tree = str | tuple["Tree", ...]
Matrices = dict[Path, Array]
"""The parameters of each leaf that has some."""

ODD = record(lambda a: tanh(a), "odd", takes=("out",))
PLUS = record(
    lambda a, b: a + b,
    "plus",
    takes=("out", "out"),
    lifts=True,
    laws=("commutative", "associative"),
)
MOST = dataclasses.replace(PLUS, name="most", prints="most({0}, {1})", meaning=MAXIMUM.meaning)

DOMAIN = Domain.of_size(
    4,
    groups=(
        Group("a", (0,)),
        Group("b", (1,)),
        Group("ab", (0, 1)),
        Group("bc", (1, 2)),
        Group("all", (0, 1, 2, 3)),
    ),
    sequences=("map", "mapprefix", "if", "x"),
    summaries=(
        "fold",
        "SlidingWindowAverage1",
        "CentredWindowMax1",
        "SlidingWindowChange1",
        "SlidingWindowAverage3",
        "CentredWindowMin3",
        "if",
    ),
    vectors=("if", "add", "multiply", "difference", "min", "max", "affine", "const", "sel", "x"),
).with_functions(ODD, *USER_FUNCTIONS)
PLAIN = Domain.built_in("crim13")

VECTOR = DOMAIN.signature(2, per_frame=False, vectors=True)
SCALAR = DOMAIN.signature(1, per_frame=False, vectors=True)
SUMMARY = DOMAIN.signature(2, per_frame=False)
FRAMES = DOMAIN.signature(2, per_frame=True)
FOLDED = Signature(Vector(4), Vector(2), carried=2)


def grammar_of(signature: Signature, domain: Domain = DOMAIN) -> Grammar:
    return domain.grammar(signature)


def make(tree: Tree, signature: Signature, domain: Domain = DOMAIN) -> Program:
    """A program from names: ("add", "AAffine", "??")."""
    if tree == "??":
        return Hole(signature)
    name, *parts = (tree,) if isinstance(tree, str) else tree
    assert isinstance(name, str)
    operation = domain.operation(name)
    assert operation is not None, name
    types = operation.arguments(signature) or ()
    arguments = (make(part, type_, domain) for part, type_ in zip(parts, types, strict=True))
    return Apply(operation, signature, tuple(arguments))


def tree_of(program: Program) -> Tree:
    """The inverse of ``make``."""
    if isinstance(program, Hole):
        return "??"
    name = program.operation.name
    return (name, *map(tree_of, program.arguments)) if program.arguments else name


def simplified(tree: Tree, signature: Signature = VECTOR, domain: Domain = DOMAIN) -> Tree:
    return tree_of(canonical(make(tree, signature, domain), grammar_of(signature, domain)))


# Parameters by leaf


def random_matrices(program: Program, seed: int) -> Matrices:
    random = np.random.default_rng(seed)
    return {
        block.path: random.normal(0, 0.7, (block.rows, block.outputs)) for block in layout(program)
    }


def theta(program: Program, matrices: Matrices) -> Array:
    """The flat parameters; the keys must be the program's leaves."""
    blocks = layout(program)
    assert {block.path for block in blocks} == set(matrices)
    flat = np.zeros(size_of(blocks))
    for block in blocks:
        assert matrices[block.path].shape == (block.rows, block.outputs)
        block.of(flat)[:] = matrices[block.path]
    return flat


def values(program: Program, matrices: Matrices, seed: int = 0) -> Array:
    """All values on a few random inputs."""
    random = np.random.default_rng(seed)
    signature, flat = program.signature, theta(program, matrices)
    shapes = [(signature.input_size,)] * 6 if signature.maps_vectors else [(1, 4), (5, 4), (7, 4)]
    results = [run(program, flat, random.normal(size=shape)) for shape in shapes]
    assert all(result.comparable for result in results)
    return np.concatenate([result.value.ravel() for result in results])


def under(matrices: Matrices, old: Path, new: Path = ()) -> Matrices:
    """The matrices below a path, moved below another one."""
    return {
        (*new, *path[len(old) :]): matrix
        for path, matrix in matrices.items()
        if path[: len(old)] == old
    }


def full(program: Program, path: Path, matrix: Array) -> Array:
    """An affine leaf's matrix with a row for each column, accumulator component, and the bias."""
    leaf = node_at(program, path)
    assert isinstance(leaf, Apply) and isinstance(leaf.operation, Affine)
    columns = leaf.operation.columns(leaf.signature)
    result = np.zeros((leaf.signature.input_size + 1, matrix.shape[1]))
    result[list(columns)] = matrix[: len(columns)]
    result[leaf.signature.input.size :] = matrix[len(columns) :]
    return result


def restricted(program: Program, path: Path, rows: Array) -> Array:
    """The inverse of ``full``; what the leaf does not read must be zero."""
    leaf = node_at(program, path)
    assert isinstance(leaf, Apply) and isinstance(leaf.operation, Affine)
    keep = [*leaf.operation.columns(leaf.signature), *range(leaf.signature.input.size, len(rows))]
    assert not np.delete(rows, keep, axis=0).any()
    return rows[keep]


# Witnesses: the parameters that make a change of the value, found from the program's structure.
# They are written anew, function by function, where the product derives closures from meanings.

Witness = Matrices | None


def signed(program: Program, path: Path, matrices: Matrices, out: int, carried: int = 1) -> Witness:
    """Parameters for out · f(x, carried · a), both signs, of the part at a path."""
    node = node_at(program, path)
    if isinstance(node, Hole):
        return None
    operation, signature = node.operation, node.signature

    def parts(*changes: tuple[int, int]) -> Witness:
        return both(
            signed(program, (*path, i), matrices, *change) for i, change in enumerate(changes)
        )

    match operation:
        case Affine():
            matrix = out * matrices[path]
            matrix[-1 - signature.carried : -1] *= carried
            return {path: matrix}
        case Constant():
            return {path: out * matrices[path]}
        case Select():
            return {} if out == 1 else None
        case Input():
            return {} if out == 1 and (carried == 1 or not signature.carried) else None
        case Map() | MapPrefix() | Window():
            return parts((out, 1))
        case Fold():
            return parts((out, out))
    assert isinstance(operation, Function)
    change = (out, carried)
    match operation.name:
        case "add" | "difference" | "blend":
            return parts(change, change)
        case "odd" | "scaled":
            return parts(change)
        case "if":
            return parts((1, carried), change, change)
        case "multiply":
            return any_of(
                parts(change, (1, carried)),
                parts((1, carried), change),
                parts((-1, carried), (-1, carried)) if out == 1 else None,
            )
        case "ratio":
            return any_of(parts(change, (1, carried)), parts(change, (-1, carried)))
        case "manhattan" if out == 1:
            return any_of(parts((1, carried), (1, carried)), parts((-1, carried), (-1, carried)))
    return parts(*[(1, carried)] * len(node.arguments)) if out == 1 else None


def scaled(
    program: Program, path: Path, matrices: Matrices, factor: Array, positive: bool = False
) -> Witness:
    """Parameters for factor · f, componentwise, or by one positive number if ``positive``."""
    node = node_at(program, path)
    assert isinstance(node, Apply)

    def parts(*which: int) -> Witness:
        changed = {i: scaled(program, (*path, i), matrices, factor, positive) for i in which}
        rest = [i for i in range(len(node.arguments)) if i not in which]
        return both([*changed.values(), *(under(matrices, (*path, i), (*path, i)) for i in rest)])

    if isinstance(node.operation, Affine | Constant):
        return {path: matrices[path] * factor}
    match node.operation.name:
        case "add" | "difference" | "blend":
            return parts(0, 1)
        case "min" | "max" if positive:
            return parts(0, 1)
        case "manhattan" if positive:
            one = np.full(2, factor.flat[0])
            return both(scaled(program, (*path, i), matrices, one, positive=True) for i in (0, 1))
        case "multiply":
            return any_of(parts(0), parts(1))
        case "ratio" | "scaled":
            return parts(0)
        case "if":
            return parts(1, 2)
    return None


def shifted(program: Program, path: Path, matrices: Matrices, delta: Array) -> Witness:
    """Parameters for f + δ, δ an affine function with a row for all that the input has."""
    result: Witness = under(matrices, path, path)
    for row in np.flatnonzero(delta.any(axis=1)):
        assert result is not None
        single = np.zeros_like(delta)
        single[row] = delta[row]
        result = _shifted_by_row(program, path, result, single)
        if result is None:
            return None
    return result


def _shifted_by_row(program: Program, path: Path, matrices: Matrices, delta: Array) -> Witness:
    node = node_at(program, path)
    assert isinstance(node, Apply)

    def part(index: int, times: float = 1.0) -> Witness:
        return _shifted_by_row(
            program,
            (*path, index),
            under(matrices, (*path, index), (*path, index)),
            times * delta,
        )

    def same(*indices: int) -> Witness:
        return both(under(matrices, (*path, i), (*path, i)) for i in indices)

    if isinstance(node.operation, Affine):
        moved = full(program, path, matrices[path]) + delta
        reads = [*node.operation.columns(node.signature)]
        reads += range(node.signature.input.size, len(delta))
        if np.delete(delta, reads, axis=0).any():
            return None
        return {path: restricted(program, path, moved)}
    if isinstance(node.operation, Constant):
        return None if delta[:-1].any() else {path: matrices[path] + delta[-1]}
    match node.operation.name:
        case "add":
            return any_of(both([part(0), same(1)]), both([same(0), part(1)]))
        case "difference":
            return any_of(both([part(0), same(1)]), both([same(0), part(1, -1.0)]))
        case "blend":
            return any_of(both([part(0, 2.0), same(1)]), both([same(0), part(1, 2.0)]))
        case "if":
            return both([same(0), part(1), part(2)])
        case "min" | "max":
            return both([part(0), part(1)])
    return None


def both(witnesses: Iterator[Witness] | list[Witness]) -> Witness:
    """All of them together; None if one is missing."""
    result: Matrices = {}
    for witness in witnesses:
        if witness is None:
            return None
        result |= witness
    return result


def any_of(*witnesses: Witness) -> Witness:
    """The first that there is."""
    return next((witness for witness in witnesses if witness is not None), None)


def closure(program: Program) -> Closure:
    assert isinstance(program, Apply)
    parts = [closure(argument) for argument in program.arguments]
    return closure_of(program.operation, program.signature, parts)


@settings(deadline=None, max_examples=60)
@given(
    data=st.data(),
    signature=st.sampled_from([SCALAR, VECTOR, FOLDED, SUMMARY, FRAMES]),
    seed=st.integers(0, 999),
)
def test_closures_have_witnesses(data: st.DataObject, signature: Signature, seed: int) -> None:
    program = data.draw(programs(grammar_of(signature), max_size=9))
    found, matrices = closure(program), random_matrices(program, seed)
    assume(np.abs(_all_values(program, matrices, seed)).max() < 1e4)
    before = _all_values(program, matrices, seed)

    def check(holds: bool, witness: Witness, expected: Array, flip: bool = False) -> None:
        if holds:
            assert witness is not None
            after = _all_values(program, witness, seed, flip)
            assert after == pytest.approx(expected, rel=1e-6, abs=1e-6)

    check(found.negate, signed(program, (), matrices, -1), -before)
    if not signature.maps_vectors:
        return
    flipped = signed(program, (), matrices, 1, -1)
    check(found.flip, flipped, before, flip=True)
    check(found.turn, signed(program, (), matrices, -1, -1), -before, flip=True)
    if found.scale:
        factor = np.array([-1.5, 0.0])[: signature.output.size]
        check(True, scaled(program, (), matrices, factor), before * np.resize(factor, before.shape))
    if found.stretch:
        check(True, scaled(program, (), matrices, np.array([2.5]), positive=True), 2.5 * before)
    if found.shift is not None:
        delta = np.random.default_rng(seed).normal(size=(signature.input_size + 1, 2))
        delta = delta[:, : signature.output.size]
        for column in range(signature.input.size):
            delta[column] *= found.shift >> column & 1
        delta[signature.input.size : -1] *= found.shift >> signature.input.size & 1
        inputs = np.random.default_rng(seed).normal(size=(6, signature.input_size))
        added = inputs @ delta[:-1] + delta[-1]
        check(True, shifted(program, (), matrices, delta), before + added.ravel())
    if found.constant:
        assert np.ptp(before.reshape(6, -1), axis=0).max() < 1e-9


def _all_values(program: Program, matrices: Matrices, seed: int, flip: bool = False) -> Array:
    """Values on random inputs; with ``flip`` on those with the accumulator's sign turned."""
    signature, flat = program.signature, theta(program, matrices)
    random = np.random.default_rng(seed)
    shape = (6, signature.input_size) if signature.maps_vectors else (3, 5, 4)
    inputs = random.normal(size=shape)
    if flip:
        inputs[:, signature.input.size :] *= -1
    return np.concatenate([run(program, flat, each).value.ravel() for each in inputs])


# Identities, with parameters converted in both directions

Conversion = Callable[[Program, Program, Matrices], Matrices]
"""From the first program's parameters to those of the second."""


def moved(*places: tuple[Path, Path]) -> Conversion:
    """Parts keep their parameters and change places."""

    def convert(_: Program, __: Program, matrices: Matrices) -> Matrices:
        return {
            path: matrix
            for old, new in places
            for path, matrix in under(matrices, old, new).items()
        }

    return convert


def swapped_if(program: Program, _: Program, matrices: Matrices) -> Matrices:
    condition = signed(program, (0,), matrices, -1)
    assert condition is not None
    return condition | under(matrices, (1,), (2,)) | under(matrices, (2,), (1,))


def merged(program: Program, other: Program, matrices: Matrices) -> Matrices:
    """All affine leaves of a sum in one."""
    total = sum(full(program, path, matrix) for path, matrix in matrices.items())
    return {(): restricted(other, (), np.asarray(total))}


def split(program: Program, other: Program, matrices: Matrices) -> Matrices:
    """One affine leaf as a sum: each row goes to the first leaf that reads it."""
    rows = full(program, (), matrices[()])
    result = {}
    for path, leaf in walk(other):
        if isinstance(leaf, Apply) and isinstance(leaf.operation, Affine):
            reads = [*leaf.operation.columns(leaf.signature)]
            reads += range(leaf.signature.input.size, len(rows))
            mine = np.zeros_like(rows)
            mine[reads] = rows[reads]
            rows = rows - mine
            result[path] = restricted(other, path, mine)
    return result


def leaf_rows(program: Program, path: Path, matrices: Matrices) -> Array:
    """A leaf as an affine function of everything."""
    leaf = node_at(program, path)
    assert isinstance(leaf, Apply)
    signature = leaf.signature
    rows = np.zeros((signature.input_size + 1, signature.output.size))
    match leaf.operation:
        case Affine():
            return full(program, path, matrices[path])
        case Constant():
            rows[-1] = matrices[path]
        case Select():
            for index, column in enumerate(leaf.operation.group.columns):
                rows[column, index] = 1.0
    return rows


def taken_in(leaf: Path, kept: Path, sign: int = 1) -> tuple[Conversion, Conversion]:
    """A leaf of a sum that the part kept takes in, and back with the leaf at zero."""

    def forth(program: Program, _: Program, matrices: Matrices) -> Matrices:
        rows = sign * leaf_rows(program, leaf, matrices)
        result = shifted(program, kept, under(matrices, kept, kept), rows)
        assert result is not None
        return under(result, kept)

    def back(program: Program, other: Program, matrices: Matrices) -> Matrices:
        at_leaf = {
            block.path: np.zeros((block.rows, block.outputs))
            for block in layout(other)
            if block.path == leaf
        }
        result = shifted(program, (), matrices, -sign * leaf_rows(other, leaf, at_leaf))
        assert result is not None
        return at_leaf | under(result, (), kept)

    return forth, back


def times_constant(program: Program, _: Program, matrices: Matrices) -> Matrices:
    result = scaled(program, (1,), matrices, matrices[0,].ravel())
    assert result is not None
    return under(result, (1,))


def times_one(_: Program, other: Program, matrices: Matrices) -> Matrices:
    return under(matrices, (), (1,)) | {(0,): np.ones((1, other.signature.output.size))}


def weighted_branches(program: Program, _: Program, matrices: Matrices) -> Matrices:
    gate = 1 / (1 + np.exp(-matrices[0,]))
    then = scaled(program, (1,), matrices, gate, positive=True)
    otherwise = scaled(program, (2,), matrices, 1 - gate, positive=True)
    assert then is not None and otherwise is not None
    return under(then, (1,), (0,)) | under(otherwise, (2,), (1,))


def halved_gate(program: Program, _: Program, matrices: Matrices) -> Matrices:
    twice = np.array([2.0])
    then = scaled(program, (0,), matrices, twice, positive=True)
    otherwise = scaled(program, (1,), matrices, twice, positive=True)
    assert then is not None and otherwise is not None
    return {(0,): np.zeros((1, 1))} | under(then, (0,), (1,)) | under(otherwise, (1,), (2,))


def its_value(program: Program, other: Program, matrices: Matrices) -> Matrices:
    """The constant that a program is."""
    shape = (4,) if program.signature.maps_vectors else (3, 4)
    value = run(program, theta(program, matrices), np.zeros(shape)).value
    (block,) = layout(other)
    return {block.path: np.atleast_2d(value)[-1:]}


def that_constant(_: Program, other: Program, matrices: Matrices) -> Matrices:
    """A sum, minimum or mixture of equal constants; gates are open by half."""
    (value,) = matrices.values()
    sizes = {block.path: block.outputs for block in layout(other)}
    return {
        path: value if size == value.size else np.zeros((1, size)) for path, size in sizes.items()
    }


def negated_part(part: Path, *places: tuple[Path, Path]) -> Conversion:
    def convert(program: Program, other: Program, matrices: Matrices) -> Matrices:
        changed = signed(program, part, matrices, -1)
        assert changed is not None
        return moved(*places)(program, other, matrices | changed)

    return convert


SAME = moved(((), ()))
P, Q = ("multiply", "AAffine", "sel_ab"), ("odd", "BAffine")
W3 = "SlidingWindowAverage3"
CASES: dict[str, tuple[Signature, Tree, Tree, Conversion, Conversion]] = {
    "operands in order": (
        VECTOR,
        ("add", Q, P),
        ("add", P, Q),
        moved(((0,), (1,)), ((1,), (0,))),
        moved(((0,), (1,)), ((1,), (0,))),
    ),
    "chains nested to the right": (
        VECTOR,
        ("max", ("max", P, Q), "AAffine"),
        ("max", "AAffine", ("max", P, Q)),
        moved(((0, 0), (1, 0)), ((0, 1), (1, 1)), ((1,), (0,))),
        moved(((1, 0), (0, 0)), ((1, 1), (0, 1)), ((0,), (1,))),
    ),
    "branches in order": (
        VECTOR,
        ("if", ("multiply", "AAffine", "sel_a"), "BAffine", "AAffine"),
        ("if", ("multiply", "AAffine", "sel_a"), "AAffine", "BAffine"),
        swapped_if,
        swapped_if,
    ),
    "branches in order, by a fold": (
        SUMMARY,
        ("if", ("fold", ("if", "BAffine", "AAffine", "BAffine")), ("fold", "AAffine"), (W3, Q)),
        ("if", ("fold", ("if", "BAffine", "AAffine", "BAffine")), (W3, Q), ("fold", "AAffine")),
        swapped_if,
        swapped_if,
    ),
    "branches of sequences in order": (
        FRAMES,
        ("if", ("fold", ("if", "BAffine", "AAffine", "BAffine")), ("map", Q), ("map", P)),
        ("if", ("fold", ("if", "BAffine", "AAffine", "BAffine")), ("map", P), ("map", Q)),
        swapped_if,
        swapped_if,
    ),
    "affine sums": (VECTOR, ("add", "AAffine", "BAffine"), "AbAffine", merged, split),
    "affine sums in folds": (FOLDED, ("add", "BAffine", "AAffine"), "AbAffine", merged, split),
    "larger affine sums": (
        FOLDED,
        ("add", "AAffine", ("add", "AllAffine", ("add", "AbAffine", "AAffine"))),
        "AllAffine",
        merged,
        split,
    ),
    "constant in affine": (
        VECTOR,
        ("add", "const", "AAffine"),
        "AAffine",
        *taken_in((0,), (1,)),
    ),
    "constant in branches": (
        FOLDED,
        ("add", ("if", "sel_a", "const", "BAffine"), "const"),
        ("if", "sel_a", "const", "BAffine"),
        *taken_in((1,), (0,)),
    ),
    "affine in branches": (
        FOLDED,
        ("add", "AAffine", ("if", "sel_a", "AbAffine", "AllAffine")),
        ("if", "sel_a", "AbAffine", "AllAffine"),
        *taken_in((0,), (1,)),
    ),
    "selection in affine": (
        FOLDED,
        ("add", "sel_bc", "AllAffine"),
        "AllAffine",
        *taken_in((0,), (1,)),
    ),
    "selection in a minimum": (
        VECTOR,
        ("difference", ("min", "AbAffine", "AllAffine"), "sel_ab"),
        ("min", "AbAffine", "AllAffine"),
        *taken_in((1,), (0,), -1),
    ),
    "difference": (
        VECTOR,
        ("difference", "sel_ab", Q),
        ("add", Q, "sel_ab"),
        negated_part((1,), ((1,), (0,))),
        negated_part((0,), ((0,), (1,))),
    ),
    "factor in affine": (
        FOLDED,
        ("multiply", "const", "AAffine"),
        "AAffine",
        times_constant,
        times_one,
    ),
    "factor in branches": (
        VECTOR,
        ("multiply", "const", ("if", "sel_a", "AAffine", ("multiply", "AAffine", "sel_ab"))),
        ("if", "sel_a", "AAffine", ("multiply", "AAffine", "sel_ab")),
        times_constant,
        times_one,
    ),
    "constant gate": (
        VECTOR,
        ("if", "const", "AAffine", ("min", "AAffine", "BAffine")),
        ("add", "AAffine", ("min", "AAffine", "BAffine")),
        weighted_branches,
        halved_gate,
    ),
    "constants": (
        VECTOR,
        ("min", "const", ("if", "const", "const", ("max", "const", "const"))),
        "const",
        its_value,
        that_constant,
    ),
    "constant windows": (SUMMARY, (W3, "const"), ("fold", "const"), SAME, SAME),
    "constant sequences": (
        FRAMES,
        ("if", ("fold", "const"), ("map", "const"), ("mapprefix", (W3, "const"))),
        ("map", "const"),
        its_value,
        that_constant,
    ),
    "the last element": (
        SUMMARY,
        ("CentredWindowMax1", "AAffine"),
        ("SlidingWindowAverage1", "AAffine"),
        SAME,
        SAME,
    ),
    "mapprefix of elements": (
        FRAMES,
        ("mapprefix", ("CentredWindowMax1", "AAffine")),
        ("map", "AAffine"),
        moved(((0, 0), (0,))),
        moved(((0,), (0, 0))),
    ),
    "one window": (
        SUMMARY,
        ("if", (W3, "sel_a"), (W3, "BAffine"), ("fold", "const")),
        (W3, ("if", "sel_a", "BAffine", "const")),
        moved(((1, 0), (0, 1)), ((2, 0), (0, 2))),
        moved(((0, 1), (1, 0)), ((0, 2), (2, 0))),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_identities_keep_every_function(name: str) -> None:
    signature, left, right, forth, back = CASES[name]
    before, after = make(left, signature), make(right, signature)
    assert canonical(before, grammar_of(signature)) == after
    for seed in range(3):
        matrices = random_matrices(before, seed)
        converted = forth(before, after, matrices)
        assert values(after, converted) == pytest.approx(values(before, matrices))
        matrices = random_matrices(after, seed)
        converted = back(after, before, matrices)
        assert values(before, converted) == pytest.approx(values(after, matrices))


@pytest.mark.parametrize(
    ("signature", "tree", "expected"),
    [
        # Partial programs: what holds for every completion.
        (VECTOR, ("add", "??", "AAffine"), ("add", "AAffine", "??")),
        (
            VECTOR,
            ("add", ("add", "??", ("odd", "??")), "AAffine"),
            ("add", "AAffine", ("add", ("odd", "??"), "??")),
        ),
        (FRAMES, ("mapprefix", ("CentredWindowMax1", "??")), ("map", "??")),
        (
            SUMMARY,
            ("if", (W3, "??"), (W3, "??"), (W3, "AAffine")),
            (W3, ("if", "??", "??", "AAffine")),
        ),
        # Constants in chains.
        (VECTOR, ("min", ("min", "AAffine", "const"), "const"), ("min", "AAffine", "const")),
        # Leaves that read the same.
        (DOMAIN.signature(4, per_frame=True), ("map", "x"), "x"),
        (DOMAIN.signature(4, per_frame=True), ("map", "sel_all"), "x"),
        (DOMAIN.signature(4, per_frame=True), ("mapprefix", ("CentredWindowMax1", "x")), "x"),
        # The affine part of a sum, with what the other part takes in.
        (
            VECTOR,
            ("add", "AbAffine", ("if", "sel_a", "AAffine", "AbAffine")),
            ("add", "BAffine", ("if", "sel_a", "AAffine", "AbAffine")),
        ),
        (VECTOR, ("add", "BcAffine", "AAffine"), ("add", "AbAffine", "BcAffine")),
        # A sum that loses its first part may have no other way to be written.
        (
            VECTOR,
            ("difference", "const", ("min", "AAffine", "BAffine")),
            ("difference", "const", ("min", "AAffine", "BAffine")),
        ),
        (
            VECTOR,
            ("difference", ("difference", "const", ("min", "AAffine", "BAffine")), "AAffine"),
            ("difference", "AAffine", ("min", "AAffine", "BAffine")),
        ),
        (
            VECTOR,
            ("difference", ("add", "const", "const"), ("min", "AAffine", "BAffine")),
            ("difference", "const", ("min", "AAffine", "BAffine")),
        ),
        (
            VECTOR,
            ("difference", "sel_ab", ("min", "AbAffine", "AllAffine")),
            ("difference", "const", ("min", "AbAffine", "AllAffine")),
        ),
        (
            VECTOR,
            ("difference", ("min", "AAffine", "BAffine"), ("difference", "sel_bc", "AAffine")),
            ("difference", ("add", "AAffine", ("min", "AAffine", "BAffine")), "sel_bc"),
        ),
        (
            VECTOR,
            ("multiply", "const", ("multiply", "sel_ab", "const")),
            ("multiply", "const", "sel_ab"),
        ),
    ],
)
def test_simplified(signature: Signature, tree: Tree, expected: Tree) -> None:
    assert simplified(tree, signature) == expected


@pytest.mark.parametrize(
    ("signature", "tree"),
    [
        # Branches and factors have parameters of their own.
        (VECTOR, ("if", "AAffine", "AAffine", "AAffine")),
        (VECTOR, ("multiply", "AAffine", "AAffine")),
        (VECTOR, ("min", "AAffine", "AAffine")),
        (VECTOR, ("add", ("odd", "AAffine"), ("odd", "AAffine"))),
        # These conditions cannot change their sign, whatever their parameters.
        (VECTOR, ("if", "sel_a", "BAffine", "AAffine")),
        (VECTOR, ("if", ("min", "AAffine", "BAffine"), "BAffine", "AAffine")),
        (VECTOR, ("if", "squares", "BAffine", "AAffine")),
        (VECTOR, ("if", ("difference", "sel_a", "sel_b"), "BAffine", "AAffine")),
        (SUMMARY, ("if", ("fold", "sel_a"), ("fold", "BAffine"), ("fold", "AAffine"))),
        (VECTOR, ("if", "??", "BAffine", "AAffine")),
        # Nothing here takes in the other part.
        (VECTOR, ("add", "const", ("multiply", "AAffine", "BAffine"))),
        (VECTOR, ("add", "const", ("odd", "AAffine"))),
        (VECTOR, ("add", "const", "??")),
        (VECTOR, ("add", "AAffine", "sel_ab")),
        (VECTOR, ("add", "sel_ab", "sel_bc")),
        (VECTOR, ("add", "AbAffine", ("if", "sel_a", "AAffine", "BAffine"))),
        (VECTOR, ("difference", "AAffine", "sel_ab")),
        (VECTOR, ("difference", "AAffine", ("min", "AAffine", "BAffine"))),
        (VECTOR, ("multiply", "const", ("min", "AAffine", "BAffine"))),
        (VECTOR, ("multiply", "const", ("odd", "AAffine"))),
        (VECTOR, ("if", "const", "AAffine", "sel_ab")),
        (VECTOR, ("if", "const", "??", "??")),
        # Other windows, and one gate for all elements, are other functions.
        (SUMMARY, ("SlidingWindowChange1", "AAffine")),
        (SUMMARY, ("if", (W3, "AAffine"), ("CentredWindowMin3", "AAffine"), (W3, "AAffine"))),
        (FRAMES, ("mapprefix", ("SlidingWindowChange1", "AAffine"))),
        (FRAMES, ("if", ("SlidingWindowAverage1", "AAffine"), ("map", "AAffine"), "??")),
        (FRAMES, ("mapprefix", ("fold", "AAffine"))),
    ],
)
def test_not_identities(signature: Signature, tree: Tree) -> None:
    assert simplified(tree, signature) == tree


def test_holes_count_with_every_completion() -> None:
    root = PLAIN.signature(1, per_frame=True)
    # In the paper's grammar every expression can be negated and scaled, though not translated.
    closures = closures_of_holes(PLAIN.grammar(root))
    assert all(closure.negate for closure in closures.values())
    body = closures[root.per_element()]
    assert body.scale and body.stretch and body.shift is None
    assert simplified(("map", ("if", "??", "VelocityAffine", "AngleAffine")), root, PLAIN) == (
        "map",
        ("if", "??", "AngleAffine", "VelocityAffine"),
    )
    # Without products it can be translated too, so that a constant is lost in a hole.
    sums = Domain.of_size(2, vectors=("if", "add", "Affine", "const"))
    signature = sums.signature(1, per_frame=False, vectors=True)
    assert simplified(("add", "const", "??"), signature, sums) == "??"
    # One rule that cannot be negated spoils it for every hole that may come to use it.
    spoilt = Domain.of_size(1, groups=(Group("a", (0,)),), vectors=("if", "affine", "sel"))
    found = closures_of_holes(spoilt.grammar(spoilt.signature(1, per_frame=False, vectors=True)))
    assert not any(closure.negate for closure in found.values())


def test_cheaper_rules_are_preferred() -> None:
    def domain(**costs: float) -> Domain:
        groups = (Group("a", (0,)), Group("b", (1,)), Group("ab", (0, 1)), Group("ba", (1, 0)))
        vectors = ("add", "difference", "min", "odd", "affine", "sel")
        return Domain.of_size(3, groups=groups, vectors=vectors, costs=costs, functions=(ODD,))

    signature = Signature(Vector(3), Vector(1))
    cheap_difference = domain(difference=0.001)
    assert simplified(("add", ("odd", "AAffine"), "sel_a"), signature, cheap_difference) == (
        "difference",
        "sel_a",
        ("odd", "AAffine"),
    )
    three: Tree = ("add", ("add", "sel_a", "sel_b"), ("odd", "AAffine"))
    assert simplified(three, signature, cheap_difference) == (
        "difference",
        "sel_a",
        ("difference", ("odd", "AAffine"), "sel_b"),
    )
    assert simplified("AbAffine", signature, domain(AbAffine=0.1)) == "BaAffine"
    both_dear = domain(AbAffine=0.1, BaAffine=0.1)
    assert simplified("AbAffine", signature, both_dear) == "AbAffine"  # not more rules
    assert simplified(("add", "AbAffine", "AAffine"), signature, both_dear) == (
        "add",
        "AAffine",
        "BAffine",
    )


def test_sums_without_a_leaf_to_spare() -> None:
    groups = (Group("a", (0,)), Group("ab", (0, 1)), Group("ac", (0, 2)))
    vectors = ("difference", "min", "AbAffine", "AcAffine", "sel_a")
    domain = Domain.of_size(3, groups=groups, vectors=vectors)
    tree: Tree = ("difference", "sel_a", ("min", "AbAffine", "AcAffine"))
    assert simplified(tree, Signature(Vector(3), Vector(1)), domain) == tree


def test_too_many_covers_to_compare_only_leave_out_spare_leaves() -> None:
    pairs = [(i, j) for i in range(12) for j in range(i)]
    groups = tuple(Group(f"p{i}q{j}", (i, j)) for i, j in pairs)
    domain = Domain.of_size(12, groups=groups, vectors=("add", "affine"))
    assert len(groups) ** 3 > MAX_COVERS
    signature = domain.signature(1, per_frame=False, vectors=True)
    tree: Tree = "P1q0Affine"
    for name in ("P3q2", "P5q4", "P7q6", "P9q8", "P11q10", "P3q1", "P1q0"):
        tree = ("add", f"{name}Affine", tree)
    once = simplified(tree, signature, domain)
    assert make(once, signature, domain).size == 11  # six leaves
    assert simplified(once, signature, domain) == once


def test_foreign_operations_are_refused() -> None:
    with pytest.raises(ProgramError, match="min is not a rule"):
        simplified(("map", ("min", "AngleAffine", "??")), PLAIN.signature(1, per_frame=True), PLAIN)


def test_windows_in_chains_are_joined() -> None:
    domain = DOMAIN.with_functions(MOST)
    three: Tree = ("most", ("most", (W3, "AAffine"), ("fold", "AAffine")), (W3, "AAffine"))
    assert simplified(("most", three, (W3, "AAffine")), SUMMARY, domain) == (
        "most",
        (W3, ("most", "AAffine", ("most", "AAffine", "AAffine"))),
        ("fold", "AAffine"),
    )


def test_very_large_programs_stay_as_they_are() -> None:
    def balanced(levels: int) -> Tree:
        return ("min", *[balanced(levels - 1)] * 2) if levels else "AAffine"

    assert simplified(balanced(8)) == balanced(8)


# Random programs


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
    rank = np.linalg.matrix_rank
    assert rank(together) == rank(directions) == rank(form_directions)


def _plane(program: Program) -> tuple[Array, Array]:
    """The values without parameters, and what each parameter adds to them."""
    inputs = np.random.default_rng(0).normal(size=(10, program.signature.input_size))

    def value(flat: Array) -> Array:
        return np.concatenate([run(program, flat, each).value for each in inputs])

    size = size_of(layout(program))
    origin = value(np.zeros(size))
    # A row of zeros keeps the shape of programs without parameters.
    return origin, np.array([np.zeros_like(origin), *(value(row) - origin for row in np.eye(size))])
