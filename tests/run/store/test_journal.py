"""Journals that are written: what is in them stays, whatever happens to their writers."""

from __future__ import annotations

import errno
import os
import random
import resource
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from run.store.forked import LARGEST
from run.store.forks import Forks
from run.store.journals import HEADER, begin, offsets, read, resume, varied

from nearstar import NearstarError
from nearstar.run.store import JOURNAL, Journal, JournalError, JournalReader
from nearstar.run.store.lines import line_of

# In use

values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
    | st.integers(0, 10_000).map("☃ ".__mul__),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=10,
)
records = st.dictionaries(st.text(), values, max_size=4)


@settings(max_examples=50)
@given(st.lists(records, max_size=10))
def test_what_is_written_comes_back_the_same(written: list[dict[str, Any]]) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder)
        with Journal(path, HEADER) as journal:
            places = [journal.append(record) for record in written]
            assert [journal.read(place) for place in places] == written
        assert read(path) == written
        with Journal(path, {"about": "what is given now does not matter"}) as journal:
            assert journal.header["about"] == HEADER["about"]
            assert [line.record for line in journal.earlier()] == written
            assert [journal.read(place) for place in reversed(places)] == written[::-1]
        with Journal(path, HEADER) as journal:
            lines = list(journal.earlier())
            assert [line.offset for line in lines] == places
            assert [line.number for line in lines] == list(range(1, len(written) + 1))


def test_appending_from_many_threads(tmp_path: Path) -> None:
    with Journal(tmp_path, HEADER) as journal, ThreadPoolExecutor(8) as threads:

        def append(number: int) -> bool:
            return journal.read(journal.append(varied(number))) == varied(number)

        assert all(threads.map(append, range(500)))
    lines = list(JournalReader(tmp_path / JOURNAL).new_lines())[1:]
    assert [line.number for line in lines] == list(range(1, 501))
    in_order = sorted((line.record for line in lines), key=lambda record: record["number"])
    assert in_order == [varied(number) for number in range(500)]


def test_a_record_that_is_no_json_is_refused_and_nothing_else(tmp_path: Path) -> None:
    with Journal(tmp_path, HEADER) as journal:
        with pytest.raises(NearstarError, match="records of a journal"):
            journal.append({"a": object()})
        journal.append({"a": 1})
    assert resume(tmp_path) == [{"a": 1}]


def test_a_closed_journal_is_not_written_and_can_be_closed_again(tmp_path: Path) -> None:
    journal = Journal(tmp_path, HEADER)
    offset = journal.append({"a": 1})
    journal.close()
    with open(os.devnull) as other:  # which may have the number of the journal's file now
        for action in (lambda: journal.append({"a": 2}), lambda: journal.read(offset)):
            with pytest.raises(JournalError, match="is closed"):
                action()
        journal.close()
        os.fstat(other.fileno())
    assert resume(tmp_path) == [{"a": 1}]


def test_what_was_there_before_must_be_read_before_appending(tmp_path: Path) -> None:
    before = begin(tmp_path, [{"a": 1}])
    with pytest.raises(JournalError), Journal(tmp_path, HEADER) as journal:
        journal.append({"a": 2})
    assert (tmp_path / JOURNAL).read_bytes() == before


# Cut off, or with something at the end that nobody wrote


@pytest.fixture
def no_waiting_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)


@pytest.mark.usefixtures("no_waiting_for_the_disk")
@pytest.mark.parametrize("step", [pytest.param(1, marks=pytest.mark.slow), 7])
def test_cut_off_at_every_byte_all_whole_records_are_kept(tmp_path: Path, step: int) -> None:
    written = [varied(number, largest=50) for number in range(24)]
    content = begin(tmp_path, written)
    ends = offsets(content)[1:]
    for size in range(0, len(content), step):
        (tmp_path / JOURNAL).write_bytes(content[:size])
        whole = sum(end <= size for end in ends)
        assert resume(tmp_path) == written[: max(whole - 1, 0)]


TAILS = {
    "zeros": bytes(5000),
    "zeros to the next page": bytes(4096),
    "a newline": b"\n",
    "zeros and a newline": bytes(10) + b"\n",
    "text": b"something else",
    "lines": b"something\nelse\n",
    "random bytes": random.Random(0).randbytes(5000),
    "a part of a line": line_of(4, {"a": 4})[:-3],
    "a part of a line and zeros": line_of(4, {"a": 4})[:-3] + bytes(100),
    "a damaged line": line_of(4, {"a": 4}).replace(b"a", b"b"),
    "a line without its beginning": line_of(4, {"a": 4})[1:],
}


