"""What the set of functions that an architecture can express is closed under.

Every leaf has parameters of its own, so the set of a node follows from its operation and from the
sets of its arguments. Closures of library functions are derived from their recorded meaning. A
hole is closed under a change if every completion is: the greatest fixed point over the grammar.
docs/canonical.md explains what they are for.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import compress, product
from typing import Literal, NamedTuple

from nearstar.language.canonical.covers import union
from nearstar.language.expression import Expression
from nearstar.language.function import Function
from nearstar.language.grammar import Grammar
from nearstar.language.operation import Operation
from nearstar.language.operators import (
    Affine,
    Constant,
    Fold,
    Map,
    MapPrefix,
    Memory,
    Select,
    Window,
)
from nearstar.language.program import Production, production
from nearstar.language.types import Signature

MAX_ARGUMENTS = 6
"""Functions of more arguments count as closed under nothing: subsets of arguments are tried."""


class Closure(NamedTuple):
    """Changes that lead from each function f(x, a) of a set to another one of the set.

    x are the features and a is the accumulator of the fold around (empty outside of folds).
    """

    negate: bool
    """−f(x, a)."""
    flip: bool
    """f(x, −a)."""
    turn: bool
    """−f(x, −a): what a fold's body needs for the fold to be closed under negation."""
    stretch: bool
    """c · f for every number c > 0. Known for vector → vector only."""
    scale: bool
    """c · f, componentwise, for every vector c, zeros included. For vector → vector only."""
    shift: int | None
    """f + δ for every affine function δ of the columns in this set of bits, in which the bit after
    the last feature stands for the accumulator; 0: constants only; None: not even those."""
    constant: bool
    """The set is exactly that of the constants."""


NOTHING = Closure(False, False, False, False, False, None, False)


def column_bits(columns: Sequence[int]) -> int:
    """A set of columns as bits."""
    return sum(1 << column for column in set(columns))


def affine_bits(operation: Affine, signature: Signature) -> int:
    """What an affine leaf reads: its columns and the accumulator."""
    return column_bits(operation.columns(signature)) | _accumulator_bit(signature)


def pick_bits(picks: Sequence[int], signature: Signature) -> int:
    """What a leaf without parameters reads, which gives these components of its input."""
    last = signature.input.size  # what comes after the features is the accumulator
    return column_bits([min(each, last) for each in picks]) if signature.maps_vectors else 0


@lru_cache(maxsize=4096)
def closure_of(made_by: Production, arguments: tuple[Closure, ...]) -> Closure:
    """The closure of a node's value, from those of its arguments."""
    closure = _closure_of(made_by.operation, made_by.signature, arguments)
    if made_by.signature.carried:
        return closure
    return closure._replace(flip=True, turn=closure.negate)


def _closure_of(
    operation: Operation, signature: Signature, arguments: Sequence[Closure]
) -> Closure:
    match operation:
        case Affine():
            # With one more term it may have more than it may choose.
            bounded = operation.most_terms is not None
            reads = _accumulator_bit(signature) if bounded else affine_bits(operation, signature)
            return Closure(True, True, True, True, True, reads, False)
        case Constant():
            return Closure(True, True, True, True, True, 0, True)
        case Select():
            return NOTHING._replace(flip=True)
        case Map() | MapPrefix() | Window() | Memory():
            # Also of a memory: it is a mean, and starts with what its body is.
            (body,) = arguments
            shift = None if body.shift is None else 0
            return NOTHING._replace(negate=body.negate, shift=shift, constant=body.constant)
        case Fold():
            (body,) = arguments
            # The accumulator starts at zero, so that only constant folds can be shifted.
            shift = 0 if body.constant else None
            return NOTHING._replace(negate=body.turn, shift=shift, constant=body.constant)
        case Function():
            return _closure_of_function(_patterns(operation), arguments)
    return NOTHING


def closures_of_holes(grammar: Grammar) -> dict[Signature, Closure]:
    """For each signature that can come up, what all completions of such a hole are closed under.

    Starts from everything and takes away until nothing changes. What is left holds for every
    completion by induction over its height, as completions are finite.
    """
    signatures = tuple(grammar.least_rules)
    closures = {s: Closure(True, True, True, True, True, _all_bits(s), True) for s in signatures}
    changed = True
    while changed:
        changed = False
        for signature in signatures:
            closure = closures[signature]
            for rule in grammar.rules(signature):
                made_by = production(rule.operation, signature)
                arguments = tuple(closures[argument] for argument in made_by.arguments)
                closure = _meet(closure, closure_of(made_by, arguments))
            if closure != closures[signature]:
                closures[signature] = closure
                changed = True
    return closures


def _meet(a: Closure, b: Closure) -> Closure:
    """What both are closed under."""
    shift = None if a.shift is None or b.shift is None else a.shift & b.shift
    return Closure(
        a.negate and b.negate,
        a.flip and b.flip,
        a.turn and b.turn,
        a.stretch and b.stretch,
        a.scale and b.scale,
        shift,
        a.constant and b.constant,
    )


def _accumulator_bit(signature: Signature) -> int:
    return 1 << signature.input.size if signature.carried else 0


def _all_bits(signature: Signature) -> int:
    if not signature.maps_vectors:
        return 0
    return ((1 << signature.input.size) - 1) | _accumulator_bit(signature)


# Functions

Change = Literal["negate", "stretch", "scale"]
Marks = tuple[bool, ...]
"""For each argument, whether it is changed."""


