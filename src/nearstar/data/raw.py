"""What every source gives, be it a table or arrays, and the recordings that are made of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearstar.data.conversion import UNLABELLED
from nearstar.data.derived import Computing, Derived, read_derived
from nearstar.data.format import DataFormat
from nearstar.data.labels import Label, class_names, encode, find_label, text_of
from nearstar.data.missing import check_float32, deal_with_missing
from nearstar.data.recordings import Recordings
from nearstar.data.sequences import Sequences
from nearstar.util.errors import DataError, Setting
from nearstar.util.nearest import suggestion

PARTS = ("train", "valid", "test")


@dataclass(frozen=True)
class Wanted:
    """What is to be made of a source."""

    format: DataFormat
    features: Sequence[str] | None = None
    """Names of the features, in order; None: those that the format chooses, and all derived."""
    derived: Mapping[str, str] | Sequence[str] | None = None
    labels: Sequence[Label] | None = None
    """The classes that labels must be of; None: those that occur."""

    @cached_property
    def formulas(self) -> dict[str, Derived]:
        """The derived features, read."""
        return read_derived(self.derived)


@dataclass(frozen=True, eq=False)
class Raw:
    """Columns of numbers, cut into sequences, with labels as the source has them."""

    values: NDArray[Any]
    """Columns that are features or make derived ones: (frames, columns), floats."""
    offsets: NDArray[np.int64]
    labels: NDArray[Any] | None = None
    """One for each frame or for each sequence, of any type."""
    per_frame: bool = False
    groups: tuple[Any, ...] | None = None
    vectors: bool = False
    names: tuple[str, ...] = ()
    """Of the columns; empty where a file has none."""
    classes: tuple[str, ...] | None = None
    """Those that the source declares."""
    ids: tuple[Any, ...] = ()
    """What the source calls its sequences; empty: they are counted."""
    parts: tuple[str, ...] | None = None
    """The part of each sequence."""
    frames: NDArray[Any] | None = None
    rows: NDArray[np.int64] | None = None
    what: str = "sequence"
    """What a sequence is called in messages: the column of its id."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "ids", self.ids or tuple(range(len(self.offsets) - 1)))

    @property
    def lengths(self) -> NDArray[np.int64]:
        """The number of frames of each sequence."""
        return np.diff(self.offsets)

    def where(self, frame: int) -> str:
        """Where a frame is, in words."""
        i = int(np.searchsorted(self.offsets, frame, side="right")) - 1
        if self.vectors:
            return self._sequence(i)
        number = frame - int(self.offsets[i]) if self.frames is None else self.frames[frame]
        row = "" if self.rows is None else f" ({row_text(int(self.rows[frame]))})"
        return f"{self._sequence(i)}, frame {number}{row}"

    def label_where(self, index: int) -> str:
        """Where a label is, in words."""
        return self.where(index) if self.per_frame else self._sequence(index)

    def _sequence(self, i: int) -> str:
        part = f"{self.parts[i]} " if self.parts and self.rows is None else ""
        return f"{part}{self.what} {self.ids[i]!r}"


def row_text(row: int) -> str:
    """A row of a table as people count them."""
    return f"row {row + 1}, counted from 1 without the header"


def make_recordings(raw: Raw, wanted: Wanted, features: Sequence[str]) -> Recordings:
    """Features without gaps, derived ones computed, labels as codes."""
    values = deal_with_missing(raw.values, raw.offsets, raw.names, raw.where, wanted.format.missing)
    frames = _features(replace(raw, values=values), features, wanted.formulas)
    check_float32(frames, features, raw.where)
    codes, classes, per_frame = _labels(raw, wanted)
    sequences = Sequences(
        np.ascontiguousarray(frames, dtype=np.float32),
        raw.offsets,
        None if codes is None else codes.astype(np.int16),
        per_frame,
        raw.vectors,
        tuple(features),
        class_names(classes),
    )
    return Recordings(sequences, classes, raw.ids, raw.groups, raw.frames, raw.rows)


def by_part(recordings: Recordings, parts: tuple[str, ...] | None) -> dict[str, Recordings]:
    """The recordings of each part, or all of them; classes of a later part must be in train."""
    if parts is None:
        return {"all": recordings}
    names = np.array(parts)
    split = {name: recordings.subset(names == name) for name in PARTS if name in parts}
    train = split.get("train", recordings).sequences.labels
    for name, part in split.items():
        codes = part.sequences.labels
        if train is None or codes is None:
            continue
        for code in np.unique(codes[codes != UNLABELLED]):
            if code not in train:
                raise DataError(
                    f"the {name} part has the label {recordings.labels[code]!r}, which the "
                    "training part does not have, so it cannot be learned; move examples of it "
                    "to the training part or make it unlabelled"
                )
    return split


