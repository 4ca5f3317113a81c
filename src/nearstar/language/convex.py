"""Programs whose outputs are affine in their parameters: what they are trained by is convex."""

from __future__ import annotations

from nearstar.language.operators import ADD, DIFFERENCE, Affine, Constant, Map, MapPrefix, Window
from nearstar.language.program import Apply, Program


def is_convex(program: Program) -> bool:
    """Whether it is a leaf, sums and differences of such, under maps and windows: a cross-entropy
    then has no other minima than its least value."""
    if not isinstance(program, Apply) or program.signature.carried:
        return False
    operation = program.operation
    if isinstance(operation, Map | MapPrefix | Window) or operation in (ADD, DIFFERENCE):
        return all(map(is_convex, program.arguments))
    return isinstance(operation, Affine | Constant)
