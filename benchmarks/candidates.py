"""The benchmark's candidates as programs of the language, with a batch to train them on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nearstar import Domain, Scale, Sequences, Units, parse
from nearstar.engine.code import Code
from nearstar.engine.kernels import opcodes as op
from nearstar.engine.lowering import lower
from nearstar.engine.packing import Blocks, pack
from nearstar.engine.session import Session
from nearstar.language.parameters import layout
from nearstar.training.starting import initial

TEXTS = {
    "A": "map (fun x_t. PositionAffine(x_t)) x",
    "B": "map (fun x_t. if PositionAffine(x_t) > 0 then VelocityAffine(x_t) else ??) x",
    "C": "??",
    "D": "mapprefix (fun x_t. fold (fun x_i. PositionAffine(x_i)) c x_t) x",
    "E": "mapprefix (fun x_t. SlidingWindowAverage10(Affine(x_t))) x",
    "F": "fold (fun x_i. if ?? > 0 then PositionAffine(x_i) else VelocityAffine(x_i)) c x",
}
UNITS = {"C": Units(15, 15)}
CRIM13 = Domain.built_in("crim13")


@dataclass(frozen=True)
class Candidate:
    """A program set up to be trained on one batch."""

    code: Code
    blocks: Blocks
    step: Callable[[int], None]
    """Take that many training steps on the batch."""

    @property
    def flops(self) -> float:
        """Multiplications and additions of linear maps in one step, forward and backward."""
        total = 0
        blocks = self.blocks.packed.blocks
        frames, lanes = int(blocks[:, 2].sum()), int(blocks[:, 5].sum())
        for kind, begin, end in self.code.regions:
            positions = lanes if kind == op.LANES else frames
            for what, _, n, _, m, *_ in self.code.code[begin:end].tolist():
                if what in (op.AFFINE, op.AFFINE_PAST):
                    total += 3 * 2 * n * m * positions  # values, slopes, gradient
                elif what == op.AFFINE_FEATURES:
                    total += 2 * 2 * n * m * positions  # data need no slopes
        return float(total)


def batch(seed: int = 0) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """50 sequences of 100 frames of 19 features, and labels of the frames."""
    X = np.random.default_rng(seed).normal(size=(50, 100, 19)).astype(np.float32)
    return X, (X[..., 4] > 0).astype(np.int64)


def candidate(name: str, X: NDArray[np.float32], y: NDArray[np.int64]) -> Candidate:
    """One of A to F; F has one label a sequence."""
    units = UNITS.get(name, Units(8, 8))
    data = Sequences.from_arrays(X, y[:, 0] if name == "F" else y)
    program = parse(TEXTS[name], CRIM13, CRIM13.signature(2, per_frame=data.per_frame)).program
    return prepared(program, data, units)


def prepared(program, data: Sequences, units: Units, batch_size: int | None = None) -> Candidate:
    """Any program on any data; one step is one pass over all batches."""
    scale = Scale.identity(data.n_features)
    blocks = pack(data, scale, batch_size)
    code = lower(program, scale, units)
    session = Session(code, initial(layout(program, units), 0), blocks)
    weights = (1.0,) * data.n_classes
    order = np.arange(blocks.n_batches)

    def step(n: int) -> None:
        session.train(blocks, weights, np.tile(order, n), np.full(n * len(order), 1e-3))

    return Candidate(code, blocks, step)
