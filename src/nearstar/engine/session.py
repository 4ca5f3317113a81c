"""A program ready to run: its table with the memory it works in."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from nearstar.engine.code import Code
from nearstar.engine.kernels import machine
from nearstar.engine.packing import Blocks, aligned_zeros, pitch

_NO_WEIGHTS = np.empty(0, np.float32)
_NO_RATES = np.empty(0, np.float64)
_NO_COUNTS = np.zeros((0, 0), np.int64)
_NO_RESULTS = np.zeros((0, 0), np.float32)


class Session:
    """Trains, judges and predicts with one program; not for two threads at once.

    ``stop`` can be set from another thread: a running call then returns before its next block.
    """

    def __init__(
        self,
        code: Code,
        parameters: NDArray[np.float32],
        *blocks: Blocks,
        stop: NDArray[np.uint8] | None = None,
    ) -> None:
        for each in blocks:
            if code.n_features != each.n_features:
                raise ValueError(
                    f"the table reads {code.n_features} features, not {each.n_features}"
                )
        self.code = code
        self.parameters = np.array(parameters, np.float32)
        self.stop = np.zeros(1, np.uint8) if stop is None else stop
        if self.parameters.shape != (code.n_parameters,):
            raise ValueError(f"{code.n_parameters} parameters, not {self.parameters.shape}")
        frames = max((each.most_frames for each in blocks), default=1)
        lanes = max((each.most_lanes for each in blocks), default=1)
        width = {
            machine.CHUNKED: min(machine.CHUNK, frames),
            machine.WHOLE: frames,
            machine.LANES_ONLY: lanes,
        }[code.tables.extent]
        # Rows apart by a power of two would compete for the same place in the cache.
        width = pitch(width) + pitch(1)
        n = code.n_parameters
        self._work = machine.Work(
            values=aligned_zeros((code.n_rows, width)),
            slopes=aligned_zeros((code.n_rows, width)),
            scratch=aligned_zeros((4, width)),
            sums=np.zeros(2 * lanes + frames if code.averages else 0, np.float64),
            gradient=np.zeros(n, np.float32),
            mean=np.zeros(n, np.float32),
            square=np.zeros(n, np.float32),
            taken=np.zeros(1, np.int64),
            held=code.held,
            fading=code.fading,
        )

    def train(
        self,
        blocks: Blocks,
        class_weights: Sequence[float],
        order: NDArray[np.int64],
        rates: NDArray[np.float64],
        clip: float = 0.0,
        decay: float = 0.0,
    ) -> tuple[int, float]:
        """Take a step for each batch in order; how it ended, and the mean of weighted losses.

        Each batch counts the same: its gradient is that of the mean over its labelled elements.
        With each step, weights that fade lose a share of ``decay`` times its rate.
        """
        n = blocks.n_batches
        if len(order) and not 0 <= order.min() <= order.max() < n:
            raise ValueError(f"the order names batches other than 0 to {n - 1}")
        if len(rates) != len(order):
            raise ValueError(f"{len(rates)} rates do not fit {len(order)} steps")
        # One for each output and each class that a label may have, which the kernels do not check.
        n_classes = blocks.counts.shape[1]
        weights = np.zeros(max(n_classes, len(self.code.outputs), 2), np.float32)
        weights[: len(class_weights)] = class_weights[: len(weights)]
        sums = blocks.counts @ weights[:n_classes].astype(np.float64)
        losses = np.zeros(1)
        ended = self._run(
            machine.TRAIN,
            blocks,
            order,
            weights=weights,
            shares=np.divide(1.0, sums, out=np.zeros_like(sums), where=sums > 0),
            rates=rates,
            clip=clip,
            decay=decay,
            losses=losses,
        )
        return ended, float(losses[0] / max(sums[order].sum(), 1e-30))

    def gradient(
        self, blocks: Blocks, class_weights: Sequence[float]
    ) -> tuple[float, NDArray[np.float32]]:
        """Loss and gradient of the first batch, parameters unchanged."""
        _, loss = self.train(blocks, class_weights, np.zeros(1, np.int64), np.zeros(1))
        return loss, self._work.gradient.copy()

    def judge(self, blocks: Blocks, n_classes: int) -> tuple[int, NDArray[np.int64]]:
        """How it ended, and the counts of decisions by true class."""
        confusion = np.zeros((n_classes, n_classes), np.int64)
        return self._run(machine.EVALUATE, blocks, confusion=confusion), confusion

    def predict(self, blocks: Blocks) -> NDArray[np.float32]:
        """The outputs for each frame, or each sequence, of the original data."""
        packed = blocks.packed
        n = int(packed.blocks[:, 2].sum()) if self.code.in_frames else len(packed.lengths)
        results = np.empty((n, len(self.code.outputs)), np.float32)
        self._run(machine.PREDICT, blocks, results=results)
        return results

    def _run(
        self,
        mode: int,
        blocks: Blocks,
        order: NDArray[np.int64] | None = None,
        weights: NDArray[np.float32] = _NO_WEIGHTS,
        shares: NDArray[np.float64] = _NO_RATES,
        rates: NDArray[np.float64] = _NO_RATES,
        clip: float = 0.0,
        decay: float = 0.0,
        confusion: NDArray[np.int64] = _NO_COUNTS,
        results: NDArray[np.float32] = _NO_RESULTS,
        losses: NDArray[np.float64] | None = None,
    ) -> int:
        return int(
            machine.run(
                mode,
                self.code.tables,
                blocks.packed,
                blocks.labels,
                weights,
                shares.astype(np.float32),
                np.arange(blocks.n_batches) if order is None else order,
                self.parameters,
                self._work,
                rates,
                clip,
                decay,
                self.stop,
                confusion,
                results,
                np.zeros(1) if losses is None else losses,
            )
        )
