"""What a person may have overlooked: recordings are cut, frame numbers are a feature, …"""

from __future__ import annotations

import numpy as np

from nearstar.data.derived.points import points_of
from nearstar.data.recordings import Recordings
from nearstar.fit.prepare import Prepared


def notes_of(prepared: Prepared) -> tuple[str, ...]:
    """What is said of the data of a fit."""
    train, asked = prepared.parts["train"], prepared.settings.format
    window = prepared.format.window if asked.window is None else None
    cut = f"recordings are long, so programs learn from windows of {window} frames; see --window"
    language = prepared.settings.language
    points = _points(train, bool(language.derive or language.domain))
    return (*([cut] if window else []), *_counting(train, asked.frame), *points)


def _points(train: Recordings, derived: bool) -> tuple[str, ...]:
    """What could be made of tracked points that are read as bare coordinates."""
    names = train.sequences.feature_names
    # Where there is a third axis, x and y alone are no place.
    points = [point for point in points_of(names) if f"{point}_z" not in names]
    if train.rows is None or derived or len(points) < 2:
        return ()
    one, other = points[:2]
    shown = ", ".join(points[:4]) + (", …" if len(points) > 4 else "")
    return (
        f"the columns hold points ({shown}); what programs need is often between them: "
        f"--derive 'distance({one}, {other})', --derive 'speed({one})'",
    )


def _counting(train: Recordings, frame: str | None) -> tuple[str, ...]:
    """What is said of columns of frame numbers that are read as features."""
    sequences = train.sequences
    if frame is not None or train.rows is None or len(sequences.frames) < 3:
        return ()
    inner = np.ones(len(sequences.frames) - 1, bool)
    inner[sequences.offsets[1:-1] - 1] = False  # steps from one sequence to the next
    steps = np.diff(sequences.frames, axis=0)[inner]
    counting = np.flatnonzero((steps == 1).all(axis=0) & bool(len(steps)))
    return tuple(
        f"{sequences.feature_names[column]!r} goes up by 1 from row to row, and is read as a "
        f"feature; if it is the frame number, say --frame {sequences.feature_names[column]}"
        for column in counting
    )
