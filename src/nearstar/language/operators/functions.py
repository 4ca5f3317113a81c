"""The built-in functions, declared as users declare theirs."""

from __future__ import annotations

from functools import cache

from nearstar.language.expression import Expression, maximum, minimum, mix, sigmoid
from nearstar.language.function import Function, record

ADD = record(
    lambda a, b: a + b,
    "add",
    takes=("out", "out"),
    laws=("commutative", "associative"),
)
MULTIPLY = record(
    lambda a, b: a * b,
    "multiply",
    takes=("out", "out"),
    laws=("commutative", "associative"),
)
DIFFERENCE = record(lambda a, b: a - b, "difference", takes=("out", "out"))
MINIMUM = record(
    lambda a, b: minimum(a, b), "min", takes=("out", "out"), laws=("commutative", "associative")
)
MAXIMUM = record(
    lambda a, b: maximum(a, b), "max", takes=("out", "out"), laws=("commutative", "associative")
)


@cache
def if_then_else(beta: float = 1.0) -> Function:
    """The smooth ``if``: a gate sigmoid(β · condition) mixes the branches."""

    def meaning(condition: Expression, then: Expression, otherwise: Expression) -> Expression:
        return mix(sigmoid(condition * beta), then, otherwise)

    return record(
        meaning,
        "if",
        takes=(1, "out", "out"),
        prints="if {0} > 0 then {1} else {2}",
        lifts=True,
    )


BUILT_IN = (ADD, MULTIPLY, DIFFERENCE, MINIMUM, MAXIMUM)
"""All but ``if``, whose temperature β is the domain's."""
