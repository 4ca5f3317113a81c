"""The built-in functions, declared as users declare theirs, and ``if``."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from nearstar.language.expression import Expression, Size, maximum, minimum, mix, sigmoid
from nearstar.language.function import Function, Law, record
from nearstar.language.types import Signature


class Sum(Function):
    """``add``: its terms give a share of a fold's accumulator back in equal parts."""

    def shares(self, share: float, memory: float, able: Sequence[bool]) -> tuple[float, ...]:
        return tuple(share / max(sum(able), 1) * each for each in able)


HARD = 1e30
"""The β of the hard ``if``: it stands for infinity, which no file of a domain could have."""


class If(Function):
    """The smooth ``if``: a gate sigmoid(β · condition) mixes the branches. With β `HARD` it is the
    hard one, which takes one of them: the second where the condition is 0."""

    beta: float
    """Its temperature; the larger, the harder it decides."""

    latex = r"\begin{{cases}} {1} & \text{{if }} {0} > 0 \\ {2} & \text{{otherwise}} \end{{cases}}"

    def __init__(self, beta: float = 1.0) -> None:
        takes: tuple[Size, ...] = (1, "out", "out")
        condition, then, otherwise = (
            Expression("argument", (), index, size) for index, size in enumerate(takes)
        )
        gate = condition > 0.0 if beta >= HARD else sigmoid(condition * beta)
        super().__init__(
            "if",
            takes=takes,
            gives="out",
            meaning=mix(gate, then, otherwise),
            prints="if {0} > 0 then {1} else {2}",
            lifts=True,
            called="choice",
        )
        object.__setattr__(self, "beta", beta)

    @property
    def is_hard(self) -> bool:
        return self.beta >= HARD

    def softened(self, beta: float) -> If:
        return if_then_else(beta) if self.is_hard else self

    def details(self, signature: Signature, features: Sequence[str]) -> dict[str, object]:
        return {"temperature": self.beta}

    def shares(self, share: float, memory: float, able: Sequence[bool]) -> tuple[float, ...]:
        return 0.0, share, share


@cache
def if_then_else(beta: float = 1.0) -> If:
    """The ``if`` of a temperature: the same object in all programs."""
    return If(beta)


_TWO: tuple[Size, ...] = ("out", "out")
_LAWS: tuple[Law, ...] = ("commutative", "associative")

ADD = record(lambda a, b: a + b, "add", takes=_TWO, laws=_LAWS, called="total", made=Sum)
MULTIPLY = record(lambda a, b: a * b, "multiply", takes=_TWO, laws=_LAWS, called="product")
DIFFERENCE = record(lambda a, b: a - b, "difference", takes=_TWO)
MINIMUM = record(minimum, "min", takes=_TWO, laws=_LAWS, called="smaller")
MAXIMUM = record(maximum, "max", takes=_TWO, laws=_LAWS, called="larger")

BUILT_IN = (ADD, MULTIPLY, DIFFERENCE, MINIMUM, MAXIMUM)
"""All but ``if``, whose temperature β is the domain's."""
