"""What a model says of data: read as it says, in windows if it was trained on windows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearstar.data.cutting import cut
from nearstar.data.files import read_file
from nearstar.data.format import DataFormat
from nearstar.data.recordings import Recordings
from nearstar.data.runs import smooth
from nearstar.fit.settings import FormatSettings
from nearstar.model.model import Model
from nearstar.training.decision import decide, probabilities
from nearstar.training.metrics import Metrics
from nearstar.util.errors import DataError, NearstarError, Setting
from nearstar.util.nearest import suggestion


@dataclass(frozen=True, eq=False)
class Predictions:
    """A model, recordings, and what it says of them."""

    model: Model
    recordings: Recordings
    format: DataFormat
    min_bout: int = 1
    """Runs of a label that are shorter are taken into their neighbours."""

    @property
    def per_frame(self) -> bool:
        """Whether there is an answer for each frame; of windows that have one answer each, if
        that is asked for."""
        each_window = self.format.window is not None and self.format.per == "frame"
        return each_window or self.model.program.signature.maps_sequences

    @cached_property
    def scores(self) -> NDArray[np.float64]:
        """What is decided by, a row for each frame or recording; of windows, their mean."""
        model = replace(self.model, format=self.format)
        sequences = model.fitting(self.recordings.sequences)
        if self.format.window is None or model.program.signature.maps_sequences == self.per_frame:
            return model.scores(sequences)
        # A window's answer counts for each of its frames: a recording may change on its way.
        windows = cut(sequences, self.format.window, self.format.hop)
        return windows.stitch(model.scores(windows.sequences))

    @property
    def probabilities(self) -> NDArray[np.float64]:
        """Of each class, a row for each frame or recording."""
        return probabilities(self.scores)

    @cached_property
    def codes(self) -> NDArray[np.int64]:
        """Class codes, one for each frame or recording."""
        codes = decide(self.scores)
        if self.min_bout == 1:
            return codes
        if not self.per_frame:
            raise NearstarError(
                Setting("min_bout"), " is for labels of frames; this model labels sequences"
            )
        return smooth(codes, self.recordings.sequences.offsets, self.min_bout)

    @cached_property
    def truth(self) -> NDArray[np.int64]:
        """The labels that stand in the data, as codes, one for each prediction."""
        sequences = self.recordings.sequences
        if sequences.labels is None:
            raise DataError(
                "the data have no labels to compare with (of a table: ",
                Setting("label", "COLUMN"),
                ")",
            )
        codes = sequences.labels.astype(np.int64)
        if self.per_frame and not sequences.per_frame and not sequences.vectors:
            return np.repeat(codes, sequences.lengths)
        if sequences.per_frame and not self.per_frame:
            raise DataError(
                "the labels are of frames, the model labels whole sequences; give ",
                Setting("per", "sequence"),
            )
        return codes

    def evaluate(self) -> Metrics:
        """Scores of the predictions, over all that is labelled."""
        return Metrics.from_codes(self.truth, self.codes, len(self.model.class_names))

    def names(self) -> dict[str, NDArray[Any]]:
        """What the data call each recording."""
        ids = np.empty(len(self.recordings.ids), dtype=object)
        ids[:] = self.recordings.ids
        return {self.format.sequence or "sequence": ids}

    def frame_places(self) -> dict[str, NDArray[Any]]:
        """What the data call each frame: its recording, and its number in there."""
        lengths, frames = self.recordings.sequences.lengths, self.recordings.frames
        if frames is None:
            frames = np.concatenate([np.arange(length) for length in lengths])
        places = {name: np.repeat(ids, lengths) for name, ids in self.names().items()}
        return {**places, self.format.frame or "frame": frames}


def read_for(
    model: Model,
    data: str,
    changes: FormatSettings | None = None,
    *,
    labelled: bool,
    part: str | None = None,
    min_bout: int = 1,
) -> dict[str, Predictions]:
    """A data file as the model reads it, by part; only the part asked for, if one is.

    ``changes`` is what is otherwise than when it was learned. New data need no column that says
    what was learned from.
    """
    changes = changes or FormatSettings()
    format = replace(changes.format(model.format), group=None)
    if not labelled:
        format = replace(format, label=None, positive=None)
        _check_per(model, changes.per, format)
    read = read_file(
        data,
        format,
        optional=() if changes.parts is not None else ("part",),
        features=model.domain.features,
        derived=model.domain.derived,
        labels=model.labels if labelled else None,
    )
    if part is not None and "all" in read.parts:
        raise DataError(f"{data} is not divided into parts; leave ", Setting("part"), " out")
    if part is not None and part not in read.parts:
        raise DataError(f"{data} has no part {part!r}; {suggestion(part, read.parts)}")
    return {
        name: Predictions(model, each, format, min_bout)
        for name, each in read.parts.items()
        if part in (None, name)
    }


def _check_per(model: Model, per: str | None, format: DataFormat) -> None:
    """Raise if answers are asked for that the model does not give."""
    asked = Setting("per", per)
    if per == "sequence" and model.program.signature.maps_sequences:
        raise NearstarError(asked, ": this model labels frames; leave ", Setting("per"), " out")
    if per == "frame" and not model.program.signature.maps_sequences and format.window is None:
        raise NearstarError(
            asked,
            ": this model labels whole sequences; with ",
            Setting("window"),
            " it labels windows",
        )
