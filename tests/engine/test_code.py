"""A table that could read or write out of bounds never reaches the machine."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest
from engine.cases import UNITS, Case, cases
from hypothesis import given, settings
from hypothesis import strategies as st

from nearstar.engine.code import Code, TableError
from nearstar.engine.kernels import opcodes as op
from nearstar.engine.lowering import lower
from nearstar.engine.session import Session


def rebuilt(original: Code, /, **changes: object) -> Code:
    same = {each.name: getattr(original, each.name) for each in fields(original) if each.init}
    return Code(**{**same, **changes})  # type: ignore[arg-type]


@settings(max_examples=100)
@given(cases(), st.data())
def test_a_damaged_table_is_refused_or_harmless(case: Case, data) -> None:
    """Any one number changed: the table is refused, or it runs within its bounds."""
    code = lower(case.program, case.scale, UNITS)
    name = data.draw(st.sampled_from(["code", "operands", "regions", "outputs"]))
    array = getattr(code, name).copy()
    if array.size == 0:
        return
    index = data.draw(st.integers(0, array.size - 1))
    array.ravel()[index] = data.draw(st.integers(-3, 70) | st.integers(-(2**31), 2**31 - 1))
    try:
        damaged = rebuilt(code, **{name: array})
    except TableError:
        return
    blocks = case.blocks()
    session = Session(damaged, case.trained, blocks)
    if len(damaged.outputs) == len(code.outputs) and damaged.in_frames == code.in_frames:
        session.gradient(blocks, np.ones(blocks.counts.shape[1]))


@settings(max_examples=80)
@given(cases(), st.data())
def test_numbers_far_out_of_range_are_refused(case: Case, data) -> None:
    code = lower(case.program, case.scale, UNITS)
    table = code.code.copy()
    row = data.draw(st.integers(0, len(table) - 1))
    used = {
        op.AFFINE: 6, op.AFFINE_FEATURES: 6, op.AFFINE_PAST: 6, op.CELL: 5, op.WINDOW: 3,
        op.WINDOW_LAST: 3, op.FADE: 3, op.LINEAR: 4, op.MIX: 4,
    }.get(int(table[row, 0]), 2)  # fmt: skip
    column = data.draw(st.integers(0, used))
    table[row, column] = data.draw(st.sampled_from([-(2**31), -5, 2**20, 2**31 - 1]))
    with pytest.raises(TableError):
        rebuilt(code, code=table)


@settings(max_examples=5)
@given(cases())
def test_sessions_refuse_what_does_not_fit(case: Case) -> None:
    blocks = case.blocks()
    code = lower(case.program, case.scale, UNITS)
    with pytest.raises(ValueError, match="parameters"):
        Session(code, np.zeros(code.n_parameters + 1, np.float32), blocks)
    with pytest.raises(ValueError, match="features"):
        Session(code, case.trained, replace(blocks, n_features=blocks.n_features + 1))
