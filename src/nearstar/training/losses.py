"""What training lowers, each loss a value: one more is a setting, a flag and part of the loop.

Every loss is cross-entropy of classes that weigh differently; how much may depend on what was
reached at the last look.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from nearstar.data.sequences import Sequences

_F1_RANGE = 0.05, 0.95
"""An F1 outside of it would leave one of the two classes next to no weight."""

ClassWeights = tuple[float, ...]


@dataclass(frozen=True)
class Loss:
    """How much an example of each class weighs."""

    name: str
    reweigh: Callable[[ClassWeights, float], ClassWeights] | None = None
    """From the weights that are given, and the validation F1 of the last look, to those until
    the next: their ratio counts. None: they stay as they are given."""
    two_classes: bool = False
    """Whether it is for two classes only."""


def _f1_costs(given: ClassWeights, f1: float) -> ClassWeights:
    """Misses and false alarms cost as much as they do of the F1 that was reached."""
    reached = min(max(f1, _F1_RANGE[0]), _F1_RANGE[1])
    return given[0] * reached / 2, given[1] * (1 - reached / 2)


_LOSSES = (Loss("cross-entropy"), Loss("f1", _f1_costs, two_classes=True))
LOSSES: Mapping[str, Loss] = MappingProxyType({each.name: each for each in _LOSSES})
"""By name; the first is for any number of classes."""


def f1_of_yes(data: Sequences) -> float:
    """The F1 of always giving the second class."""
    codes = np.asarray(data.labels)
    positive, negative = int(np.sum(codes == 1)), int(np.sum(codes == 0))
    return 2 * positive / max(2 * positive + negative, 1)
