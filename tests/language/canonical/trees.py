"""Programs as short trees, their parameters leaf by leaf, and the grammars they are of."""

from __future__ import annotations

import dataclasses

import numpy as np
from naive import run
from numpy.typing import NDArray
from strategies import USER_FUNCTIONS

from nearstar.language.canonical import canonical
from nearstar.language.domain import Domain
from nearstar.language.expression import tanh
from nearstar.language.function import record
from nearstar.language.grammar import Grammar
from nearstar.language.operators import (
    MAXIMUM,
    Affine,
    Group,
)
from nearstar.language.parameters import layout, size_of
from nearstar.language.program import Apply, Hole, Path, Program, node_at
from nearstar.language.types import Signature, Vector

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
        "memory",
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
    drawn = {block: random.normal(0, 0.7, (block.rows, block.outputs)) for block in layout(program)}
    return {
        block.path: np.exp(matrix) if block.is_half_life else matrix
        for block, matrix in drawn.items()
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
