"""Two animals in a box, with behaviour labels from a known program: data to learn it back from."""

from __future__ import annotations

from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nearstar.data.conversion import positions
from nearstar.data.runs import smooth
from nearstar.data.sequences import Sequences
from nearstar.util.errors import DataError

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]

FEATURE_NAMES = (
    *("x1", "y1", "x2", "y2", "distance", "distance_change"),
    *("angle1", "angle2", "angle_change1", "angle_change2", "angle_between"),
    *("vx1", "vy1", "vx2", "vy2", "ax1", "ay1", "ax2", "ay2"),
)
"""Centimetres, seconds and radians. angle1 is how far animal 1 looks away from animal 2 (0 to pi),
angle2 the reverse, angle_between how far their headings differ; changes are per second."""

CLASS_NAMES = ("other", "sniff")


class _Leaf(NamedTuple):
    """An affine leaf with its numbers: both the text and the labels are made from it."""

    name: str
    columns: tuple[int, ...]
    weights: tuple[float, ...]
    bias: float

    def __str__(self) -> str:
        return f"{self.name}[{', '.join(map(str, self.weights))}; {self.bias}](x_t)"

    def __call__(self, frames: NDArray[np.float32]) -> Floats:
        value: Floats = frames[:, self.columns] @ np.array(self.weights) + self.bias
        return value


_IS_FAR = _Leaf("DistanceAffine", (4,), (2.0,), -16.0)
_RUNS_AT_IT = _Leaf("DistanceChangeAffine", (5,), (-0.5,), -5.0)
_LOOKS_AT_ITS_BACK = _Leaf("AngleAffine", (6, 7, 10), (-4.0, 2.0, 0.0), -2.0)

HIDDEN_RULE = f"map (fun x_t. if {_IS_FAR} > 0 then {_RUNS_AT_IT} else {_LOOKS_AT_ITS_BACK}) x"
"""What decides the labels of `two_animals`, before noise: sniff where its value is above 0.

Farther than 8 cm from the other, animal 1 closes in by more than 10 cm/s; nearer, it looks at the
other while that one looks away."""

_LENGTH, _RATE = (40, 100), 10.0
_BOX = np.array([60.0, 40.0])
# What animal 1 may be up to, with the speed it then seeks (cm/s), the mean time before it takes
# up something else (s), and how often it takes up each.
_WANDER, _APPROACH, _WATCH, _FLEE = range(4)
_SPEED = np.array([9.0, 20.0, 2.0, 18.0])
_STAY = np.array([2.0, 1.2, 1.5, 0.8])
_CHOICE = np.array([0.2, 0.3, 0.35, 0.15])


def two_animals(
    n_sequences: int = 200,
    seed: int = 0,
    *,
    noise: float = 0.05,
    length: tuple[int, int] = _LENGTH,
    rate: float = _RATE,
) -> Sequences:
    """Simulated pairs of animals, each frame labelled "other" or "sniff" by `HIDDEN_RULE`.

    `length` bounds the frames of a sequence, `rate` is frames per second. Each label is then
    flipped, on its own, with probability `noise`; the frames do not depend on it.
    """
    shortest, longest = length
    if n_sequences < 1 or not 1 <= shortest <= longest or not 0 <= noise < 0.5 or not rate > 0:
        raise DataError(
            f"got n_sequences={n_sequences}, length={length}, noise={noise}, rate={rate}; "
            "expected at least 1 sequence, 1 <= shortest <= longest, noise from 0 to below 0.5, "
            "and a rate above 0"
        )
    rng, lengths, position, heading = _pairs(n_sequences, seed, length, rate)
    features = _features(position, heading, rate)
    real = np.arange(longest) < lengths[:, None]
    sniff = _rule(features[real]) > 0
    labels = np.full(real.shape, -1, dtype=np.int16)
    labels[real] = sniff ^ (rng.random(len(sniff)) < noise)
    return Sequences.from_arrays(
        features, labels, lengths=lengths, feature_names=FEATURE_NAMES, class_names=CLASS_NAMES
    )


def two_animals_split(
    seed: int = 0, *, sizes: tuple[int, int, int] = (300, 100, 100), noise: float = 0.05
) -> tuple[Sequences, Sequences, Sequences]:
    """Training, validation and test sequences of `two_animals`."""
    if min(sizes) < 1:
        raise DataError(f"sizes are {sizes}; expected at least 1 sequence in each part")
    whole = two_animals(sum(sizes), seed, noise=noise)
    train, valid, test = (
        whole.subset(np.arange(start, stop))
        for start, stop in pairwise(accumulate(sizes, initial=0))
    )
    return train, valid, test


def tracking_table(n_sequences: int = 80, seed: int = 0) -> pd.DataFrame:
    """The animals of `two_animals` as a tracker and an annotator give them: a row for each frame.

    Columns: video, frame, x and y (cm) of the nose, body and tail of two mice, and behavior. Each
    mouse looks from its tail to its nose; the body is halfway between. As an annotator would, the
    labels have no bouts of less than three frames.
    """
    import pandas as pd

    data = two_animals(n_sequences, seed, noise=0.0)
    assert data.labels is not None
    bouts = smooth(data.labels.astype(np.int64), data.offsets, 3)
    _, lengths, position, heading = _pairs(n_sequences, seed, _LENGTH, _RATE)
    real = np.arange(_LENGTH[1]) < lengths[:, None]
    table: dict[str, NDArray[np.generic]] = {
        "video": np.repeat([f"video{i:02}" for i in range(n_sequences)], data.lengths),
        "frame": positions(data.offsets),
    }
    for animal in (0, 1):
        for part, reach in (("nose", 3.0), ("body", 0.0), ("tail", -3.0)):
            points = position[2:, :, animal] + reach * _direction(heading[2:, :, animal])
            rows = points.swapaxes(0, 1)[real].round(2)
            for axis, name in enumerate("xy"):
                table[f"mouse{animal + 1}_{part}_{name}"] = rows[:, axis]
    table["behavior"] = np.array(CLASS_NAMES)[bouts]
    return pd.DataFrame(table)


