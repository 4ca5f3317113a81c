"""Programs to text, in the paper's notation, with the parameters of leaves."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nearstar.language.deciding import named, written_class
from nearstar.language.feature_names import written_name
from nearstar.language.notation import Comparison, Whole, text_of
from nearstar.language.operation import Matrix
from nearstar.language.parameters import Block, Theta, check, layout
from nearstar.language.program import Apply, Path, Program, node_at
from nearstar.language.text.tokens import TIMES
from nearstar.language.thresholds import Threshold, thresholds_of

_JOINTS = {",": ", ", ";": "; ", "|": " | ", "]": "]"}


@dataclass(frozen=True, slots=True)
class Shape:
    """How the numbers of a leaf are divided: the same parts, of these sizes, for each output."""

    parts: tuple[int, ...]
    outputs: int

    @property
    def rows(self) -> int:
        """Numbers for each output."""
        return sum(self.parts)

    def joints(self) -> Iterator[str]:
        """What follows each number in turn: ``,`` ``;`` ``|`` and, after the last one, ``]``."""
        for output in range(self.outputs):
            for index, part in enumerate(self.parts):
                yield from ("," for _ in range(part - 1))
                if index + 1 < len(self.parts):
                    yield ";"
            yield "|" if output + 1 < self.outputs else "]"

    def outline(self) -> str:
        """The shape as a person would sketch it."""
        names = "v" if len(self.parts) == 1 else "wb" if len(self.parts) == 2 else "wab"
        numbered = zip(names, self.parts, strict=True)
        output = "; ".join(_numbered(name, part) for name, part in numbered)
        if self.outputs == 1:
            return f"[{output}]"
        return f"[{output} | …], the same for each of {self.outputs} outputs"


def shape(matrix: Matrix) -> Shape:
    """The shape of a leaf's numbers: an affine map, or else a constant vector."""
    inputs = tuple(part for part in (len(matrix.columns), matrix.others) if part)
    if not inputs:
        return Shape((matrix.outputs,), 1)
    return Shape((*inputs, 1), matrix.outputs)


def written(values: Iterable[float], shape: Shape) -> str:
    """Numbers in brackets, output by output."""
    pairs = zip(values, shape.joints(), strict=True)
    return "[" + "".join(number(value) + _JOINTS[joint] for value, joint in pairs)


def formula(names: Sequence[Sequence[str]], block: Block, theta: NDArray[np.float64]) -> str:
    """Sums of products and a number, one for each output, in parentheses:
    ``(.64·gap - .31·speed - 5.6)``."""
    absent, matrix = set(block.absent), block.of(theta)
    sums = (
        [value for row, value in enumerate(column) if (row, output) not in absent]
        for output, column in enumerate(matrix.T.tolist())
    )
    return f"({' | '.join(map(_sum, names, sums))})"


def _sum(names: Sequence[str], values: Sequence[float]) -> str:
    factors = (*(f"{TIMES}{written_name(name)}" for name in names), "")
    text = ""
    for value, factor in zip(values, factors, strict=True):
        minus = math.copysign(1, value) < 0
        sign = (" - " if minus else " + ") if text else "-" * minus
        text += sign + number(abs(value)) + factor
    return text


def comparison(threshold: Threshold) -> str:
    """What a hard ``if`` asks of one feature: ``gap > 3``."""
    name = written_name(threshold.name)
    if threshold.value == 0:  # without quotes it might be some other expression that is above 0
        name = json.dumps(threshold.name, ensure_ascii=False)
    return f"{name} {threshold.sign} {number(threshold.value)}"


def number(value: float) -> str:
    """A number, exactly, without a zero before the point."""
    text = repr(value).removesuffix(".0")
    sign, size = ("-", text[1:]) if text.startswith("-") else ("", text)
    return sign + (size[1:] if size.startswith("0.") else size)


def _numbered(name: str, count: int) -> str:
    if name == "b":
        return name
    if count > 6:
        return f"{name}1, …, {name}{count}"
    return ", ".join(f"{name}{index + 1}" for index in range(count))


def to_text(program: Program, theta: NDArray[np.float64] | None = None) -> str:
    """The program in the paper's notation, which ``parse`` reads back.

    With ``theta``, the parameters of its affine and constant leaves in the order of the
    derivation, the leaves print with them, exactly (``parameters.rounded`` makes them shorter).
    The networks of holes are no part of it: a hole prints as ``??``.
    """
    if theta is None:
        return text_of(program)
    return text_of(program, 0, leaf_texts(program, np.asarray(theta, np.float64)))


def leaf_texts(program: Program, theta: Theta) -> Iterator[str]:
    """The texts of parameters, in the order of the derivation, for ``text_of``."""
    blocks = layout(program)
    check(blocks, theta)
    thresholds, classes = thresholds_of(program, theta), named(program, theta)
    for block in blocks:
        names, numbers = _formula(program, block.path), block.of(theta)
        if block.path in thresholds:
            yield Comparison(comparison(thresholds[block.path]))
        elif block.path in classes:
            yield Whole(written_class(classes[block.path]))
        elif names is not None:
            yield Whole(formula(names, block, theta))
        else:
            # A block has a column for each output; text goes output by output.
            yield written(numbers.T.ravel().tolist(), shape(block))


def _formula(program: Program, path: Path) -> Sequence[Sequence[str]] | None:
    leaf = node_at(program, path)
    return leaf.operation.formula(leaf.signature) if isinstance(leaf, Apply) else None
