"""Witnesses of closures: the parameters that make a change of the value.

Found from the program's structure, function by function, where the product derives closures from
meanings."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from language.canonical.trees import Array, Matrices, full, restricted, under

from nearstar.language.canonical.closure import Closure, closure_of
from nearstar.language.function import Function
from nearstar.language.operators import (
    Affine,
    Constant,
    Fold,
    Input,
    Map,
    MapPrefix,
    Memory,
    Select,
    Window,
)
from nearstar.language.program import Apply, Hole, Path, Program, node_at

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
        case Memory():
            return both([{path: matrices[path]}, parts((out, 1))])
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
    parts = tuple(closure(argument) for argument in program.arguments)
    return closure_of(program.production, parts)
