"""Printing and parsing are inverse to each other, and no text breaks the parser."""

from __future__ import annotations

import sys
import time

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from strategies import domains, parameters, programs, rich_domain, signatures

from nearstar.language.deciding import with_names
from nearstar.language.domain import Domain
from nearstar.language.operators import ADD, Affine, Constant, Map
from nearstar.language.parameters import layout, size_of
from nearstar.language.program import MAX_HEIGHT, Apply, Hole, Program, is_complete, walk
from nearstar.language.text import MAX_LENGTH, Parsed, parse, to_text
from nearstar.language.types import Signature, Vector
from nearstar.util.errors import ProgramError, TextError

CRIM13 = Domain.built_in("crim13")
BASKETBALL = Domain.built_in("basketball")
RICH = rich_domain()

few = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
many = settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@st.composite
def cases(draw: st.DrawFn, max_size: int = 12) -> tuple[Domain, Program]:
    """A domain, rich or random, and one of its programs, complete or not."""
    fixed = [rich_domain(), rich_domain(accumulator=3), rich_domain(n_features=2)]
    domain = draw(st.sampled_from(fixed) | domains())
    grammar = domain.grammar(draw(signatures(domain)))
    return domain, draw(programs(grammar, max_size, holes=draw(st.booleans())))


def bits(theta: NDArray[np.float64] | None) -> bytes:
    assert theta is not None
    return theta.tobytes()


# Round trips


@many
@given(cases())
def test_architecture_survives(case: tuple[Domain, Program]) -> None:
    domain, program = case
    parsed = parse(to_text(program), domain, program.signature)
    assert parsed.program == program
    assert (parsed.theta is None) == (size_of(layout(program)) > 0)


@many
@given(cases(), st.data())
def test_parameters_survive_bit_for_bit(case: tuple[Domain, Program], data: st.DataObject) -> None:
    domain, program = case
    theta = data.draw(parameters(program))
    parsed = parse(to_text(program, theta), domain, program.signature)
    assert parsed.program == program
    # Of a leaf that names a class, the name is all that is printed.
    assert bits(parsed.theta) == bits(with_names(program, theta))


def test_the_strategy_reaches_every_operation() -> None:
    seen: set[str] = set()
    for outputs in (1, 2, 4):
        root = RICH.signature(outputs, per_frame=True)

        @settings(max_examples=250, deadline=None, database=None, derandomize=True)
        @given(programs(RICH.grammar(root), 12, holes=True))
        def collect(program: Program) -> None:
            seen.update(
                "??" if isinstance(node, Hole) else node.operation.name for _, node in walk(program)
            )

        collect()
    assert seen >= {*RICH.sequences, *RICH.summaries, *RICH.vectors, "??"} - {"affine", "sel"}
    assert seen >= {"LeftAffine", "FarRightAffine", "sel_left"}


@few
@given(cases())
def test_the_strategy_keeps_its_promises(case: tuple[Domain, Program]) -> None:
    domain, program = case
    assert program in domain.grammar(program.signature)
    assert program.size <= 12


@few
@given(st.data())
def test_without_holes_programs_are_complete(data: st.DataObject) -> None:
    grammar = RICH.grammar(data.draw(signatures(RICH)))
    assert is_complete(data.draw(programs(grammar, 8)))


def test_the_highest_program_survives_a_deep_stack() -> None:
    signature = Signature(Vector(4), Vector(1))
    program: Program = Apply(Constant(), signature)
    for _ in range(MAX_HEIGHT - 1):
        program = Apply(ADD, signature, (Hole(signature), program))
    text = to_text(program)
    assert parse(text, RICH, signature).program == program
    with pytest.raises(TextError, match="100 levels high"):
        parse(f"add(??, {text})", RICH, signature)

    def at_depth(frames: int) -> Parsed:
        return at_depth(frames - 1) if frames else parse(text, RICH, signature)

    used = len(_frames())
    assert at_depth(sys.getrecursionlimit() - used - 60).program == program


def _frames() -> list[object]:
    frame, found = sys._getframe(), []
    while frame is not None:
        found.append(frame)
        frame = frame.f_back  # type: ignore[assignment]
    return found


# The published programs