def _features(raw: Raw, features: Sequence[str], derived: Mapping[str, Derived]) -> NDArray[Any]:
    if tuple(features) == raw.names:
        return raw.values
    columns = {name: raw.values[:, i] for i, name in enumerate(raw.names)}
    computing = Computing(columns, derived, raw.offsets)
    return np.column_stack([computing[name] for name in features])


def _labels(raw: Raw, wanted: Wanted) -> tuple[NDArray[np.int64] | None, tuple[Label, ...], bool]:
    """Codes, classes, and whether the labels are per frame."""
    labels, format = wanted.labels, wanted.format
    if raw.labels is None:
        return None, tuple(labels or ()), False
    codes, found = encode(
        raw.labels,
        classes=None if format.positive is not None else labels,
        unlabelled=format.unlabelled,
        where=raw.label_where,
    )
    classes: tuple[Label, ...] = tuple(labels) if labels is not None else tuple(found.tolist())
    if format.positive is not None:
        codes, classes = _against_others(codes, tuple(found.tolist()), format.positive, labels)
    if labels is None and len(classes) < 2:
        only = f"only one class, {classes[0]!r}" if classes else "no label at all"
        raise DataError(f"the data have {only}; expected at least two classes to tell apart")
    per = format.per or ("sequence" if _belongs_to_sequences(raw, codes) else "frame")
    if raw.per_frame and per == "sequence":
        return _per_sequence(raw, codes, classes), classes, False
    if not raw.per_frame and format.per == "frame":
        codes, raw = np.repeat(codes, raw.lengths), replace(raw, per_frame=True)
    return codes, classes, raw.per_frame


def _against_others(
    codes: NDArray[np.int64],
    found: tuple[Label, ...],
    positive: Label,
    labels: Sequence[Label] | None,
) -> tuple[NDArray[np.int64], tuple[Label, ...]]:
    """Two classes, of which the second is the one that matters."""
    one = find_label(positive, found)
    if one is None and labels is None:
        raise DataError(
            f"no label is {positive!r}, the positive class; "
            f"{suggestion(text_of(positive), class_names(found))}"
        )
    if labels is None and len(found) < 2:
        raise DataError(f"the data have only one class, {positive!r}; expected others beside it")
    binary = np.where(codes == UNLABELLED, UNLABELLED, codes == (-2 if one is None else one))
    classes: tuple[Label, ...] = (
        f"not {text_of(positive)}",
        positive if one is None else found[one],
    )
    if labels is None:
        return binary.astype(np.int64), classes
    if [find_label(each, labels) for each in classes] != [0, 1] or len(labels) != 2:
        raise DataError(
            f"the classes are {list(labels)}; expected {list(classes)}, since {positive!r} is the "
            "positive class"
        )
    return binary.astype(np.int64), tuple(labels)


def _belongs_to_sequences(raw: Raw, codes: NDArray[np.int64]) -> bool:
    """Whether labels per frame are the same all along each of several sequences."""
    if not raw.per_frame or len(raw.offsets) < 3 or raw.lengths.max() == 1:
        return not raw.per_frame
    first = codes[np.repeat(raw.offsets[:-1], raw.lengths)]
    return bool((codes == first).all())


def _per_sequence(
    raw: Raw, codes: NDArray[np.int64], classes: tuple[Label, ...]
) -> NDArray[np.int64]:
    result = np.full(len(raw.offsets) - 1, UNLABELLED, dtype=np.int64)
    for i, (start, stop) in enumerate(pairwise(raw.offsets.tolist())):
        known = start + np.flatnonzero(codes[start:stop] != UNLABELLED)
        if not len(known):
            continue
        result[i] = codes[known[0]]
        other = known[codes[known] != result[i]]
        if len(other):
            raise DataError(
                f"{raw.where(int(other[0]))} has the label {classes[codes[other[0]]]!r}, "
                f"{raw.where(int(known[0]))} has {classes[result[i]]!r}; expected one label for "
                "the whole sequence, or ",
                Setting("per", "frame"),
            )
    return result
