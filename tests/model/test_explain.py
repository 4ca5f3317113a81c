"""Explanations: every value is what the definitions say, and what adds up adds up."""

from __future__ import annotations

from dataclasses import replace

import naive
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from model.export.cases import Case, case_of, cases, every_construct
from strategies import rich_domain

from nearstar import Domain, Hole, Model, NearstarError, Scale, Sequences, Units, parse
from nearstar.language.operators import HARD, Affine
from nearstar.language.parameters import layout
from nearstar.language.program import Apply, Path, walk
from nearstar.model.explain import explain, numbered
from nearstar.training.starting import initial

CRIM13 = Domain.built_in("crim13")
RULE = (
    "map (fun x_t. if DistanceAffine[.306; -2.78](x_t) > 0 "
    "then DistanceChangeAffine[-.261; -2.95](x_t) "
    "else AngleAffine[-2.08, 1.48, -.806; -.27](x_t)) x"
)


def titles(model: Model) -> dict[Path, str]:
    """What the columns of each node begin with."""
    return {
        path: f"{number} {node.operation.name}"
        for number, (path, node) in enumerate(walk(model.program), 1)
        if isinstance(node, Apply)
    }


def value(table: pd.DataFrame, title: str, outputs: int, classes: tuple[str, ...]) -> np.ndarray:
    """The columns of a value, by the naming that users are told; of names, what these mean."""
    if title in table and isinstance(table[title][0], str):
        codes = np.array([classes.index(name) for name in table[title]])
        return 2.0 * codes[:, None] - 1 if outputs == 1 else np.eye(outputs)[codes]
    if outputs == 1:
        return table[[title]].to_numpy()
    names = classes if outputs == len(classes) else range(outputs)
    return table[[f"{title} [{name}]" for name in names]].to_numpy()


def by_prefix(case: Case) -> np.ndarray:
    """What the naive interpreter says if each sequence ended at each of its frames in turn."""
    program, theta = case.model.program, case.model.theta
    return np.array(
        [
            naive.evaluate(program, theta, sequence[: end + 1])
            for sequence in case.inputs
            for end in range(len(sequence))
        ]
    )


def check(case: Case) -> None:
    model, data = case.model, case.data
    expected, peak = case.expected()
    if not peak < 1e4:
        return
    table = explain(model, data)
    assert len(table) == len(data.frames)
    frames = [frame for length in data.lengths for frame in range(length)]
    assert table["frame"].tolist() == frames
    assert table["sequence"].tolist() == np.repeat(np.arange(len(data)), data.lengths).tolist()
    names = titles(model)
    root = value(table, names[()], model.program.signature.output.size, model.class_names)
    ends = data.offsets[1:] - 1
    close = {"rtol": 1e-9, "atol": 1e-9 * max(peak, 1)}
    if model.program.signature.summarises:
        np.testing.assert_allclose(root[ends], expected, **close)
        np.testing.assert_allclose(root, by_prefix(case), rtol=1e-9, atol=1e-7)
        answers = table["prediction"].to_numpy()[ends]
    else:
        np.testing.assert_allclose(root, expected, **close)
        answers = table["prediction"].to_numpy()
    # The engine computes in single precision.
    outputs = root[ends] if model.program.signature.summarises else root
    np.testing.assert_allclose(outputs, model.outputs(data), rtol=1e-4, atol=3e-6 * max(peak, 1))
    assert answers.tolist() == [model.labels[code] for code in model.predict(data)]
    check_sums(table, model)
    check_branches(table, model)


def check_sums(table: pd.DataFrame, model: Model) -> None:
    names = titles(model)
    for path, node in walk(model.program):
        if not isinstance(node, Apply) or not isinstance(node.operation, Affine):
            continue
        outputs = node.signature.output.size
        features = [model.domain.features[c] for c in node.operation.columns(node.signature)]
        parts = ["base", *features, *["accumulator"] * bool(node.signature.carried)]
        total = sum(
            value(table, f"{names[path]}: {part}", outputs, model.class_names) for part in parts
        )
        whole = value(table, names[path], outputs, model.class_names)
        np.testing.assert_allclose(total, whole, rtol=1e-9, atol=1e-7)


