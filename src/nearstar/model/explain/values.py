"""The value of every part of a program at every frame, in double precision."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from nearstar.data.sequences import Sequences
from nearstar.language.expression import Expression
from nearstar.language.function import Function
from nearstar.language.operators import (
    Affine,
    Constant,
    Fold,
    Input,
    Map,
    MapPrefix,
    Select,
    Window,
)
from nearstar.language.program import Path
from nearstar.model.explain.nodes import Array, Node

_PRIMITIVES: dict[str, Callable[..., Array]] = {
    "add": np.add,
    "subtract": np.subtract,
    "multiply": np.multiply,
    "divide": np.divide,
    "minimum": np.minimum,
    "maximum": np.maximum,
    "greater": lambda a, b: np.where(a > b, 1.0, 0.0),
    "mix": lambda gate, then, otherwise: gate * then + (1 - gate) * otherwise,
    "absolute": np.abs,
    "sqrt": lambda a: np.sqrt(np.maximum(a, 0)),
    "tanh": np.tanh,
    "sigmoid": expit,
    "exp": lambda a: np.exp(np.clip(a, -87.3, 88.3)),  # as far as single precision goes
    "log": np.log,
    "relu": lambda a: np.maximum(a, 0),
}


@dataclass(frozen=True, eq=False)
class Part:
    """What a part of a program gave, a row for each frame."""

    value: Array
    features: Array | None = None
    """For an affine leaf, the features that it read: of a window, what the window gives."""
    accumulator: Array | None = None
    """For an affine leaf, the accumulator that it read (no columns outside of folds)."""

    def at(self, rows: NDArray[np.int64]) -> Part:
        """What it gave at these frames."""
        features, accumulator = self.features, self.accumulator
        return Part(
            self.value[rows],
            None if features is None else features[rows],
            None if accumulator is None else accumulator[rows],
        )


def parts_of(nodes: Mapping[Path, Node], data: Sequences) -> dict[Path, Part]:
    """What each node of a program gives at each frame of the data.

    A program that gives one answer for a sequence gives, at each frame, what it would if the
    sequence ended there.
    """
    return _Run(nodes, data).parts()


@dataclass(frozen=True)
class _Run:
    """One evaluation, of all sequences at once."""

    nodes: Mapping[Path, Node]
    data: Sequences
    found: dict[Path, Part] = field(default_factory=dict)

    def parts(self) -> dict[Path, Part]:
        root = self.nodes[()]
        frames = self.data.frames.astype(np.float64)
        with np.errstate(all="ignore"):
            if root.signature.maps_vectors:
                self.vector(root, frames, np.zeros((len(frames), 0)))
            elif root.signature.summarises:
                self.summary(root, frames, ahead=False)
            else:
                self.sequence(root, frames)
        return self.found

    def arguments(self, node: Node) -> list[Node]:
        return [self.nodes[path] for path in node.arguments]

    def keep(self, node: Node, value: Array, part: Part | None = None) -> Array:
        """Note what a node gave, with a row for each frame; a single component is repeated."""
        shape = (len(value), node.outputs)
        whole = value if value.shape == shape else np.broadcast_to(value, shape)
        self.found[node.path] = Part(whole) if part is None else replace(part, value=whole)
        return whole

    # Sequence → sequence

    def sequence(self, node: Node, frames: Array) -> Array:
        arguments = self.arguments(node)
        match node.operation:
            case Map():
                value = self.vector(arguments[0], frames, np.zeros((len(frames), 0)))
            case MapPrefix():
                value = self.summary(arguments[0], frames, ahead=True)
            case Input():
                value = frames
            case Function(meaning=meaning):
                values = [
                    self.sequence(argument, frames)
                    if argument.signature.maps_sequences
                    else self.whole(argument, frames)
                    for argument in arguments
                ]
                value = _meaning(meaning, values, frames)
            case _:
                raise TypeError(f"{node.operation.name} cannot be explained as {node.signature}")
        return self.keep(node, value)

    def whole(self, node: Node, frames: Array) -> Array:
        """What a summary gives for the whole sequence, at each of its frames."""
        self.summary(node, frames, ahead=False)
        last = np.repeat(self.data.offsets[1:] - 1, self.data.lengths)
        for path, part in list(self.found.items()):
            if path[: len(node.path)] == node.path:
                self.found[path] = part.at(last)
        return self.found[node.path].value

    # Sequence → vector

    def summary(self, node: Node, frames: Array, *, ahead: bool) -> Array:
        """The value at each position; ``ahead``: whether centred windows see what is after it."""
        arguments = self.arguments(node)
        match node.operation:
            case Fold():
                value = self.fold(arguments[0], frames)[:, : node.outputs]
            case Window() as window:
                seen = self.window(window, frames, ahead)
                value = self.vector(arguments[0], seen, np.zeros((len(frames), 0)))
            case Function(meaning=meaning):
                values = [self.summary(each, frames, ahead=ahead) for each in arguments]
                value = _meaning(meaning, values, frames)
            case _:
                raise TypeError(f"{node.operation.name} cannot be explained as {node.signature}")
        return self.keep(node, value)

    def fold(self, body: Node, frames: Array) -> Array:
        """The accumulator after each element."""
        starts, lengths = self.data.offsets[:-1], self.data.lengths
        before = np.zeros((len(frames), body.outputs))
        # All sequences go step by step together; each step is written where the next one reads.
        for step in range(int(lengths.max()) - 1):
            rows = starts[lengths > step + 1] + step
            before[rows + 1] = self.vector(body, frames[rows], before[rows])
        return self.vector(body, frames, before)

    def window(self, window: Window, frames: Array, ahead: bool) -> Array:
        """The window's summary around each frame, cut off at both ends of its sequence."""
        offsets, lengths = self.data.offsets, self.data.lengths
        here = np.arange(len(frames))
        first = np.maximum(here - window.back, np.repeat(offsets[:-1], lengths))
        last = np.minimum(here + window.ahead * ahead, np.repeat(offsets[1:], lengths) - 1)
        if window.reduction == "Change":
            return frames[last] - frames[first]
        reduce = {"Average": np.add, "Max": np.maximum, "Min": np.minimum}[window.reduction]
        # Every other one of these stretches is a window; one more row lets the last window end.
        stretches = np.column_stack([first, last + 1]).ravel()
        reduced = reduce.reduceat(np.vstack([frames, frames[-1:]]), stretches, axis=0)[::2]
        if window.reduction == "Average":
            reduced /= (last - first + 1)[:, None]
        return np.asarray(reduced)

    # Vector → vector

    def vector(self, node: Node, features: Array, accumulator: Array) -> Array:
        """The value on each row of features, with the accumulator of the fold around it."""
        leaf = node.leaf
        match node.operation:
            case Affine() if leaf:
                read = features[:, list(leaf.columns)]
                value = read @ leaf.weights + accumulator @ leaf.accumulator + leaf.bias
                return self.keep(node, value, Part(value, read, accumulator))
            case Constant() if leaf:
                value = np.broadcast_to(leaf.bias, (len(features), node.outputs))
            case Select(group=group):
                value = features[:, list(group.columns)]
            case Input():
                value = np.hstack([features, accumulator])
            case Function(meaning=meaning):
                values = [
                    self.vector(argument, features, accumulator)
                    for argument in self.arguments(node)
                ]
                value = _meaning(meaning, values, features)
            case _:
                raise TypeError(f"{node.operation.name} cannot be explained as {node.signature}")
        return self.keep(node, value)


def _meaning(meaning: Expression, arguments: list[Array], features: Array) -> Array:
    """A function's meaning on the values of its arguments, and on features, row by row."""
    match meaning:
        case Expression(kind="argument", value=int(index)):
            return arguments[index]
        case Expression(kind="feature", value=int(column)):
            return features[:, [column]]
        case Expression(kind="literal", value=float(number)):
            return np.full((len(features), 1), number)
    operands = [_meaning(operand, arguments, features) for operand in meaning.operands]
    match meaning:
        case Expression(kind="component", value=int(index)):
            return operands[0][:, [index]]
    return _PRIMITIVES[meaning.kind](*operands)