@pytest.mark.parametrize("tail", TAILS)
def test_what_nobody_wrote_at_the_end_is_dropped(tmp_path: Path, tail: str) -> None:
    written = [{"a": 1}, {"a": 2}, {"a": 3}]
    content = begin(tmp_path, written)
    (tmp_path / JOURNAL).write_bytes(content + TAILS[tail])
    assert read(tmp_path) == written
    assert resume(tmp_path) == written
    assert (tmp_path / JOURNAL).read_bytes() == content + line_of(4, {"after": 3})


@pytest.mark.parametrize("content", [b"", bytes(50), b'["'])
def test_a_journal_that_has_not_come_to_its_header_begins_again(
    tmp_path: Path, content: bytes
) -> None:
    (tmp_path / JOURNAL).write_bytes(content)
    assert resume(tmp_path) == []


def test_damage_elsewhere_is_named_and_left_alone(tmp_path: Path) -> None:
    content = bytearray(begin(tmp_path, [varied(number) for number in range(5)]))
    place = offsets(content)[3]
    content[place + 20] ^= 1
    (tmp_path / JOURNAL).write_bytes(content)
    message = f"damaged at byte {place}: line 3 .* cut the file to {place} bytes"
    for _ in range(2):
        with pytest.raises(JournalError, match=message), Journal(tmp_path, HEADER) as journal:
            list(journal.earlier())
        assert (tmp_path / JOURNAL).read_bytes() == content
    with Journal(tmp_path, HEADER) as journal, pytest.raises(JournalError, match=f"byte {place}"):
        journal.read(place)
    (tmp_path / JOURNAL).write_bytes(content[:place])
    assert resume(tmp_path) == [varied(0), varied(1)]


# Killed


@pytest.mark.slow
def test_killed_at_any_moment_nothing_that_was_appended_is_lost(
    tmp_path: Path, forks: Forks
) -> None:
    kill_often(tmp_path, forks, 20, seed=0)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 6))
def test_killed_at_many_moments(tmp_path: Path, forks: Forks, seed: int) -> None:
    kill_often(tmp_path, forks, 200, seed)


def kill_often(folder: Path, forks: Forks, times: int, seed: int) -> None:
    """Kill one writer after the other; a reader sees what they write, in order, nothing else."""
    draw = random.Random(seed)
    reader = JournalReader(folder / JOURNAL)
    said = folder / "said"
    seen = cut_off = 0

    def look() -> int:
        if not (folder / JOURNAL).exists():
            return 0
        new = [line.record for line in reader.new_lines() if line.number]
        assert new == [varied(number, LARGEST) for number in range(seen, seen + len(new))]
        return len(new)

    for turn in range(times):
        writer = forks.start("write_on", str(folder), str(said))
        before = seen
        while turn % 2 and seen == before:  # else it may be killed before it begins
            seen += look()
        end = time.monotonic() + draw.uniform(0.0, 0.03)
        while time.monotonic() < end:
            seen += look()
        forks.kill(writer)
        seen += look()
        assert seen >= (int(said.read_bytes() or 0) if said.exists() else 0)
        cut_off += (folder / JOURNAL).exists() and (folder / JOURNAL).stat().st_size > reader.end
    assert cut_off, "no writer was killed within a line"
    with Journal(folder, HEADER) as journal:
        earlier = [line.record for line in journal.earlier()]
    assert earlier == [varied(number, LARGEST) for number in range(seen)]


# A full disk, or a broken one