def check_branches(table: pd.DataFrame, model: Model) -> None:
    names = titles(model)
    for path, node in walk(model.program):
        if not isinstance(node, Apply) or node.operation.name != "if":
            continue
        outputs = node.signature.output.size
        condition = table[names[*path, 0]].to_numpy()
        gate = table[f"{names[path]}: gate"].to_numpy()
        with np.errstate(over="ignore"):
            smooth = 1 / (1 + np.exp(-model.domain.beta * condition))
        np.testing.assert_allclose(gate, condition > 0 if node.operation.is_hard else smooth)
        branch = table[f"{names[path]}: branch"]
        assert (branch == np.where(condition > 0, "then", "else")).all()
        then, otherwise, whole = (
            value(table, names[each], outputs, model.class_names)
            for each in ((*path, 1), (*path, 2), path)
        )
        mixed = gate[:, None] * then + (1 - gate[:, None]) * otherwise
        np.testing.assert_allclose(mixed, whole, rtol=1e-9, atol=1e-7)


@settings(max_examples=100)
@given(cases())
def test_values_are_those_of_the_definitions(case: Case) -> None:
    check(case)


def test_every_construct() -> None:
    for case in every_construct((1, 4, 9)):
        check(case)


@settings(max_examples=20)
@given(st.integers(0, 1000))
def test_every_part_under_map_is_a_program_of_its_own(seed: int) -> None:
    """What a column holds is what the part itself gives, computed alone."""
    domain = rich_domain()
    text = (
        "map (fun x_t. if LeftAffine(x_t) > 0 then ratio Affine(x_t) over const "
        "else multiply(Affine(x_t), sel_left x_t)) x"
    )
    program = parse(text, domain, domain.signature(2, per_frame=True)).program
    case = case_of(domain, program, np.random.default_rng(seed), [3, 1, 5])
    table = explain(case.model, case.data)
    names = titles(case.model)
    blocks = layout(program)
    for path, node in walk(program):
        if not isinstance(node, Apply) or not path:
            continue
        inside = [block for block in blocks if block.path[: len(path)] == path]
        theta = np.concatenate([[], *(case.model.theta[b.offset : b.end] for b in inside)])
        alone = [naive.evaluate(node, theta, frame) for frame in case.data.frames]
        columns = value(table, names[path], node.signature.output.size, case.model.class_names)
        np.testing.assert_allclose(columns, alone, rtol=1e-9, atol=1e-9)


def test_a_fold_shows_its_steps() -> None:
    domain = Domain.of_size(1)
    text = "fold (fun x_t. Affine[2; 1; -1](x_t)) c x"
    signature = domain.signature(1, per_frame=False)
    model = Model.from_text(text, domain, signature, ("no", "yes"))
    data = Sequences.from_arrays([np.array([[1.0], [2.0], [-4.0]])])
    table = explain(model, data)
    # Each step adds 2 · element − 1.
    assert table["1 fold"].tolist() == [1, 4, -5]
    assert table["2 Affine: x0"].tolist() == [2, 4, -8]
    assert table["2 Affine: accumulator"].tolist() == [0, 1, 4]
    assert table["2 Affine: base"].tolist() == [-1, -1, -1]
    assert table["prediction"].tolist() == ["yes", "yes", "no"]
    careful = replace(model, offsets=np.array([-2.0]))
    assert explain(careful, data)["prediction"].tolist() == ["no", "yes", "no"]


def test_a_gate_of_the_whole_sequence_is_the_same_in_all_of_its_rows() -> None:
    domain = Domain.of_size(1, sequences=("map", "if"))
    text = (
        "if SlidingWindowAverage2(Affine[1; 0](x)) > 0 then map (fun x_t. Affine[1; 0](x_t)) x "
        "else map (fun x_t. Affine[-1; 0](x_t)) x"
    )
    model = Model.from_text(text, domain, domain.signature(1, per_frame=True), ("no", "yes"))
    data = Sequences.from_arrays([np.array([[-9.0], [1.0], [2.0]]), np.array([[9.0], [-1.0]])])
    table = explain(model, data)
    assert table["2 SlidingWindowAverage2"].tolist() == [1.5] * 3 + [4.0] * 2
    assert table["3 Affine: x0"].tolist() == [1.5] * 3 + [4.0] * 2
    assert table.groupby("sequence")["1 if: gate"].nunique().tolist() == [1, 1]


def test_contributions_are_measured_from_the_mean_of_the_training_data() -> None:
    domain = Domain.of_size(2)
    signature = domain.signature(1, per_frame=False, vectors=True)
    parsed = parse("Affine[2, -3; 5](x)", domain, signature)
    assert parsed.theta is not None
    scale = Scale(np.array([10.0, 20.0]), np.ones(2))
    model = Model(parsed.program, parsed.theta, domain, ("a", "b"), scale)
    table = explain(model, Sequences.from_arrays(np.array([[11.0, 20.0], [10.0, 22.0]])))
    assert table["1 Affine: x0"].tolist() == [2, 0]
    assert table["1 Affine: x1"].tolist() == [0, -6]
    assert table["1 Affine: base"].tolist() == [2 * 10 - 3 * 20 + 5] * 2
    assert table["sequence"].tolist() == [0, 1] and table["frame"].tolist() == [0, 0]


