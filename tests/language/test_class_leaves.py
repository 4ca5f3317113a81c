"""Leaves that name a class: in text, in numbers to read, and where they may stand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import domains, parameters, programs, signatures

import nearstar as ns
from nearstar.language.canonical import canonical
from nearstar.language.deciding import can_name, decides, is_misplaced, named, with_names
from nearstar.language.numbers import numbers_of
from nearstar.language.operators import HARD
from nearstar.language.parameters import layout, size_of
from nearstar.language.program import Program, replace, walk
from nearstar.language.shortening import shortened
from nearstar.language.text import in_lines
from nearstar.util.errors import DomainError, TextError

FEATURES = ("gap", "speed", "attack")
ODD = (
    *("attack", "x", "x_t", "if", "then", "else", "map", "last", "class", "const", "c", "add"),
    *("Affine", "GapAffine", "sel_gap", "SlidingWindowAverage0", "CentredWindowAverage4", "??"),
    *("3", "1e5", "a b", 'quo"ted', "back\\slash", "new\nline", "100 %% of %s", "süß", "臭い", ""),
    *("(", ".5", "memory", "nose.tail", "mean(gap, 5)", "fun", "_", "x_i", "-", "gap > 3"),
)
CLASSES = ("other", "attack", "sniff")


def domain(classes: tuple[str, ...] = CLASSES, beta: float = HARD) -> ns.Domain:
    return ns.Domain.of_features(
        FEATURES,
        {},
        sequences=("map", "mapprefix"),
        summaries=("last", "memory"),
        vectors=("if", "add", "multiply", "Affine{*}", "Affine{gap}", "const", "class"),
        classes=classes,
        beta=beta,
    )


def read(text: str, own: ns.Domain, outputs: int = 3) -> ns.Parsed:
    return ns.parse(text, own, own.signature(outputs, per_frame=True))


@st.composite
def trees(draw: st.DrawFn, depth: int = 3) -> str:
    """The text of hard ifs, with classes to be named at most leaves."""
    if not depth or draw(st.integers(0, 3)) == 0:
        return draw(st.sampled_from(("class", "class", "Affine{gap}(x_t)")))
    asked = draw(st.sampled_from(("Affine{gap}(x_t)", "Affine{gap, attack}(x_t)")))
    then, otherwise = draw(trees(depth - 1)), draw(trees(depth - 1))
    return f"if {asked} > 0 then {then} else {otherwise}"


@st.composite
def models(draw: st.DrawFn) -> ns.Model:
    """Models of such trees, with any names of classes, whose numbers may be few or odd."""
    names = draw(
        st.lists(st.sampled_from(ODD) | st.text(max_size=6), min_size=2, max_size=4, unique=True)
    )
    own = domain(tuple(names))
    outputs = 1 if len(names) == 2 and draw(st.booleans()) else len(names)
    around = draw(st.sampled_from(("map (fun x_t. {}) x", "last (fun x_t. {}) x", "{}")))
    text, of = around.format(draw(trees())), {"m": "map", "l": "last"}.get(around[0], "vectors")
    text = text if of != "vectors" else text.replace("x_t", "x")
    signature = own.signature(outputs, per_frame=of == "map", vectors=of == "vectors")
    program = ns.parse(text, own, signature).program
    # Eighths are computed with exactly: an if of the engine adds a difference of its branches.
    numbers = st.integers(-40, 40).map(lambda eighths: eighths / 8)
    size = size_of(layout(program))
    theta = np.array(draw(st.lists(numbers, min_size=size, max_size=size)))
    return ns.Model(program, theta, own, tuple(names), ns.Scale.identity(len(FEATURES)))


def data_for(model: ns.Model) -> ns.Sequences:
    frames = np.random.default_rng(0).integers(-20, 20, (6, 4, len(FEATURES))) / 8
    vectors = model.program.signature.maps_vectors
    whole = frames.reshape(-1, len(FEATURES)) if vectors else frames
    return ns.Sequences.from_arrays(whole, feature_names=FEATURES)


@settings(max_examples=100, deadline=None)
@given(models())
def test_what_is_printed_reads_back_and_says_the_same(model: ns.Model) -> None:
    program, own = model.program, model.domain
    assert ns.parse(ns.to_text(program), own, program.signature).program == program
    for text in (ns.to_text(program, model.theta), in_lines(program, model.theta)):
        parsed = ns.parse(text, own, program.signature)
        assert parsed.program == program and parsed.theta is not None
        np.testing.assert_array_equal(parsed.theta, with_names(program, model.theta))
        assert ns.to_text(program, parsed.theta) == ns.to_text(program, model.theta)
    again = ns.Model(program, parsed.theta, own, model.class_names, model.scale)
    np.testing.assert_array_equal(again.predict(data_for(model)), model.predict(data_for(model)))


@settings(max_examples=80, deadline=None)
@given(models())
def test_a_leaf_is_one_number_and_shortening_leaves_what_it_says(model: ns.Model) -> None:
    program, theta = model.program, model.theta
    said = named(program, theta)
    leaves = [path for path, node in walk(program) if can_name(node)]
    assert list(said) == leaves
    short = shortened(program, theta, model.scale)
    assert named(program, short) == said
    np.testing.assert_array_equal(shortened(program, short, model.scale), short)
    # All weights count but those of 0, and thresholds are one number.
    others = [block for block in layout(program) if block.path not in said]
    ones = np.ones(len(theta))
    expected = len(leaves)
    for block in others:
        asks = block.path[-1:] == (0,) and len(block.columns) == 1 and block.outputs == 1
        condition = asks and ns.to_text(program, ones) and _is_condition(program, block.path)
        expected += block.rows * block.outputs - condition
    assert numbers_of(program, ones) == numbers_of(program) == expected


def _is_condition(program: Program, path: tuple[int, ...]) -> bool:
    above = dict(walk(program))[path[:-1]]
    return bool(above.production and above.production.operation.is_hard)


def test_as_people_write_them() -> None:
    own = domain()
    text = 'map (fun t. if gap > 8.04 then other else if speed>3 then (attack) else "sniff") x'
    parsed = read(text, own)
    assert numbers_of(parsed.program, parsed.theta) == 2 + 3
    assert ns.to_text(parsed.program, parsed.theta) == (
        "map (fun x_t. if gap > 8.04 then other else if speed > 3 then attack else sniff) x"
    )
    assert in_lines(parsed.program, parsed.theta).splitlines()[2:] == [
        "  else if speed > 3 then attack",
        "  else sniff) x",
    ]
    # What is compared is a feature, and what is answered a class, of the same name.
    parsed = read("map (fun t. if attack > 0 then attack else other) x", domain(CLASSES[:2]), 1)
    assert numbers_of(parsed.program, parsed.theta) == 3
    assert ns.to_text(parsed.program) == (
        "map (fun x_t. if Affine{attack}(x_t) > 0 then class else class) x"
    )
    # A variable hides the class of its name.
    with pytest.raises(TextError, match="attack has 3 numbers"):
        read("map (fun attack. attack) x", own, 2)


PLACES = (
    ("map (fun t. add({}, (1·gap))) x", "computed from it"),
    ("map (fun t. multiply((1·gap), {})) x", "computed from it"),
    # In quotes, what is compared is a feature.
    ("map (fun t. if {} > 0 then (1·gap) else (1·gap)) x", "computed from it|no feature 'other'"),
    ("mapprefix (fun t. memory (fun i. {}) t) x", "computed from it"),
    ("map (fun t. if gap > 3 then add((1·gap), {}) else (1·gap)) x", "computed from it"),
)


@pytest.mark.parametrize("leaf", ["other", '"other"', "class[.5]", "class"])
@pytest.mark.parametrize(("text", "problem"), PLACES)
def test_where_no_class_can_be_named(text: str, problem: str, leaf: str) -> None:
    with pytest.raises(TextError, match=problem) as told:
        read(text.format(leaf), domain(CLASSES[:2]), 1)
    _, _, listed = str(told.value).split("\n")[0].partition("is expected: ")
    assert "other," not in listed


def test_under_smooth_ifs() -> None:
    text = "map (fun t. if (1·gap - 3) > 0 then attack else other) x"
    with pytest.raises(TextError, match=r"the if is smooth here, and hard in a domain with beta"):
        read(text, domain(beta=1.0))
    assert read("map (fun t. attack) x", domain(beta=1.0)).theta is not None


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("map (fun t. if gap > 3 then attak else other) x", "found 'attak'; did you mean attack"),
        ('map (fun t. "attak") x', "there is no class 'attak'; did you mean 'attack'"),
        ('map (fun t. "attack) x', "the quotes are not closed"),
        ("map (fun t. if gap > 3 then 4 else other) x", "is expected: other, attack, sniff, if,"),
        ("map (fun t. if gap > 3 then attack else class) x", "class has no parameters, but"),
        ("attack", "attack is a function of vectors"),
    ],
)
def test_mistakes(text: str, problem: str) -> None:
    with pytest.raises(TextError, match=problem):
        read(text, domain())


def test_other_numbers_of_outputs() -> None:
    with pytest.raises(TextError, match="attack tells 3 classes, but here"):
        read("map (fun t. attack) x", domain(), 2)


def test_domains() -> None:
    plain = {"vectors": ("if", "class")}
    with pytest.raises(DomainError, match=r"needs the names of the classes, classes = \["):
        ns.Domain.of_features(FEATURES, {}, **plain)
    for wrong in (("one",), ("one", "one")):
        with pytest.raises(DomainError, match="classes are the names of two or more, each once"):
            ns.Domain.of_features(FEATURES, {}, classes=wrong)
    with pytest.raises(DomainError, match="classes of a domain are a list of names"):
        ns.Domain.of_features(FEATURES, {}, classes="attack")
    with pytest.raises(TextError, match="the domain has no classes"):
        read('map (fun t. "attack") x', ns.Domain.of_features(FEATURES, {}))
    louder = ns.function("louder", takes=("out",), prints="attack by {0}")(lambda a: 2 * a)
    with pytest.raises(DomainError, match="louder prints 'attack' first, which is the name of a c"):
        domain().with_functions(louder)
    own = domain()
    assert ns.Domain.from_dict(own.to_dict()) == own
    text = 'features = ["gap"]\nclasses = ["no", "yes"]\nbeta = 1e30\n[rules]\nvectors = ["class"]'
    assert ns.Domain.from_toml(text).classes == ("no", "yes")


@settings(max_examples=80)
@given(st.data())
def test_grammars_offer_classes_only_as_answers(data: st.DataObject) -> None:
    own = domain(CLASSES[:2])
    grammar = own.grammar(own.signature(1, per_frame=True))
    program: Program = ns.Hole(grammar.root)
    for _ in range(12):
        if ns.is_complete(program):
            break
        path, offered = grammar.openings(program, None)
        assert any(map(can_name, offered)) == (
            decides(program, path) and dict(walk(program))[path].signature.maps_vectors
        )
        program = replace(program, path, data.draw(st.sampled_from(offered)))
        assert not is_misplaced(program)


@settings(max_examples=80, deadline=None)
@given(st.data())
def test_random_programs_read_back(data: st.DataObject) -> None:
    own = data.draw(domains())
    signature = data.draw(signatures(own))
    program = data.draw(programs(own.grammar(signature)))
    assert not is_misplaced(program)
    theta = data.draw(parameters(program))
    parsed = ns.parse(ns.to_text(program, theta), own, signature)
    assert parsed.program == program
    np.testing.assert_array_equal(parsed.theta, with_names(program, theta))


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_equal_programs_keep_classes_in_their_places(data: st.DataObject) -> None:
    own = domain(CLASSES[:2])
    grammar = own.grammar(own.signature(1, per_frame=True))
    program = data.draw(programs(grammar, 14, holes=True))
    found = canonical(program, grammar)
    assert not is_misplaced(found)
    assert canonical(found, grammar) == found
