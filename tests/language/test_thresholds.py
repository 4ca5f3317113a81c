"""Thresholds: conditions of one term under a hard ``if``, in text and in parameters."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nearstar as ns
from nearstar.language.feature_names import written_name
from nearstar.language.numbers import numbers_of
from nearstar.language.operators import HARD
from nearstar.language.text import in_lines
from nearstar.language.thresholds import thresholds_of, with_thresholds
from nearstar.util.errors import TextError

NAMES = (
    *("gap", "odd name", "mean(speed, 31)", "max(gap, 3)", "x", "x_t", "if", "map", "x.1", "3"),
    *('spread("odd name", last 5)', 'quo"ted', "SlidingWindowAverage5"),
)
numbers = st.floats(-1e30, 1e30)


def domain(beta: float = HARD, names: tuple[str, ...] = NAMES) -> ns.Domain:
    return ns.Domain.of_features(names, {}, beta=beta)


def read(text: str, beta: float = HARD) -> ns.Parsed:
    own = domain(beta)
    return ns.parse(f"map (fun t. {text}) x", own, own.signature(1, per_frame=True))


def choice(first: str, second: str) -> ns.Parsed:
    """Two ifs of one term each, without numbers."""
    one, other = (f"Affine{{{written_name(name)}}}(t)" for name in (first, second))
    leaf = "Affine{gap}(t)"
    return read(f"if {one} > 0 then {leaf} else if {other} > 0 then {leaf} else {leaf}")


@given(
    st.sampled_from(NAMES),
    st.sampled_from(NAMES),
    st.lists(numbers, min_size=8, max_size=8),
    st.sampled_from([1.0, -1.0, 2.0]),
    st.sampled_from([0.0, -0.0, 1e-300, 3.25, -7.0]),
)
def test_any_threshold_reads_back(
    first: str, second: str, others: list[float], weight: float, bias: float
) -> None:
    program = choice(first, second).program
    theta = np.array([weight, bias, *others])
    text = ns.to_text(program, theta)
    assert len(thresholds_of(program, theta)) == (abs(weight) == 1) + (abs(others[2]) == 1)
    for written in (text, in_lines(program, theta)):
        parsed = ns.parse(written, domain(), program.signature)
        assert parsed.program == program and parsed.theta is not None
        np.testing.assert_array_equal(parsed.theta.view(np.int64), theta.view(np.int64))


@given(numbers, numbers, st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=20))
def test_only_the_sign_of_the_weight_counts(
    weight: float, bias: float, values: list[float]
) -> None:
    program = choice("gap", "gap").program
    theta = np.array([weight, bias, 1, 0, -2, 4, 1, 0, 1, 0], float)
    short = with_thresholds(program, theta)
    assert short[3] == 0 and short[4:6].tolist() == [-1, 2]
    asked = thresholds_of(program, short).get((0, 0))
    np.testing.assert_array_equal(with_thresholds(program, short), short)
    np.testing.assert_array_equal(short[6:], theta[6:])
    if asked is None:  # too far away, or nothing is asked
        assert weight == 0 or abs(bias / weight) > 1e38
        return
    for value in values:
        exact = weight * value + bias
        if abs(exact) > 1e-9 * (abs(weight * value) + abs(bias)):
            assert (exact > 0) == (value > asked.value if asked.above else value < asked.value)


def test_as_people_write_them() -> None:
    parsed = read("if gap > 3 then (1·gap) else if mean(speed, 31)<−2.5 then (2·gap) else (1·x_t)")
    assert parsed.theta is not None
    assert parsed.theta[:2].tolist() == [1, -3] and parsed.theta[4:6].tolist() == [-1, -2.5]
    assert numbers_of(parsed.program, parsed.theta) == 1 + 1 + 3 * 2
    text = ns.to_text(parsed.program, parsed.theta)
    assert "if gap > 3 then" in text and "else if mean(speed, 31) < -2.5 then" in text


def test_where_the_if_is_smooth_it_is_a_leaf_with_weight_1() -> None:
    smooth = read("if gap > 3 then (1·gap) else (2·gap)", beta=1.0)
    assert smooth.theta is not None and smooth.theta[:2].tolist() == [1, -3]
    assert "if (1·gap - 3) > 0 then" in ns.to_text(smooth.program, smooth.theta)


def test_other_conditions_print_as_sums() -> None:
    for condition in ("(2·gap - 1)", "(1·gap + 1·x_t - 1)", "add((1·gap), (1·gap))"):
        parsed = read(f"if {condition} > 0 then (1·gap) else (1·gap)")
        assert "> 0 then" in ns.to_text(parsed.program, parsed.theta)
        assert not thresholds_of(parsed.program, np.asarray(parsed.theta))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("if gip > 3 then (1·gap) else (1·gap)", "there is no feature 'gip'; did you mean 'gap'"),
        ("if gap > then (1·gap) else (1·gap)", "expected a finite number; found 'then'"),
        ("if gap < 3 > 0 then (1·gap) else (1·gap)", "expected 'then'"),
        ("if gap > 3 then Affine{gap}(t) else (1·gap)", "has no parameters, but another leaf has"),
        ("gap > 3", "expression of 1 number is expected"),
    ],
)
def test_mistakes(text: str, problem: str) -> None:
    with pytest.raises(TextError, match=problem):
        read(text)


def test_no_thresholds_in_folds_or_of_whole_sequences() -> None:
    inside = "if gap > 3 then Affine{gap}[1; 1; 1](i) else Affine{gap}[1; 1; 1](i)"
    with pytest.raises(TextError, match=r"a threshold gives 1 number .* no accumulator is read"):
        ns.parse(
            f"mapprefix (fun t. fold (fun i. {inside}) c t) x",
            domain(),
            domain().signature(1, per_frame=True),
        )
    leaf = "Affine{gap}[1; .5; -3](i)"
    folded = inside.replace("gap > 3", f"{leaf} > 0")
    parsed = ns.parse(
        f"mapprefix (fun t. fold (fun i. {folded}) c t) x",
        domain(),
        domain().signature(1, per_frame=True),
    )
    assert "Affine{gap}[1; .5; -3](x_i) > 0" in ns.to_text(parsed.program, parsed.theta)


def test_nested_ifs_stand_below_each_other() -> None:
    inner = "if gap > 1 then (1·gap + 0) else (2·gap + 0)"
    parsed = read(f"if gap > 3 then {inner} else {inner}")
    assert in_lines(parsed.program, parsed.theta) == (
        "map (fun x_t.\n"
        "  if gap > 3 then\n"
        "    if gap > 1 then (1·gap + 0)\n"
        "    else (2·gap + 0)\n"
        "  else if gap > 1 then (1·gap + 0)\n"
        "  else (2·gap + 0)) x"
    )
    one = read(inner)
    assert in_lines(one.program, one.theta) == ns.to_text(one.program, one.theta)
