"""Functions that make features from a table, as their source, in the order they are written.

Points are arrays of x and y by frame. NaN stands for what has no earlier frame to compare with.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from nearstar.data.derived.measures import sources

if TYPE_CHECKING:
    from nearstar.model.model import Model

HAS = '''\
def has(table, *names):
    """Whether a table, a dictionary or a structured array, has all these columns."""
    known = table.dtype.names if isinstance(table, np.ndarray) else table
    return all(name in known for name in names)'''

COLUMN = '''\
def column(table, name):
    """A column as finite numbers."""
    if not has(table, name):
        raise ValueError(f"there is no column {name!r}")
    values = np.array(table[name], dtype=np.float64)
    if not np.isfinite(values).all():
        raise ValueError(f"there are missing or infinite numbers in the column {name!r}")
    return values'''

FILLED = '''\
def filled(values):
    """The values with a line drawn through each gap; at the ends the nearest value is held."""
    gaps, rows = np.isnan(values), np.arange(len(values))
    if gaps.all():
        return values
    return np.where(gaps, np.interp(rows, rows[~gaps], values[~gaps]), values)'''

_PLAIN = "np.array(table[name], dtype=np.float64)"
COLUMN_FILLED = COLUMN.replace(_PLAIN, f"filled({_PLAIN})")

XY = '''\
def xy(table, x, y):
    """A point by its two columns."""
    return np.array([column(table, x), column(table, y)])'''

POINT = '''\
def point(table, name):
    """A tracked point by its name, which two columns have in one of these forms."""
    for form in ("{}_x", "{}.x", "{} x", "{}x", "x_{}", "x{}"):
        x, y = form.format(name), form.replace("x", "y").format(name)
        if has(table, x, y):
            return xy(table, x, y)
    raise ValueError(f"there is no point {name!r}, such as columns {name}_x and {name}_y")'''

BEFORE_ALONE = '''\
def before(values, frames=1):
    """NaN: rows are examples here, and not frames that follow one another."""
    return np.full_like(values, np.nan)'''

FEATURE_HELPERS = {
    "has": HAS,
    "filled": FILLED,
    "column": COLUMN,
    "xy": XY,
    "point": POINT,
    **sources(),
}


def feature_helpers(model: Model) -> dict[str, str]:
    """The functions as they are for a model's data."""
    if model.program.signature.maps_vectors:
        return {**FEATURE_HELPERS, "before": BEFORE_ALONE}
    if model.format is not None and model.format.missing == "interpolate":
        return {**FEATURE_HELPERS, "column": COLUMN_FILLED}
    return FEATURE_HELPERS
