"""What the condition of an ``if`` asks, in words that are true of it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from nearstar.language.operators import Fold, MapPrefix, Window
from nearstar.language.program import Path
from nearstar.language.view import View, view_at
from nearstar.model.explain.nodes import Leaf, Node
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
    node: Node, exact: Mapping[Path, Node], rounded: Mapping[Path, Node], model: Model
) -> Condition:
    """What the ``if`` at a node asks; by the program's nodes, exact and rounded for reading."""
    asked = exact[node.arguments[0]]
    # A window gives what its body does of what the window shows.
    body = exact[asked.arguments[0]] if isinstance(asked.operation, Window) else asked
    part = OfPart(asked.number, _when(asked, exact))
    view = view_at(model.program, body.path)
    if body.leaf is not None:
        return _of_leaf(body.leaf, rounded[body.path].leaf or body.leaf, view, model) or part
    picks = body.operation.picks(body.signature)
    return part if picks is None else _plain(picks[0], view, model)


def _when(asked: Node, nodes: Mapping[Path, Node]) -> str:
    path = asked.path
    if not asked.signature.summarises:
        return ""
    so_far = any(isinstance(nodes[path[:end]].operation, MapPrefix) for end in range(len(path)))
    if isinstance(asked.operation, Fold):
        return ", over the frames so far," if so_far else ", over the whole sequence,"
    return "" if so_far else ", at the end of the sequence,"


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
    if len(counting) == 1 and math.isfinite(value := -bias / weights[counting[0]]):
        quantity = quantities[counting[0]]
        return Threshold(
            quantity, weights[counting[0]] > 0, value, _rounded(value, quantity, model)
        )
    if len(counting) < 2:
        return Same(bias)
    if len(counting) > _LONGEST:
        return None
    numbers = [*rounded.weights[:, 0].tolist(), *rounded.accumulator[:, 0].tolist()]
    terms = tuple((numbers[index], quantities[index]) for index in counting)
    return Sum(terms, float(rounded.bias[0]))


def _plain(column: int, view: View, model: Model) -> Condition:
    """Whether a feature as it is is above 0."""
    if view.empty:
        return Same(0.0)
    return Threshold(Feature(model.domain.features[column], column, view), True, 0.0, 0.0)


def _rounded(value: float, quantity: Quantity, model: Model) -> float:
    if isinstance(quantity, Carried):
        return significant(value)
    mean = float(model.scale.mean[quantity.column]) if quantity.view.moves else 0.0
    return near(value, mean, float(model.scale.std[quantity.column]))
