"""Functions that an exported module may need, as their source, in the order they are written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from nearstar.language.primitives import PRIMITIVES

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

HELPERS = {
    "checked": CHECKED,
    "select": SELECT,
    "affine": AFFINE,
    "windows": WINDOWS,
    "fold": FOLD,
    **{
        primitive.python.partition("(")[0]: primitive.helper
        for primitive in PRIMITIVES.values()
        if primitive.helper
    },
}


def needed(helpers: Mapping[str, str], parts: Iterable[str]) -> dict[str, str]:
    """The helpers that parts of a module call, or that those call, in order."""
    text, names = "\n".join(parts), set[str]()
    while new := {name for name in helpers if name not in names and _calls(text, name)}:
        names |= new
        text = "\n".join(helpers[name] for name in new)
    return {name: source for name, source in helpers.items() if name in names}


def _calls(text: str, name: str) -> bool:
    return re.search(rf"\b{name}\(", text) is not None
