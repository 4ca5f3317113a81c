"""Each identity, with parameters converted in both directions; and what is no identity."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from language.canonical.trees import (
    DOMAIN,
    FOLDED,
    FRAMES,
    MOST,
    ODD,
    PLAIN,
    SUMMARY,
    VECTOR,
    Array,
    Matrices,
    Tree,
    full,
    grammar_of,
    make,
    random_matrices,
    restricted,
    simplified,
    theta,
    under,
    values,
)
from language.canonical.witnesses import scaled, shifted, signed
from naive import run

from nearstar.language.canonical import canonical
from nearstar.language.canonical.closure import closures_of_holes
from nearstar.language.canonical.covers import MAX_COVERS
from nearstar.language.domain import Domain
from nearstar.language.operators import (
    Affine,
    Constant,
    Group,
    Select,
)
from nearstar.language.parameters import layout
from nearstar.language.program import Apply, Path, Program, node_at, walk
from nearstar.language.types import Signature, Vector
from nearstar.util.errors import ProgramError

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


def forgotten(_: Program, __: Program, matrices: Matrices) -> Matrices:
    """Without the half-life of what is at the root."""
    return {path: matrix for path, matrix in matrices.items() if path}


def of_ten(_: Program, __: Program, matrices: Matrices) -> Matrices:
    """With a half-life there: any will do."""
    return {(): np.array([[10.0]]), **matrices}


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
    "branches in order, by a memory": (
        SUMMARY,
        ("if", ("memory", ("if", "BAffine", "AAffine", "BAffine")), ("memory", "AAffine"), (W3, Q)),
        ("if", ("memory", ("if", "BAffine", "AAffine", "BAffine")), (W3, Q), ("memory", "AAffine")),
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
    "constant memories": (SUMMARY, ("memory", "const"), ("fold", "const"), forgotten, of_ten),
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
        # Memories have half-lives of their own, and are means of what their bodies give.
        (SUMMARY, ("if", ("memory", "sel_a"), ("memory", "BAffine"), ("memory", "AAffine"))),
        (SUMMARY, ("blend", ("memory", "AAffine"), ("memory", "AAffine"))),
        (FRAMES, ("mapprefix", ("memory", "AAffine"))),
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
