"""Declaring library functions: each is tried out at once, before anything depends on it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from nearstar.data.scale import Scale
from nearstar.data.sequences import Sequences
from nearstar.engine.lowering import lower
from nearstar.engine.packing import pack
from nearstar.engine.session import Session
from nearstar.language.expression import Expression, Size
from nearstar.language.function import Function, Law, record
from nearstar.language.operators import Constant
from nearstar.language.parameters import layout, size_of
from nearstar.language.program import Apply, Program
from nearstar.language.types import Signature, Vector
from nearstar.util.errors import DomainError

_ORDINARY = np.array([-2.0, -0.7, 0.3, 1.0, 2.5])
_EXTREME = np.array([0.0, 1e-6, -1e-6, 1e4, -1e4])
_OUT = 2
"""Output size that functions of any size are tried with."""
_TRIES = 20


def function(
    name: str,
    *,
    takes: Sequence[Size],
    gives: Size = "out",
    prints: str | None = None,
    cost: float | None = None,
    lifts: bool = False,
    laws: Sequence[Law] = (),
) -> Callable[[Callable[..., Expression]], Function]:
    """Declare a library function; the decorated Python function says what it means.

    ``takes`` are the sizes of its arguments and ``gives`` the size of its value: numbers, or
    ``"out"``, the output size of the place where it stands. A first parameter named ``x`` is the
    input: ``x["speed"]`` or ``x[3]`` is a feature in the data's own units. ``prints`` is its
    form in text: words, ``{0}``, ``{1}``, … for the arguments and ``{x}`` for the variable.
    The function is tried out at once, on ordinary and on extreme inputs.

        @function("distance", takes=(2, 2), gives=1)
        def distance(a, b):
            return sqrt((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2)
    """

    def declare(meaning: Callable[..., Expression]) -> Function:
        declared = record(
            meaning,
            name,
            takes=takes,
            gives=gives,
            prints=prints,
            cost=cost,
            lifts=lifts,
            laws=laws,
        )
        probe(declared)
        return declared

    return declare


def probe(function: Function) -> None:
    """Raise DomainError unless values and gradients are finite and the declared laws hold.

    The function is run by the engine, as in any program: its arguments are learned constants, so
    that their gradients are the function's.
    """
    names = function.feature_names()
    bound = function.bind(names)
    out = _OUT if function.gives == "out" else function.gives
    signature = Signature(Vector(max(len(names), 1)), Vector(out))
    program = _applied(bound, signature)
    for arguments, features in _points(size_of(layout(program)), len(names)):
        value, gradient = _run(program, arguments, features)
        if np.isfinite(value).all() and np.isfinite(gradient).all():
            continue
        what = "value" if not np.isfinite(value).all() else "gradient"
        inputs = f"arguments {arguments.tolist()}" if len(arguments) else "these features"
        raise DomainError(
            f"{function.name} has a {what} that is not finite at {inputs}"
            + (f", features {dict(zip(names, features.tolist(), strict=True))}" if names else "")
            + "; guard it, as in log(maximum(a, 1e-6)) or a / (abs(b) + 1e-6)"
        )
    _check_laws(bound, signature)


def _check_laws(function: Function, signature: Signature) -> None:
    if not function.laws:
        return
    random = np.random.default_rng(0)
    n = signature.output.size
    a, b, c = (random.choice(_ORDINARY, n) + random.normal(size=n) for _ in range(3))
    leaf, pair = Apply(Constant(), signature), _applied(function, signature)
    left_first, right_first = (
        Apply(function, signature, arguments) for arguments in ((pair, leaf), (leaf, pair))
    )
    sides = {
        "commutative": ((pair, (a, b)), (pair, (b, a))),
        "associative": ((left_first, (a, b, c)), (right_first, (a, b, c))),
    }
    for law in sorted(function.laws, reverse=True):  # what is not commutative is told so first
        left, right = (_run(made, np.concatenate(of), np.zeros(0))[0] for made, of in sides[law])
        if not np.allclose(left, right, rtol=1e-4, atol=1e-5):
            raise DomainError(f"{function.name} is declared {law}, but gives {left} and {right}")


def _applied(function: Function, signature: Signature) -> Apply:
    arguments = function.arguments(signature)
    assert arguments is not None
    return Apply(function, signature, tuple(Apply(Constant(), each) for each in arguments))


def _points(n_arguments: int, n_features: int) -> Iterator[tuple[NDArray[np.float64], ...]]:
    """Ordinary inputs, extreme ones, and both mixed."""
    random = np.random.default_rng(0)
    n = n_arguments + n_features
    everything = np.concatenate([_ORDINARY, _EXTREME])
    points = [random.choice(_ORDINARY, n) for _ in range(_TRIES)]
    points += [np.full(n, extreme) for extreme in _EXTREME]
    points += [random.choice(everything, n) for _ in range(2 * _TRIES)]
    return ((point[:n_arguments], point[n_arguments:]) for point in points)


def _run(
    program: Program, arguments: NDArray[np.float64], features: NDArray[np.float64]
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Value and gradient at one point."""
    n_features = program.signature.input.size
    frame = np.zeros((1, n_features), np.float32)
    frame[0, : len(features)] = features
    data = Sequences.from_arrays(frame, np.zeros(1, np.int64))
    scale = Scale.identity(n_features)
    blocks = pack(data, scale)
    session = Session(lower(program, scale), arguments.astype(np.float32), blocks)
    value = session.predict(blocks)
    _, gradient = session.gradient(blocks, (1.0,))
    return value[0], gradient
