"""Data that stand in for the paper's: files of arrays, a package's recordings, simulations."""

from __future__ import annotations

import os
import re
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearstar.data.examples.exercises import watch_exercises, watch_subjects
from nearstar.data.examples.synthetic import two_animals_split
from nearstar.data.readers.numpy_files import read_npz
from nearstar.language.domain import Domain
from nearstar.language.operators import Group
from nearstar.reproduce.authors import Form, Parts, with_expected
from nearstar.util.errors import DataError
from nearstar.util.nearest import suggestion

FOLDER = "NEARSTAR_DATA"
"""The environment variable with the folder of files, where none is given."""
_UNITS = ("game", "video", "subject")
"""Arrays that name the units, before any others."""


@dataclass(frozen=True)
class Archive:
    """An .npz file with X_train, y_train and the same for valid and test.

    It may also have lengths_train, …, where sequences are padded, and an array such as game_test
    or video_test with what each sequence is from, which is then resampled whole.
    """

    file: str
    """Its usual name."""
    form: Form

    @property
    def needs(self) -> str:
        return self.file

    @property
    def expected(self) -> str:
        """What a file has to hold, for messages."""
        return (
            f"{self.file}, or another .npz file with X_train ({self.form.data_shape}) and y_train "
            f"({self.form.labels_shape}), and both for valid and test too; where sequences are "
            "padded, also lengths_train, …; and, if it is known, game_test, video_test or "
            "subject_test, with what each sequence is from. Give the file, or the folder that it "
            f"is in, with --data; or name that folder in the environment variable {FOLDER}"
        )

    def read(self, data: Path | None, features: Sequence[str]) -> Parts:
        """The data in a file, or in the one of the usual name in a folder."""
        path = data
        try:
            path = self._find(data)
            arrays = read_npz(path)
            names = next(iter(arrays.values())).classes
            train, valid, test = self.form.read(arrays, features, names)
            return Parts(train, valid, test, *_units(path, len(test)))
        except (DataError, zlib.error) as problem:
            raise with_expected(problem, path, self.expected) from None

    def _find(self, data: Path | None) -> Path:
        given = str(data)
        if data is None:
            if not os.environ.get(FOLDER):
                raise DataError("no data are given")
            data = Path(os.environ[FOLDER])
            given = f"{data}, the folder in {FOLDER},"
        if not data.exists():
            raise DataError(f"{given} does not exist")
        if not data.is_dir():
            return data
        path = data / self.file
        if not path.is_file():
            there = sorted(each.name for each in data.glob("*.npz"))
            raise DataError(f"{given} has no file {self.file}; {suggestion(self.file, there)}")
        return path


@dataclass(frozen=True)
class Supplied:
    """Data that need no file."""

    make: Callable[[], Parts]
    needs: str = "nothing"

    def read(self, data: Path | None, features: Sequence[str]) -> Parts:
        """The data; there is nothing to give for them."""
        if data is not None:
            raise DataError(f"{data} is given as data for a task that has its own; leave it out")
        return self.make()


def _units(path: Path, n_test: int) -> tuple[NDArray[Any], str]:
    """The unit of each test sequence and what it is called; each sequence if nothing is known."""
    with np.load(path, allow_pickle=False) as archive:
        kinds = (name.removesuffix("_test") for name in archive.files if name.endswith("_test"))
        # y_… are labels of other kinds.
        others = [kind for kind in kinds if not re.fullmatch("X|lengths|y(_.*)?", kind)]
        found = {kind: archive[f"{kind}_test"] for kind in others}
    found = {kind: array for kind, array in found.items() if array.ndim == 1}
    named = [kind for kind in _UNITS if kind in found][:1] or list(found)
    if len(named) > 1:
        raise DataError(
            f"any of {', '.join(f'{kind}_test' for kind in named)} may say what the sequences are "
            f"from; call the right one {_UNITS[-1]}_test"
        )
    if not named:
        return np.arange(n_test), "sequence"
    unit, units = named[0], found[named[0]]
    if len(units) != n_test:
        raise DataError(
            f"{unit}_test has {len(units)} entries for {n_test} test sequences; expected one each"
        )
    return units, "group" if unit == "groups" else unit


def hidden_rule() -> Parts:
    """Two simulated animals; the labels are those of a program."""
    return Parts.unrelated(*two_animals_split(seed=0))


def watch() -> Parts:
    """Exercises seen by a smart watch; the people of the test are none of those trained on."""
    *_, subjects = watch_subjects()
    return Parts(*watch_exercises(), subjects, "subject")


def hidden_rule_domain() -> Domain:
    """CRIM13's, with larger steps, for 300 sequences give few of them."""
    domain = Domain.built_in("crim13")
    return replace(domain, paper={**domain.paper, "learning_rate": 0.02})


def bouts_domain() -> Domain:
    """CRIM13's features, and five more, with the settings for Fly-vs-Fly."""
    pair = Domain.built_in("crim13")
    return replace(
        pair,
        name="bouts",
        features=(*pair.features, "nose1", "nose2", "nose3", "visible1", "visible2"),
        groups=(*pair.groups, Group("nose", (19, 20, 21)), Group("visibility", (22, 23))),
        paper=Domain.built_in("fly").paper,
    )


def watch_domain() -> Domain:
    """That of the recordings, with the settings for Fly-vs-Fly."""
    return replace(Domain.built_in("watch"), paper=Domain.built_in("fly").paper)
