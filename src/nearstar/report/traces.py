"""What a program says of recordings over time, and the values of its parts that lead to it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nearstar.data.recordings import Recordings
from nearstar.language.program import is_complete
from nearstar.model.explain import explain
from nearstar.model.explain.program_parts import parts_of
from nearstar.model.model import Model


@dataclass(frozen=True, eq=False)
class Row:
    """The values of one part of a program, or how far a condition holds."""

    title: str
    gate: bool
    code: int | None
    """The class, where it is the output of one."""
    values: NDArray[np.float64]
    """One for each frame."""


@dataclass(frozen=True, eq=False)
class Traces:
    """One recording: true and predicted class codes, and the rows that are shown under them."""

    true: NDArray[np.int64] | None
    """One for each frame, -1 where there is no label."""
    predicted: NDArray[np.int64]
    rows: tuple[Row, ...]

    @property
    def wrong(self) -> NDArray[np.bool_]:
        """The labelled frames that are predicted otherwise."""
        if self.true is None:
            return np.zeros(len(self.predicted), np.bool_)
        return np.asarray((self.true >= 0) & (self.true != self.predicted))


def answers(
    model: Model, recordings: Recordings
) -> tuple[NDArray[np.int64] | None, NDArray[np.int64]]:
    """True and predicted class codes of each frame.

    Where a whole recording has one answer, it stands at each of its frames.
    """
    data = recordings.sequences
    predicted = model.predict(data)
    if not model.program.signature.maps_sequences:
        predicted = np.repeat(predicted, data.lengths)
    if data.labels is None:
        return None, predicted
    codes = data.labels.astype(np.int64)
    return codes if data.per_frame else np.repeat(codes, data.lengths), predicted


def traces(model: Model, recordings: Recordings, index: int) -> Traces:
    """What the model says of one of the recordings, and why.

    Rows are those of `explain` that one line can show: gates, parts of one component and, where
    the program has an output for each class, these. A program with holes has none.
    """
    recording = recordings.subset([index])
    true, predicted = answers(model, recording)
    return Traces(true, predicted, tuple(_rows(model, recording)))


def telling(shown: Sequence[Traces]) -> list[int]:
    """The rows that change, and do not only repeat a part further inside."""
    seen = set[bytes]()
    found = []
    for index in reversed(range(len(shown[0].rows))):
        values = np.concatenate([each.rows[index].values for each in shown])
        content = values.tobytes()
        if content in seen or (values == values[0]).all():
            continue
        seen.add(content)
        found.append(index)
    return found[::-1]


def _rows(model: Model, recording: Recordings) -> Iterator[Row]:
    if not is_complete(model.program):
        return
    table = explain(model, recording.sequences)
    for path, node in parts_of(model).items():
        title = f"{node.number} {node.operation.name}"
        if node.temperature is not None:
            name = f"{title}: gate"
            yield Row(name, True, None, table[name].to_numpy(np.float64))
        if node.names:
            continue  # what is predicted is shown above it
        if node.outputs == 1:
            yield Row(title, False, None, table[title].to_numpy(np.float64))
        elif path == ():
            outputs = [name for name in table.columns if name.startswith(f"{title} [")]
            for code, name in enumerate(outputs):
                yield Row(name, False, code, table[name].to_numpy(np.float64))
