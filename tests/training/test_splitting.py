"""Where hard ifs start: at splits of the data."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nearstar as ns
from nearstar.language.operators import HARD
from nearstar.language.parameters import layout
from nearstar.training.course import Plan
from nearstar.training.splitting import best_split, split_start
from nearstar.util.interrupt import Stop

NAMES = ("a", "b", "c", "d", "e", "f")
LEAF = "Affine{*}(x_t)"
CHOICE = f"map (fun x_t. if {LEAF} > 0 then {LEAF} else {LEAF}) x"


def task(seed: int, at: float = 0.4, column: int = 0) -> ns.Task:
    """Above a threshold of one feature another decides than below it."""
    random = np.random.default_rng(seed)
    frames = random.normal(size=(40, 30, len(NAMES)))
    asked, then, other = (frames[..., (column + place) % len(NAMES)] for place in range(3))
    labels = np.where(asked > at, then > 0, other > 0).astype(int)
    return ns.Task(
        *(
            ns.Sequences.from_arrays(frames[part], labels[part], feature_names=NAMES)
            for part in (slice(None, 20), slice(20, None))
        )
    )


def domain(beta: float = HARD) -> ns.Domain:
    return ns.Domain("d", NAMES, vectors=("if", "add", "Affine{*}"), beta=beta)


def plan(text: str, data: ns.Task, beta: float = HARD) -> Plan:
    program = ns.parse(text, domain(beta), data.signature()).program
    return Plan(program, data, ns.Budget(symbolic_steps=60), None, False, Stop())


def untold(inputs: np.ndarray, targets: np.ndarray, column: int, threshold: float) -> float:
    """What two affine maps, one for each side of a split, leave of the targets' squares."""
    above = inputs[:, column] > threshold
    read = np.column_stack([inputs, np.ones(len(inputs))])
    total = 0.0
    for side in (above, ~above):
        solved = np.linalg.lstsq(read[side], targets[side], rcond=None)[0]
        total += float(np.square(targets[side] - read[side] @ solved).sum())
    return total


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6), st.floats(-1, 1), st.integers(0, 5))
def test_the_split_that_makes_two_rules(seed: int, at: float, column: int) -> None:
    data = task(seed, at, column)
    sample = data.sample(8000)
    targets = np.where(sample.codes == 1, 1.0, -1.0)[:, None]
    weights = np.ones(len(targets))
    found = best_split(sample.inputs, targets, weights, range(len(NAMES)))
    assert found is not None
    # Two maps tell about as much there as where the rule is split, or more.
    true = (at - data.scale.mean[column]) / data.scale.std[column]
    best = untold(sample.inputs, targets, found.column, found.threshold)
    assert best <= untold(sample.inputs, targets, column, true) * 1.3  # edges are quantiles
    column = found.column
    # The next best is by another feature; of some columns alone, it is one of them.
    second = best_split(sample.inputs, targets, weights, range(len(NAMES)), rank=1)
    assert second is not None and second.column != column
    others = [each for each in range(len(NAMES)) if each != column]
    elsewhere = best_split(sample.inputs, targets, weights, others)
    assert elsewhere is not None and elsewhere.column in others


def test_too_few_elements_are_not_split() -> None:
    random = np.random.default_rng(0)
    inputs, targets = random.normal(size=(60, 2)), np.ones((60, 1))
    assert best_split(inputs, targets, np.ones(60), [0, 1]) is None
    constant = np.ones((500, 1))
    assert best_split(constant, np.ones((500, 1)), np.ones(500), [0]) is None


def test_a_start_is_nearly_the_rule() -> None:
    data = task(0, at=0.0)
    given_plan = plan(CHOICE, data)
    drawn = given_plan.budget.initial(given_plan.program, 0)
    start = split_start(given_plan, drawn, 0)
    assert start is not None
    condition, then, other = (block.of(start) for block in layout(given_plan.program))
    assert np.flatnonzero(condition[:-1]).tolist() == [0]
    assert abs(then[:-1, 0]).argmax() == 1 and abs(other[:-1, 0]).argmax() == 2
    assert not np.array_equal(start, drawn) and np.array_equal(
        start, split_start(given_plan, drawn, 0)
    )
    found = ns.train(given_plan.program, data, ns.Budget(symbolic_steps=200))
    assert found.error < 0.06
    last = found.chosen[-1]
    assert last.error < 0.06 and "if Affine{a}(x_t) > 0" in ns.to_text(last.program)