PUBLISHED = [
    (
        CRIM13,
        1,
        "map (fun x_t. if DistAffine[.0217; -.2785](x_t) > 0 then "
        "AccAffine[-.0007, .0055, .0051, -.0025; 3.7426](x_t) else "
        "DistAffine[-.2143; 1.822](x_t)) x",
    ),
    (CRIM13, 2, "mapprefix (fun x_t. SlidingWindowAverage10(PositionAffine(x_t))) x"),
    (
        CRIM13,
        2,
        "map (fun x_t. add(PositionAffine(x_t), if add(VelocityAffine(x_t), DistAffine(x_t)) > 0 "
        "then VelocityAffine(x_t) else DistAffine(x_t))) x",
    ),
    (
        BASKETBALL,
        6,
        "map (fun x_t. multiply(add(OffenseAffine(x_t), BallAffine(x_t)), "
        "add(OffenseAffine(x_t), BallAffine(x_t)))) x",
    ),
]


@pytest.mark.parametrize(("domain", "outputs", "text"), PUBLISHED)
def test_published_programs(domain: Domain, outputs: int, text: str) -> None:
    parsed = parse(text, domain, domain.signature(outputs, per_frame=True))
    expected = text.replace("DistAffine", "DistanceAffine").replace("AccAff", "AccelerationAff")
    assert to_text(parsed.program, parsed.theta) == expected


def test_published_parameters_are_where_they_belong() -> None:
    domain, outputs, text = PUBLISHED[0]
    parsed = parse(text, domain, domain.signature(outputs, per_frame=True))
    assert parsed.theta is not None
    block = layout(parsed.program)[1]
    np.testing.assert_array_equal(
        block.of(parsed.theta), [[-0.0007], [0.0055], [0.0051], [-0.0025], [3.7426]]
    )


# The notation

ONE = RICH.signature(1, per_frame=True)
TWO = RICH.signature(2, per_frame=True)


@pytest.mark.parametrize(
    ("written", "printed"),
    [
        ("map(fun u.FRAffine(u))x", "map (fun x_t. FarRightAffine(x_t)) x"),
        ("map (fun x. FRAffine(x)) x", "map (fun x_t. FarRightAffine(x_t)) x"),
        ("((map (fun x_t. ((??))) (x)))", "map (fun x_t. ??) x"),
        (
            "mapprefix (fun s. fold (fun e. Affine(e)) 0 s) x",
            "mapprefix (fun x_t. fold (fun x_i. Affine(x_i)) c x_t) x",
        ),
        (
            "\n map\t(fun x_t.\r\n ratio (const)\n over ??)\n x\n",
            "map (fun x_t. ratio const over ??) x",
        ),
        ("map (fun x_t. gap<sel_left (x_t),??>) x", "map (fun x_t. gap <sel_left x_t, ??>) x"),
        ("map (fun x_t. squares of ((x_t))) x", "map (fun x_t. squares of x_t) x"),
        ("blend(??, if ?? > 0 then ?? else ??)", "blend(??, if ?? > 0 then ?? else ??)"),
        (
            "mapprefix (fun x_t. CentredWindowMax99(FarRightAffine(x_t))) x",
            "mapprefix (fun x_t. CentredWindowMax99(FarRightAffine(x_t))) x",
        ),
        (
            "map (fun x_t. add(const[+2], const[\N{MINUS SIGN}5.])) x",
            "map (fun x_t. add(const[2], const[-5])) x",
        ),
        (
            "map (fun x_t. add(const[1E\N{MINUS SIGN}3], const[- .5e+1])) x",
            "map (fun x_t. add(const[.001], const[-5])) x",
        ),
        (
            "mapprefix (fun x_t. fold (fun x_i. LeftAffine[1, 2; 3; 4](x_i)) c x_t) x",
            "mapprefix (fun x_t. fold (fun x_i. LeftAffine[1, 2; 3; 4](x_i)) c x_t) x",
        ),
    ],
)
def test_notation(written: str, printed: str) -> None:
    parsed = parse(written, RICH, ONE)
    assert to_text(parsed.program, parsed.theta) == printed


def test_outputs_are_columns_of_a_block() -> None:
    text = (
        "mapprefix (fun x_t. fold (fun x_i. "
        "LeftAffine[1, 2; 3, 4; 5 | 6, 7; 8, 9; 10](x_i)) c x_t) x"
    )
    parsed = parse(text, RICH, TWO)
    assert to_text(parsed.program, parsed.theta) == text
    assert parsed.theta is not None
    (block,) = layout(parsed.program)
    np.testing.assert_array_equal(block.of(parsed.theta).T[1], [6, 7, 8, 9, 10])


def test_names_by_scope_not_by_spelling() -> None:
    vectors = RICH.signature(4, per_frame=False, vectors=True)
    assert to_text(parse("x", RICH, vectors).program) == "x"
    window = "SlidingWindowAverage5(LeftAffine(x))"
    assert to_text(parse(window, RICH, RICH.signature(1, per_frame=False)).program) == window


