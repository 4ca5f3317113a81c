"""A program in words: what they say of a condition is so, at every frame."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from model.export.cases import Case, case_of, cases, every_construct
from strategies import rich_domain

from nearstar import Domain, Model, parse
from nearstar.language.operators import HARD
from nearstar.language.program import Path
from nearstar.language.reductions import REDUCTIONS
from nearstar.language.view import View
from nearstar.model.explain import explain, numbered
from nearstar.model.explain.program_parts import parts_of
from nearstar.model.explain.values import values_of
from nearstar.model.model import Sequences
from nearstar.report.conditions import Carried, Condition, OfPart, Quantity, Same, Sum
from nearstar.report.digits import near
from nearstar.report.words import lines_of, notes_of

CRIM13 = Domain.built_in("crim13")


def rows_of(case: Case, path: Path) -> np.ndarray:
    """The frame that each row of explain's table shows of a part: the last, of whole sequences."""
    nodes = parts_of(case.model)
    whole = any(
        nodes[path[:end]].signature.maps_sequences and nodes[path[: end + 1]].signature.summarises
        for end in range(len(path))
        if nodes[path[:end]].operation.name != "mapprefix"
    )
    data = case.data
    last = np.repeat(data.offsets[1:] - 1, data.lengths)
    return last if whole else np.arange(len(data.frames))


def seen(view: View, frames: np.ndarray, position: int) -> np.ndarray:
    """What a view shows at a position of one sequence, by its definition."""
    window = frames[max(position - view.back, 0) : position + view.ahead + 1]
    if view.reduction is None:
        return frames[position]
    if view.reduction.name == "Change":
        return window[-1] - window[0]
    reduce = {"Average": np.mean, "Max": np.max, "Min": np.min, "Spread": np.std}[
        view.reduction.name
    ]
    return np.asarray(reduce(window, axis=0))


def values(quantity: Quantity, case: Case, path: Path) -> np.ndarray:
    """What a condition at a path looks at, in every row of explain's table."""
    data = case.data
    if isinstance(quantity, Carried):
        parts = values_of(parts_of(case.model), data)
        accumulator = parts[path].accumulator
        assert accumulator is not None
        return accumulator[:, quantity.component]
    # A summary of a whole program shows, at each frame, what it would be if that were the end.
    ends = quantity.view.at_end and case.model.program.signature.summarises
    view = quantity.view
    assert not (view.at_end and view.ahead), "nothing is ahead of the end"
    shown = np.concatenate(
        [
            [seen(view, whole[: at + 1] if ends else whole, at) for at in range(len(whole))]
            for whole in (each.astype(np.float64) for each in _sequences(data))
        ]
    )
    return np.asarray(shown[rows_of(case, path)][:, quantity.column])


def _sequences(data: Sequences) -> list[np.ndarray]:
    return [data.frames[a:b] for a, b in zip(data.offsets[:-1], data.offsets[1:], strict=True)]


def score(condition: Condition, case: Case, path: Path) -> np.ndarray | float:
    """A number that is above 0 where the words hold."""
    match condition:
        case Same(value):
            return value
        case Sum(terms, bias):
            return bias + sum(weight * values(each, case, path) for weight, each in terms)
        case OfPart(number):
            table = explain(case.model, case.data)
            (name,) = (c for c in table if c.startswith(f"{number} ") and ":" not in c)
            return table[name].to_numpy()
    values_seen = values(condition.quantity, case, path)
    return (values_seen - condition.value) * (1 if condition.above else -1)


def check(case: Case) -> int:
    """Compare every condition with explain's table; how many there were."""
    nodes = parts_of(case.model)
    table = explain(case.model, case.data)
    found = 0
    for path, line in lines_of(case.model).items():
        assert (line.condition is not None) == (nodes[path].temperature is not None)
        if line.condition is None:
            continue
        found += 1
        asked = nodes[*path, 0]
        body = nodes[*path, 0, 0] if "Window" in asked.operation.name else asked
        exact = table[f"{asked.number} {asked.operation.name}"].to_numpy()
        said = score(line.condition, case, body.path)
        if not np.abs(exact).max() < 1e6:
            continue
        decided = np.abs(exact) >= _spare(line.condition, case, body.path)
        assert ((said > 0) == (exact > 0))[decided].all(), line.words
    return found


def _spare(condition: Condition, case: Case, path: Path) -> float:
    """How near to 0 rounding may decide: of numbers of four digits, or of the last bit."""
    if isinstance(condition, Same | OfPart):
        return 0.0
    if not isinstance(condition, Sum):
        return 1e-9 * (1 + float(np.abs(case.data.frames).max()))
    sizes = [abs(w) * np.abs(values(each, case, path)).max() for w, each in condition.terms]
    return 1e-3 * (abs(condition.bias) + sum(sizes))


