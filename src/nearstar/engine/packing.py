"""Packing: sequences of any lengths laid out for the machine.

Data go into *blocks* of sequences. A block holds, for each feature, all frames of its sequences,
one time step after the other; sequences are sorted by length, longest first, so that at every step
those that are still going are the first ones. There is no padding at all. A batch is one or more
blocks: its gradient is the sum of theirs, which bounds the memory that a training needs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nearstar.data.scale import Scale
from nearstar.data.sequences import Sequences
from nearstar.engine.kernels.machine import Packed
from nearstar.util.compiled import entry

LINE = 64
"""Bytes of a cache line: a vector that straddles two of them takes twice as long to load."""
VECTOR_LANES = 16
BLOCK_LANES = 32
LEAST_FRAMES = 1024
MOST_FRAMES = 8192
"""A block has up to 32 sequences, if possible a multiple of 16, which fill whole vectors; more
while their frames are few, fewer while they are many: what a program computes on a block should
stay in the cache."""


@dataclass(frozen=True, eq=False)
class Blocks:
    """Packed data with their labels, ready to train or judge any program on."""

    packed: Packed
    labels: NDArray[np.int16]
    """In packed order: for each frame, or for each sequence; empty without labels."""
    in_frames: bool
    n_features: int
    most_frames: int
    most_lanes: int
    counts: NDArray[np.int64]
    """How many labels of each class each batch has."""

    @property
    def n_batches(self) -> int:
        return len(self.packed.batches) - 1


def pack(
    sequences: Sequences,
    scale: Scale,
    batch_size: int | None = None,
    seed: int | None = None,
    still: tuple[int, ...] = (),
) -> Blocks:
    """Lay sequences out in batches drawn by the seed; without a seed, as they come.

    Without a batch size there is one batch: for judging and predicting, where only blocks matter.
    Columns that are ``still`` are held at their mean: what they vary is not to be learned from.
    """
    lengths = np.diff(sequences.offsets)
    order = np.arange(len(lengths))
    if seed is not None:
        order = np.random.default_rng(seed).permutation(len(lengths))
    size = batch_size or len(order)
    batches = [order[first : first + size] for first in range(0, len(order), size)]
    groups: list[NDArray[np.int64]] = []
    firsts = [0]
    for batch in batches:
        longest_first = batch[np.argsort(-lengths[batch], kind="stable")]
        groups.extend(_split(longest_first, lengths))
        firsts.append(len(groups))
    table = np.empty((len(groups), 8), np.int64)
    n_features = sequences.n_features
    data_at = frame_at = lane_at = step_at = 0
    for index, group in enumerate(groups):
        n_frames, n_steps = int(lengths[group].sum()), int(lengths[group[0]])
        row = pitch(n_frames)
        table[index] = (data_at, row, n_frames, frame_at, lane_at, len(group), step_at, n_steps)
        data_at += row * n_features
        frame_at += n_frames
        lane_at += len(group)
        step_at += n_steps + 1
    packed_order = np.concatenate(groups)
    packed = Packed(
        data=aligned_zeros((data_at,)),
        n_features=n_features,
        blocks=table,
        steps=np.empty(step_at, np.int32),
        lengths=lengths[packed_order].astype(np.int32),
        sequences=packed_order.astype(np.int64),
        starts=sequences.offsets[packed_order].astype(np.int64),
        batches=np.array(firsts, np.int64),
    )
    in_frames = sequences.per_frame or sequences.vectors
    given = sequences.labels
    labels = np.empty(0 if given is None else frame_at if in_frames else lane_at, np.int16)
    per_std = 1.0 / scale.std
    per_std[list(still)] = 0.0
    _fill(
        packed,
        sequences.frames,
        scale.mean,
        per_std,
        np.empty(0, np.int16) if given is None else given,
        labels,
        in_frames,
    )
    return Blocks(
        packed,
        labels,
        in_frames,
        n_features,
        int(table[:, 2].max()),
        int(table[:, 5].max()),
        _counts(packed, labels, in_frames),
    )


def _counts(packed: Packed, labels: NDArray[np.int16], in_frames: bool) -> NDArray[np.int64]:
    n_classes, n_batches = int(labels.max(initial=-1)) + 1, len(packed.batches) - 1
    if not n_classes:
        return np.zeros((n_batches, 0), np.int64)
    first = packed.blocks[packed.batches[:-1], 3 if in_frames else 4]
    batch = np.repeat(np.arange(n_batches), np.diff(first, append=len(labels)))
    known = labels >= 0
    cells = batch[known] * n_classes + labels[known]
    counts = np.bincount(cells, minlength=n_batches * n_classes)
    return counts.reshape(n_batches, n_classes).astype(np.int64)


def _split(group: NDArray[np.int64], lengths: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """A batch in blocks of bounded size; its sequences are sorted by length."""
    total = int(lengths[group].sum())
    n_blocks = min(-(-len(group) // BLOCK_LANES), max(total // LEAST_FRAMES, 1))
    per_block = -(-len(group) // n_blocks)
    per_block = -(-per_block // VECTOR_LANES) * VECTOR_LANES
    blocks = []
    first = frames = 0
    for at, length in enumerate(lengths[group].tolist()):
        if at > first and (at - first == per_block or frames + length > MOST_FRAMES):
            blocks.append(group[first:at])
            first, frames = at, 0
        frames += length
    blocks.append(group[first:])
    return blocks


def pitch(n: int) -> int:
    """The least distance of rows of n float32 numbers at which all of them begin a cache line."""
    per_line = LINE // 4
    return -(-n // per_line) * per_line


def aligned_zeros(shape: tuple[int, ...]) -> NDArray[np.float32]:
    """Zeros that begin at a cache line."""
    size = math.prod(shape) * 4
    memory = np.zeros(size + LINE, np.uint8)
    start = -memory.ctypes.data % LINE
    return memory[start : start + size].view(np.float32).reshape(shape)


@entry
def _fill(packed, frames, mean, per_std, given, labels, in_frames):
    n_features = frames.shape[1]
    for block in range(packed.blocks.shape[0]):
        data_at, pitch, _, frame_at, lane_at, n_lanes, step_at, n_steps = packed.blocks[block]
        at = 0
        alive = n_lanes
        for t in range(n_steps):
            packed.steps[step_at + t] = at
            while packed.lengths[lane_at + alive - 1] <= t:
                alive -= 1
            for lane in range(alive):
                source = packed.starts[lane_at + lane] + t
                for f in range(n_features):
                    value = (np.float64(frames[source, f]) - mean[f]) * per_std[f]
                    packed.data[data_at + f * pitch + at + lane] = np.float32(value)
                if in_frames and labels.shape[0] > 0:
                    labels[frame_at + at + lane] = given[source]
            at += alive
        packed.steps[step_at + n_steps] = at
        if not in_frames and labels.shape[0] > 0:
            for lane in range(n_lanes):
                labels[lane_at + lane] = given[packed.sequences[lane_at + lane]]
