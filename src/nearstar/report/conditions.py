"""What the condition of an ``if`` asks, in words that are true of it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from nearstar.language.operators import Window
from nearstar.language.program import Path
from nearstar.language.view import View, view_at
from nearstar.model.explain.program_parts import Leaf, Part
from nearstar.model.model import Model
from nearstar.report.digits import near, shown, significant

_LONGEST = 6
"""Most terms of a sum that is written out; a longer one is read in its own table."""


@dataclass(frozen=True)
class Feature:
    """What a view shows of a feature."""

    name: str
    column: int
    view: View

    @property
    def words(self) -> str:
        return self.view.of(self.name)


@dataclass(frozen=True)
class Carried:
    """A component of the accumulator, as it comes from the frame before."""

    name: str
    component: int

    @property
    def words(self) -> str:
        return f"the {self.name}"


Quantity = Feature | Carried


@dataclass(frozen=True)
class Threshold:
    """Whether one quantity is above, or below, a value."""

    quantity: Quantity
    above: bool
    value: float
    rounded: float

    @property
    def words(self) -> str:
        side = "above" if self.above else "below"
        return f"{self.quantity.words} is {side} {shown(self.rounded)}"


@dataclass(frozen=True)
class Sum:
    """Whether a weighted sum is above 0; its numbers are rounded for reading."""

    terms: tuple[tuple[float, Quantity], ...]
    bias: float

    @property
    def words(self) -> str:
        products = [(weight, f"·{quantity.name}") for weight, quantity in self.terms]
        (first, name), *others = products
        text = shown(first) + name
        for number, name in (*others, (self.bias, "")):
            text += f" {'+' if number >= 0 else '−'} {shown(abs(number))}{name}"
        features = [quantity for _, quantity in self.terms if isinstance(quantity, Feature)]
        of_each = features[0].view.of_each if features else ""
        return f"{text} is above 0" + (f", {of_each}" if of_each else "")


@dataclass(frozen=True)
class Same:
    """A number that is the same whatever the data are."""

    value: float

    @property
    def words(self) -> str:
        always = "always" if self.value > 0 else "never"
        return f"{shown(significant(self.value))} is above 0: {always}"


@dataclass(frozen=True)
class OfPart:
    """Whether a part of the program is above 0, which is all that can be said in short."""

    number: int
    when: str
    """Of which frames, between commas, where it is not of one."""

    @property
    def words(self) -> str:
        return f"part {self.number}{self.when} is above 0"


Condition = Threshold | Sum | Same | OfPart


def condition_of(
    node: Part, exact: Mapping[Path, Part], rounded: Mapping[Path, Part], model: Model
) -> Condition:
    """What the ``if`` at a node asks; by the program's nodes, exact and rounded for reading."""
    asked = exact[node.arguments[0]]
    # A window gives what its body does of what the window shows.
    body = exact[asked.arguments[0]] if isinstance(asked.operation, Window) else asked
    part = OfPart(asked.number, _when(asked, model))
    view = view_at(model.program, body.path)
    if body.leaf is not None:
        return _of_leaf(body.leaf, rounded[body.path].leaf or body.leaf, view, model) or part
    picks = body.operation.picks(body.signature)
    if picks is None:
        return part
    # Whether a feature as it is is above 0.
    quantity = Feature(model.domain.features[picks[0]], picks[0], view)
    return Same(0.0) if view.empty else Threshold(quantity, True, 0.0, 0.0)


def _when(asked: Part, model: Model) -> str:
    if not asked.signature.summarises:
        return ""
    at_end = view_at(model.program, asked.path).at_end
    if asked.operation.recurs or asked.half_life is not None:
        return ", over the whole sequence," if at_end else ", over the frames so far,"
    return ", at the end of the sequence," if at_end else ""


def _of_leaf(leaf: Leaf, rounded: Leaf, view: View, model: Model) -> Condition | None:
    """What an affine leaf of one output asks; None where that would be too long to read."""
    quantities: list[Quantity] = [
        Feature(model.domain.features[column], column, view) for column in leaf.columns
    ]
    quantities += [Carried(name, component) for component, name in enumerate(leaf.carried)]
    weights = [*leaf.weights[:, 0].tolist(), *leaf.accumulator[:, 0].tolist()]
    bias = float(leaf.bias[0])
    counting = [
        index
        for index, (weight, quantity) in enumerate(zip(weights, quantities, strict=True))
        if weight != 0 and not (isinstance(quantity, Feature) and view.empty)
    ]
    if len(counting) == 1:
        weight, quantity = weights[counting[0]], quantities[counting[0]]
        if math.isfinite(value := -bias / weight):
            return Threshold(quantity, weight > 0, value, _rounded(value, quantity, model))
    if len(counting) < 2:
        return Same(bias)
    if len(counting) > _LONGEST:
        return None
    numbers = [*rounded.weights[:, 0].tolist(), *rounded.accumulator[:, 0].tolist()]
    terms = tuple((numbers[index], quantities[index]) for index in counting)
    return Sum(terms, float(rounded.bias[0]))


def _rounded(value: float, quantity: Quantity, model: Model) -> float:
    if model.prints_as_is:
        return value + 0.0  # never -0.0
    if isinstance(quantity, Carried):
        return significant(value)
    mean = float(model.scale.mean[quantity.column]) if quantity.view.moves else 0.0
    return near(value, mean, float(model.scale.std[quantity.column]))
