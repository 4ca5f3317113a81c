"""The machine: runs instruction tables over blocks of data, forward and in reverse.

One compiled function, ``run``, serves training, evaluation and prediction of every program; it is
compiled once, cached on disk, and releases the interpreter lock while it works.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numba.core import registry

from nearstar.engine.kernels import denormals
from nearstar.engine.kernels import opcodes as op
from nearstar.engine.kernels.adam import adam, norm
from nearstar.engine.kernels.averages import average, average_slopes
from nearstar.engine.kernels.fading import fade, fade_slopes
from nearstar.engine.kernels.inputs import (
    forward_feature,
    forward_window,
    forward_window_last,
    step_of,
)
from nearstar.engine.kernels.linear import address, combine, correlate, fill, total
from nearstar.engine.kernels.loss import cross_entropy, decide
from nearstar.engine.kernels.pointwise import backward_pointwise, forward_pointwise
from nearstar.engine.kernels.recurrent import (
    backward_broadcast,
    backward_cell,
    backward_last,
    backward_previous,
    forward_broadcast,
    forward_cell,
    forward_last,
    forward_previous,
)
from nearstar.util import compiled
from nearstar.util.compiled import entry, kernel

TRAIN: Final = 0
EVALUATE: Final = 1
PREDICT: Final = 2

DONE: Final = 0
STOPPED: Final = 1
DIVERGED: Final = 2

CHUNK: Final = 512
"""Frames at a time for programs that need no other frame: what they compute stays in the cache."""

# What a pass over a block takes at a time.
CHUNKED: Final = 0  # some frames: each is on its own
WHOLE: Final = 1  # all frames of the block
LANES_ONLY: Final = 2  # all frames, but rows have one position for each sequence

# A plain 0 or 1 in a call would make Numba compile the callee once more, for that number.
_ZERO = np.int64(0)
_ONE = np.int64(1)


class Tables(NamedTuple):
    """A lowered program (see ``code.py`` for the checks that make it safe to run)."""

    code: Any  # int32 [instruction, WIDTH]
    operands: Any  # int32: lists of rows
    regions: Any  # int32 [region, 3]: kind, first instruction, end
    constants: Any  # float32
    outputs: Any  # int32: rows of the result
    summed: Any  # int32: rows whose slopes are summed up, and so must start from zero
    first_slope: Any  # int64: rows before this one are data and need no slopes
    in_frames: Any  # bool: one result a frame, not one a sequence
    extent: Any  # int64: CHUNKED, WHOLE or LANES_ONLY


class Packed(NamedTuple):
    """Data in blocks, as ``packing.py`` lays them out."""

    data: Any  # float32: for each block [feature, pitch], the first n frames of a row in use
    n_features: Any  # int64
    blocks: Any  # int64 [block, 8]: data, pitch, n frames, frame, lane, n lanes, step, n steps
    steps: Any  # int32: for each block, where its time steps start, and the end
    lengths: Any  # int32: lengths of the sequences of each block, longest first
    sequences: Any  # int64: which sequence each of them is
    starts: Any  # int64: where each of them starts in the original frames
    batches: Any  # int64: first block of each batch, and the end


class Work(NamedTuple):
    """Memory of one training; every thread has its own."""

    values: Any  # float32 [row, position]
    slopes: Any  # float32 [row, position]
    scratch: Any  # float32 [4, position]
    sums: Any  # float64: memory of averages.py and fading.py
    gradient: Any  # float32 [parameter]
    mean: Any  # float32 [parameter], of Adam
    square: Any  # float32 [parameter], of Adam
    taken: Any  # int64 [1]: steps of Adam
    held: Any  # int64: parameters that no step changes
    fading: Any  # int64: parameters that each step draws to 0


@kernel
def _forward(tables, data, steps, lengths, first, n, parameters, work):
    values = work.values
    for region in range(tables.regions.shape[0]):
        kind, begin, end = tables.regions[region]
        rounds = steps.shape[0] - 1 if kind == op.STEPS else 1
        for t in range(rounds):
            start, count, before = _extent(kind, t, steps, lengths, n)
            for at in range(begin, end):
                code = tables.code[at]
                what = code[0]
                if what <= op.AFFINE_PAST:
                    x, xo = address(values), 4 * values.shape[1]
                    if what == op.AFFINE_FEATURES:
                        x, xo = address(data) + 4 * first, 4 * data.shape[1]
                    elif what == op.AFFINE_PAST:
                        if before < 0:
                            continue
                        x += 4 * (before - start)
                    _forward_affine(code, tables.operands, x, xo, parameters, values, start, count)
                elif what >= op.LITERAL:
                    forward_pointwise(code, tables.constants, values, start, count)
                elif what == op.PARAMETER:
                    fill(values[code[1]], parameters[code[2]], start, count)
                elif what == op.FEATURE:
                    forward_feature(code, values, data, first, count)
                elif what == op.PREVIOUS:
                    forward_previous(code, values, start, count, before)
                elif what == op.CELL:
                    forward_cell(code, values, start, count, before)
                elif what == op.WINDOW:
                    forward_window(code, values, work.sums, data, steps, lengths)
                elif what == op.WINDOW_LAST:
                    forward_window_last(code, values, data, steps, lengths)
                elif what == op.LAST:
                    forward_last(code, values, steps, lengths)
                elif what == op.AVERAGE_ROW:
                    x, back, ahead = values[code[2]], np.int64(code[3]), np.int64(code[4])
                    average(values[code[1]], x, work.sums, steps, lengths, back, ahead)
                elif what == op.FADE:
                    y, x = values[code[1]], values[code[2]]
                    fade(y, x, work.sums, steps, parameters[code[3]])
                else:
                    forward_broadcast(code, values, steps)


@kernel
def _backward(tables, data, steps, lengths, first, n, parameters, work):
    for region in range(tables.regions.shape[0] - 1, -1, -1):
        kind, begin, end = tables.regions[region]
        rounds = steps.shape[0] - 1 if kind == op.STEPS else 1
        for t in range(rounds - 1, -1, -1):
            start, count, before = _extent(kind, t, steps, lengths, n)
            for at in range(end - 1, begin - 1, -1):
                code = tables.code[at]
                what = code[0]
                if what == op.AFFINE:
                    _backward_affine(code, tables, parameters, work.slopes, start, count, _ZERO)
                elif what == op.AFFINE_PAST:
                    if before >= 0:
                        shift = before - start
                        _backward_affine(code, tables, parameters, work.slopes, start, count, shift)
                elif what >= op.LITERAL:
                    backward_pointwise(
                        code, tables.constants, work.values, work.slopes, start, count
                    )
                elif what == op.PREVIOUS:
                    backward_previous(code, work.slopes, start, count, before)
                elif what == op.CELL:
                    backward_cell(code, work.values, work.slopes, start, count, before)
                elif what == op.LAST:
                    backward_last(code, work.slopes, steps, lengths)
                elif what == op.BROADCAST:
                    backward_broadcast(code, work.slopes, steps)
                elif what == op.AVERAGE_ROW:
                    dx, dy = work.slopes[code[2]], work.slopes[code[1]]
                    back, ahead = np.int64(code[3]), np.int64(code[4])
                    average_slopes(dx, dy, work.sums, steps, lengths, back, ahead)
                elif what == op.FADE:
                    y, x = work.values[code[1]], work.values[code[2]]
                    dy, dx = work.slopes[code[1]], work.slopes[code[2]]
                    slope = fade_slopes(dx, dy, y, x, work.sums, steps, parameters[code[3]])
                    work.gradient[code[3]] += slope
        # Slopes of all steps are known now: gradients of parameters are sums over all of them.
        count = lengths.shape[0] if kind == op.LANES else n
        for at in range(begin, end):
            code = tables.code[at]
            if code[0] == op.AFFINE:
                x, xo = address(work.values), 4 * work.values.shape[1]
                _affine_gradient(code, tables.operands, x, xo, work, _ZERO, count)
            elif code[0] == op.AFFINE_FEATURES:
                x, xo = address(data) + 4 * first, 4 * data.shape[1]
                _affine_gradient(code, tables.operands, x, xo, work, _ZERO, count)
            elif code[0] == op.AFFINE_PAST:
                _past_gradient(code, tables.operands, steps, work)
            elif code[0] == op.PARAMETER:
                work.gradient[code[2]] += total(work.slopes, code[1], 0, count)


@kernel
def _extent(kind, t, steps, lengths, n):
    """First position and number of positions of a round, and where the step before starts."""
    if kind == op.STEPS:
        before = np.int64(steps[t - 1]) if t > 0 else -1
        return np.int64(steps[t]), np.int64(steps[t + 1] - steps[t]), before
    return 0, n if kind == op.FRAMES else lengths.shape[0], -1


@kernel
def _forward_affine(code, operands, x, xo, parameters, values, start, n):
    outputs = operands[code[1] : code[1] + code[2]]
    inputs = operands[code[3] : code[3] + code[4]]
    y, yo, w, b = address(values), 4 * values.shape[1], code[5], code[6]
    by_input = np.int64(code[2])
    combine(y, yo, outputs, x, xo, inputs, parameters, w, _ONE, by_input, b, start, n)


@kernel
def _backward_affine(code, tables, parameters, slopes, start, n, shift):
    """Slopes of the inputs, which are ``shift`` positions away."""
    inputs = tables.operands[code[3] : code[3] + code[4]]
    if inputs[0] >= tables.first_slope:
        outputs = tables.operands[code[1] : code[1] + code[2]]
        x, xo, w = address(slopes), 4 * slopes.shape[1], code[5]
        y, by_output, add = x + 4 * shift, np.int64(code[2]), np.int32(-1)
        combine(y, xo, inputs, x, xo, outputs, parameters, w, by_output, _ONE, add, start, n)


@kernel
def _affine_gradient(code, operands, x, xo, work, start, n):
    outputs = operands[code[1] : code[1] + code[2]]
    inputs = operands[code[3] : code[3] + code[4]]
    y, yo = address(work.slopes), 4 * work.slopes.shape[1]
    correlate(y, yo, outputs, x, xo, inputs, work.gradient, code[5], _ONE, code[2], start, n)
    if code[6] >= 0:
        for o in range(outputs.shape[0]):
            work.gradient[code[6] + o] += total(work.slopes, outputs[o], start, n)


@kernel
def _past_gradient(code, operands, steps, work):
    """The inputs are as many positions back as the step before has; often that does not change."""
    x, xo = address(work.values), 4 * work.values.shape[1]
    t = 1
    while t < steps.shape[0] - 1:
        back = np.int64(steps[t] - steps[t - 1])
        end = t + 1
        while end < steps.shape[0] - 1 and steps[end] - steps[end - 1] == back:
            end += 1
        start, n = np.int64(steps[t]), np.int64(steps[end] - steps[t])
        _affine_gradient(code, operands, x - 4 * back, xo, work, start, n)
        t = end


@kernel
def _zero_slopes(tables, slopes, n):
    for r in tables.summed:
        fill(slopes[r], np.float32(0.0), 0, n)


@kernel
def _judge(tables, labels, confusion, values):
    """Count decisions by true class; False if some output is not finite."""
    for p in range(labels.shape[0]):
        if labels[p] >= 0:
            decision = decide(values, tables.outputs, p)
            if decision < 0:
                return False
            confusion[labels[p], decision] += 1
    return True


@kernel
def _report(tables, packed, lane0, steps, lengths, first, n, results, values):
    """Write outputs where their frames, or their sequences, are in the original data."""
    if not tables.in_frames:
        for lane in range(lengths.shape[0]):
            for k in range(tables.outputs.shape[0]):
                results[packed.sequences[lane0 + lane], k] = values[tables.outputs[k]][lane]
        return
    t = step_of(steps, first)
    for p in range(n):
        while first + p >= steps[t + 1]:
            t += 1
        frame = packed.starts[lane0 + first + p - steps[t]] + t
        for k in range(tables.outputs.shape[0]):
            results[frame, k] = values[tables.outputs[k]][p]


def _digest() -> int:
    """A number for all sources of the engine: Numba itself looks only at the entry point's."""
    sources = [*sorted(Path(__file__).parent.glob("*.py")), Path(compiled.__file__)]
    joined = b"".join(path.read_bytes() for path in sources)
    return int.from_bytes(hashlib.sha256(joined).digest()[:7], "big")


