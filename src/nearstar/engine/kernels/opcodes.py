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

# Pointwise, any region. Field 5 is the number of adjacent output rows; bits of field 6 say which
# operands are as many rows (bit 0: a, 1: b, 2: c), rather than one row for all.
LITERAL: Final = 12  # out, k
LINEAR: Final = 13  # out, a, k, k': k · a + k'
ADD: Final = 14  # out, a, b
SUBTRACT: Final = 15
MULTIPLY: Final = 16
DIVIDE: Final = 17
MINIMUM: Final = 18
MAXIMUM: Final = 19
GREATER: Final = 20
MIX: Final = 21  # out, gate, then, otherwise
ABSOLUTE: Final = 22  # out, a
SQRT: Final = 23
TANH: Final = 24
SIGMOID: Final = 25
EXP: Final = 26
LOG: Final = 27
RELU: Final = 28

# Reductions of windows.
WINDOW_AVERAGE: Final = 0
WINDOW_MAX: Final = 1
WINDOW_MIN: Final = 2
WINDOW_CHANGE: Final = 3
WINDOW_SPREAD: Final = 4
