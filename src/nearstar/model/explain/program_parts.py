"""The nodes of a model's program, numbered, each with its own parameters."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from nearstar.language.deciding import named, names_all
from nearstar.language.operation import Operation
from nearstar.language.parameters import Block, layout, rounded
from nearstar.language.program import Apply, Hole, Path, is_complete, walk
from nearstar.language.thresholds import Threshold, thresholds_of
from nearstar.language.types import Signature
from nearstar.util.errors import ProgramError

if TYPE_CHECKING:
    from nearstar.model.model import Model

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Leaf:
    """What an affine leaf has learned, in the data's own units; a constant is all bias."""

    columns: tuple[int, ...]
    weights: Array
    """A row for each column of the data that it reads, a column for each output."""
    accumulator: Array
    """The same for each component of the accumulator; no rows outside of folds."""
    bias: Array
    mean: Array
    """The mean of the features it reads: that of the training data, 0 for a window's change."""

    @property
    def carried(self) -> tuple[str, ...]:
        """What the components of the accumulator are called."""
        n = len(self.accumulator)
        return ("accumulator",) if n == 1 else tuple(f"accumulator {i}" for i in range(n))

    @property
    def own(self) -> str:
        """What its bias is called."""
        return "bias" if self.columns else "constant"


@dataclass(frozen=True, eq=False)
class Part:
    """A part of a program. Numbers count from 1 in the order of ``program.walk``."""

    number: int
    path: Path
    program: Apply
    leaf: Leaf | None
    half_life: float | None = None
    """That of a memory, in frames."""
    threshold: Threshold | None = None
    """What it asks, as the condition of a hard ``if``, of one feature."""
    compares: bool = False
    """Whether it is an ``if`` whose condition is such a threshold: not something above 0."""
    says: str | None = None
    """The class that it names."""
    names: bool = False
    """Whether it is never anything but the name of a class: that of one of its leaves."""

    @property
    def operation(self) -> Operation:
        return self.program.operation

    @property
    def signature(self) -> Signature:
        return self.program.signature

    @property
    def learned(self) -> Leaf | None:
        """What it has learned, unless it is a threshold or a class, of which its line says all."""
        return self.leaf if self.threshold is None and self.says is None else None

    @property
    def outputs(self) -> int:
        """Components of its value."""
        return self.program.signature.output.size

    def called(self, class_names: tuple[str, ...]) -> tuple[str, ...]:
        """What its outputs are called: as the classes, where there are as many."""
        if self.outputs == len(class_names):
            return class_names
        return tuple(map(str, range(self.outputs)))

    @property
    def arguments(self) -> tuple[Path, ...]:
        """Paths of its arguments."""
        return tuple((*self.path, index) for index in range(len(self.program.arguments)))

    @property
    def temperature(self) -> float | None:
        """β, if this is a smooth ``if``."""
        return self.operation.beta


def parts_of(model: Model, digits: int | None = None) -> dict[Path, Part]:
    """The nodes of a model's program in order; parameters exact, or rounded for reading."""
    if not is_complete(model.program):
        raise ProgramError(
            f"the program {model.text()} has holes, with networks in them that nobody can read; "
            "fill them in first: learn(task, domain, start=…)"
        )
    blocks, theta = layout(model.program), model.theta
    if (digits := model.digits_shown(digits)) is not None:
        theta = rounded(blocks, theta, model.scale, digits)
    learned = {block.path: block for block in blocks}
    thresholds, classes = thresholds_of(model.program, theta), named(model.program, model.theta)
    return {
        path: replace(
            _part(number, path, program, learned.get(path), theta, model.scale.mean),
            threshold=thresholds.get(path),
            compares=(*path, 0) in thresholds,
            says=classes.get(path),
            names=names_all(model.program, path),
        )
        for number, (path, program) in enumerate(walk(model.program), 1)
        if not isinstance(program, Hole)
    }


def _part(
    number: int, path: Path, program: Apply, block: Block | None, theta: Array, mean: Array
) -> Part:
    if block is None:
        return Part(number, path, program, None)
    if block.is_half_life:
        return Part(number, path, program, None, float(theta[block.offset]))
    return Part(number, path, program, _leaf(block, theta, mean))


def _leaf(block: Block, theta: Array, mean: Array) -> Leaf:
    matrix = np.asarray(block.of(theta), np.float64)
    n = len(block.columns)
    centre = mean[list(block.columns)] if block.centred else np.zeros(n)
    return Leaf(block.columns, matrix[:n], matrix[n:-1], matrix[-1], centre)