def _compiled(digest: int) -> Any:
    # The digest is captured, and so becomes part of the key under which the code is cached.
    @entry
    def run(
        mode,
        tables,
        packed,
        labels,
        weights,
        shares,
        order,
        parameters,
        work,
        rates,
        clip,
        decay,
        stop,
        confusion,
        results,
        losses,
    ):
        if digest < 0:
            return DIVERGED
        before = denormals.flush()
        n_features = packed.n_features
        for index in range(order.shape[0]):
            batch = order[index]
            work.gradient[:] = np.float32(0.0)
            loss = 0.0
            for block in range(packed.batches[batch], packed.batches[batch + 1]):
                at, pitch, n_frames, frame0, lane0, n_lanes, step0, n_steps = packed.blocks[block]
                data = packed.data[at : at + n_features * pitch].reshape(n_features, pitch)
                steps = packed.steps[step0 : step0 + n_steps + 1]
                lengths = packed.lengths[lane0 : lane0 + n_lanes]
                chunk = CHUNK if tables.extent == CHUNKED else n_frames
                for first in range(0, n_frames, chunk):
                    if stop[0] != 0:
                        denormals.restore(before)
                        return STOPPED
                    n = min(chunk, n_frames - first)
                    _forward(tables, data, steps, lengths, first, n, parameters, work)
                    begin = frame0 + first if tables.in_frames else lane0
                    end = begin + (n if tables.in_frames else n_lanes)
                    if mode == TRAIN:
                        lanes_only = tables.extent == LANES_ONLY
                        _zero_slopes(tables, work.slopes, n_lanes if lanes_only else n)
                        loss += cross_entropy(
                            work.values,
                            work.slopes,
                            tables.outputs,
                            labels[begin:end],
                            weights,
                            shares[batch],
                            work.scratch,
                        )
                        _backward(tables, data, steps, lengths, first, n, parameters, work)
                    elif mode == EVALUATE:
                        if not _judge(tables, labels[begin:end], confusion, work.values):
                            denormals.restore(before)
                            return DIVERGED
                    else:
                        _report(
                            tables, packed, lane0, steps, lengths, first, n, results, work.values
                        )
            if mode == TRAIN:
                losses[0] += loss
                for place in range(work.held.shape[0]):
                    work.gradient[work.held[place]] = 0.0
                size = norm(work.gradient)
                if not np.isfinite(size):
                    denormals.restore(before)
                    return DIVERGED
                factor = clip / size if 0.0 < clip < size else 1.0
                adam(parameters, work, rates[index], factor)
                kept = np.float32(1.0 - rates[index] * decay)
                for place in range(work.fading.shape[0]):
                    parameters[work.fading[place]] *= kept
        denormals.restore(before)
        return DONE

    return run


# Numba sets up its own library at the first use of a compiled function: with the import, then, so
# that the first training need not wait for it.
registry.cpu_target.target_context.refresh()

run = _compiled(_digest())
