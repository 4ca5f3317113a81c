"""The value of every part of a program at every frame, in double precision."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from nearstar.data.sequences import Sequences
from nearstar.language.function import Function
from nearstar.language.meaning import Algebra, Occurrence, Site, evaluate, trace
from nearstar.language.operators import Window
from nearstar.language.operators.memory import faded
from nearstar.language.primitives import Primitive
from nearstar.language.program import Path
from nearstar.model.explain.program_parts import Array, Part


@dataclass(frozen=True, eq=False)
class PartValue:
    """What a part of a program gave, a row for each frame."""

    value: Array
    features: Array | None = None
    """For an affine leaf, the features that it read: of a window, what the window gives."""
    accumulator: Array | None = None
    """For an affine leaf, the accumulator that it read (no columns outside of folds)."""

    def at(self, rows: NDArray[np.int64]) -> PartValue:
        """What it gave at these frames."""
        features, accumulator = self.features, self.accumulator
        return PartValue(
            self.value[rows],
            None if features is None else features[rows],
            None if accumulator is None else accumulator[rows],
        )


def values_of(nodes: Mapping[Path, Part], data: Sequences) -> dict[Path, PartValue]:
    """What each node of a program gives at each frame of the data.

    A program that gives one answer for a sequence gives, at each frame, what it would if the
    sequence ended there.
    """
    frames = data.frames.astype(np.float64)
    found: dict[Path, PartValue] = {}
    with np.errstate(all="ignore"):
        at = _Values(nodes, data, found, frames, np.zeros((len(frames), 0)))
        evaluate(nodes[()].program, at)
    return found


@dataclass(frozen=True, eq=False)
class _Values(Site[Array], Algebra[Array]):
    """A site whose values are arrays, with a row for each frame of all sequences."""

    nodes: Mapping[Path, Part]
    data: Sequences
    found: dict[Path, PartValue]
    x: Array
    """Features, or what a window gives in their place."""
    accumulator: Array
    """That of the fold around; no columns outside of folds."""

    def noted(self, here: Occurrence, value: Array) -> Array:
        """Note what a part gave, with a row for each frame; a single component is repeated."""
        shape = (len(value), here.signature.output.size)
        whole = value if value.shape == shape else np.broadcast_to(value, shape)
        self.found[here.path] = replace(self.found.get(here.path, PartValue(whole)), value=whole)
        return whole

    def broadcast(self, here: Occurrence, value: Array) -> Array:
        last = np.repeat(self.data.offsets[1:] - 1, self.data.lengths)
        for path, part in list(self.found.items()):
            if path[: len(here.path)] == here.path:
                self.found[path] = part.at(last)
        return self.found[here.path].value

    def window(self, here: Occurrence, window: Window) -> _Values:
        offsets, lengths = self.data.offsets, self.data.lengths
        now = np.arange(len(self.x))
        first = np.maximum(now - window.back, np.repeat(offsets[:-1], lengths))
        last = np.minimum(now + window.ahead * self.each, np.repeat(offsets[1:], lengths) - 1)
        return replace(self, x=window.reduces.numpy(self.x, first, last))

    def scan(self, here: Occurrence, body: Callable[[_Values], Array]) -> Array:
        starts, lengths = self.data.offsets[:-1], self.data.lengths
        before = np.zeros((len(self.x), here.argument(0).signature.carried))
        # All sequences go step by step together; each step is written where the next one reads.
        for step in range(int(lengths.max()) - 1):
            rows = starts[lengths > step + 1] + step
            before[rows + 1] = body(replace(self, x=self.x[rows], accumulator=before[rows]))
        states = body(replace(self, accumulator=before))
        return states[:, : here.signature.output.size]

    def fade(self, here: Occurrence, value: Array) -> Array:
        half_life = self.nodes[here.path].half_life
        assert half_life is not None
        return faded(value, self.data.offsets, half_life)

    def affine(self, here: Occurrence, role: str = "affine") -> Array:
        leaf = self.nodes[here.path].leaf
        assert leaf is not None
        read = self.x[:, list(leaf.columns)]
        value = read @ leaf.weights + self.accumulator @ leaf.accumulator + leaf.bias
        self.found[here.path] = PartValue(value, read, self.accumulator)
        return value

    def constant(self, here: Occurrence) -> Array:
        leaf = self.nodes[here.path].leaf
        assert leaf is not None
        return np.broadcast_to(leaf.bias, (len(self.x), len(leaf.bias)))

    def features(self, here: Occurrence, columns: tuple[int, ...]) -> Array:
        return self.x[:, list(columns)]

    def variable(self, here: Occurrence) -> Array:
        return np.hstack([self.x, self.accumulator])

    def function(self, here: Occurrence, function: Function, arguments: Sequence[Array]) -> Array:
        return trace(function.meaning, self, arguments)

    def feature(self, column: int) -> Array:
        return self.x[:, [column]]

    def literal(self, number: float) -> Array:
        return np.full((len(self.x), 1), number)

    def component(self, value: Array, index: int) -> Array:
        return value[:, [index]]

    def pointwise(self, primitive: Primitive, operands: Sequence[Array]) -> Array:
        return np.asarray(primitive.numpy(*operands))