def test_parameters_of_a_program_without_any() -> None:
    parsed = parse("map (fun x_t. sel_left x_t) x", RICH, TWO)
    assert parsed.theta is not None
    assert parsed.theta.shape == (0,)


def test_numbers_are_printed_as_in_the_paper() -> None:
    program = Apply(Map(), ONE, (Apply(Constant(), ONE.per_element()),))
    texts = [to_text(program, np.array([value])) for value in (-0.2785, 0.5, -0.0, 1e-07, 120.0)]
    expected = ["-.2785", ".5", "-0", "1e-07", "120"]
    assert texts == [f"map (fun x_t. const[{number}]) x" for number in expected]


def test_printing_refuses_what_does_not_fit() -> None:
    program = Apply(Map(), ONE, (Apply(Affine(), ONE.per_element()),))
    with pytest.raises(ProgramError, match="5 parameters"):
        to_text(program, np.zeros(4))
    with pytest.raises(ProgramError, match="finite"):
        to_text(program, np.full(5, np.nan))


# Texts that mean nothing


def accepts_or_explains(text: str, domain: Domain, signature: Signature) -> None:
    try:
        parsed = parse(text, domain, signature)
    except TextError as problem:
        header, _, caret = str(problem).split("\n")
        assert header.startswith("line ")
        assert caret.strip() == "^"
        str(problem).encode()  # no lone surrogates: it can be printed anywhere
    else:
        assert parse(to_text(parsed.program), domain, signature).program == parsed.program


@many
@given(st.text() | st.text("x_t.()[]{}?;,|>0 -e1mapfoldunicf\n\t"))
def test_any_text(text: str) -> None:
    accepts_or_explains(text, RICH, ONE)


_WORDS = [*"()[];,|.", "??", "map", "fold", "fun", "x", "x_t", "if", "const", "1", "-", "then"]


@st.composite
def damaged(draw: st.DrawFn) -> tuple[Domain, Signature, str]:
    """A valid text in which characters or words were deleted, doubled, swapped or put in."""
    domain, program = draw(cases(8))
    theta = draw(st.none() | parameters(program))
    text = to_text(program, theta)
    parts = draw(st.sampled_from((list(text), text.replace("(", " ( ").split(" "))))
    joined = "" if len(parts) == len(text) else " "
    for _ in range(draw(st.integers(1, 3))):
        first = draw(st.integers(0, len(parts) - 1))
        second = draw(st.integers(0, len(parts) - 1))
        match draw(st.integers(0, 3)):
            case 0:
                parts[first] = ""
            case 1:
                parts[first] *= 2
            case 2:
                parts[first], parts[second] = parts[second], parts[first]
            case _:
                parts.insert(first, draw(st.sampled_from(_WORDS)))
    return domain, program.signature, joined.join(parts)


@many
@given(damaged())
def test_damaged_text(case: tuple[Domain, Signature, str]) -> None:
    domain, signature, text = case
    accepts_or_explains(text, domain, signature)


@pytest.mark.parametrize(
    "text",
    [
        "(" * 100_000,
        "if " * 100_000,
        "map (fun x. " * 5_000,
        "mapprefix (fun x. " * 5_000,
        "mapprefix (fun x. fold (fun y. " + "add(" * 100_000,
        "map (fun x. LeftAffine(" + "(" * 100_000,
        "map (fun x. const[" + "9" * 900_000,
        "map (fun x. const[1e" + "9" * 900_000 + "]) x",
        "map (fun x. LeftAffine[" + "1," * 400_000,
        "y" * 1_000_000,
        "map (fun " + "y" * 900_000 + ". z) x",
        " " * 1_000_000,
        "\n" * 999_999 + "#",
        "(" * (MAX_LENGTH + 1),
    ],
    ids=range(14),
)
def test_vast_texts_fail_fast(text: str) -> None:
    start = time.perf_counter()
    with pytest.raises(TextError) as problem:
        parse(text, RICH, ONE)
    # Anything but linear time would take far longer; a busy machine does not.
    assert time.perf_counter() - start < 30
    assert len(str(problem.value)) < 1000


def test_the_largest_text_is_read_in_linear_time() -> None:
    body = "const"
    while len(body) < MAX_LENGTH / 3:
        body = f"add({body}, {body})"
    start = time.perf_counter()
    parse(f"map (fun x_t. {body}) x", RICH, ONE)
    assert time.perf_counter() - start < 60