@settings(max_examples=150, deadline=None)
@given(cases())
def test_the_words_are_true_wherever_the_program_goes(case: Case) -> None:
    check(case)


WINDOWS = [
    f"{where}Window{reduction}{size}"
    for where, size in (("Sliding", 1), ("Sliding", 4), ("Centred", 1), ("Centred", 5))
    for reduction in REDUCTIONS
]
PLACES = {
    "if {asked} > 0 then {w}(Affine(x)) else {w}(const)": False,
    "mapprefix (fun x. if {asked} > 0 then {w}(Affine(x)) else {w}(const)) x": True,
    "if {asked} > 0 then map (fun z. Affine(z)) x else map (fun z. const) x": True,
    "{w}(if {leaf} > 0 then Affine(x) else const)": False,
}
"""Where a window can be asked about, and whether there is an answer for each frame."""


@pytest.mark.parametrize("window", WINDOWS)
def test_every_window_and_leaf_at_every_place(window: str) -> None:
    domain, random = rich_domain(), np.random.default_rng(0)
    for place, per_frame in PLACES.items():
        for leaf in ("FarRightAffine(x)", "LeftAffine(x)", "sel_far_right x", "const"):
            text = place.format(asked=f"{window}({leaf})", w=window, leaf=leaf)
            program = parse(text, domain, domain.signature(2, per_frame=per_frame)).program
            assert check(case_of(domain, program, random, [1, 3, 12])) == 1


def test_every_construct() -> None:
    assert sum(check(case) for case in every_construct((1, 4, 9))) > 10


@given(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6), st.floats(1e-6, 1e6))
def test_a_threshold_has_the_digits_that_the_data_need(
    value: float, mean: float, deviation: float
) -> None:
    off = abs(near(value, mean, deviation) - value)
    assert off <= 5.1e-4 * max(deviation, abs(value - mean)) + 1e-9 * abs(value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("map (fun y. if DistanceAffine[2; -2.6](y) > 0 then ? else ?) x", "distance is above 1.3"),
        (
            "map (fun y. if DistanceAffine[-2; 2.6](y) > 0 then ? else ?) x",
            "distance is below 1.3",
        ),
        ("map (fun y. if DistanceAffine[0; .2](y) > 0 then ? else ?) x", "0.2 is above 0: always"),
        ("map (fun y. if const[-.2] > 0 then ? else ?) x", "−0.2 is above 0: never"),
        (
            "map (fun y. if AngleAffine[.3, 0, -.21; .1](y) > 0 then ? else ?) x",
            "0.3·angle1 − 0.21·angle_between + 0.1 is above 0",
        ),
        ("map (fun y. if Affine[@; 1](y) > 0 then ? else ?) x", "part 3 is above 0"),
        ("map (fun y. if add(?, ?) > 0 then ? else ?) x", "part 3 is above 0"),
        ("map (fun y. if sel_distance y > 0 then ? else ?) x", "distance is above 0"),
        (
            "mapprefix (fun z. if SlidingWindowAverage5(DistanceAffine[-1; 1.3](z)) > 0 "
            "then SlidingWindowMax3(!) else SlidingWindowMax3(!)) x",
            "the average of distance over the last 5 frames is below 1.3",
        ),
        (
            "mapprefix (fun z. if CentredWindowMin5(DistanceAffine[1; 0](z)) > 0 "
            "then SlidingWindowMax3(!) else SlidingWindowMax3(!)) x",
            "the minimum of distance over the 5 frames centred on this one is above 0",
        ),
        (
            "mapprefix (fun z. if SlidingWindowChange9(AngleAffine[1.5, 2, 3; 4](z)) > 0 "
            "then SlidingWindowMax3(!) else SlidingWindowMax3(!)) x",
            "1.5·angle1 + 2·angle2 + 3·angle_between + 4 is above 0, taking the change of each "
            "over the last 9 frames",
        ),
        (
            "if CentredWindowMax5(DistanceAffine[1; -2](x)) > 0 then map (fun y. ?) x "
            "else map (fun y. ?) x",
            "the maximum of distance over the last 3 frames of the sequence is above 2",
        ),
        (
            "if SlidingWindowMax1(DistanceAffine[1; -2](x)) > 0 then map (fun y. ?) x "
            "else map (fun y. ?) x",
            "distance at the end of the sequence is above 2",
        ),
        (
            "if fold (fun y. DistanceAffine[1; 1; 0](y)) c x > 0 then map (fun y. ?) x "
            "else map (fun y. ?) x",
            "part 2, over the whole sequence, is above 0",
        ),
        (
            "mapprefix (fun z. if fold (fun y. DistanceAffine[1; 1; 0](y)) c z > 0 "
            "then SlidingWindowMax3(!) else SlidingWindowMax3(!)) x",
            "part 3, over the frames so far, is above 0",
        ),
        (
            "mapprefix (fun z. fold (fun y. if DistanceAffine[.3; -2; 1](y) > 0 then const[1] "
            "else const[2]) c z) x",
            "0.3·distance − 2·accumulator + 1 is above 0",
        ),
        (
            "mapprefix (fun z. fold (fun y. if DistanceAffine[0; -2; 1](y) > 0 then const[1] "
            "else const[2]) c z) x",
            "the accumulator is below 0.5",
        ),
    ],
)
def test_how_conditions_read(text: str, words: str) -> None:
    text = text.replace("?", "DistanceAffine[1; 1](y)").replace("!", "DistanceAffine[1; 1](z)")
    text = text.replace("@", ", ".join(["1"] * 19))
    model = Model.from_text(text, CRIM13, CRIM13.signature(1, per_frame=True), ("a", "b"))
    (line,) = (each for each in lines_of(model).values() if each.condition)
    assert line.words == f"if {words}"


