"""How far smooth choices choose: the range that the gate of each ``if`` takes on data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import expit

from nearstar.data.sequences import Sequences
from nearstar.language.program import is_complete
from nearstar.model.explain.program_parts import Part, parts_of
from nearstar.model.explain.values import values_of

if TYPE_CHECKING:
    from nearstar.model.model import Model

GATES = "gates"
"""The key of a model's provenance that they are kept under."""
_QUANTILES = (0.05, 0.95)
_DECIMALS = 3


@dataclass(frozen=True)
class Blend:
    """What share of its first branch a smooth ``if`` takes on 9 of 10 elements."""

    least: float
    most: float
    of: str
    """What the elements are: frames, sequences or rows."""

    @property
    def words(self) -> str:
        low, high = (f"{100 * share:.0f} %" for share in (self.least, self.most))
        share = low if low == high else f"between {low} and {high}"
        always = share in ("0 %", "100 %")
        what = "as good as one of its branches" if always else "a blend, not a choice"
        return f"{what}: {share} of the first on 9 of 10 {self.of}"


def gates_of(model: Model, data: Sequences) -> dict[str, list[float]]:
    """The 5 % and 95 % quantiles of the gate of each smooth ``if``, by the number of its part."""
    if not is_complete(model.program):
        return {}
    nodes = parts_of(model)
    smooth = [node for node in nodes.values() if _is_smooth(node)]
    if not smooth:
        return {}
    values, ends = values_of(nodes, model.fitting(data)), data.offsets[1:] - 1
    found = {}
    for node in smooth:
        condition = values[node.arguments[0]].value[:, 0]
        # Of a whole sequence there is but one, which the last frame shows.
        shown = condition[ends] if _once(node, model) else condition
        gate = expit((node.temperature or 0.0) * shown)
        found[str(node.number)] = np.quantile(gate, _QUANTILES).round(_DECIMALS).tolist()
    return found


def blend_of(model: Model, node: Part) -> Blend | None:
    """How far a smooth ``if`` chooses, if the model knows."""
    known = model.facts.get("provenance", {}).get(GATES, {}).get(str(node.number))
    if known is None or not _is_smooth(node):
        return None
    vectors, (least, most) = model.program.signature.maps_vectors, known
    of = "rows" if vectors else "sequences" if _once(node, model) else "frames"
    return Blend(least, most, of)


def _is_smooth(node: Part) -> bool:
    return node.temperature is not None and not node.operation.is_hard


def _once(node: Part, model: Model) -> bool:
    """Whether it chooses once for a sequence, rather than at each frame."""
    return model.program.signature.summarises and not node.signature.carried
