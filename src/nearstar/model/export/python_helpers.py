"""Functions that an exported module may need, as their source, in the order they are written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from nearstar.data.derived import measures, statistics
from nearstar.language.primitives import PRIMITIVES

if TYPE_CHECKING:
    from nearstar.model.model import Model


CHECKED = '''\
def checked(x):
    """The data as the model sees them: in single precision, computed with in double."""
    x = np.asarray(x, dtype=np.float32).astype(np.float64)
    if x.ndim != 2 or x.shape[1] != len(FEATURES) or not len(x):
        raise ValueError(f"x has the shape {x.shape}, not (rows, {len(FEATURES)} features)")
    if not np.isfinite(x).all():
        raise ValueError("there are numbers in x that are missing, infinite or too large")
    return x'''

SELECT = '''\
def select(x, *names):
    """These features, in this order."""
    return x[..., [COLUMN[name] for name in names]]'''

AFFINE = '''\
def affine(x, weights, bias):
    """The weighted sum of some features, plus the bias; a column for each output."""
    return select(x, *weights) @ np.array(list(weights.values())) + bias'''

WINDOWS = '''\
def windows(x, back, ahead):
    """The rows around each row: so many before and after it, as far as there are."""
    return [x[max(row - back, 0) : row + ahead + 1] for row in range(len(x))]'''

FOLD = '''\
def fold(step, x, size):
    """The state after each row: zeros at first, then what the step makes of row and state."""
    state, states = np.zeros(size), []
    for row in x:
        state = step(row, state)
        states.append(state)
    return np.array(states)'''

FADING_MEAN = '''\
def fading_mean(x, half_life):
    """The mean up to each row, in which a row counts half as much so many rows later.

    It begins as the first row."""
    kept, mean, means = 0.5 ** (1 / half_life), x[0], []
    for row in x:
        mean = kept * mean + (1 - kept) * row
        means.append(mean)
    return np.array(means)'''

HELPERS = {
    "checked": CHECKED,
    "select": SELECT,
    "affine": AFFINE,
    "windows": WINDOWS,
    "fold": FOLD,
    "fading_mean": FADING_MEAN,
    **{
        primitive.python.partition("(")[0]: primitive.helper
        for primitive in PRIMITIVES.values()
        if primitive.helper
    },
}


def needed(helpers: Mapping[str, str], parts: Iterable[str]) -> dict[str, str]:
    """The helpers that parts of a module call, or that those call, in order."""
    text, names = "\n".join(parts), set[str]()
    while new := {
        name for name in helpers if name not in names and re.search(rf"\b{name}\(", text)
    }:
        names |= new
        text = "\n".join(helpers[name] for name in new)
    return {name: source for name, source in helpers.items() if name in names}


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

OVER_ALONE = '''\
def over(statistic, values, back, ahead):
    """Of each row alone: rows are examples here, and not frames that follow one another."""
    values = np.where(np.isnan(values), 0, values)
    return np.array([statistic(value) for value in values[:, None]])'''

FEATURE_HELPERS = {
    "has": HAS,
    "filled": FILLED,
    "column": COLUMN,
    "xy": XY,
    "point": POINT,
    **measures.sources(),
    **statistics.sources(),
}


def feature_helpers(model: Model) -> dict[str, str]:
    """The functions as they are for a model's data."""
    if model.program.signature.maps_vectors:
        return {**FEATURE_HELPERS, "before": BEFORE_ALONE, "over": OVER_ALONE}
    if model.format is not None and model.format.missing == "interpolate":
        return {**FEATURE_HELPERS, "column": COLUMN_FILLED}
    return FEATURE_HELPERS
