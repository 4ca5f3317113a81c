"""Leaves that choose their terms: from all to one, by what is lost without each."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nearstar as ns
from nearstar.language.choosing import chooses_terms, everything, most_terms, with_terms
from nearstar.training.train import Trained

NAMES = tuple("abcdefgh")
BUDGET = ns.Budget(symbolic_steps=90, stages=2, look_every=30, choosing_steps=60, batch_size=8)


def task(rule: str, seed: int = 0, n: int = 40) -> ns.Task:
    """Frames of random features, with labels by a rule of them."""
    random = np.random.default_rng(seed)
    frames = random.normal(size=(n, 20, len(NAMES))) * np.geomspace(0.1, 10, len(NAMES))
    columns = {name: frames[..., place] for place, name in enumerate(NAMES)}
    labels = np.asarray(eval(rule, {}, columns)).astype(int)
    train, valid = (
        ns.Sequences.from_arrays(frames[part], labels[part], feature_names=NAMES)
        for part in (slice(None, n // 2), slice(n // 2, None))
    )
    return ns.Task(train, valid)


def domain(**changes: object) -> ns.Domain:
    given = {"vectors": ("if", "add", "multiply", "Affine{*}"), "price": 0.001, **changes}
    return ns.Domain("terms", NAMES, **given)  # type: ignore[arg-type]


def trained(text: str, data: ns.Task, **changes: object) -> Trained:
    program = ns.parse(text, domain(**changes), data.signature()).program
    return ns.train(program, data, BUDGET)


LINE = "map (fun x_t. Affine{*}(x_t)) x"
VECTORS = (*("if", "MiddleAffine{*1}", "Affine{*3}", "Affine{*}", "Affine{*2}"), "MiddleAffine{*}")
CHOICE = "map (fun x_t. if Affine{*}(x_t) > 0 then Affine{*}(x_t) else Affine{*}(x_t)) x"


@pytest.mark.parametrize(
    ("rule", "terms"),
    [("10 * a > 0", {"a"}), ("10 * a - h / 5 > 0", {"a", "h"}), ("b + c / 2 > d", {"b", "c", "d"})],
)
def test_what_decides_is_what_is_kept(rule: str, terms: set[str]) -> None:
    found = trained(LINE, task(rule))
    (kept,) = [each for each in found.chosen if len(each.choice[0][0]) == len(terms)]
    assert {NAMES[column] for column in kept.choice[0][0]} == terms
    assert kept.error < 0.1


def test_of_two_that_say_the_same_one_is_kept() -> None:
    """Weights are shared among them: by weight alone both would go."""
    data = task("a > 0")
    frames = np.array(data.train.frames)
    frames[:, 1] = frames[:, 0] * 3  # b is a in other units
    train = ns.Sequences.from_arrays(
        frames.reshape(-1, 20, len(NAMES)), np.asarray(data.train.labels).reshape(-1, 20)
    )
    found = ns.train(
        ns.parse(LINE, ns.Domain("d", train.feature_names, vectors=("Affine{*}",)),
                 ns.Task(train).signature()).program,
        ns.Task(train),
        BUDGET,
    )  # fmt: skip
    last = found.chosen[-1]
    assert last.choice in ((((0,),),), (((1,),),)) and last.error < 0.05


def test_a_term_comes_in_again_where_another_is_missed() -> None:
    """While a and b are there nobody needs their sum; of one term alone it is the best."""
    data = task("10 * a + 5 * b > 0", n=80)

    def with_sum(part: ns.Sequences) -> ns.Sequences:
        frames = np.array(part.frames)
        noise = np.random.default_rng(1).normal(size=len(frames)) / 4
        frames[:, 2] = 10 * frames[:, 0] + 5 * frames[:, 1] + noise
        shape = (-1, 20, len(NAMES))
        labels = np.asarray(part.labels).reshape(-1, 20)
        return ns.Sequences.from_arrays(frames.reshape(shape), labels, feature_names=NAMES)

    found = trained(LINE, ns.Task(with_sum(data.train), with_sum(data.valid)))
    of_two, *_, last = [each for each in found.chosen if len(each.choice[0][0]) <= 2]
    assert of_two.choice == (((0, 1),),)
    assert last.choice == (((2,),),) and last.error < 0.12


@settings(max_examples=8, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([LINE, CHOICE]), st.sampled_from([1.0, 1e30]))
def test_ever_fewer_terms_down_to_one_a_leaf(seed: int, text: str, beta: float) -> None:
    data = task("(a > 0) & (c < 1)", seed)
    found = trained(text, data, beta=beta)
    assert chooses_terms(found.program)
    sizes = [sum(len(column) for (column,) in each.choice) for each in found.chosen]
    leaves = text.count("{*}")
    assert sizes[0] == leaves * len(NAMES) and sizes[-1] == leaves
    # With hard choices there are two ways down.
    assert all(fewer <= more for more, fewer in pairwise(sizes))
    assert len({each.choice for each in found.chosen}) == len(found.chosen)
    assert found.chosen[0].choice == everything(found.program)
    for each, size in zip(found.chosen, sizes, strict=True):
        assert each.program == with_terms(found.program, each.choice)
        assert not chooses_terms(each.program) and all(column for (column,) in each.choice)
        # With all digits: those of Model.of are few where ifs are hard.
        names = data.valid.class_names
        model = ns.Model(each.program, each.theta, domain(beta=beta), names, each.scale)
        assert model.evaluate(data.valid).error == pytest.approx(each.error, abs=2e-3)
        assert model.numbers is not None and model.numbers <= size + leaves


@pytest.mark.parametrize(
    ("text", "most"),
    [
        ("map (fun x_t. Affine{*2}(x_t)) x", (2,)),
        ("map (fun x_t. Affine{*8}(x_t)) x", (8,)),
        ("map (fun x_t. MiddleAffine{*}(x_t)) x", (4,)),
        ("map (fun x_t. if MiddleAffine{*1}(x_t) > 0 then Affine{*3}(x_t) else Affine{*}(x_t)) x",
         (1, 3, 8)),
    ],
)  # fmt: skip
def test_no_leaf_ends_with_more_terms_than_it_may_have(text: str, most: tuple[int, ...]) -> None:
    data, groups = task("(c > 0) & (d < 1)"), {"middle": ["f", "c", "d", "e"]}
    found = trained(text, data, groups=groups)
    choices = [tuple(columns for (columns,) in each.choice) for each in found.chosen]
    assert most_terms(found.program) == most
    assert all(
        len(columns) <= n for choice in choices for columns, n in zip(choice, most, strict=True)
    )
    # It begins with as many as there may be, and ends with one in each.
    assert tuple(map(len, choices[0])) == most and set(map(len, choices[-1])) == {1}
    for each, choice in zip(found.chosen, choices, strict=True):
        assert each.program in domain(vectors=VECTORS, groups=groups).grammar(data.signature())
        middle = [set(columns) for columns, n in zip(choice, most, strict=True) if n in (1, 4)]
        assert all(columns <= {2, 3, 4, 5} for columns in middle)
        model = ns.Model.of(each, domain(groups=groups), data.valid.class_names)
        assert model.evaluate(data.valid).error == pytest.approx(each.error, abs=2e-3)
    if most == (2,):
        kept = {NAMES[column] for column in choices[0][0]}
        assert kept == {"c", "d"} and len(choices) == 2


def test_the_same_bits_again() -> None:
    data = task("a * b > 0")
    first, second = (trained(CHOICE, data) for _ in range(2))
    for one, other in zip(first.chosen, second.chosen, strict=True):
        assert one.choice == other.choice and np.array_equal(one.theta, other.theta)


def test_probes_and_what_is_cut_choose_nothing() -> None:
    data = task("a > 0")
    program = ns.parse(LINE, domain(), data.signature()).program
    assert not ns.train(program, data, BUDGET, probe=True).chosen
    whole = ns.train(program, data, BUDGET)
    for cutoffs in ((-1.0,), (1.0, -1.0)):
        cut = ns.train(program, data, BUDGET, cutoffs=cutoffs)
        assert cut.cut and not cut.chosen and len(cut.stages) == len(cutoffs)
    assert ns.train(program, data, BUDGET, cutoffs=(1.0, 1.0)).chosen
    assert whole.chosen


def test_numbers_that_become_too_large_end_it() -> None:
    data = task("a > 0")
    program = "map (fun x_t. multiply(Affine{*}(x_t), multiply(Affine{*}(x_t), Affine{*}(x_t)))) x"
    parsed = ns.parse(program, domain(), data.signature()).program
    found = ns.train(parsed, data, ns.Budget(learning_rate=1e6, symbolic_steps=20, stages=1))
    assert found.diverged or found.chosen


def test_one_start_is_enough_for_what_is_convex() -> None:
    data = task("a > b")
    program = ns.parse("map (fun x_t. Affine(x_t)) x", domain(), data.signature()).program
    one, three = (ns.train(program, data, ns.Budget(symbolic_steps=60, restarts=n)) for n in (1, 3))
    assert np.array_equal(one.theta, three.theta) and one.stages == three.stages


def test_each_class_has_terms_of_its_own() -> None:
    """Of three classes, told by the largest of three features, each needs but one."""
    random = np.random.default_rng(0)
    frames = random.normal(size=(60, 20, len(NAMES)))
    data = ns.Task(
        *(
            ns.Sequences.from_arrays(part, part[..., :3].argmax(axis=-1), feature_names=NAMES)
            for part in np.split(frames, 2)
        )
    )
    found = trained(LINE, data)
    (three,) = [each for each in found.chosen if sum(map(len, each.choice[0])) == 3]
    assert three.choice == (((0,), (1,), (2,)),) and three.error < 0.05
    assert "Affine{a | b | c}" in ns.to_text(three.program)
    bounded = trained(LINE.replace("*", "*1"), data)
    assert bounded.chosen[0].error < 0.1
    assert all(len(own) <= 1 for each in bounded.chosen for own in each.choice[0])


def test_in_a_memory_terms_are_worth_what_is_left_of_them_there() -> None:
    """A slow feature says more than a quick one of a larger weight, of which a mean takes most."""
    random = np.random.default_rng(0)
    frames = random.normal(size=(60, 60, len(NAMES)))
    frames[..., 0] = random.normal(size=(60, 1))  # the same in a whole sequence
    kept = 0.5 ** (1 / 6)
    means = frames[..., :2].copy()
    for step in range(1, 60):
        means[:, step] = kept * means[:, step - 1] + (1 - kept) * frames[:, step, :2]
    labels = (means[..., 0] + 1.5 * means[..., 1] > 0).astype(int)
    data = ns.Task(
        *(
            ns.Sequences.from_arrays(frames[part], labels[part], feature_names=NAMES)
            for part in (slice(None, 30), slice(30, None))
        )
    )
    text = "mapprefix (fun x_t. memory (fun x_i. Affine{*}(x_i)) x_t) x"
    memory = domain(summaries=("memory",), sequences=("map", "mapprefix"))
    found = ns.train(ns.parse(text, memory, data.signature()).program, data, BUDGET)
    *_, two, one = found.chosen
    assert two.choice == (((0, 1),),) and one.choice == (((0,),),)
