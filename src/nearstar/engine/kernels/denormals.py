"""Numbers too small for float32's ordinary range count as zero while the machine runs.

Slopes that fade away over hundreds of time steps reach that range, where x86 processors compute
many times more slowly. Other processors do not, and are left as they are.
"""

from __future__ import annotations

from typing import Any

import llvmlite.binding as llvm
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

_INT = ir.IntType(32)
_BYTES = ir.IntType(8).as_pointer()
_FLUSH = 0x8040
"""Bits of the control register: results, and operands, below the range are zero."""
_X86 = llvm.get_process_triple().startswith(("x86_64", "i386", "i686"))


def _control(builder: Any, access: str, register: Any) -> None:
    kind = ir.FunctionType(ir.VoidType(), [_BYTES])
    name = f"llvm.x86.sse.{access}mxcsr"
    function = cgutils.get_or_insert_function(builder.module, kind, name)
    builder.call(function, [builder.bitcast(register, _BYTES)])


@intrinsic
def flush(context):
    """Begin to flush; the state before is returned."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        register = cgutils.alloca_once_value(builder, _INT(0))
        if not _X86:
            return builder.load(register)
        _control(builder, "st", register)
        before = builder.load(register)
        builder.store(builder.or_(before, _INT(_FLUSH)), register)
        _control(builder, "ld", register)
        return before

    return types.int32(), codegen


@intrinsic
def restore(context, before):
    """Return to the state that ``flush`` returned."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        if _X86:
            _control(builder, "ld", cgutils.alloca_once_value(builder, args[0]))
        return context.get_dummy_value()

    return types.void(types.int32), codegen