@settings(max_examples=30, deadline=None)
@given(cases())
def test_numbers_are_those_of_the_listing(case: Case) -> None:
    listed = [line.split()[0] for line in numbered(case.model).splitlines()]
    assert [str(line.node.number) for line in lines_of(case.model).values()] == listed


def test_notes_say_how_a_class_is_decided_on() -> None:
    text = "map (fun y. if DistanceAffine[1; 1](y) > 0 then const[1] else const[2]) x"
    signature = CRIM13.signature(1, per_frame=True)
    model = Model.from_text(text, CRIM13, signature, ("other", "sniff"), offsets=[-0.25])
    decision, tuned, smooth = notes_of(model)
    assert decision == "For each frame: sniff where the output is above 0.25, else other."
    assert "tuned on the validation data" in tuned
    assert "sigmoid(condition)" in smooth
    hard = Domain("hard", ("gap",), beta=20.0, derived={"gap": "distance(nose, tail)"})
    pair = hard.signature(2, per_frame=False)
    branch = "SlidingWindowMax3(const[1, 2])"
    text = f"if fold (fun y. Affine[1; 1; 1](y)) c x > 0 then {branch} else {branch}"
    notes = notes_of(Model.from_text(text, hard, pair, ("a", "b"), offsets=[0.5, 0]))
    assert notes[0] == (
        "For each sequence: the class whose output is the largest, after adding 0.5 to a, 0 to b."
    )
    assert "sigmoid(20 · condition)" in notes[2]
    assert notes[3:] == [
        "Windows are cut off at the ends of a sequence.",
        "gap = distance(nose, tail)",
    ]


def test_a_memory_says_how_long_it_lasts() -> None:
    domain = Domain.of_size(2, summaries=("memory", "if"))
    text = (
        "mapprefix (fun s. if memory[12.56789] (fun e. Affine[1, 2; 3](e)) s > 0 "
        "then memory[.5] (fun e. Affine[1, 2; 3](e)) s "
        "else memory[2] (fun e. Affine[1, 2; 3](e)) s) x"
    )
    model = Model.from_text(text, domain, domain.signature(1, per_frame=True), ("no", "yes"))
    lines = lines_of(model)
    assert lines[0, 0].heading == "memory[12.57]"
    assert lines[0, 0].words.endswith(": it keeps half after 12.57 frames")
    assert lines[0,].words == "if part 3, over the frames so far, is above 0"
    assert "    3 memory[12.57]" in numbered(model).splitlines()


def test_leaves_say_classes() -> None:
    domain = Domain.of_features(("gap",), {}, classes=("other", "attack"), beta=HARD)
    signature = domain.signature(1, per_frame=True)
    for otherwise, notes in (
        ("other", ["For each frame: the class whose name it comes to."]),
        (
            "(1·gap - 2)",
            [
                "For each frame: attack where the output is above 0, else other.",
                "Where the name of a class stands, that is the answer.",
            ],
        ),
    ):
        text = f"map (fun t. if gap > 3 then attack else {otherwise}) x"
        model = Model.from_text(text, domain, signature, ("other", "attack"))
        line = lines_of(model)[0, 1]
        assert (line.role, line.heading, line.words) == ("then", "class", "says attack")
        assert notes_of(model)[: len(notes)] == notes