class _Patterns(NamedTuple):
    """Which arguments to change, and what their change does to the value."""

    odd: tuple[Marks, ...]
    """Negating these negates the value."""
    even: tuple[Marks, ...]
    """Negating these leaves the value."""
    stretch: tuple[Marks, ...]
    """Multiplying these by c > 0 multiplies the value by c."""
    scale: tuple[Marks, ...]
    """Multiplying these by a vector componentwise multiplies the value so."""
    shift: tuple[Marks, ...]
    """Adding δ to these adds a multiple of δ, not zero, to the value."""
    reads_features: bool


def _closure_of_function(patterns: _Patterns, arguments: Sequence[Closure]) -> Closure:
    shift = union(_common_shift(marks, arguments) for marks in patterns.shift)
    constant = (
        shift is not None
        and not patterns.reads_features
        and all(argument.constant for argument in arguments)
    )
    return Closure(
        negate=_changed(patterns.odd, [argument.negate for argument in arguments]),
        flip=_flipped(patterns.even, arguments),
        turn=_flipped(patterns.odd, arguments),
        stretch=_changed(patterns.stretch, [argument.stretch for argument in arguments]),
        scale=_changed(patterns.scale, [argument.scale for argument in arguments]),
        shift=shift,
        constant=constant,
    )


def _changed(patterns: tuple[Marks, ...], closed: Sequence[bool]) -> bool:
    """Whether there is a pattern all of whose marked arguments are closed under the change."""
    return any(all(compress(closed, marks)) for marks in patterns)


def _flipped(patterns: tuple[Marks, ...], arguments: Sequence[Closure]) -> bool:
    """Whether −a may be put for a: every argument then sees −a, and the marked are negated too."""
    return any(
        all(a.turn if marked else a.flip for a, marked in zip(arguments, marks, strict=True))
        for marks in patterns
    )


def _common_shift(marks: Marks, arguments: Sequence[Closure]) -> int | None:
    common = -1  # all bits
    for argument in compress(arguments, marks):
        if argument.shift is None:
            return None
        common &= argument.shift
    return common


@lru_cache(maxsize=1024)
def _patterns(function: Function) -> _Patterns:
    n = len(function.takes)
    every = tuple(product((False, True), repeat=n)) if n <= MAX_ARGUMENTS else ()
    # A change of each component on its own must reach the value's components one by one.
    fits = tuple(size == function.gives for size in function.takes)
    alike = tuple(m for m in every if all(fits[i] for i, marked in enumerate(m) if marked))
    meaning = function.meaning
    parity = {marks: _degree(meaning, marks, "negate") for marks in every}
    return _Patterns(
        odd=tuple(marks for marks in every if parity[marks] == 1),
        even=tuple(marks for marks in every if parity[marks] == 0),
        stretch=tuple(marks for marks in every if _degree(meaning, marks, "stretch") == 1),
        scale=tuple(marks for marks in alike if _degree(meaning, marks, "scale") == 1),
        shift=tuple(marks for marks in alike if _moved(meaning, marks)),
        reads_features=bool(function.features()),
    )


def _degree(expression: Expression, marks: Marks, change: Change) -> int | None:
    """The power of c that appears when the marked arguments are multiplied by c; None: unclear.

    c is −1 for ``negate`` (degrees are 0 or 1), positive for ``stretch``, a vector for ``scale``.
    """
    if expression.kind == "argument":
        assert isinstance(expression.value, int)
        return int(marks[expression.value])
    degrees = [_degree(part, marks, change) for part in expression.operands]
    if None in degrees:
        return None
    return _degree_of(expression.kind, [d for d in degrees if d is not None], change)


def _degree_of(kind: str, degrees: list[int], change: Change) -> int | None:
    first = degrees[0] if degrees else 0
    equal = all(degree == first for degree in degrees)
    match kind, change:
        case "multiply", _:
            total = sum(degrees)
            return total % 2 if change == "negate" else total
        case "divide", "negate":
            return sum(degrees) % 2
        case "divide", "stretch":
            return degrees[0] - degrees[1]
        case ("divide", "scale") if degrees[1] == 0:
            return degrees[0]
        case (("add" | "subtract"), _) if equal:
            return first
        case "mix", _ if degrees[0] == 0 and degrees[1] == degrees[2]:
            return degrees[1]
        case "component", "negate" | "stretch":
            return first
        case ("tanh", "negate") | ("relu" | "absolute", "stretch"):
            return first
        case "absolute", "negate":
            return 0
        case (("minimum" | "maximum"), "stretch") if equal:
            return first
        case "greater", "stretch" if equal:
            return 0
        case "sqrt", "stretch" if first % 2 == 0:
            return first // 2
    return None if any(degrees) else 0


def _moved(expression: Expression, marks: Marks) -> float | None:
    """How many times δ the value moves by when δ is added to the marked arguments."""
    if expression.kind == "argument":
        assert isinstance(expression.value, int)
        return float(marks[expression.value])
    moves = [_moved(part, marks) for part in expression.operands]
    match expression.kind, moves:
        case "add", [float(a), float(b)]:
            return a + b
        case "subtract", [float(a), float(b)]:
            return a - b
        case "mix", [0.0, float(a), float(b)] if a == b:
            return a
        case "minimum" | "maximum", [float(a), float(b)] if a == b:
            return a
        case "multiply", [float(a), float(b)]:
            left, right = expression.operands
            if left.kind == "literal":
                return float(left.value or 0.0) * b
            if right.kind == "literal":
                return float(right.value or 0.0) * a
    return 0.0 if all(move == 0.0 for move in moves) else None
