"""Tasks: what is to be learned, as data ready for the engine."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from nearstar.data.scale import Scale
from nearstar.data.sequences import Sequences, check_sequences
from nearstar.engine.packing import Blocks, pack
from nearstar.language.program import Program
from nearstar.language.types import Sequence, Signature, Vector
from nearstar.training.sample import Sample, some_sequences
from nearstar.util.errors import DataError, ProgramError

KEPT_WAYS = 4
"""Ways to draw batches whose packed data are kept."""


class Task:
    """Training and validation data for any number of programs.

    Features are standardised by the training data, unless ``standardise`` is off; the packed
    copies that the engine works on are made once and shared by all trainings, in all threads.
    """

    def __init__(
        self, train: Sequences, valid: Sequences | None = None, *, standardise: bool = True
    ) -> None:
        valid = train if valid is None else valid
        check_sequences(train, "the training data")
        check_sequences(valid, "the validation data")
        for name, part in (("training", train), ("validation", valid)):
            if part.labels is None or not (part.labels >= 0).any():
                raise DataError(f"the {name} data have no labels; a task needs some in each part")
        for what in ("n_features", "feature_names", "class_names", "per_frame", "vectors"):
            ours, theirs = getattr(train, what), getattr(valid, what)
            if ours != theirs:
                raise DataError(
                    f"training and validation data differ in {what}: {ours} and {theirs}; make "
                    "both from data of the same kind, with the same names"
                )
        self.train = train
        self.valid = valid
        self.standardised = standardise
        self.scale = Scale.of(train) if standardise else Scale.identity(train.n_features)
        self.mean_length = float(train.lengths.mean())
        """Of the training sequences."""
        self.n_labels = int(np.count_nonzero(np.asarray(train.labels) >= 0))
        """Of the training data."""
        self._n_judged = int(np.count_nonzero(np.asarray(valid.labels) >= 0))
        self._lock = threading.Lock()
        self._packed: dict[tuple[object, ...], Blocks] = {}
        self._samples: dict[int, Sample] = {}

    def signature(self, *, single: bool = True) -> Signature:
        """The type of a classifier for this task.

        Two classes need only one number, positive class if above 0; with ``single`` off there is
        one number a class in any case, as in the paper's code.
        """
        outputs = 1 if single and self.train.n_classes == 2 else self.train.n_classes
        n_features = self.train.n_features
        if self.train.vectors:
            return Signature(Vector(n_features), Vector(outputs))
        output = Sequence(outputs) if self.train.per_frame else Vector(outputs)
        return Signature(Sequence(n_features), output)

    def check(self, program: Program) -> None:
        """Raise unless the program is a classifier for this task."""
        allowed = [self.signature(single=False), self.signature()]
        if program.signature not in allowed:
            raise ProgramError(
                f"the program has the type {program.signature}, but these data need "
                f"{' or '.join(dict.fromkeys(map(str, allowed)))}"
            )

    def batches(self, batch_size: int, seed: int) -> Blocks:
        """The training data in batches drawn by the seed; the last few ways are kept."""
        scale = self.scale
        return self._kept(
            ("train", batch_size, seed),
            lambda: pack(self.train, scale, batch_size, seed, scale.constant),
        )

    def valid_blocks(self, most: int | None = None) -> Blocks:
        """The validation data; with ``most``, sequences of them with about so many labels."""
        if most is None or self._n_judged <= most:
            return self._kept(("valid",), lambda: pack(self.valid, self.scale))
        return self._kept(
            ("valid", most), lambda: pack(some_sequences(self.valid, most), self.scale)
        )

    def sample(self, most: int) -> Sample:
        """Training sequences, drawn once and for all, with about so many labels."""
        with self._lock:
            if most not in self._samples:
                self._samples[most] = Sample.of(some_sequences(self.train, most), self.scale)
            return self._samples[most]

    def _kept(self, key: tuple[object, ...], make: Callable[[], Blocks]) -> Blocks:
        with self._lock:
            if key not in self._packed:
                ways = [key for key in self._packed if key[0] == "train"]
                if key[0] == "train" and len(ways) == KEPT_WAYS:
                    del self._packed[ways[0]]
                self._packed[key] = make()
            return self._packed[key]

    def __getstate__(self) -> dict[str, Any]:
        """What another process needs; it packs for itself."""
        return {**vars(self), "_lock": None, "_packed": {}, "_samples": {}}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, _lock=threading.Lock())
