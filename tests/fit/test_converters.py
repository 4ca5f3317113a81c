"""Values as people write them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearstar.fit import converters
from nearstar.util.errors import NearstarError

SIZES = {"s": 1, "m": 60, "h": 3600, "d": 86400}
NAMES = st.text("abcxyz_*?0189. ", min_size=1).map(str.strip).filter(bool)


@given(st.lists(st.tuples(st.integers(0, 999), st.sampled_from("smhd")), min_size=1, max_size=4))
def test_durations_add_up(parts: list[tuple[int, str]]) -> None:
    seconds = sum(number * SIZES[unit] for number, unit in parts)
    text = " ".join(f"{number}{unit}" for number, unit in parts)
    if seconds == 0:
        with pytest.raises(NearstarError, match="above 0"):
            converters.duration(text)
    else:
        assert converters.duration(text) == seconds == converters.duration(text.upper())


@given(st.floats(1e-6, 1e9))
def test_numbers_are_seconds(seconds: float) -> None:
    assert converters.duration(seconds) == converters.duration(repr(seconds)) == seconds
    assert converters.positive(repr(seconds)) == converters.number(seconds) == seconds


@pytest.mark.parametrize("text", ["", "5 minutes", "m5", "nan", "inf", "-1", "1e999", "5m-2s", "s"])
def test_no_durations(text: str) -> None:
    with pytest.raises(NearstarError, match="time"):
        converters.duration(text)


@given(st.integers(-9, 19) | st.integers(-(10**30), 10**30), st.integers(-5, 5))
def test_whole_numbers_within_bounds(number: int, least: int) -> None:
    convert = converters.whole(least, 15)
    for written in (number, str(number), f" {number}"):
        if least <= number <= 15:
            assert convert(written) == number
        else:
            with pytest.raises(NearstarError, match=f"from {least} to 15, not"):
                convert(written)


@pytest.mark.parametrize("value", [True, 1.0, "1.0", "one", "", "1e3", "٣", [1], None, "9" * 30])
def test_no_whole_numbers(value: Any) -> None:
    with pytest.raises(NearstarError, match="whole number"):
        converters.whole(0)(value)


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (converters.share, "1"),
        (converters.share, "-0.1"),
        (converters.share, "half"),
        (converters.share_or_file, "1"),
        (converters.share_or_file, "nan"),
        (converters.share_or_file, ["a.csv"]),
        (converters.number, "nan"),
        (converters.number, "-inf"),
        (converters.number, True),
        (converters.positive, 0),
        (converters.not_negative, "-1e-9"),
        (converters.text, ["a"]),
        (converters.text, {"a": 1}),
        (converters.switch, "yes"),
        (converters.switch, 1),
        (converters.names, ""),
        (converters.names, " , "),
        (converters.names, {"a": 1}),
        (converters.names, [["a"]]),
        (converters.units, "1,2,3"),
        (converters.units, "0,1"),
        (converters.units, "10001,1"),
        (converters.label, ["a"]),
        (converters.labels, [{}]),
        (converters.assigned(converters.names), "=a"),
        (converters.assigned(converters.names), "a="),
        (converters.assigned(converters.names), "a"),
        (converters.class_weight, "heavy"),
        (converters.class_weight, "a=b"),
        (converters.class_weight, {"a": "b"}),
    ],
)
def test_other_values_are_refused(kind: Any, value: Any) -> None:
    with pytest.raises(NearstarError) as told:
        kind(value)
    assert "expected" in str(told.value) or "share" in str(told.value)


@given(st.lists(NAMES, min_size=1, max_size=5))
def test_names_as_text_and_as_a_list(listed: list[str]) -> None:
    assert converters.names(",".join(listed)) == converters.names(listed) == tuple(listed)


@given(NAMES.filter(lambda name: "=" not in name), st.lists(NAMES, min_size=1, max_size=4))
def test_assignments_as_text_and_as_a_table(name: str, listed: list[str]) -> None:
    convert = converters.assigned(converters.names)
    assert convert(f"{name} = {','.join(listed)}") == convert({name: listed}) == {name: (*listed,)}


@given(st.integers(-(10**12), 10**12), st.text("abc -.", min_size=1))
def test_labels_are_whole_numbers_where_they_read_so(number: int, text: str) -> None:
    assert converters.label(str(number)) == converters.label(number) == number
    assert converters.label(text) == text
    assert converters.labels(f"{number},a,1.5") == (number, "a", "1.5")
    assert converters.labels([number, text, True]) == (number, text, True)


@given(st.dictionaries(st.sampled_from("abc"), st.floats(0, 9), min_size=1))
def test_weights_as_text_and_as_a_table(weights: dict[str, float]) -> None:
    text = ",".join(f"{name}={weight}" for name, weight in weights.items())
    assert converters.class_weight(text) == converters.class_weight(weights) == weights
    assert converters.class_weight("balanced") == "balanced"


def test_names_may_have_commas_in_parentheses() -> None:
    given = "gap, mean(gap, 31),x*,least(distance((a, b), nose), last 5)"
    expected = ("gap", "mean(gap, 31)", "x*", "least(distance((a, b), nose), last 5)")
    assert converters.names(given) == converters.names(list(expected)) == expected
