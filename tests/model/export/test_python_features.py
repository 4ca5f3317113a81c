"""The exported module makes its features from tables as the model does, and labels files."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from model.export.modules import module_of, run_script

from nearstar import Domain, Model, Sequences, tracking_table
from nearstar.data.derived import Computing, read_derived
from nearstar.data.derived.points import _FORMS, find_point
from nearstar.data.derived.statistics import STATISTICS
from nearstar.data.format import DataFormat
from nearstar.data.tables import read_table
from nearstar.language.function import record
from nearstar.model.export import export

DERIVED = {
    "gap": "distance(mouse1_nose, mouse2_body)",
    "closing": "change(distance(mouse1_nose, mouse2_body), 3)",
    "look": "angle(mouse1_tail, mouse1_nose, mouse1_tail, mouse2_body)",
    "turning": "change(heading(mouse1_nose))",
    "unread": "speed(mouse2_tail)",
}
FORMAT = DataFormat(sequence="video", frame="frame")


def of_text(text: str, features: list[str], derived: Any = None, **more: Any) -> Model:
    """A model of two classes; of frames if its program maps them."""
    read = {"read": [*features, *(name for name in derived or {} if name != "unread")]}
    domain = Domain.of_features(features, read, derived)
    signature = domain.signature(1, per_frame="map" in text)
    return Model.from_text(text, domain, signature, ("other", "sniff"), **more)


def expected(model: Model, table: pd.DataFrame, format: DataFormat = FORMAT) -> pd.DataFrame:
    """What the model says of each row or sequence of a table."""
    recordings = read_table(
        table, format, features=model.domain.features, derived=model.domain.derived
    )
    labels = np.array(model.labels)[model.predict(recordings.sequences)]
    if model.program.signature.summarises:
        return pd.DataFrame({"video": recordings.ids, "prediction": labels})
    assert recordings.rows is not None
    rows = table.iloc[recordings.rows][["video", "frame"]].assign(prediction=labels)
    return rows.iloc[np.argsort(recordings.rows)].reset_index(drop=True)


def printed(model: Model, table: pd.DataFrame, folder: Path) -> pd.DataFrame:
    """What the exported module prints for a file of the table."""
    (folder / "sniff.py").write_text(str(export(model, "python")), encoding="utf-8")
    table.to_csv(folder / "mice.csv", index=False)
    done = run_script(folder / "sniff.py", "mice.csv")
    assert not done.stderr
    return pd.read_csv(io.StringIO(done.stdout))


@pytest.mark.parametrize(
    "text",
    [
        "map (fun t. ReadAffine[-.1, -1, .02, -.5, 1; 5](t)) x",
        "mapprefix (fun t. SlidingWindowAverage5(ReadAffine[-.1, -1, .02, -.5, 1; 5](t))) x",
        "SlidingWindowAverage10(ReadAffine[-.1, -1, .1, -.5, 1; 13](x))",
    ],
)
def test_a_file_is_labelled_as_the_model_labels_it(text: str, tmp_path: Path) -> None:
    table = tracking_table(6)
    model = of_text(text, ["mouse1_nose_x"], DERIVED, format=FORMAT)
    answers = expected(model, table)
    assert answers["prediction"].nunique() == 2
    pd.testing.assert_frame_equal(printed(model, table, tmp_path), answers)
    mixed = table.sample(frac=1, random_state=1, ignore_index=True)
    pd.testing.assert_frame_equal(printed(model, mixed, tmp_path), expected(model, mixed))


def test_gaps_are_filled_if_the_model_fills_them(tmp_path: Path) -> None:
    table = tracking_table(3)
    names = ["mouse1_nose_x", "mouse1_nose_y"]
    table[names] = table[names].mask(np.random.default_rng(0).random((len(table), 2)) < 0.3)
    text = "map (fun t. ReadAffine[-.1, -1, .02, -.5, 1; 5](t)) x"
    format = DataFormat(sequence="video", frame="frame", missing="interpolate")
    model = of_text(text, names[:1], DERIVED, format=format)
    answers = expected(model, table, format)
    pd.testing.assert_frame_equal(printed(model, table, tmp_path), answers)
    (tmp_path / "R.csv").write_text(table.to_csv(index=False, na_rep="NA"), encoding="utf-8")
    lines = run_script(tmp_path / "sniff.py", "R.csv").stdout
    assert lines == answers.to_csv(index=False, lineterminator="\n")
    strict = of_text(text, names[:1], DERIVED, format=FORMAT)
    with pytest.raises(ValueError, match="missing or infinite numbers in the column 'mouse1_nose_"):
        module_of(strict, tmp_path).features(table[table["video"] == "video00"])


def test_files_without_roles(tmp_path: Path) -> None:
    """All rows are one sequence, in order; only its label, or those of rows, are printed."""
    table = tracking_table(1).drop(columns=["video", "frame"])
    for text, lines in (
        ("map (fun t. ReadAffine[1; -20](t)) x", len(table)),
        ("SlidingWindowAverage10(ReadAffine[1; -20](x))", 1),
    ):
        model = of_text(text, [], {"gap": DERIVED["gap"]})
        found = printed(model, table, tmp_path)
        assert list(found) == ["prediction"] and len(found) == lines


@pytest.mark.parametrize(
    ("drop", "problem"),
    [
        (["video"], "mice.csv: there is no column 'video'"),
        (["frame"], "mice.csv: there is no column 'frame'"),
        (["mouse2_body_y"], "mice.csv: there is no point 'mouse2_body', such as columns"),
        (["mouse1_body_x"], "mice.csv: there is no column 'mouse1_body_x'"),
    ],
)
def test_columns_that_a_file_lacks(drop: list[str], problem: str, tmp_path: Path) -> None:
    text = "map (fun t. ReadAffine[1, 1, 1, 1, 1; 0](t)) x"
    model = of_text(text, ["mouse1_body_x"], DERIVED, format=FORMAT)
    (tmp_path / "sniff.py").write_text(str(export(model, "python")), encoding="utf-8")
    tracking_table(1).drop(columns=drop).to_csv(tmp_path / "mice.csv", index=False)
    done = run_script(tmp_path / "sniff.py", "mice.csv")
    assert problem in done.stderr and "Traceback" not in done.stderr
    (tmp_path / "mice.csv").write_text("video,frame\n", encoding="utf-8")
    assert "mice.csv: there are no rows" in run_script(tmp_path / "sniff.py", "mice.csv").stderr


# The functions

POINTS = ("nose", "tail", "2nd ear", "max", "distance")


@st.composite
def expressions(draw: st.DrawFn, depth: int = 2) -> str:
    """Texts of derived features."""
    point = st.one_of(st.sampled_from(POINTS).map('"{}"'.format), st.just("(nose_y, tail.x)"))
    function, counts = draw(
        st.sampled_from(
            [
                *(("distance", (2,)), ("speed", (1,)), ("acceleration", (1,))),
                *(("heading", (1, 2)), ("angle", (3, 4)), ("change", ())),
                *((each, ()) for each in STATISTICS),
            ]
        )
    )
    if counts:
        size = draw(st.sampled_from(counts))
        return f"{function}({', '.join(draw(point) for _ in range(size))})"
    inner = draw(expressions(depth - 1)) if depth and draw(st.booleans()) else "nose_x"
    frames = ["", ", 1", ", 2", ", 9"] if function == "change" else ["", ", 1", ", 5"]
    frames += [", last 1", ", last 4", ", around 3", ", whole"]
    return f"{function}({inner}{draw(st.sampled_from(frames))})"


@settings(max_examples=60)
@given(
    texts=st.lists(expressions(), min_size=1, max_size=4),
    known=st.lists(st.sampled_from(["nose_x", "nose_y", "tail.x", "tail.y"]), unique=True),
    length=st.integers(1, 8),
    vectors=st.booleans(),
    seed=st.integers(0, 2**32 - 1),
)
def test_features_are_what_the_model_computes(
    tmp_path_factory: pytest.TempPathFactory,
    texts: list[str],
    known: list[str],
    length: int,
    vectors: bool,
    seed: int,
) -> None:
    rng = np.random.default_rng(seed)
    names = ["nose_x", "nose_y", "tail.x", "tail.y", "2nd ear x", "2nd ear y"]
    names += ["maxx", "maxy", "x_distance", "y_distance"]
    table = {name: rng.integers(-2, 3, length) * rng.choice([1, 0.3]) for name in names}
    domain = Domain.of_features(known, derived={f"{i}": text for i, text in enumerate(texts)})
    signature = domain.signature(1, per_frame=not vectors, vectors=vectors)
    leaf = f"Affine[{', '.join(['1'] * len(domain.features))}; 0]"
    text = f"{leaf}(x)" if vectors else f"map (fun t. {leaf}(t)) x"
    model = Model.from_text(text, domain, signature, ("a", "b"))
    module = module_of(model, tmp_path_factory.getbasetemp())
    assert list(domain.features) == module.FEATURES
    # Examples are on their own, frames follow one another.
    offsets = np.arange(length + 1) if vectors else np.array([0, length])
    computing = Computing(table, read_derived(domain.derived), offsets)
    columns = [
        *(table[name] for name in known),
        *(computing[name] for name in domain.derived),
    ]
    x = module.features(table)
    np.testing.assert_allclose(x, np.column_stack(columns), rtol=1e-12, atol=1e-12)
    structured = pd.DataFrame(table).to_records(index=False)
    np.testing.assert_array_equal(module.features(structured), x)
    np.testing.assert_array_equal(module.features(pd.DataFrame(table)), x)


@given(st.sets(st.sampled_from(_FORMS), min_size=1))
def test_points_are_found_as_the_model_finds_them(
    tmp_path_factory: pytest.TempPathFactory, forms: set[str]
) -> None:
    model = of_text("map (fun t. ReadAffine[1; 0](t)) x", [], {"gap": "distance(a, a)"})
    point = module_of(model, tmp_path_factory.getbasetemp()).point
    names = [each.format("a") for form in forms for each in (form, form.replace("x", "y"))]
    table = {name: np.array([float(i)]) for i, name in enumerate(names)}
    x, y = find_point("a", names, "here")
    assert point(table, "a").tolist() == [table[x].tolist(), table[y].tolist()]


def test_functions_of_the_user_may_be_called_like_those_of_points(tmp_path: Path) -> None:
    derived = {"gap": "distance(a, b)", 'odd """ {name}\n': "change(features, 2)"}
    domain = Domain.of_features([], {"gap": [0], "odd": [1]}, derived).with_functions(
        *(record(lambda a: a + 1, name, takes=("out",)) for name in ("distance", "features"))
    )
    signature = domain.signature(1, per_frame=True)
    text = "map (fun t. add(distance(GapAffine[1; 0](t)), features(OddAffine[1; 0](t)))) x"
    module = module_of(Model.from_text(text, domain, signature, ("a", "b")), tmp_path)
    table = {name: np.zeros(3) for name in ("a_x", "a_y", "b_x")}
    table |= {"b_y": np.arange(3), "features": np.array([1, 2, 5])}
    assert module.scores(module.features(table)).tolist() == [[2], [3], [2 + 2 + 4]]