def _rule(frames: NDArray[np.float32]) -> Floats:
    """The value of `HIDDEN_RULE` at each frame."""
    gate = 1 / (1 + np.exp(-_IS_FAR(frames)))
    return gate * _RUNS_AT_IT(frames) + (1 - gate) * _LOOKS_AT_ITS_BACK(frames)


def _pairs(
    n: int, seed: int, length: tuple[int, int], rate: float
) -> tuple[np.random.Generator, NDArray[np.int64], Floats, Floats]:
    """The generator after what was drawn: lengths, and positions and headings of n pairs."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(*length, size=n, endpoint=True)
    return rng, lengths, *_simulate(rng, n, length[1] + 2, rate)


def _simulate(rng: np.random.Generator, n: int, steps: int, rate: float) -> tuple[Floats, Floats]:
    """Positions (steps, n, 2 animals, 2) and headings (steps, n, 2 animals)."""
    position = np.empty((steps, n, 2, 2))
    heading = np.empty((steps, n, 2))
    place = rng.uniform(0.1, 0.9, (n, 2, 2)) * _BOX
    # Some pairs start close together, or most would meet only towards the end.
    close = rng.random(n) < 0.3
    place[close, 0] = place[close, 1] + rng.normal(0, 5, (int(close.sum()), 2))
    angle = rng.uniform(-np.pi, np.pi, (n, 2))
    speed = np.full((n, 2), 4.0)
    mode = rng.choice(len(_CHOICE), size=n, p=_CHOICE)
    jitter = 1 / np.sqrt(rate)
    for step in range(steps):
        tires = rng.random(n) < 1 / (rate * _STAY[mode])
        mode = np.where(tires, rng.choice(len(_CHOICE), size=n, p=_CHOICE), mode)
        goal, pull, wanted = _intention(place, angle, mode)
        angle = angle + _settle(pull / rate) * _wrap(goal - angle) + rng.normal(0, jitter, (n, 2))
        speed = speed + _settle(4 / rate) * (wanted - speed) + rng.normal(0, 5 * jitter, (n, 2))
        speed = np.clip(speed, 0.0, 30.0)
        place = place + speed[..., None] * _direction(angle) / rate
        place = np.clip(place, 0.0, _BOX)
        position[step], heading[step] = place, angle
    return position, heading


def _intention(
    place: Floats, angle: Floats, mode: NDArray[np.int64]
) -> tuple[Floats, Floats, Floats]:
    """For each animal the heading it wants, how strongly (per second), and the speed."""
    # Both turn inwards near a wall and keep their heading elsewhere; animal 2 does nothing else.
    inwards = _BOX / 2 - place
    walled = ((place < 4) | (place > _BOX - 4)).any(axis=-1)
    goal = np.where(walled, np.arctan2(inwards[..., 1], inwards[..., 0]), angle)
    pull = np.full(goal.shape, 3.0)
    wanted = np.full(goal.shape, 6.0)

    towards = _bearing(place)[:, 0]
    apart = np.linalg.norm(place[:, 1] - place[:, 0], axis=-1)
    # Watching is looking at the other from afar and past it when near: so a look alone, without
    # the distance, says little about the label.
    past = np.where(apart < 10, np.pi / 2, 0.0)
    goal[:, 0] = np.choose(mode, [goal[:, 0], towards, towards + past, towards + np.pi])
    pull[:, 0] = np.where(mode == _WANDER, 3.0, 5.0)
    wanted[:, 0] = np.where((mode == _APPROACH) & (apart < 6), 1.0, _SPEED[mode])
    return goal, pull, wanted


def _settle(strength: Floats | float) -> Floats:
    """The share of the way to a goal covered in one step; never beyond it, at any frame rate."""
    return np.asarray(1 - np.exp(-np.asarray(strength)))


def _features(position: Floats, heading: Floats, rate: float) -> NDArray[np.float32]:
    """The features (n, steps - 2, 19): two frames are spent on differences."""
    apart = np.linalg.norm(position[..., 1, :] - position[..., 0, :], axis=-1)
    away = np.abs(_wrap(heading - _bearing(position)))
    velocity = np.diff(position, axis=0) * rate
    acceleration = np.diff(velocity, axis=0) * rate
    between = np.abs(_wrap(heading[..., 0] - heading[..., 1]))
    steps, n = len(position) - 2, position.shape[1]
    columns = (
        position[2:].reshape(steps, n, 4),
        apart[2:, :, None],
        (np.diff(apart, axis=0) * rate)[1:, :, None],
        away[2:],
        (np.diff(away, axis=0) * rate)[1:],
        between[2:, :, None],
        velocity[1:].reshape(steps, n, 4),
        acceleration.reshape(steps, n, 4),
    )
    joined = np.concatenate(columns, axis=-1, dtype=np.float32, casting="same_kind")
    return np.ascontiguousarray(joined.swapaxes(0, 1))


def _bearing(position: Floats) -> Floats:
    """The direction from each animal to the other."""
    other = position[..., ::-1, :] - position
    return np.arctan2(other[..., 1], other[..., 0])


def _direction(angle: Floats) -> Floats:
    return np.stack([np.cos(angle), np.sin(angle)], axis=-1)


def _wrap(angle: Floats) -> Floats:
    """The same angle between -pi and pi."""
    return np.mod(angle + np.pi, 2 * np.pi) - np.pi
