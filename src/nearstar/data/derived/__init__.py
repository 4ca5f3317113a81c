"""Features derived from tracked points and columns: ``gap = distance(nose, tail)``.

========================  =========================================================================
``distance(a, b)``        between two points
``speed(a)``              length of the step from the frame before
``acceleration(a)``       change of the speed
``heading(a)``            direction of the step from the frame before, from −π to π
``heading(a, b)``         direction from a to b
``angle(a, b, c)``        at b, between the directions to a and to c, from 0 to π
``angle(a, b, c, d)``     between the directions from a to b and from c to d
``change(e)``             difference to the frame before, of a column or a derived feature
``change(e, k)``          difference to k frames before; of a heading, the turn from −π to π
``mean(e, 31)``           over the 31 frames around, and so are the other statistics: ``spread``
                          (standard deviation), ``least``, ``largest``, ``rate`` (mean absolute
                          change from frame to frame), ``first`` and ``last``; ``change(e, around
                          31)`` is the last less the first
``mean(e, last 31)``      over the last 31 frames
``mean(e)``               over the whole sequence, ``mean(e, whole)``
========================  =========================================================================

``e`` is a column, a derived feature by its name, or such an expression.

A point ``nose`` is the columns nose_x and nose_y (or nose.x, "nose x", nosex, x_nose, xnose); any
two columns make one: ``(left, top)``. Names with other signs than letters, digits, ``_`` and ``.``
stand in quotes. Where there is no earlier frame to compare with, a value is 0.
"""

from nearstar.data.derived.formula import (
    Call,
    Column,
    Computing,
    Derived,
    Over,
    Point,
    named_in,
    needed_columns,
)
from nearstar.data.derived.from_text import parse_derived, read_derived

__all__ = [
    "Call",
    "Column",
    "Computing",
    "Derived",
    "Over",
    "Point",
    "named_in",
    "needed_columns",
    "parse_derived",
    "read_derived",
]
