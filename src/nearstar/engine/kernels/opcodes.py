"""The instruction set.

A *row* is one component of a value at every position of a block of data: frames (in regions
FRAMES and STEPS) or whole sequences (in LANES). An instruction is eight integers, the operation and
its fields, which are listed below in their order. ``p`` is an index into the parameters, ``k`` into
the constants, ``f`` a feature.
"""

from __future__ import annotations

from typing import Final

WIDTH: Final = 8

# Regions: how the instructions of a stretch of code are run.
FRAMES: Final = 0  # once, over all frames
LANES: Final = 1  # once, over all sequences
STEPS: Final = 2  # for one time step after the other, over the sequences that are still going

# Linear maps. Lists of rows, or of features, are in the operand table.
AFFINE: Final = (
    0  # list of outputs, n, list of inputs, m, p of weights [m][n], p of bias or -1: add
)
AFFINE_FEATURES: Final = 1  # the same of features, without loading them     FRAMES
AFFINE_PAST: Final = 2  # the same of rows one step earlier, zeros at first; always added    STEPS
PARAMETER: Final = 3  # out, p

# Inputs.
FEATURE: Final = 4  # out, f              FRAMES
WINDOW: Final = 5  # out, f, reduction, back, ahead          FRAMES
WINDOW_LAST: Final = 6  # out, f, reduction, back, ahead     LANES: at the end of each sequence

# Between regions and time steps.
PREVIOUS: Final = 7  # out, source       STEPS: a row one step earlier, zeros at first
CELL: Final = 8  # first gate, first c, first tanh c, first h, n: an LSTM cell           STEPS
LAST: Final = 9  # out, source            LANES: a row of frames at the end of each sequence
BROADCAST: Final = 10  # out, source          FRAMES: a row of sequences at each of their frames
AVERAGE_ROW: Final = 11  # out, source, back, ahead     FRAMES: averages over a window of steps
FADE: Final = 12  # out, source, p     FRAMES: a mean that fades, by the logarithm of a half-life

# Pointwise, any region. Field 5 is the number of adjacent output rows; bits of field 6 say which
# operands are as many rows (bit 0: a, 1: b, 2: c), rather than one row for all.
LITERAL: Final = 13  # out, k
LINEAR: Final = 14  # out, a, k, k': k · a + k'
ADD: Final = 15  # out, a, b
SUBTRACT: Final = 16
MULTIPLY: Final = 17
DIVIDE: Final = 18
MINIMUM: Final = 19
MAXIMUM: Final = 20
GREATER: Final = 21
MIX: Final = 22  # out, gate, then, otherwise
ABSOLUTE: Final = 23  # out, a
SQRT: Final = 24
TANH: Final = 25
SIGMOID: Final = 26
EXP: Final = 27
LOG: Final = 28
RELU: Final = 29

# Reductions of windows.
WINDOW_AVERAGE: Final = 0
WINDOW_MAX: Final = 1
WINDOW_MIN: Final = 2
WINDOW_CHANGE: Final = 3
WINDOW_SPREAD: Final = 4
