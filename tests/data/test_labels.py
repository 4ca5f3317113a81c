"""Labels of any type become codes and come back as they were."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearstar.data.labels import class_names, encode, whole_labels
from nearstar.util.errors import DataError

KINDS: list[st.SearchStrategy[Any]] = [
    st.text(max_size=3),
    st.integers(-5, 5),
    st.booleans(),
    st.floats(-2, 2),
]


@given(data=st.data(), kind=st.sampled_from(KINDS))
def test_codes_point_at_the_labels(data: st.DataObject, kind: st.SearchStrategy[Any]) -> None:
    missing = st.sampled_from([None, float("nan"), pd.NA, pd.NaT])
    values = data.draw(st.lists(kind | missing, max_size=20))
    codes, classes = encode(values)
    known = [value for value in values if not pd.isna(value)]
    assert classes.tolist() == sorted(set(known))
    for value, code in zip(values, codes, strict=True):
        assert code == -1 if pd.isna(value) else classes[code] == value


@given(values=st.lists(st.sampled_from("abcd"), min_size=1), none=st.sets(st.sampled_from("abcd")))
def test_unlabelled_ones_are_no_class(values: list[str], none: set[str]) -> None:
    codes, classes = encode(values, unlabelled=none)
    assert classes.tolist() == sorted(set(values) - none)
    assert [c == -1 for c in codes] == [v in none for v in values]


@pytest.mark.parametrize(
    "values",
    [
        np.array(["b", "a", "b"]),
        np.array(["b", "a", "b"], dtype=object),
        pd.Series(["b", "a", "b"]),
        pd.Series(["b", "a", "b"], dtype="category"),
        pd.Series(["b", "a", "b"], dtype="string"),
        pd.Categorical(["b", "a", "b"], categories=["c", "b", "a"]),
    ],
)
def test_kinds_of_texts(values: Any) -> None:
    codes, classes = encode(values)
    assert (codes.tolist(), classes.tolist()) == ([1, 0, 1], ["a", "b"])


def test_nullable_columns() -> None:
    codes, classes = encode(pd.Series([3, None, 1], dtype="Int64"))
    assert codes.tolist() == [1, -1, 0]
    assert classes.dtype.kind == "i" and classes.tolist() == [1, 3]
    codes, classes = encode(pd.Series([True, None, False], dtype="boolean"))
    assert codes.tolist() == [1, -1, 0] and classes.dtype.kind == "b"


def test_codes_have_the_shape_of_the_labels() -> None:
    values = np.array([["a", "b"], ["c", "a"]])
    codes, classes = encode(values)
    np.testing.assert_array_equal(classes[codes], values)


def test_types_are_kept() -> None:
    assert encode(np.array([3, 1], dtype=np.int8))[1].dtype == np.int8
    assert encode(np.array([0.5, 1.5]))[1].dtype == np.float64
    assert encode([True, False])[1].dtype == np.bool_


@pytest.mark.parametrize(
    ("values", "classes", "expected"),
    [
        ([1, 2, 1], ("1", "2", "3"), [0, 1, 0]),
        (["2", "1"], (1, 2), [1, 0]),
        ([2.0, 1.0], ("1", "2"), [1, 0]),
        ([2.0, 1.0], (1, 2), [1, 0]),
        ([True, False], ("False", "True"), [1, 0]),
        (["b", None], ("c", "b"), [1, -1]),
        (["not 1", 1], ("not 1", 1), [0, 1]),
    ],
)
def test_given_classes_match_by_value_or_text(
    values: list[Any], classes: tuple[Any, ...], expected: list[int]
) -> None:
    if len({type(value) for value in values if value is not None}) > 1:
        values = [str(value) for value in values]
    codes, given_back = encode(values, classes=classes)
    assert codes.tolist() == expected
    assert given_back.tolist() == list(classes)


def test_a_label_of_no_class_is_named_with_its_place() -> None:
    with pytest.raises(DataError, match=r"'snif' at element 2 .*did you mean 'sniff'"):
        encode(["other", "sniff", "snif"], classes=("other", "sniff"))
    with pytest.raises(DataError, match="at row 7"):
        encode(["a"], classes=("b", "c"), where=lambda i: f"row {i + 7}")


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        ([1, "a"], "mix texts such as 'a' with numbers such as 1"),
        (pd.Series(["a", 2.5]), "mix texts such as 'a' with numbers such as 2.5"),
        (np.array([1j]), "complex"),
        ([(1, 2), (1, 2, 3)], "different lengths"),
        (np.array([{}, 1], dtype=object), "is a dict"),
        (np.arange(40_000), "40000 different labels"),
    ],
)
def test_mistakes(values: Any, problem: str) -> None:
    with pytest.raises(DataError, match=problem):
        encode(values)


def test_texts_of_classes_are_all_different() -> None:
    assert class_names(np.array(["a", "b"])) == ("a", "b")
    assert class_names((1, "1", 2.5, True)) == ("1", "'1'", "2.5", "True")


def test_whole_floats_are_integers_again() -> None:
    assert whole_labels(np.array([1.0, np.nan, 3.0])).tolist() == [1, None, 3]
    assert whole_labels(np.array([1.0, 2.0])).dtype.kind == "i"
    mixed = np.array([1.0, 2.5])
    assert whole_labels(mixed) is mixed
    huge = np.array([1e30])
    assert whole_labels(huge) is huge
