"""Reading journals that are damaged, cut off, or written at the same time."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from run.store.journals import HEADER, begin, offsets, read, varied

from nearstar.run.store import (
    JOURNAL,
    Journal,
    JournalError,
    JournalReader,
    journal_reader,
    read_header,
)
from nearstar.run.store.lines import line_of, number_of

RECORDS = [varied(number, largest=20) for number in range(15)]


@pytest.fixture(scope="module")
def content(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return begin(tmp_path_factory.mktemp("whole"), RECORDS)


def damaged_at(content: bytes, folder: Path) -> int | None:
    """Read contents in which something is wrong: where that is said to be, None if nowhere.

    What is read is the beginning of the true records, whatever is wrong.
    """
    path = folder / JOURNAL
    path.write_bytes(content)
    reader = JournalReader(path)
    found: list[dict[str, Any]] = []
    problem = ""
    try:
        for line in reader.new_lines():
            found.append(line.record)
    except JournalError as error:
        problem = str(error)
    assert found[1:] == RECORDS[: len(found[1:])]
    if not problem:
        return None
    place = re.search(r"damaged at byte (\d+)", problem)
    assert str(path) in problem and place is not None and int(place[1]) == reader.end
    return reader.end


def changed(byte: int) -> Iterator[bytes]:
    """What might stand in the place of a byte: others, none, or more."""
    for other in {byte ^ 1, byte ^ 0x80, byte ^ 0xFF, 0, ord("\n"), ord("0"), ord('"')} - {byte}:
        yield bytes([other])
    yield b""
    for more in {byte ^ 1, 0, ord("\n"), ord("0")} - {byte}:
        yield bytes([more, byte])


@pytest.mark.parametrize("step", [pytest.param(1, marks=pytest.mark.slow), 7])
def test_damage_is_named_at_every_byte_but_those_of_the_last_record(
    content: bytes, tmp_path: Path, step: int
) -> None:
    starts = offsets(content)
    line = 0
    for place, byte in enumerate(content):
        line += place == starts[line + 1]
        for other in changed(byte) if place % step == 0 else ():
            # What is put before a line leaves it sound.
            last = line == len(RECORDS) and not (place == starts[line] and len(other) > 1)
            expected = None if last else starts[line]
            damaged = content[:place] + other + content[place + 1 :]
            assert damaged_at(damaged, tmp_path) == expected, (place, other)
            assert not last or len(read(tmp_path)) >= len(RECORDS) - 1


def test_lines_that_are_missing_twice_or_swapped_are_named(content: bytes, tmp_path: Path) -> None:
    lines = content.splitlines(keepends=True)
    starts = offsets(content)
    last = len(lines) - 1
    for place, line in enumerate(lines):
        without = b"".join(lines[:place] + lines[place + 1 :])
        assert damaged_at(without, tmp_path) == (None if place == last else starts[place])
        twice = b"".join([*lines[: place + 1], *lines[place:]])
        assert damaged_at(twice, tmp_path) == starts[place + 1]
        for other in range(place):
            swapped = list(lines)
            swapped[place], swapped[other] = lines[other], line
            assert damaged_at(b"".join(swapped), tmp_path) == starts[other]


@given(st.data())
def test_whatever_happens_to_a_journal_no_other_records_are_read(
    content: bytes, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    places = st.integers(0, len(content))
    for _ in range(data.draw(st.integers(1, 3))):
        begin, end = sorted((data.draw(places), data.draw(places)))
        source = data.draw(places)
        middle = data.draw(
            st.binary(max_size=20)
            | st.just(content[source : source + end - begin])
            | st.just(bytes(end - begin))
        )
        content = content[:begin] + middle + content[end:]
    damaged_at(content, tmp_path_factory.mktemp("spliced"))


def whole_line_at_the_end(path: Path, tail: bytes, line: bytes) -> None:
    """The writer goes on with a line that it has begun, and writes another one."""
    path.write_bytes(path.read_bytes() + line[len(tail) :] + line_of(3, {"next": 3}))


def another_writer(path: Path, tail: bytes, line: bytes) -> None:
    """A new writer removes what was cut off, and goes on."""
    path.write_bytes(path.read_bytes()[: -len(tail)] + line + line_of(3, {"next": 3}))


@pytest.mark.parametrize("happens", [whole_line_at_the_end, another_writer])
@pytest.mark.parametrize("cut", [5, -2])
def test_a_writer_that_goes_on_meanwhile_is_no_damage(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    happens: Callable[[Path, bytes, bytes], None],
    cut: int,
) -> None:
    begin(tmp_path, [{"first": 1}])
    path = tmp_path / JOURNAL
    line = line_of(2, varied(2))
    tail = line[:cut] if happens is whole_line_at_the_end else line[:cut] + b"\n"
    path.write_bytes(path.read_bytes() + tail)
    seen = []

    def look(text: bytes) -> int | None:
        if text == tail and not seen:
            seen.append(text)
            happens(path, tail, line)
        return number_of(text)

    monkeypatch.setattr(journal_reader, "number_of", look)
    reader = JournalReader(path)
    assert [line.number for line in reader.new_lines()] == [0, 1]
    assert seen
    assert [line.record for line in reader.new_lines()] == [varied(2), {"next": 3}]


def test_a_reader_goes_on_where_it_was(tmp_path: Path) -> None:
    reader = JournalReader(tmp_path / JOURNAL)
    with Journal(tmp_path, HEADER) as journal:
        header = read_header(reader)
        assert header is not None and header["about"] == "tests"
        for record in RECORDS:
            assert not list(reader.new_lines())
            offset = journal.append(record)
            assert [(line.record, line.offset) for line in reader.new_lines()] == [(record, offset)]


def test_a_journal_that_becomes_shorter_is_an_error(tmp_path: Path) -> None:
    content = begin(tmp_path, RECORDS)
    reader = JournalReader(tmp_path / JOURNAL)
    assert len(list(reader.new_lines())) == len(RECORDS) + 1
    (tmp_path / JOURNAL).write_bytes(content[:-1])
    with pytest.raises(JournalError, match=f"shorter.*had {len(content)} bytes"):
        list(reader.new_lines())


@pytest.mark.parametrize("content", [b"", b'["0000', bytes(100)])
def test_a_header_that_is_on_its_way_is_not_there_yet(tmp_path: Path, content: bytes) -> None:
    (tmp_path / JOURNAL).write_bytes(content)
    assert read_header(JournalReader(tmp_path / JOURNAL)) is None


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"my,own,table\n1,2,3\n", "no journal of nearstar, or damaged at byte 0"),
        (line_of(0, {"kind": "log"}), "not a journal of nearstar"),
        (
            line_of(0, {"format": "nearstar-journal", "version": 9, "nearstar": "9.1"}),
            r"version 9 of the format; this nearstar reads version 5: .* wrote it \(9.1\)",
        ),
    ],
)
def test_other_files_are_known_by_their_header(
    tmp_path: Path, content: bytes, message: str
) -> None:
    (tmp_path / JOURNAL).write_bytes(content)
    with pytest.raises(JournalError, match=message):
        read_header(JournalReader(tmp_path / JOURNAL))


def test_what_is_no_file_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(JournalError, match="cannot be read: No such file"):
        list(JournalReader(tmp_path / JOURNAL).new_lines())
    (tmp_path / JOURNAL).symlink_to("/dev/full")  # it has no end
    with pytest.raises(JournalError, match="not a file"):
        list(JournalReader(tmp_path / JOURNAL).new_lines())


def test_reading_leaves_no_trace(tmp_path: Path) -> None:
    begin(tmp_path, RECORDS)
    before = (tmp_path / JOURNAL).stat().st_mtime_ns, sorted(tmp_path.iterdir())
    assert read(tmp_path) == RECORDS
    assert ((tmp_path / JOURNAL).stat().st_mtime_ns, sorted(tmp_path.iterdir())) == before
