"""Tables: against a loop over rows, whatever their order, and with every mistake named."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearstar.data import DataFormat, Recordings, read_table
from nearstar.data.raw import Wanted
from nearstar.data.tables import read_table_parts
from nearstar.util.errors import DataError, NearstarError

FORMAT = DataFormat(sequence="video", frame="t", label="does", group="animal")


@st.composite
def tables(draw: st.DrawFn) -> pd.DataFrame:
    """Videos of several lengths with numbered frames, two features and labels, some missing."""
    ids = draw(st.permutations(["b", "a", "10", "9"]))[: draw(st.integers(1, 4))]
    parts = []
    for video in ids:
        n, step = draw(st.integers(1, 5)), draw(st.integers(1, 3))
        first = draw(st.integers(-5, 5))
        labels = draw(st.lists(st.sampled_from(["run", "sit", None]), min_size=n, max_size=n))
        parts.append(
            pd.DataFrame(
                {
                    "video": video,
                    "t": first + step * np.arange(n),
                    "does": pd.Series(labels, dtype=object),
                    "u": draw(st.lists(st.floats(-9, 9, width=32), min_size=n, max_size=n)),
                    "w": draw(st.lists(st.integers(-9, 9), min_size=n, max_size=n)),
                    "animal": draw(st.sampled_from([1, 2])),
                    "note": "text",
                }
            )
        )
    table = pd.concat(parts, ignore_index=True)
    table.loc[table.index[0], "does"] = "run"
    table.loc[len(table)] = ["last", 0, "sit", 0.5, 1, 2, "text"]
    return table


def shuffled(table: pd.DataFrame, seed: int) -> pd.DataFrame:
    return table.sample(frac=1, random_state=seed)


@given(table=tables(), seed=st.integers(0, 1000))
def test_against_a_loop_over_rows(table: pd.DataFrame, seed: int) -> None:
    table = shuffled(table, seed)
    read = read_table(table, DataFormat(**{**FORMAT.to_dict(), "per": "frame"}))
    sequences: dict[str, list[tuple[int, int, Any]]] = {}
    for position, (_, row) in enumerate(table.iterrows()):
        sequences.setdefault(row["video"], []).append((row["t"], position, row))
    assert read.ids == tuple(sequences)
    assert read.labels == read.sequences.class_names == ("run", "sit")
    assert read.sequences.feature_names == ("u", "w")
    expected = [entry for video in read.ids for entry in sorted(sequences[video])]
    assert read.sequences.lengths.tolist() == [len(sequences[video]) for video in read.ids]
    assert read.groups == tuple(sequences[video][0][2]["animal"] for video in read.ids)
    assert read.frames is not None and read.rows is not None and read.sequences.labels is not None
    codes = {"run": 0, "sit": 1}
    for i, (t, position, row) in enumerate(expected):
        assert (read.frames[i], read.rows[i]) == (t, position)
        assert read.sequences.frames[i].tolist() == [row["u"], row["w"]]
        assert read.sequences.labels[i] == codes.get(row["does"], -1)


@given(table=tables(), seed=st.integers(0, 1000))
def test_the_order_of_rows_does_not_matter(table: pd.DataFrame, seed: int) -> None:
    derived = {"speed": "speed((u, w))"}
    one = read_table(table, FORMAT, derived=derived)
    other = read_table(shuffled(table, seed), FORMAT, derived=derived)
    assert sorted(map(str, one.ids)) == sorted(map(str, other.ids))
    same = other.subset([other.ids.index(video) for video in one.ids])
    assert same.sequences.fingerprint() == one.sequences.fingerprint()
    assert same.groups == one.groups
    np.testing.assert_array_equal(same.frames, one.frames)


def plain(**changes: Any) -> pd.DataFrame:
    """Two videos of three frames, of two animals."""
    columns = {
        "video": ["a", "a", "a", "b", "b", "b"],
        "t": [1, 2, 3, 1, 2, 3],
        "nose_x": [0.0, 3.0, 3.0, 1.0, 1.0, 1.0],
        "nose_y": [0.0, 4.0, 4.0, 1.0, 2.0, 4.0],
        "does": ["run", "sit", "sit", "run", "run", "sit"],
        "animal": [1, 1, 1, 2, 2, 2],
    }
    return pd.DataFrame({**columns, **changes})


def read(format: DataFormat | None = None, /, **changes: Any) -> Recordings:
    return read_table(plain(**changes), format or FORMAT)


def feature_columns(
    table: pd.DataFrame, format: DataFormat, derived: Any = None
) -> tuple[str, ...]:
    return read_table(table, format, derived=derived).sequences.feature_names


def test_one_sequence_without_an_id() -> None:
    read = read_table(plain()[["nose_x", "nose_y", "does"]], DataFormat(label="does"))
    assert read.ids == (0,) and len(read) == 1 and read.frames is None and read.groups is None
    assert read.sequences.per_frame
    assert read.rows is not None and read.rows.tolist() == list(range(6))


def test_derived_features_do_not_cross_sequences() -> None:
    derived = ["speed(nose)", "change(nose_y)"]
    names = ("nose_x", "nose_y", "speed_nose", "change_nose_y")
    assert feature_columns(plain(), FORMAT, derived) == names
    read = read_table(plain(), FORMAT, derived=derived)
    assert read.sequences.feature_names == names
    assert read.sequences.frames[:, 2].tolist() == [0, 5, 0, 0, 1, 2]
    assert read.sequences.frames[:, 3].tolist() == [0, 4, 0, 0, 1, 2]
    # Columns that only serve others are no features; an explicit list has its own order.
    chosen = read_table(plain(), FORMAT, derived=derived, features=["speed_nose", "nose_y"])
    np.testing.assert_array_equal(chosen.sequences.frames, read.sequences.frames[:, [2, 1]])
    format = DataFormat(**{**FORMAT.to_dict(), "features": ["*_y"]})
    assert feature_columns(plain(), format, derived) == ("nose_y", "change_nose_y", "speed_nose")


def test_choosing_features() -> None:
    table = plain(**{"a*": [True, False] * 3, "when": pd.Timestamp(0), "who": "me", "n": 1})
    table["n"] = table["n"].astype("Int64")
    assert feature_columns(table, FORMAT) == ("nose_x", "nose_y", "a*", "n")
    assert feature_columns(table, DataFormat(features=("n*", "a*"))) == (
        *("nose_x", "nose_y", "n", "a*"),
    )
    read = read_table(table, DataFormat(sequence="video", features=("a*", "n")))
    assert read.sequences.frames[:3].tolist() == [[1, 1], [0, 1], [1, 1]]


@pytest.mark.parametrize(
    ("labels", "per", "expected"),
    [
        (["u", "u", "u", "v", "v", "v"], None, [0, 1]),
        (["u", "u", "u", "v", "v", "u"], None, [0, 0, 0, 1, 1, 0]),
        (["u", "u", None, "v", "v", "v"], None, [0, 0, -1, 1, 1, 1]),
        (["u", None, None, None, "v", "v"], "sequence", [0, 1]),
        (["u", "u", "u", "v", "v", "v"], "frame", [0, 0, 0, 1, 1, 1]),
        ([1.0, 1.0, 1.0, 2.0, 2.0, np.nan], "sequence", [0, 1]),
    ],
)
def test_what_labels_belong_to(labels: list[Any], per: str | None, expected: list[int]) -> None:
    result = read(DataFormat(sequence="video", label="does", per=per), does=labels)
    assert result.sequences.labels is not None
    assert result.sequences.labels.tolist() == expected
    assert result.sequences.per_frame == (len(expected) == 6)


def test_integers_with_gaps_are_integers_as_labels() -> None:
    assert read(does=[3.0, 1.0, np.nan, 1.0, 3.0, 1.0]).labels == (1, 3)
    whole = pd.array([3, 1, None, 1, 3, 1], dtype="Int64")
    assert read(does=whole).labels == (1, 3)


def test_one_class_against_all_others() -> None:
    labels = ["run", "sit", "eat", None, "eat", "sit"]
    format = DataFormat(sequence="video", label="does", positive="eat", per="frame")
    result = read(format, does=labels)
    assert result.labels == result.sequences.class_names == ("not eat", "eat")
    assert result.sequences.labels is not None
    assert result.sequences.labels.tolist() == [0, 0, 1, -1, 1, 0]
    # Classes of a model: what it does not know is still not the positive one.
    later = plain(does=["fly", "eat", "fly", "fly", "fly", "fly"])
    again = read_table(later, format, labels=("not eat", "eat"))
    assert again.sequences.labels is not None
    assert again.sequences.labels.tolist() == [0, 1, 0, 0, 0, 0]
    numbers = DataFormat(sequence="video", label="does", positive="2", per="frame")
    assert read(numbers, does=[1, 2, 3, 1, 2, 3]).labels == ("not 2", 2)


def test_given_classes() -> None:
    result = read_table(plain(), FORMAT, labels=("sit", "fly", "run"))
    assert result.labels == ("sit", "fly", "run")
    assert result.sequences.labels is not None
    assert result.sequences.labels.tolist() == [2, 0, 0, 2, 2, 0]
    numbered = plain(does=[1, 2, 1, 2, 1, 2])
    assert read_table(numbered, FORMAT, labels=("1", "2")).labels == ("1", "2")
    unlabelled = read_table(plain(), DataFormat(sequence="video"), labels=("sit", "run"))
    assert unlabelled.sequences.labels is None and unlabelled.labels == ("sit", "run")


def test_parts() -> None:
    table = plain(part=["Train"] * 3 + ["val"] * 3)
    parts = read_table_parts(table, Wanted(DataFormat(**{**FORMAT.to_dict(), "part": "part"})))
    assert {name: part.ids for name, part in parts.items()} == {"train": ("a",), "valid": ("b",)}
    assert parts["valid"].labels == ("run", "sit")
    assert parts["valid"].rows is not None and parts["valid"].rows.tolist() == [3, 4, 5]


def test_missing_values_are_interpolated_before_deriving() -> None:
    format = DataFormat(**{**FORMAT.to_dict(), "missing": "interpolate"})
    table = plain(nose_x=[0.0, np.nan, 6.0, np.nan, 1.0, np.nan], nose_y=0.0)
    result = read_table(table, format, derived=["speed(nose)"])
    assert result.sequences.frames[:, 0].tolist() == [0, 3, 6, 1, 1, 1]
    assert result.sequences.frames[:, 2].tolist() == [0, 3, 3, 0, 0, 0]


def test_several_header_levels_are_joined() -> None:
    columns = pd.MultiIndex.from_tuples(
        [("net", "nose", "x"), ("net", "nose", "y")], names=["scorer", "bodyparts", "coords"]
    )
    table = pd.DataFrame(np.eye(2), columns=columns)
    assert feature_columns(table, DataFormat()) == ("nose_x", "nose_y")


ROW = "counted from 1 without the header"


@pytest.mark.parametrize(
    ("changes", "format", "problem"),
    [
        ({}, {"label": "do"}, "no column 'do' for the label; did you mean 'does'"),
        ({}, {"sequence": "vidoe"}, "no column 'vidoe' for the sequence; did you mean 'video'"),
        ({}, {"features": ["nose_z"]}, "'nose_z'.*did you mean 'nose_[xy]'"),
        ({}, {"features": ["does"]}, "'does' is the column of the label"),
        ({"why": "?"}, {"features": ["why"]}, f"'why' has '\\?' at row 1, {ROW}"),
        ({"nose_x": ["1", "2", "3", "4", "oops", "6"]}, {}, f"'nose_x' has 'oops' at row 5, {ROW}"),
        ({"when": pd.Timestamp(0)}, {"features": ["when"]}, "'when' has Timestamp"),
        (
            {"video": ["a", "a", "b", "b", "a", "b"]},
            {"frame": None},
            "video 'a' continues at row 5",
        ),
        ({"video": ["a", None, "a", "b", "b", "b"]}, {}, "'video' has no sequence at row 2"),
        ({"t": [1, 2, 2, 1, 2, 3]}, {}, "video 'a', frame 2 .*row 2.* again.*row 3"),
        ({"t": [1, 2, 3, 1, 2, 9]}, {}, "after video 'b', frame 2 .*frame 9 .*row 6.*step of 7"),
        ({"t": [0, 0.04, 0.12, 0, 0.04, 0.08]}, {}, "after video 'a', frame 0.04"),
        ({"t": [1, 2, None, 1, 2, 3]}, {}, "'t' has no frame number at row 3"),
        ({"t": ["1", "2", "x", "1", "2", "3"]}, {}, "'t' has the frame number 'x' at row 3"),
        ({"t": [1, 2, np.inf, 1, 2, 3]}, {}, "the frame number inf at row 3"),
        ({"animal": [1, 1, 1, 2, 3, 2]}, {}, "'animal' changes from 2 to 3 at video 'b', frame 2"),
        ({"animal": [1, None, 1, 2, 2, 2]}, {}, "'animal' is empty at video 'a', frame 2"),
        ({"nose_y": [0, 1, np.nan, np.nan, 1, 1]}, {}, "2 .*missing.*'a', frame 3 .*'nose_y'"),
        ({"nose_y": [0, 1, np.inf, 1, 1, 1]}, {"missing": "interpolate"}, "inf at video 'a'"),
        ({"nose_y": [0, 1, 2, None, None, None]}, {"missing": "interpolate"}, "in all 3 .*'b'"),
        ({"nose_y": [0, 1, 1e39, 1, 1, 1]}, {}, r"beyond 32-bit.*1e\+39 at video 'a', frame 3"),
        ({"does": "run"}, {}, "only one class, 'run'"),
        ({"does": None}, {}, "no label at all"),
        ({"does": [1, "a", 1, 1, 1, 1]}, {}, "mix texts"),
        ({}, {"per": "sequence"}, "'a', frame 2 .*'sit', video 'a', frame 1 .*'run'.*per='frame'"),
        ({}, {"positive": "ru"}, "'ru', the positive class; did you mean 'run'"),
        ({"does": "run"}, {"positive": "run"}, "only one class"),
        ({"part": ["train"] * 3 + ["tset"] * 3}, {"part": "part"}, "'tset'; did you mean 'test'"),
        ({"part": ["train"] * 2 + ["test"] * 4}, {"part": "part"}, "'part' changes from 'train'"),
    ],
)
def test_mistakes(changes: dict[str, Any], format: dict[str, Any], problem: str) -> None:
    with pytest.raises(DataError, match=problem):
        read_table(plain(**changes), DataFormat(**{**FORMAT.to_dict(), **format}))


@pytest.mark.parametrize("kind", ["seconds", "hundredths", "ms", "unsigned ms", "whole"])
def test_times_may_be_rounded_but_frames_not_lacking(kind: str) -> None:
    exact = np.arange(90) / 30
    times: Any = {
        "seconds": exact.round(3),
        "hundredths": exact.round(2),
        "ms": (1000 * exact).round().astype(int),
        "unsigned ms": (1000 * exact).round().astype(np.uint64),
        "whole": np.arange(90),
    }[kind]
    table = pd.DataFrame({"t": times, "u": 0.5})
    assert len(read_table(table, DataFormat(frame="t")).sequences.frames) == 90
    with pytest.raises(DataError, match=r"\(row 40, .*a step of .* is usual"):
        read_table(table.drop(index=40), DataFormat(frame="t"))


def test_labels_that_training_lacks() -> None:
    table = plain(part=["train"] * 3 + ["test"] * 3, does=["a", "b", "a", "a", "c", "a"])
    with pytest.raises(DataError, match="the test part has the label 'c'"):
        read_table_parts(table, Wanted(DataFormat(**{**FORMAT.to_dict(), "part": "part"})))
    wrong = plain(does=["run", "sti", "sit", "sit", "sit", "sit"])
    with pytest.raises(DataError, match=r"'sti' at video 'a', frame 2 .*did you mean 'sit'"):
        read_table(wrong, FORMAT, labels=("run", "sit"))
    with pytest.raises(DataError, match=r"expected \['not sit', 'sit'\]"):
        read_table(plain(), DataFormat(label="does", positive="sit"), labels=("run", "sit"))


def test_tables_that_are_none() -> None:
    with pytest.raises(DataError, match="two columns are called 'a'"):
        read_table(pd.DataFrame([[1, 2]], columns=["a", "a"]), DataFormat())
    with pytest.raises(DataError, match="no rows"):
        read_table(plain().iloc[:0], FORMAT)
    with pytest.raises(DataError, match="no columns of numbers"):
        read_table(pd.DataFrame({"a": ["x"]}), DataFormat())
    with pytest.raises(DataError, match="expected a pandas DataFrame, not ndarray"):
        read_table(np.zeros((2, 2)), DataFormat())  # type: ignore[arg-type]
    with pytest.raises(DataError, match="no feature 'nose_z'"):
        read_table(plain(), FORMAT, features=["nose_z"])
    with pytest.raises(DataError, match="'nose_x' is called like a column"):
        read_table(plain(), FORMAT, derived={"nose_x": "speed(nose)"})
    with pytest.raises(NearstarError, match=r"no point 'nos'.*did you mean 'nose'"):
        read_table(plain(), FORMAT, derived=["speed(nos)"])
