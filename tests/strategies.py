"""Hypothesis strategies for domains, programs and parameters, shared by all tests."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst
from numpy.typing import NDArray

from nearstar.language.deciding import is_class, passed_on
from nearstar.language.domain import Domain
from nearstar.language.expression import Expression, Features
from nearstar.language.function import Function, record
from nearstar.language.grammar import Grammar, Rule
from nearstar.language.operators import Group
from nearstar.language.parameters import Block, layout, size_of
from nearstar.language.program import Apply, Hole, Program
from nearstar.language.types import Signature

T = TypeVar("T")

SEQUENCES = ("map", "mapprefix", "if", "x")
SUMMARIES = (
    "fold",
    "SlidingWindowAverage5",
    "CentredWindowAverage11",
    "SlidingWindowMax3",
    "CentredWindowMin7",
    "SlidingWindowChange10",
    "CentredWindowChange1",
    "SlidingWindowSpread6",
    "CentredWindowSpread3",
    "if",
    "memory",
)
VECTORS = (
    *("if", "add", "multiply", "difference", "min", "max"),
    *("affine", "Affine", "Affine{x0}", "Affine{x0, x1}", "sel", "const", "x"),
)


def _ratio(a: Expression, b: Expression) -> Expression:
    return a / (1 + abs(b))


def _gap(a: Expression, b: Expression) -> Expression:
    return abs(a[0] - b[0]) + abs(a[1] - b[1])


def _sum_of_squares(x: Features) -> Expression:
    return x[0] ** 2 + x["x1"] ** 2


def _blend(a: Expression, b: Expression) -> Expression:
    return (a + b) * 0.5


def _scaled(x: Features, a: Expression) -> Expression:
    return a * x[1]


USER_FUNCTIONS: tuple[Function, ...] = (
    record(_ratio, "ratio", takes=("out", "out"), prints="ratio {0} over {1}"),
    record(_gap, "manhattan", takes=(2, 2), gives=1, prints="gap <{0}, {1}>"),
    record(_sum_of_squares, "squares", takes=(), gives=1, prints="squares of {x}"),
    record(_blend, "blend", takes=("out", "out"), lifts=True),
    record(_scaled, "scaled", takes=("out",), prints="scaled({0}) by {x} / 1"),
)
"""Words between arguments, fixed sizes, features, lifting to sequences, names that do not print."""


def rich_domain(accumulator: int = 0, n_features: int = 4) -> Domain:
    """A domain with every built-in rule and several functions of a user in use."""
    return Domain.of_size(
        n_features,
        groups=(Group("left", (0, 1)), Group("far_right", (n_features - 1,))),
        aliases={"FR": "far_right"},
        sequences=SEQUENCES,
        summaries=SUMMARIES,
        vectors=VECTORS,
        accumulator=accumulator,
    ).with_functions(*USER_FUNCTIONS)


@st.composite
def domains(draw: st.DrawFn) -> Domain:
    """Domains of 2 to 5 features with some groups and some of the rules; every hole can close."""
    n_features = draw(st.integers(2, 5))
    columns = st.lists(
        st.integers(0, n_features - 1), min_size=1, max_size=n_features, unique=True
    ).map(tuple)
    names = draw(
        st.lists(st.sampled_from(("a", "left", "far_right", "v2")), unique=True, max_size=3)
    )
    n_classes = draw(st.sampled_from((0, 2, 3)))
    domain = Domain.of_size(
        n_features,
        classes=tuple(f"class {k}" for k in range(n_classes)),
        groups=tuple(Group(name, draw(columns)) for name in names),
        sequences=("map", *draw(_some(SEQUENCES))),
        summaries=("fold", *draw(_some(SUMMARIES))),
        vectors=("affine", *draw(_some(VECTORS)), *(("class",) if n_classes else ())),
        beta=draw(st.sampled_from((1.0, 0.5, 20.0))),
        accumulator=draw(st.integers(0, 3)),
    )
    return domain.with_functions(*draw(_some(USER_FUNCTIONS)))


def signatures(domain: Domain, most_outputs: int = 4) -> st.SearchStrategy[Signature]:
    """Tasks of a domain: labels per frame, per sequence, or of plain vectors."""
    kinds = [(True, False), (False, False), (False, True)]
    return st.builds(
        lambda outputs, kind: domain.signature(outputs, per_frame=kind[0], vectors=kind[1]),
        st.integers(1, most_outputs),
        st.sampled_from(kinds),
    )


@st.composite
def programs(draw: st.DrawFn, grammar: Grammar, max_size: int = 12, holes: bool = False) -> Program:
    """Programs of a grammar with at most ``max_size`` rules, or the fewest that can close them.

    With ``holes`` some places, possibly all, stay open. Programs shrink towards leaves.
    """

    def build(signature: Signature, spare: int, decides: bool) -> Program:
        """A program that uses at most ``spare`` rules more than it must; only where it ``decides``
        it may name a class."""
        if holes and draw(st.integers(0, 7)) == 7:
            return Hole(signature)
        least = grammar.least_rules
        fitting: list[tuple[int, tuple[Signature, ...], Rule]] = []
        for rule in grammar.rules(signature):
            arguments = rule.operation.arguments(signature) or ()
            excess = int(1 + sum(least[each] for each in arguments) - least[signature])
            if excess <= spare and (decides or not is_class(rule.operation)):
                fitting.append((excess, arguments, rule))
        fitting.sort(key=lambda each: len(each[1]))
        excess, arguments, rule = draw(st.sampled_from(fitting))
        left, built = spare - excess, []
        for index, argument in enumerate(arguments):
            share = left if index == len(arguments) - 1 else draw(st.integers(0, left))
            left -= share
            built.append(build(argument, share, decides and index in passed_on(rule.operation)))
        return Apply(rule.operation, signature, tuple(built))

    return build(grammar.root, max(0, max_size - int(grammar.least_rules[grammar.root])), True)


def parameters(program: Program) -> st.SearchStrategy[NDArray[np.float64]]:
    """Parameters of a program: any finite numbers, half-lives positive ones."""
    blocks = layout(program)
    finite = st.floats(allow_nan=False, allow_infinity=False)
    return npst.arrays(np.float64, size_of(blocks), elements=finite).map(
        lambda theta: _with_half_lives(blocks, theta)
    )


def _with_half_lives(blocks: tuple[Block, ...], theta: NDArray[np.float64]) -> NDArray[np.float64]:
    for block in blocks:
        if block.is_half_life:
            theta[block.offset] = abs(theta[block.offset]) or 1.0
    return theta


def _some(values: tuple[T, ...]) -> st.SearchStrategy[tuple[T, ...]]:
    return st.lists(st.sampled_from(values), unique_by=id).map(tuple)
