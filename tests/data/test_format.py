"""Data formats: written as JSON and read again, and what is wrong with bad ones."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearstar.data.format import DataFormat
from nearstar.util.errors import NearstarError

LABELS = (
    st.text() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.booleans()
)


@given(
    columns=st.lists(st.text(), min_size=5, max_size=5, unique=True),
    roles=st.sets(st.integers(0, 4)),
    features=st.lists(st.text()),
    unlabelled=st.lists(LABELS),
    positive=st.none() | LABELS,
    per=st.sampled_from([None, "frame", "sequence"]),
    window=st.none() | st.integers(5, 9),
    hop=st.none() | st.integers(1, 5),
)
def test_from_dict_gives_back_what_to_dict_wrote(
    columns: list[str], roles: set[int], window: int | None, hop: int | None, **rest: Any
) -> None:
    names = ("sequence", "frame", "label", "group", "part")
    given_roles = {names[i]: columns[i] for i in roles}
    written = DataFormat(window=window, hop=hop if window else None, **given_roles, **rest)
    assert DataFormat.from_dict(json.loads(json.dumps(written.to_dict()))) == written
    assert written.roles == given_roles


def test_numpy_scalars_become_plain() -> None:
    format = DataFormat(unlabelled=(np.int64(-1),), positive=np.str_("a"))
    assert type(format.unlabelled[0]) is int and type(format.positive) is str


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        ([], "a table of settings"),
        ({"lable": "a"}, "'lable' of a data format; did you mean 'label'"),
        ({"label": 3}, "label is the name of a column, not 3"),
        ({"label": "a", "group": "a"}, "'a' is given as label and as group"),
        ({"features": "nose"}, r"features are a list, not 'nose'; write \['nose'\]"),
        ({"features": [1]}, "features are names or patterns, not 1"),
        ({"missing": "interpolat"}, "did you mean 'interpolate'"),
        ({"missing": []}, "missing is"),
        ({"per": "frames"}, "did you mean 'frame'"),
        ({"unlabelled": -1}, "unlabelled are a list"),
        ({"unlabelled": [None]}, "a label is a text, a number or a boolean"),
        ({"positive": [1]}, "a label is a text"),
        ({"positive": float("inf")}, "a label is a text"),
        ({"window": 0}, "window must be a whole number from 1"),
        ({"window": True}, "window must be a whole number"),
        ({"hop": 3}, "expected a window"),
        ({"window": 4, "hop": 5}, "hop is 5 and window 4"),
    ],
)
def test_mistakes(data: Any, problem: str) -> None:
    with pytest.raises(NearstarError, match=problem):
        DataFormat.from_dict(data)
