"""Leaves of a few features: their names, their text, and what they are for a domain."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nearstar as ns
from nearstar.language.canonical import canonical
from nearstar.language.choosing import everything, with_terms
from nearstar.language.feature_names import read_name, read_names, written_name
from nearstar.language.operators import Affine, Group, Terms
from nearstar.language.parameters import layout
from nearstar.language.program import Apply, applied
from nearstar.model.export import export
from nearstar.util.errors import DomainError, ProgramError, TextError

NAMES = ("gap", "speed", "odd name", "mean(speed, 31)", 'spread("odd name", last 5)', "x.1")
DOMAIN = ns.Domain.of_features(NAMES, {"both": ["gap", "speed"]})
FRAMES = DOMAIN.signature(1, per_frame=True)


def read(text: str, outputs: int = 1) -> ns.Parsed:
    return ns.parse(text, DOMAIN, DOMAIN.signature(outputs, per_frame=True))


def leaf(parsed: ns.Parsed) -> Apply:
    return applied(parsed.program)[-1]


@given(st.text(alphabet='a1_. (),"\\·-', min_size=1), st.sampled_from([")", " - 3)", "}", ", b}"]))
def test_any_name_is_read_as_it_was_written(name: str, after: str) -> None:
    written = written_name(name)
    assert read_name(f"2·{written}{after}", 2) == (name, 2 + len(written))


@given(st.lists(st.text(alphabet='a1_. (),"\\{}', min_size=1), min_size=1, max_size=4))
def test_lists_of_names(names: list[str]) -> None:
    text = f"{{{', '.join(map(written_name, names))}}}"
    assert read_names(text) == names
    for broken in (text[:-1], text[1:], f"{text}x", "{}", "{,a}"):
        assert read_names(broken) is None


@given(
    st.lists(st.sets(st.sampled_from(NAMES)), min_size=1, max_size=3).filter(any),
    st.lists(st.floats(-1e9, 1e9), min_size=7, max_size=7),
)
def test_leaves_print_as_sums_and_read_back(names: list[set[str]], numbers: list[float]) -> None:
    """Outputs may read different terms, and some none."""
    outputs = len(names)
    signature = DOMAIN.signature(outputs, per_frame=True)
    terms = Terms.of(names, NAMES)
    program = ns.parse("map (fun t. ??) x", DOMAIN, signature).program
    program = Apply(program.operation, signature, (Apply(Affine(terms), signature.per_element()),))
    assert ns.parse(ns.to_text(program), DOMAIN, signature).program == program
    (block,) = layout(program)
    theta = np.resize(np.array(numbers), (block.rows * outputs,))
    theta[block.held] = 0
    text = ns.to_text(program, theta)
    assert "Affine" not in text and text.count("|") == outputs - 1
    assert text.count("·") == sum(map(len, names))
    parsed = ns.parse(text, DOMAIN, signature)
    assert parsed.program == program and parsed.theta is not None
    np.testing.assert_array_equal(parsed.theta.view(np.int64), theta.view(np.int64))


def test_sums_as_people_write_them() -> None:
    text = "map (fun t. (-2*mean(speed, 31) + .5·gap − 3)) x"
    parsed = read(text)
    assert leaf(parsed).operation == Affine(Terms(("gap", "mean(speed, 31)"), (0, 3)))
    assert parsed.theta is not None and parsed.theta.tolist() == [0.5, -2, -3]
    assert ns.to_text(parsed.program, parsed.theta) == (
        "map (fun x_t. (.5·gap - 2·mean(speed, 31) - 3)) x"
    )
    assert read("map (fun t. (2·gap)) x").theta.tolist() == [2, 0]  # type: ignore[union-attr]
    assert read("map (fun t. ((2·gap + 1))) x").program == read("map (fun t. (2·gap)) x").program
    sketch = read("map (fun t. if Affine{speed, gap}(t) > 0 then ?? else ??) x")
    assert "Affine{gap, speed}(x_t)" in ns.to_text(sketch.program)


@pytest.mark.parametrize(
    ("body", "outputs", "problem"),
    [
        ("(2·gip - 1)", 1, "there is no feature 'gip'; did you mean 'gap'"),
        ("(2·gap - 1 + 2·speed)", 1, "a sum ends with its number"),
        ("(2·gap 1)", 1, r"expected '\+', '-' or '\)' in a sum; found '1'"),
        ("(2·gap + 3·gap)", 1, "gap is there already"),
        ("(2·)", 1, r"expected the name of a feature; found '\)'"),
        ("(2)", 1, "a sum has a feature at least"),
        ("(2·gap +", 1, r"expected a finite number; found '\)'"),
        ("(2·gap + 1)", 2, r"a sum gives 1 number .*a sum for each number"),
        ("(2·gap | 1 | 3)", 2, "3 sums give 3 numbers .*a sum for each number"),
        ("Affine{gap | | speed}(t)", 2, "gives 3 numbers"),
        ("Affine{ | }(t)", 2, "expected the name of a feature"),
        ("add((2·gap + 1), Affine{speed}(t))", 1, "has no parameters, but another leaf has"),
        ("Affine{}(t)", 1, "expected the name of a feature"),
        ("Affine{gap speed}(t)", 1, "expected ',' or '}' after a feature; found 'speed'"),
        ("Affine{speed, gap}[1, 2; 3](t)", 1, r"in the order of the data: \{gap, speed\}"),
        ("Affine{gap}[1, 2; 3](t)", 1, r"expected ';', as in Affine\[w1; b\]"),
    ],
)
def test_mistakes(body: str, outputs: int, problem: str) -> None:
    with pytest.raises(TextError, match=problem):
        read(f"map (fun t. {body}) x", outputs)


def test_sums_read_no_accumulator() -> None:
    with pytest.raises(TextError, match="no accumulator is read"):
        read("mapprefix (fun t. fold (fun i. (2·gap + 1)) c t) x")
    inside = read("mapprefix (fun t. fold (fun i. Affine{gap}[2; .5; 1](i)) c t) x")
    assert "Affine{gap}[2; .5; 1](x_i)" in ns.to_text(inside.program, inside.theta)


def test_a_domain_may_have_them_as_rules() -> None:
    domain = ns.Domain.of_features(NAMES, {}, vectors=("Affine{speed, gap}", "if"))
    (rule, _) = domain.grammar(FRAMES).vectors
    assert rule.operation == Affine(Terms(("gap", "speed"), (0, 1)))
    program = ns.parse("map (fun t. Affine{gap, speed}(t)) x", domain, FRAMES).program
    assert canonical(program, domain.grammar(FRAMES)) == program
    for name, problem in (
        ("Affine{gap", "Affine{one, another}"),
        ("Affine{gip}", "did you mean 'gap'"),
    ):
        with pytest.raises(DomainError, match=problem):
            ns.Domain.of_features(NAMES, {}, vectors=(name,))


def test_they_may_stand_where_what_they_refine_may() -> None:
    grammar = DOMAIN.grammar(FRAMES)
    within = read("map (fun t. if Affine{gap}(t) > 0 then Affine{gap, speed}(t) else ??) x").program
    assert within in grammar and grammar.cost(within) == pytest.approx(0.04)
    assert (
        canonical(within, grammar)
        == read("map (fun t. if Affine{gap}(t) > 0 then BothAffine(t) else ??) x").program
    )
    assert read("map (fun t. Affine{gap, x.1}(t)) x").program not in grammar


def test_a_sketch_with_them_is_completed() -> None:
    frames = np.random.default_rng(0).normal(size=(24, 10, len(NAMES)))
    gap, speed = frames[..., 0], frames[..., 1]
    labels = np.where(gap > 0, speed > 0, speed < 0).astype(int)
    data = ns.Sequences.from_arrays(frames, labels, feature_names=NAMES)
    sketch = "map (fun t. if Affine{gap}(t) > 0 then ?? else ??) x"
    limits = ns.Limits(trainings=20)
    result = ns.learn(ns.Task(data), DOMAIN, start=sketch, limits=limits, progress=False)
    assert result.best is not None and result.best.evaluation.f1 > 0.9
    assert "if Affine{gap}(x_t) > 0" in ns.to_text(result.best.evaluation.program)
    latex = str(export(result.model(DOMAIN, ("a", "b")), "latex"))
    assert r"\operatorname{Affine}" in latex and "{gap" not in latex.replace(r"\text{gap}", "")


def test_they_compute_what_a_group_of_the_same_features_does() -> None:
    data = ns.Sequences.from_arrays(np.random.default_rng(0).normal(size=(3, 5, len(NAMES))))
    one, other = (
        ns.Model.from_text(f"map (fun t. {text}) x", DOMAIN, FRAMES, ("a", "b"))
        for text in ("(2·gap - 3·speed + .5)", "BothAffine[2, -3; .5](t)")
    )
    np.testing.assert_array_equal(one.scores(data), other.scores(data))


@pytest.mark.parametrize("most", [None, 1, 2, 3])
@pytest.mark.parametrize("leaf_of", ["Affine", "BothAffine", "LateAffine"])
def test_leaves_that_choose_their_terms(leaf_of: str, most: int | None) -> None:
    groups = {"both": ["gap", "speed"], "late": ["x.1", "mean(speed, 31)", "odd name"]}
    text = f"{leaf_of}{{*{most or ''}}}"
    domain = ns.Domain.of_features(NAMES, groups, vectors=(text, "add", "const"), price=0.01)
    grammar = domain.grammar(FRAMES)
    program = ns.parse(f"map (fun t. {text}(t)) x", domain, FRAMES).program
    assert ns.to_text(program) == f"map (fun x_t. {text}(x_t)) x" and program in grammar
    assert ns.Domain.from_dict(domain.to_dict()).grammar(FRAMES) == grammar
    allowed = NAMES if leaf_of == "Affine" else groups[leaf_of.removesuffix("Affine").lower()]
    ((everywhere,),) = everything(program)
    assert everywhere == tuple(sorted(NAMES.index(name) for name in allowed))
    # Of what it may choose, what it chooses stands where it may.
    for size in range(1, len(NAMES) + 1):
        for names in combinations(NAMES, size):
            leaf_of_names = Apply(Affine(Terms.of([names], NAMES)), FRAMES.per_element())
            chosen = program.on((leaf_of_names,))
            fits = set(names) <= set(allowed) and (most is None or size <= most)
            assert (chosen in grammar) == fits
            columns = [NAMES.index(name) for name in names]
            assert not fits or with_terms(program, [(tuple(columns),)]) == chosen
            assert not fits or grammar.cost(chosen) == pytest.approx(0.01 + 0.01 * (size + 1))


def test_a_sum_of_two_that_choose_a_few_is_more_than_one() -> None:
    for leaf_of, same in (("Affine{*}", True), ("Affine{*2}", False), ("BothAffine{*1}", False)):
        domain = ns.Domain.of_features(
            NAMES, {"both": ["gap", "speed"]}, vectors=("add", leaf_of, "const")
        )
        one, two, shifted = (
            canonical(ns.parse(f"map (fun t. {each}) x", domain, FRAMES).program, grammar)
            for grammar in [domain.grammar(FRAMES)]
            for each in (
                f"{leaf_of}(t)",
                f"add({leaf_of}(t), {leaf_of}(t))",
                f"add(const, {leaf_of}(t))",
            )
        )
        assert (one == two) == same and one == shifted


def test_a_bound_for_all_leaves_that_choose() -> None:
    given = ns.Domain.of_features(
        NAMES,
        {"both": ["gap", "speed"]},
        vectors=("if", "Affine{*}", "BothAffine{*2}", "BothAffine"),
        costs={"Affine{*}": 0.5, "BothAffine{*2}: vector -> vector": 0.25},
    )
    for most in (1, 2, 3):
        domain = given.with_most_terms(most)
        both = f"BothAffine{{*{min(most, 2)}}}"
        assert domain.vectors == ("if", f"Affine{{*{most}}}", both, "BothAffine")
        costs = {rule.operation.name: rule.cost for rule in domain.grammar(FRAMES).vectors}
        assert (costs[f"Affine{{*{most}}}"], costs[both]) == (0.5, 0.25)
    for name, problem in (("NoneAffine{*}", "there is no leaf"), ("Affine{*0}", "one, another")):
        with pytest.raises(DomainError, match=problem):
            ns.Domain.of_features(NAMES, {}, vectors=(name,))


def test_terms_that_cannot_be() -> None:
    assert Terms.of([["speed", "gap"]], NAMES).columns == Group("both", (0, 1)).columns
    for names, columns in (((), ()), (("gap",), (0, 1)), (("speed", "gap"), (1, 0))):
        with pytest.raises(ProgramError, match="terms are"):
            Terms(names, columns)


def test_weights_that_no_output_reads_stay_0() -> None:
    """From whatever a training starts, and whatever it is given to start from."""
    random = np.random.default_rng(0)
    frames = random.normal(size=(20, 30, len(NAMES)))
    data = ns.Sequences.from_arrays(frames, frames.argmax(axis=-1), feature_names=NAMES)
    signature = DOMAIN.signature(data.n_classes, per_frame=True)
    program = ns.parse(
        f"map (fun t. Affine{{gap | {NAMES[1]}, gap{' | ' * (data.n_classes - 2)}}}(t)) x",
        DOMAIN,
        signature,
    ).program
    found = ns.train(program, ns.Task(data), ns.Budget(symbolic_steps=40))
    (block,) = layout(program)
    assert not found.theta[block.held].any()
    assert np.count_nonzero(found.theta) == 3 + data.n_classes
    with pytest.raises(ProgramError, match="must be 0"):
        ns.train(program, ns.Task(data), start=np.ones_like(found.theta))