def test_only_what_is_needed_is_there() -> None:
    source = str(export(of_text("map (fun t. ReadAffine[1, 2; 0](t)) x", ["a", "b"]), "python"))
    assert "np.column_stack([column(table, name) for name in FEATURES])" in source
    for name in ("point", "before", "filled", "distance"):
        assert f"def {name}(" not in source


def test_the_features_read_as_the_user_wrote_them() -> None:
    text = "map (fun t. ReadAffine[1, 1, 1, 1, 1; 0](t)) x"
    source = str(export(of_text(text, ["mouse2_body_x"], DERIVED), "python"))
    assert (
        """
    mouse1_nose = point(table, "mouse1_nose")
    mouse2_body = point(table, "mouse2_body")
    mouse1_tail = point(table, "mouse1_tail")
    made = {
        "mouse2_body_x": column(table, "mouse2_body_x"),
        "gap": distance(mouse1_nose, mouse2_body),
        "closing": change(distance(mouse1_nose, mouse2_body), 3),
        "look": angle(mouse1_tail, mouse1_nose, mouse1_tail, mouse2_body),
        "turning": turn(heading(mouse1_nose)),
    }
    x = np.column_stack(list(made.values()))
    # Where there is no earlier frame to compare with, a value is 0.
    return np.where(np.isnan(x), 0, x)
"""
        in source
    )
    assert "mouse2_tail" not in source


@pytest.mark.parametrize("hop", [None, 3, 7])
@pytest.mark.parametrize(
    "text",
    [
        "mapprefix (fun t. fold (fun u. ReadAffine[.7; .2; -.1](u)) c t) x",
        "fold (fun t. ReadAffine[.5; .4; .1](t)) c x",
    ],
)
def test_windows_are_seen_as_the_model_sees_them(
    text: str, hop: int | None, tmp_path: Path
) -> None:
    model = of_text(text, ["a"], format=DataFormat(window=7, hop=hop))
    module = module_of(model, tmp_path)
    for length in (1, 6, 7, 8, 20, 21, 33):
        x = np.random.default_rng(length).normal(size=(length, 1))
        expected = model.scores(Sequences.from_arrays([x], feature_names=["a"]))
        found = np.reshape(module.scores(x), expected.shape)
        np.testing.assert_allclose(found, expected, atol=1e-5)