def test_few_data_and_many_features_leave_the_rule() -> None:
    """Leaves over everything fit them by chance; what begins with a few terms does not."""
    random = np.random.default_rng(0)
    names = [f"x{place}" for place in range(100)]
    frames = random.normal(size=(40, 20, 100))
    a, b, c = (frames[..., place] for place in range(3))
    labels = np.where(a > 0, b > 0, c > 0).astype(int)
    parts = (slice(None, 20), slice(20, None))
    data = ns.Task(
        *(ns.Sequences.from_arrays(frames[p], labels[p], feature_names=names) for p in parts)
    )
    language = ns.Domain("d", tuple(names), vectors=("if", "Affine{*}"), beta=HARD)
    program = ns.parse(CHOICE, language, data.signature()).program
    found = ns.train(program, data, ns.Budget(symbolic_steps=200))
    best = min(found.chosen, key=lambda each: each.error)
    assert best.error < 0.1 < found.error


@pytest.mark.parametrize(
    ("text", "beta"),
    [
        (CHOICE, 1.0),
        (f"map (fun x_t. {LEAF}) x", HARD),
        (f"map (fun x_t. if add({LEAF}, {LEAF}) > 0 then {LEAF} else {LEAF}) x", HARD),
    ],
)
def test_what_has_no_such_start(text: str, beta: float) -> None:
    """Smooth ifs, no ifs, and conditions that are no leaf."""
    given_plan = plan(text, task(1), beta)
    drawn = given_plan.budget.initial(given_plan.program, 0)
    assert split_start(given_plan, drawn, 0) is None


def test_an_if_in_a_branch_is_split_by_what_comes_there() -> None:
    random = np.random.default_rng(3)
    frames = random.normal(size=(60, 30, len(NAMES)))
    a, b, c, d, e = (frames[..., place] for place in range(5))
    labels = np.where(a > 0, c > 0, np.where(b > 0, d > 0, e > 0)).astype(int)
    data = ns.Task(ns.Sequences.from_arrays(frames, labels, feature_names=NAMES))
    text = CHOICE.replace(f"else {LEAF}", f"else if {LEAF} > 0 then {LEAF} else {LEAF}")
    given_plan = plan(text, data)
    start = split_start(given_plan, given_plan.budget.initial(given_plan.program, 0), 0)
    assert start is not None
    first, _, second, *_ = (block.of(start) for block in layout(given_plan.program))
    assert {int(abs(each[:-1, 0]).argmax()) for each in (first, second)} == {0, 1}
    assert all(np.count_nonzero(each[:-1]) == 1 for each in (first, second))


@pytest.mark.parametrize("chain", ["if {} > 0 then {} else class", "if {} > 0 then class else {}"])
def test_a_tree_of_classes_is_split_on_the_side_that_needs_it(chain: str) -> None:
    """Wherever its choices are: of trees that are alike but for this, a search tries one."""
    a, b, c = np.random.default_rng(0).normal(size=(3, 400)).round(2)
    labels = np.where(a > 0.5, 0, np.where(b > 0.2, 1, np.where(c > 0, 2, 3)))
    data = ns.Task(ns.Sequences.from_arrays(np.stack([a, b, c], axis=1), labels))
    classes = tuple("0123")
    language = ns.Domain(
        "d", tuple("abc"), vectors=("if", "Affine{*}", "class"), classes=classes, beta=HARD
    )
    text = "class"
    for _ in range(3):
        text = chain.format("Affine{*}(x)", text)
    found = ns.train(ns.parse(text, language, data.signature()).program, data)
    assert found.error < 0.01
