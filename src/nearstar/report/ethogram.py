"""Some recordings frame by frame: labels, predictions and why, as ``page.ethogram``."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearstar.data.recordings import Recordings
from nearstar.model.model import Model
from nearstar.report.digits import significant
from nearstar.report.scores import PARTS
from nearstar.report.traces import Row, Traces, answers, telling, traces
from nearstar.util.errors import NearstarError
from nearstar.util.nearest import suggestion

_USUAL = 6
"""Recordings that are shown unless some are asked for."""
_MOST_FRAMES = 12_000
"""Of one recording."""
_MOST_VALUES = 160_000
"""Of all traces together; with four digits each, they are less than 2 MB."""


def ethogram(
    model: Model, parts: Mapping[str, Recordings], only: Sequence[str] = ()
) -> dict[str, Any] | None:
    """The recordings of these ids; else some of those that were learned least from.

    None where there is no time: of plain vectors, and without data.
    """
    given = {name: parts[name] for name in PARTS if name in parts}
    if not given or model.program.signature.maps_vectors:
        if only:
            raise NearstarError(f"{only[0]!r} cannot be shown: there are no sequences to show")
        return None
    places, notes = (_named(given, only), []) if only else _usual(model, given)
    shown = [traces(model, given[part], index) for part, index in places]
    rows = telling(shown)
    if left_out := len(shown[0].rows) - len(rows):
        notes.append(f"traces that never change or only repeat another are left out ({left_out})")
    lengths = [len(each.predicted) for each in shown]
    window = None if model.format is None else model.format.window
    if rows and window is not None and max(lengths) > window:
        notes.append(f"traces begin anew every {window} frames, with windows that just touch")
        if model.format is not None and model.format.hop not in (None, window):
            notes[-1] += ", where predictions are means over windows that overlap"
    longest = min(_MOST_FRAMES, max(1, _longest(lengths, _MOST_VALUES // (len(rows) + 1))))
    if max(lengths) > longest:
        whole = not model.program.signature.maps_sequences
        which = "last" if whole else "that have the most errors together"
        notes.append(f"of longer recordings, the {longest} frames {which}")
    return {
        "note": "; ".join(notes),
        "per": "frame" if model.program.signature.maps_sequences else "sequence",
        "parts": [_part(shown[0].rows[index]) for index in rows],
        "sequences": [
            _sequence(model, part, given[part].subset([index]), each, rows, longest)
            for (part, index), each in zip(places, shown, strict=True)
        ],
    }


def _part(row: Row) -> dict[str, Any]:
    of_class = {} if row.code is None else {"code": row.code}
    return {"title": row.title, "gate": row.gate, **of_class}


Places = list[tuple[str, int]]
"""Recordings, by part and index."""


def _named(parts: Mapping[str, Recordings], wanted: Sequence[str]) -> Places:
    places: Places = []
    known = {name: [str(each) for each in part.ids] for name, part in parts.items()}
    for each in wanted:
        found = [(name, ids.index(each)) for name, ids in known.items() if each in ids]
        if not found:
            ids = dict.fromkeys(own for of_part in known.values() for own in of_part)
            raise NearstarError(f"there is no sequence {each!r}; {suggestion(each, ids)}")
        places += [place for place in found if place not in places]
    return places


def _usual(model: Model, parts: Mapping[str, Recordings]) -> tuple[Places, list[str]]:
    """Those of the last part that go wrong most, and one that goes best."""
    name, part = list(parts.items())[-1]
    what = f"{len(part)} sequences of the {name} data"
    wrong = Traces(*answers(model, part), ()).wrong
    if not wrong.any():
        n = min(_USUAL, len(part))
        return [(name, index) for index in range(n)], [f"the first {n} of {what}"]
    errors = np.add.reduceat(wrong, part.sequences.offsets[:-1], dtype=np.int64)
    order = np.argsort(-errors, kind="stable").tolist()
    note = f"{what}, those with most errors first"
    if len(order) > _USUAL:
        order = [*order[: _USUAL - 1], order[-1]]
        note = f"{_USUAL} of {what}: the {_USUAL - 1} with most errors, and one with fewest"
    if not model.program.signature.maps_sequences:
        shown = int((errors[order] > 0).sum())
        right = len(order) - shown
        note = f"{len(order)} of {what}: {shown} of the {(errors > 0).sum()} predicted wrong"
        note += f", and {right} predicted right" if right else ""
    return [(name, index) for index in order], [note]


def _longest(lengths: Sequence[int], most: int) -> int:
    """Frames to cut to, so that there are at most so many together; what is shorter stays."""
    left = most
    for place, length in enumerate(sorted(lengths)):
        share = left // (len(lengths) - place)
        if length > share:
            return share
        left -= length
    return max(lengths)


def _sequence(
    model: Model,
    part: str,
    recording: Recordings,
    shown: Traces,
    rows: Sequence[int],
    longest: int,
) -> dict[str, Any]:
    per_frame = model.program.signature.maps_sequences
    here = _stretch(shown.wrong, longest) if per_frame else slice(-longest, None)
    first, stop, _ = here.indices(len(shown.predicted))
    numbers, start = _numbers(recording.frames, first, stop)
    return {
        "name": str(recording.ids[0]),
        "part": part,
        "length": stop - first,
        "numbers": numbers,
        "first": start,
        "true": None if shown.true is None else _runs(shown.true[first:stop]),
        "predicted": _runs(shown.predicted[first:stop]),
        "accuracy": _accuracy(shown),
        "traces": [_written(shown.rows[index].values[first:stop]) for index in rows],
    }


def _stretch(wrong: NDArray[np.bool_], longest: int) -> slice:
    """The frames that have the most errors together."""
    if len(wrong) <= longest:
        return slice(None)
    until = np.concatenate([[0], np.cumsum(wrong)])
    first = int(np.argmax(until[longest:] - until[:-longest]))
    return slice(first, first + longest)


def _numbers(frames: NDArray[Any] | None, first: int, stop: int) -> tuple[list[Any] | None, int]:
    """The numbers of frames, or, where they just count up, the first of them."""
    if frames is None:
        return None, first
    own = frames[first:stop].tolist()
    if isinstance(own[0], int) and own == list(range(own[0], own[0] + len(own))):
        return None, own[0]
    return own, first


def _runs(codes: NDArray[np.int64]) -> list[list[int]]:
    """Codes with how often each stands in a row."""
    starts = np.flatnonzero(np.concatenate([[True], codes[1:] != codes[:-1]]))
    lengths = np.diff(np.append(starts, len(codes)))
    return np.column_stack([codes[starts], lengths]).tolist()  # type: ignore[no-any-return]


def _accuracy(shown: Traces) -> float | None:
    if shown.true is None or not (labelled := int((shown.true >= 0).sum())):
        return None
    return round(1 - int(shown.wrong.sum()) / labelled, 4)


def _written(values: NDArray[np.float64]) -> list[float | None]:
    """Numbers for reading; None where there is none, as in a logarithm of 0."""
    rounded = (significant(value) + 0.0 for value in values.tolist())  # never -0.0
    return [value if math.isfinite(value) else None for value in rounded]
