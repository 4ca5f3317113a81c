"""The JSON tree has all that a program means: an interpreter of it alone gives the same values."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from hypothesis import given, settings
from model.export.cases import Case, cases, every_construct, every_primitive
from numpy.typing import NDArray

from nearstar import Domain, Model
from nearstar.language.operators import HARD
from nearstar.model.export import export

Array = NDArray[np.float64]
_UNARY: dict[str, Any] = {
    "absolute": np.abs,
    "sqrt": lambda a: np.sqrt(np.maximum(a, 0)),
    "tanh": np.tanh,
    "sigmoid": lambda a: 1 / (1 + np.exp(-a)),
    "exp": np.exp,
    "log": np.log,
    "relu": lambda a: np.maximum(a, 0),
}
_BINARY: dict[str, Any] = {
    "add": np.add,
    "subtract": np.subtract,
    "multiply": np.multiply,
    "divide": np.divide,
    "minimum": np.minimum,
    "maximum": np.maximum,
    "greater": lambda a, b: 1.0 * (a > b),
}


class Reader:
    """Knows the file, and nothing of the package."""

    def __init__(self, text: str) -> None:
        self.file = json.loads(text)
        self.features: list[str] = self.file["features"]

    def run(self, x: Array) -> Array:
        """The outputs for one sequence; for vectors, for all of them."""
        root = self.file["program"]
        if root["type"]["input"]["kind"] == "vector":
            return np.array([self.vector(root, row, np.zeros(0)) for row in x])
        if root["type"]["output"]["kind"] == "vector":
            return self.summary(root, x, len(x) - 1)[None]
        return self.sequence(root, x)

    def sequence(self, node: dict[str, Any], x: Array) -> Array:
        operation, arguments = node["operation"], node["arguments"]
        if operation == "x":
            return x
        if operation == "map":
            return np.array([self.vector(arguments[0], row, np.zeros(0)) for row in x])
        if operation == "mapprefix":
            return np.array([self.summary(arguments[0], x, t) for t in range(len(x))])
        values = [
            self.sequence(argument, x)
            if argument["type"]["output"]["kind"] == "sequence"
            else np.tile(self.summary(argument, x, len(x) - 1), (len(x), 1))
            for argument in arguments
        ]
        return np.array([self.apply(node, [v[t] for v in values], None) for t in range(len(x))])

    def summary(self, node: dict[str, Any], x: Array, t: int) -> Array:
        parameters, arguments = node["parameters"], node["arguments"]
        if node["operation"] == "fold":
            state = np.zeros(parameters["accumulator_size"])
            for row in x[: t + 1]:
                state = self.vector(arguments[0], row, state)
            return state[: node["type"]["output"]["size"]]
        if "half_life" in parameters:
            kept = 0.5 ** (1 / parameters["half_life"])
            mean = self.vector(arguments[0], x[0], np.zeros(0))
            for row in x[1 : t + 1]:
                mean = kept * mean + (1 - kept) * self.vector(arguments[0], row, np.zeros(0))
            return mean
        if "reduction" in parameters:
            rows = x[max(t - parameters["before"], 0) : t + parameters["after"] + 1]
            value = {
                "average": rows.mean(axis=0),
                "max": rows.max(axis=0),
                "min": rows.min(axis=0),
                "change": rows[-1] - rows[0],
                "spread": rows.std(axis=0),
            }[parameters["reduction"]]
            return self.vector(arguments[0], value, np.zeros(0))
        return self.apply(node, [self.summary(each, x, t) for each in arguments], None)

    def vector(self, node: dict[str, Any], row: Array, state: Array) -> Array:
        parameters = node["parameters"]
        assert node["type"]["carried"] == len(state)
        if "weights" in parameters:
            value = np.array(parameters["bias"])
            for name, weights in parameters["weights"].items():
                value = value + row[self.features.index(name)] * np.array(weights)
            for number, weights in zip(state, parameters.get("accumulator", []), strict=True):
                value = value + number * np.array(weights)
            return value
        if "value" in parameters:
            return np.array(parameters["value"])
        if "features" in parameters:
            return row[[self.features.index(name) for name in parameters["features"]]]
        if node["operation"] == "x":
            return np.concatenate([row, state])
        return self.apply(node, [self.vector(each, row, state) for each in node["arguments"]], row)

    def apply(self, node: dict[str, Any], values: list[Array], row: Array | None) -> Array:
        meaning = self.file["functions"][node["operation"]]["meaning"]
        value = self.expression(meaning, values, row)
        return np.broadcast_to(value, node["type"]["output"]["size"])

    def expression(self, meaning: list[Any], values: list[Array], row: Array | None) -> Array:
        kind, value, _, operands = meaning
        if kind == "argument":
            return values[value]
        if kind == "feature":
            assert row is not None
            return row[[value]]
        if kind == "literal":
            return np.array([value])
        parts = [self.expression(operand, values, row) for operand in operands]
        if kind == "component":
            return parts[0][[value]]
        if kind == "mix":
            return parts[0] * parts[1] + (1 - parts[0]) * parts[2]
        return np.asarray((_UNARY.get(kind) or _BINARY[kind])(*parts))


def check(case: Case) -> None:
    expected, peak = case.expected()
    if not peak < 1e4:
        return
    reader = Reader(str(export(case.model, "json")))
    with np.errstate(all="ignore"):
        found = np.concatenate([reader.run(x.astype(np.float64)) for x in case.inputs])
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9 * max(peak, 1))
    offsets = case.model.offsets
    assert reader.file["offsets"] == (None if offsets is None else offsets.tolist())


@settings(max_examples=60)
@given(cases())
def test_the_tree_means_what_the_program_means(case: Case) -> None:
    check(case)


def test_every_construct() -> None:
    for case in [*every_construct((1, 2, 9)), *every_primitive()]:
        check(case)


def test_names_labels_and_text_are_in_it() -> None:
    domain = Domain.of_features(["x", '"\ud800'], derived={"pace": "change(x)"})
    signature = domain.signature(1, per_frame=True)
    text = "map (fun x_t. Affine[.1, 2, 3; 4.123456789](x_t)) x"
    model = Model.from_text(text, domain, signature, ("1", "b"), labels=(1, "b"))
    file = json.loads(export(model, "json"))
    assert file["text"] == text
    assert file["features"] == ["x", '"\ud800', "pace"]
    assert file["derived"] == {"pace": "change(x)"}
    assert file["classes"] == [1, "b"]
    leaf = file["program"]["arguments"][0]
    assert (leaf["number"], leaf["operation"]) == (2, "Affine")
    assert leaf["parameters"] == {
        "weights": {"x": [0.1], '"\ud800': [2.0], "pace": [3.0]},
        "bias": [4.123456789],
    }


def test_leaves_say_which_class_they_name() -> None:
    domain = Domain.of_features(("gap",), {}, classes=("no", "yes"), beta=HARD)
    signature = domain.signature(1, per_frame=False, vectors=True)
    model = Model.from_text("if gap > 3 then yes else no", domain, signature, ("no", "yes"))
    tree = json.loads(export(model, "json"))["program"]
    assert [each["operation"] for each in tree["arguments"][1:]] == ["class", "class"]
    assert tree["arguments"][1]["parameters"] == {"value": [1.0], "class": "yes"}
