"""Values as people write them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearstar.cli import values
from nearstar.util.errors import NearstarError

SIZES = {"s": 1, "m": 60, "h": 3600, "d": 86400}
NAMES = st.text("abcxyz_*?0189. ", min_size=1).map(str.strip).filter(bool)


@given(st.lists(st.tuples(st.integers(0, 999), st.sampled_from("smhd")), min_size=1, max_size=4))
def test_durations_add_up(parts: list[tuple[int, str]]) -> None:
    seconds = sum(number * SIZES[unit] for number, unit in parts)
    text = " ".join(f"{number}{unit}" for number, unit in parts)
    if seconds == 0:
        with pytest.raises(NearstarError, match="above 0"):
            values.duration(text)
    else:
        assert values.duration(text) == seconds == values.duration(text.upper())


@given(st.floats(1e-6, 1e9))
def test_numbers_are_seconds(seconds: float) -> None:
    assert values.duration(seconds) == values.duration(repr(seconds)) == seconds
    assert values.positive(repr(seconds)) == values.number(seconds) == seconds


@pytest.mark.parametrize("text", ["", "5 minutes", "m5", "nan", "inf", "-1", "1e999", "5m-2s", "s"])
def test_no_durations(text: str) -> None:
    with pytest.raises(NearstarError, match="time"):
        values.duration(text)


@given(st.integers(-9, 19) | st.integers(-(10**30), 10**30), st.integers(-5, 5))
def test_whole_numbers_within_bounds(number: int, least: int) -> None:
    convert = values.whole(least, 15)
    for written in (number, str(number), f" {number}"):
        if least <= number <= 15:
            assert convert(written) == number
        else:
            with pytest.raises(NearstarError, match=f"from {least} to 15, not"):
                convert(written)


@pytest.mark.parametrize("value", [True, 1.0, "1.0", "one", "", "1e3", "٣", [1], None, "9" * 30])
def test_no_whole_numbers(value: Any) -> None:
    with pytest.raises(NearstarError, match="whole number"):
        values.whole(0)(value)


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (values.share, "1"),
        (values.share, "-0.1"),
        (values.share, "half"),
        (values.number, "nan"),
        (values.number, "-inf"),
        (values.number, True),
        (values.positive, 0),
        (values.not_negative, "-1e-9"),
        (values.text, ["a"]),
        (values.text, {"a": 1}),
        (values.switch, "yes"),
        (values.switch, 1),
        (values.names, ""),
        (values.names, " , "),
        (values.names, {"a": 1}),
        (values.names, [["a"]]),
        (values.units, "1,2,3"),
        (values.units, "0,1"),
        (values.units, "10001,1"),
        (values.label, ["a"]),
        (values.labels, [{}]),
        (values.assigned(values.names), "=a"),
        (values.assigned(values.names), "a="),
        (values.assigned(values.names), "a"),
        (values.class_weight, "heavy"),
        (values.class_weight, "a=b"),
        (values.class_weight, {"a": "b"}),
    ],
)
def test_other_values_are_refused(kind: Any, value: Any) -> None:
    with pytest.raises(NearstarError) as told:
        kind(value)
    assert "expected" in str(told.value) or "share" in str(told.value)


@given(st.lists(NAMES, min_size=1, max_size=5))
def test_names_as_text_and_as_a_list(listed: list[str]) -> None:
    assert values.names(",".join(listed)) == values.names(listed) == tuple(listed)


@given(NAMES.filter(lambda name: "=" not in name), st.lists(NAMES, min_size=1, max_size=4))
def test_assignments_as_text_and_as_a_table(name: str, listed: list[str]) -> None:
    convert = values.assigned(values.names)
    assert convert(f"{name} = {','.join(listed)}") == convert({name: listed}) == {name: (*listed,)}


@given(st.integers(-(10**12), 10**12), st.text("abc -.", min_size=1))
def test_labels_are_whole_numbers_where_they_read_so(number: int, text: str) -> None:
    assert values.label(str(number)) == values.label(number) == number
    assert values.label(text) == text
    assert values.labels(f"{number},a,1.5") == (number, "a", "1.5")
    assert values.labels([number, text, True]) == (number, text, True)


@given(st.dictionaries(st.sampled_from("abc"), st.floats(0, 9), min_size=1))
def test_weights_as_text_and_as_a_table(weights: dict[str, float]) -> None:
    text = ",".join(f"{name}={weight}" for name, weight in weights.items())
    assert values.class_weight(text) == values.class_weight(weights) == weights
    assert values.class_weight("balanced") == "balanced"