@contextmanager
def limit_of_the_file(patch: pytest.MonkeyPatch, path: Path) -> Iterator[None]:
    """Room for a few bytes more."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size + 10, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def half(descriptor: int, data: bytes, write: Callable[[int, bytes], int] = os.write) -> int:
    """Writes half of it, and then nothing any more."""
    if len(data) < 20:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    return write(descriptor, data[: len(data) // 2])


@contextmanager
def full_disk(patch: pytest.MonkeyPatch, path: Path) -> Iterator[None]:
    with patch.context() as patched:
        patched.setattr(os, "write", half)
        yield


@contextmanager
def broken_disk(patch: pytest.MonkeyPatch, path: Path) -> Iterator[None]:
    """Half a line is written, and cannot be removed either."""

    def fails(descriptor: int, size: int) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    with full_disk(patch, path), patch.context() as patched:
        patched.setattr(os, "ftruncate", fails)
        yield


@pytest.mark.parametrize("trouble", [limit_of_the_file, full_disk, broken_disk])
def test_a_full_disk_ends_the_writing_and_costs_nothing_that_was_written(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    trouble: Callable[[pytest.MonkeyPatch, Path], Any],
) -> None:
    written = [varied(number) for number in range(5)]
    journal = Journal(tmp_path, HEADER)
    for record in written:
        journal.append(record)
    path = tmp_path / JOURNAL
    message = f"{path} cannot be written: .* kept: make room, .* resume the run"
    with trouble(monkeypatch, path), pytest.raises(JournalError, match=message):
        journal.append({"too": "much" * 50})
    assert read(tmp_path) == written
    for _ in range(2):  # also when there is room again: what was lost must not be left out
        with pytest.raises(JournalError, match=message):
            journal.append({"small": 1})
    with pytest.raises(JournalError, match=message):
        journal.close()
    assert resume(tmp_path) == written


def test_no_room_for_the_header(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with full_disk(monkeypatch, tmp_path), pytest.raises(JournalError, match="No space left"):
        Journal(tmp_path, HEADER)
    assert resume(tmp_path) == []


def test_a_cut_off_line_that_cannot_be_removed_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = begin(tmp_path, [{"a": 1}, {"a": 2}])
    (tmp_path / JOURNAL).write_bytes(content[:-1])
    with (
        broken_disk(monkeypatch, tmp_path),
        pytest.raises(JournalError, match="cannot be written"),
        Journal(tmp_path, HEADER) as journal,
    ):
        list(journal.earlier())
    assert resume(tmp_path) == [{"a": 1}]


def append_for_ever(journal: Journal) -> None:
    while True:
        journal.append({"more": 1})


@pytest.mark.parametrize("when", ["while writing", "at the end"])
def test_what_the_disk_refuses_later_is_an_error_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    def refuse(descriptor: int) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    journal = Journal(tmp_path, HEADER)
    journal.append({"a": 1})
    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", refuse)
        if when == "while writing":
            with pytest.raises(JournalError, match="cannot be written: Input/output error"):
                append_for_ever(journal)
        with pytest.raises(JournalError, match="cannot be written: Input/output error"):
            journal.close()
    assert resume(tmp_path)[0] == {"a": 1}


# What is there already


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"my own notes", "no journal of nearstar"),
        (b"my own notes\n", "no journal of nearstar"),
        (b"\n", "no journal of nearstar"),
        (b'["not a header"', "no journal of nearstar"),
        (line_of(0, {"another": "kind"}), "not a journal of nearstar"),
        (line_of(0, {"format": "nearstar-journal", "version": 9}), "version 9 of the format"),
        (line_of(0, {"format": "nearstar-journal", "version": 3})[:-9], "no journal .* cut off"),
    ],
)
def test_foreign_files_are_refused_and_left_as_they_are(
    tmp_path: Path, content: bytes, message: str
) -> None:
    (tmp_path / JOURNAL).write_bytes(content)
    for _ in range(2):
        with pytest.raises(JournalError, match=message):
            Journal(tmp_path, HEADER)
        assert (tmp_path / JOURNAL).read_bytes() == content


def test_where_there_can_be_no_journal(tmp_path: Path) -> None:
    (tmp_path / "taken" / JOURNAL).mkdir(parents=True)
    (tmp_path / "file").touch()
    (tmp_path / "device").mkdir()
    (tmp_path / "device" / JOURNAL).symlink_to("/dev/full")
    for name, message in (
        ("taken", "Is a directory. Give a folder"),
        ("file", "File exists. Give a folder"),
        ("file/below", "Not a directory. Give a folder"),
        ("device", "not a file"),
    ):
        with pytest.raises(JournalError, match=message):
            Journal(tmp_path / name, HEADER)


def test_a_folder_that_may_not_be_written(tmp_path: Path) -> None:
    tmp_path.chmod(0o555)
    someone = os.geteuid()
    if someone == 0:  # who may do everything
        os.seteuid(65534)
    try:
        with pytest.raises(JournalError, match=r"Permission denied\. Give a folder"):
            Journal(tmp_path, HEADER)
    finally:
        os.seteuid(someone)
