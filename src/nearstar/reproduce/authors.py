"""The paper's own data, in files as its authors give them away; and the form of a task's data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearstar.data.arrays import read_arrays
from nearstar.data.conversion import UNLABELLED, offsets_of, read_lengths
from nearstar.data.format import DataFormat
from nearstar.data.labels import encode
from nearstar.data.raw import PARTS, Raw, Wanted
from nearstar.data.readers.numpy_files import read_npy
from nearstar.data.sequences import Sequences
from nearstar.util.errors import DataError

_DATA, _LABELS, _LENGTHS = "_data.npy", "_labels.npy", "_lengths.npy"


@dataclass(frozen=True, eq=False)
class Parts:
    """The data of a task, and what is resampled whole of its test part."""

    train: Sequences
    valid: Sequences
    test: Sequences
    units: NDArray[Any]
    """The unit of each test sequence: its game, its video."""
    unit: str
    """What a unit is called."""

    @classmethod
    def unrelated(cls, train: Sequences, valid: Sequences, test: Sequences) -> Parts:
        """Sequences of which nothing is known that they share: each is a unit by itself."""
        return cls(train, valid, test, np.arange(len(test)), "sequence")


@dataclass(frozen=True)
class Form:
    """What the arrays of a task look like."""

    columns: tuple[int, ...]
    """How many features the data may have; those of the domain come first."""
    frames: int
    """Of the longest sequences that were published; others will do."""
    per_frame: bool
    """Whether each frame has its own label."""
    codes: int
    """Labels are whole numbers from 0 to below this."""
    classes: tuple[str, ...] = ()
    """Names for the classes; empty: their codes."""
    positive: int | None = None
    """The code that is to be told from all others; None: all are to be told apart."""

    @property
    def data_shape(self) -> str:
        """Of data, for messages."""
        return f"sequences × {self.frames} × {' or '.join(map(str, self.columns))}"

    @property
    def labels_shape(self) -> str:
        """Of labels, for messages."""
        shape = f"sequences × {self.frames}" if self.per_frame else "sequences"
        return f"{shape}, with labels from 0 to {self.codes - 1}"

    def read(
        self,
        arrays: Mapping[str, Raw],
        features: Sequence[str],
        names: Sequence[str] | None = None,
    ) -> tuple[Sequences, Sequences, Sequences]:
        """Training, validation and test data from arrays, once they are checked.

        `names` are texts that stand for the codes in these arrays.
        """
        if names is not None and len(names) != self.codes:
            raise DataError(f"there are names for {len(names)} classes; expected {self.codes}")
        used = {part: self._used(part, arrays.get(part), len(features)) for part in PARTS}
        labels = range(self.codes) if names is None else names
        format = DataFormat(unlabelled=(UNLABELLED,))
        read = read_arrays(used, Wanted(format, features, labels=labels))
        train, valid, test = (self._named(read[part].sequences, names) for part in PARTS)
        assert train.labels is not None
        if len(np.unique(train.labels[train.labels >= 0])) < 2:
            raise DataError("the training data have one class only; expected examples of others")
        return train, valid, test

    def _used(self, part: str, arrays: Raw | None, n_features: int) -> Raw:
        """The arrays of a part with the features of the domain only."""
        if arrays is None or arrays.labels is None:
            what = "data" if arrays is None else "labels"
            raise DataError(f"there are no {part} {what}; expected some of each part")
        if arrays.vectors:
            raise DataError(f"the {part} data have two dimensions; expected {self.data_shape}")
        given = arrays.values.shape[1]
        if given not in self.columns:
            raise DataError(
                f"the {part} data have {given} features; expected "
                f"{' or '.join(map(str, self.columns))}"
            )
        if arrays.per_frame != self.per_frame:
            kinds = ("sequence", "frame")
            raise DataError(
                f"the {part} labels are one for each {kinds[arrays.per_frame]}; expected one for "
                f"each {kinds[self.per_frame]}"
            )
        return replace(arrays, values=arrays.values[:, :n_features], names=())

    def _named(self, data: Sequences, names: Sequence[str] | None) -> Sequences:
        if self.positive is not None:
            return data.relabel(
                {code: int(code == self.positive) for code in range(self.codes)}, self.classes
            )
        return replace(data, class_names=self.classes) if self.classes and not names else data


@dataclass(frozen=True)
class Folder:
    """A folder in the layout of the paper's code: six .npy files, data and labels of each part.

    They are train_NAME_data.npy and train_NAME_labels.npy, and the same for val (or valid) and
    test, with any NAME. Data that are padded, since the sequences differ in length, have
    train_NAME_lengths.npy, … beside them; padding is not read.
    """

    form: Form
    sizes: tuple[int, int, int]
    """Sequences of the published training, validation and test data; others will do."""

    needs = "a folder in the layout of the paper's code"

    @property
    def expected(self) -> str:
        """What a folder has to hold, for messages."""
        return (
            f"a folder with train_NAME{_DATA} ({self.form.data_shape}) and train_NAME{_LABELS} "
            f"({self.form.labels_shape}), and both for val and test too; where sequences are "
            f"padded, also train_NAME{_LENGTHS}, …. The published data have "
            f"{' / '.join(map(str, self.sizes))} sequences; any number will do. "
            "Give the folder with --data"
        )

    @property
    def binary(self) -> bool:
        """Whether one behaviour is told from all others, so that it may be chosen."""
        return self.form.codes == 2

    def read(
        self, data: Path | None, features: Sequence[str], positive: int | None = None
    ) -> Parts:
        """The data in a folder; `positive` is the code to be told from others if there are more."""
        try:
            arrays = _arrays(data)
            form = self._binary(arrays, positive) if self.binary else self.form
            return Parts.unrelated(*form.read(arrays, features))
        except DataError as problem:
            raise with_expected(problem, data, self.expected) from None

    def _binary(self, arrays: Mapping[str, Raw], positive: int | None) -> Form:
        """The form of these data, with which two classes are made of all that there are."""
        codes = _codes(arrays)
        if positive is None:
            if codes[-1] > 1:
                raise DataError(
                    f"the labels are {_listed(codes)}, more than two; give labels that are 1 for "
                    "the behaviour to be told and 0 for all others, or its code as positive"
                )
            return self.form
        if positive not in codes:
            raise DataError(
                f"no label is {positive!r}, the positive one; there are {_listed(codes)}"
            )
        return replace(self.form, codes=codes[-1] + 1, positive=positive)


def with_expected(problem: Exception, path: Path | None, expected: str) -> DataError:
    """What is wrong with data, where they are, and what is expected instead."""
    text = str(problem)
    where = "" if path is None or str(path) in text else f"{path}: "
    return DataError(f"{where}{text}{'' if text.endswith('?') else '.'}\nExpected {expected}")


def _arrays(folder: Path | None) -> dict[str, Raw]:
    """The arrays of each part, without padding."""
    if folder is None:
        raise DataError("the paper's data are its authors' and do not come with this package")
    if not folder.is_dir():
        what = "is no folder" if folder.exists() else "does not exist"
        raise DataError(f"{folder} {what}")
    files = _files(folder)
    found = read_npy(files["train"])  # with those beside it that are called as ours are
    for part, path in files.items():
        if part not in found:
            found[part] = read_npy(path)["all"]
    return {part: _unpadded(found[part], path) for part, path in files.items()}


def _files(folder: Path) -> dict[str, Path]:
    """The file with the data of each part, all of one name."""
    several = sorted(folder.glob(f"train_*{_DATA}"))
    if len(several) > 1:
        names = ", ".join(path.name for path in several)
        raise DataError(f"{folder} has several data sets: {names}; keep each in its own folder")
    if not several:
        raise DataError(f"{folder} has no train_NAME{_DATA}")
    rest = several[0].name.removeprefix("train")
    files = {}
    for part in PARTS:
        known = [f"{each}{rest}" for each in (("val", "valid") if part == "valid" else (part,))]
        there = [name for name in known if (folder / name).is_file()]
        if len(there) > 1:
            raise DataError(f"{folder} has both {' and '.join(there)}; keep one of them")
        if not there:
            raise DataError(f"{folder} has no {known[0]}; the paper's data have {part} data too")
        files[part] = folder / there[0]
        labels = _beside(files[part], _LABELS)
        if not labels.is_file():
            raise DataError(f"{folder} has no {labels.name}, the labels of {there[0]}")
    return files


def _unpadded(arrays: Raw, path: Path) -> Raw:
    """Sequences of their own lengths, if there is a file of lengths beside the data."""
    file = _beside(path, _LENGTHS)
    if not file.is_file():
        return arrays
    width = int(arrays.lengths[0])
    try:
        with file.open("rb") as opened:
            lengths = np.lib.format.read_array(opened, allow_pickle=False)
        lengths = read_lengths(lengths, len(arrays.lengths), width)
    except (ValueError, EOFError) as problem:
        raise DataError(f"{file}: {problem}") from None
    real = (np.arange(width) < lengths[:, None]).reshape(-1)
    labels = arrays.labels
    if labels is not None and arrays.per_frame:
        labels = labels[real]
    return replace(arrays, values=arrays.values[real], offsets=offsets_of(lengths), labels=labels)


def _beside(path: Path, ending: str) -> Path:
    return path.with_name(path.name.removesuffix(_DATA) + ending)


def _codes(arrays: Mapping[str, Raw]) -> list[int]:
    """All labels that there are, in order."""
    found: set[int] = set()
    for part, each in arrays.items():
        labels = encode(each.labels, unlabelled=(UNLABELLED,))[1]
        if not len(labels) or labels.dtype.kind not in "biu" or labels[0] < 0:
            raise DataError(
                f"the {part} labels are {_listed(labels.tolist()) or 'none'}; expected whole "
                "numbers from 0"
            )
        found |= {int(label) for label in labels}
    return sorted(found)


def _listed(labels: Sequence[object], most: int = 12) -> str:
    return ", ".join(map(repr, labels[:most])) + (", …" if len(labels) > most else "")