def test_features_whose_names_are_taken() -> None:
    domain = Domain("odd", ("base", "accumulator", "'base'", "a: b"))
    signature = domain.signature(1, per_frame=False, vectors=True)
    model = Model.from_text("Affine[1, 2, 3, 4; 5](x)", domain, signature, ("a", "b"))
    table = explain(model, Sequences.from_arrays(np.ones((1, 4))))
    assert table.columns[3:].tolist() == [
        "1 Affine",
        "1 Affine: base",
        "1 Affine: 'base'",
        "1 Affine: 'accumulator'",
        '''1 Affine: "'base'"''',
        "1 Affine: a: b",
    ]
    assert table.iloc[0, 3:].tolist() == [15, 5, 1, 2, 3, 4]


def test_labels_are_those_of_the_data() -> None:
    domain = Domain.of_size(1)
    signature = domain.signature(1, per_frame=False, vectors=True)
    model = Model.from_text("Affine[1; 0](x)", domain, signature, ("-1", "7"), labels=(-1, 7))
    table = explain(model, Sequences.from_arrays(np.array([[-2.0], [3.0]])))
    assert table["prediction"].tolist() == [-1, 7]


def test_the_listing_is_read_beside_the_table() -> None:
    model = Model.from_text(RULE, CRIM13, CRIM13.signature(1, per_frame=True), ("other", "sniff"))
    listing = """\
1 map
  2 if … > 0 then … else …
    3 DistanceAffine[.306; -2.78]
    4 DistanceChangeAffine[-.261; -2.95]
    5 AngleAffine[-2.08, 1.48, -.806; -.27]"""
    assert numbered(model) == listing
    table = explain(model, Sequences.from_arrays([np.zeros((3, 19))]))
    assert table.attrs["program"] == listing
    for line in listing.splitlines():
        number, name = line.strip().split("[")[0].split(" ")[:2]
        assert f"{number} {name}" in table.columns


def test_data_and_programs_that_cannot_be_explained() -> None:
    signature = CRIM13.signature(1, per_frame=True)
    model = Model.from_text(RULE, CRIM13, signature, ("other", "sniff"))
    with pytest.raises(NearstarError, match=r"takes Sequence\(19\).* of 4 features"):
        explain(model, Sequences.from_arrays([np.zeros((3, 4))]))
    with pytest.raises(NearstarError, match="must be Sequences, not ndarray"):
        explain(model, np.zeros((3, 19)))  # type: ignore[arg-type]
    units = Units(2, 2)
    theta = initial(layout(Hole(signature), units), 0).astype(float)
    network = Model(Hole(signature), theta, CRIM13, ("a", "b"), Scale.identity(19), units)
    for attempt in (
        numbered,
        lambda model: explain(model, Sequences.from_arrays([np.zeros((3, 19))])),
    ):
        with pytest.raises(NearstarError, match=r"has holes.* fill them in first"):
            attempt(network)


def test_names_of_classes_are_values() -> None:
    names = ("rest", "sniff", "chase")
    domain = Domain.of_features(("gap", "speed"), {}, classes=names, beta=HARD)
    signature = domain.signature(3, per_frame=True)
    tree = "map (fun t. if gap > 3 then rest else {}) x"
    data = Sequences.from_arrays([np.array([[4.0, 0], [1, 5], [1, 1]])])
    text = tree.format("if speed > 2 then chase else sniff")
    model = Model.from_text(text, domain, signature, names)
    assert numbered(model).splitlines()[3:] == [
        "    4 rest",
        "    5 if … then … else …",
        "      6 speed > 2",
        "      7 chase",
        "      8 sniff",
    ]
    table = explain(model, data)
    assert table["1 map"].tolist() == table["2 if"].tolist() == table["prediction"].tolist()
    assert table["2 if"].tolist() == ["rest", "chase", "sniff"]
    assert table["5 if"].tolist() == ["sniff", "chase", "sniff"]
    assert table["7 class"].tolist() == ["chase"] * 3
    mixed = tree.format("if speed > 2 then chase else (1·gap | 2·gap | 0)")
    table = explain(Model.from_text(mixed, domain, signature, names), data)
    assert table["2 if [chase]"].tolist() == [0, 1, 0] and "2 if" not in table
    assert table["4 class"].tolist() == ["rest"] * 3
