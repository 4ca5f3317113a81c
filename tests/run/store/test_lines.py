"""Lines of a journal: whole, or known not to be."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearstar import NearstarError
from nearstar.run.store.lines import line_of, number_of, record_in, sound_end

numbers = st.integers(0, 10**9)
records = st.dictionaries(st.text(max_size=5), st.integers() | st.text(), max_size=3)


@given(numbers, records)
def test_a_line_has_its_number_and_record_and_is_json(
    number: int, record: dict[str, object]
) -> None:
    line = line_of(number, record)
    assert line.count(b"\n") == 1 and line.endswith(b"\n")
    assert number_of(line) == number
    assert record_in(line) == record
    assert json.loads(line)[1:] == [number, record]


@given(numbers, records, st.data())
def test_a_part_of_a_line_is_not_sound(
    number: int, record: dict[str, object], data: st.DataObject
) -> None:
    line = line_of(number, record)
    begin = data.draw(st.integers(0, len(line)))
    end = data.draw(st.integers(begin, len(line)))
    assert (number_of(line[begin:end]) is None) == ((begin, end) != (0, len(line)))


@given(st.binary(max_size=40).filter(lambda text: b"\n" not in text), numbers, records)
def test_a_sound_line_is_found_after_a_damaged_one(
    before: bytes, number: int, record: dict[str, object]
) -> None:
    line = line_of(number, record)
    assert sound_end(line) == sound_end(before + line) == sound_end(line[:-1] + line) == line
    assert sound_end(before + line[:-1]) is None


@pytest.mark.parametrize("record", [{"a": math.nan}, {"a": {1, 2}}, {"a": "\ud800"}, {"a": b""}])
def test_what_would_not_come_back_is_refused(record: dict[str, object]) -> None:
    with pytest.raises(NearstarError, match="records of a journal must be texts"):
        line_of(0, record)
