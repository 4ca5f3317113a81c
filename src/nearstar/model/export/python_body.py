"""A program as Python statements over rows of features.

Values are arrays whose last axis is the components: (rows, components) for every row of the data,
(1, components) for a whole sequence, and (components,) in a step of a fold or for a constant.
NumPy repeats what has fewer rows or a single component.
"""

from __future__ import annotations

import builtins
import keyword
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from nearstar.language.function import Function
from nearstar.language.operators import (
    BUILT_IN,
    Affine,
    Constant,
    Fold,
    Input,
    Map,
    MapPrefix,
    Select,
    Window,
)
from nearstar.language.program import Path
from nearstar.language.types import Signature
from nearstar.model.explain.nodes import Node
from nearstar.model.export.python_expression import definition
from nearstar.model.export.python_helpers import HELPERS
from nearstar.model.export.python_literals import listed, quoted, table

TAKEN = {
    *(*keyword.kwlist, *keyword.softkwlist, *dir(builtins), *HELPERS),
    *("np", "csv", "sys", "x", "state", "features", "scores", "probabilities", "predict"),
    *("sequences", "table_of", "answers", "main"),
}
"""Names that mean something in every module."""
_CALLED = {
    "if": "choice",
    "add": "total",
    "multiply": "product",
    "min": "smaller",
    "max": "larger",
    "fold": "states",
    "const": "constant",
}
"""What a person would call the value of an operation, where its own name will not do."""
_INLINE = {
    "add": "{} + {}",
    "multiply": "{} * {}",
    "difference": "{} - {}",
    "min": "np.minimum({}, {})",
    "max": "np.maximum({}, {})",
}
_REDUCED = {
    "Average": "{rows}.mean(axis=0{keep})",
    "Max": "{rows}.max(axis=0{keep})",
    "Min": "{rows}.min(axis=0{keep})",
}


@dataclass(frozen=True)
class _Value:
    """An expression in the source, and whether it has a row for each one that it should."""

    text: str
    full: bool = True


@dataclass(frozen=True)
class _Scope:
    """Where a vector → vector expression stands: the names of its input, and its statements."""

    x: str
    lines: list[str]
    state: str | None = None


class Body:
    """The parts of a module that come from the program."""

    def __init__(
        self, nodes: Mapping[Path, Node], features: tuple[str, ...], taken: Iterable[str] = ()
    ) -> None:
        self.nodes = nodes
        self.features = features
        self.constants: list[str] = []
        """Lines that define the parameters."""
        self.definitions: list[str] = []
        """Functions of the user's, and steps of folds."""
        self._names = _Names(nodes, {*TAKEN, *taken})
        self._defined: set[Function] = set()

    def scores(self, signature: Signature) -> list[str]:
        """The statements from ``x``, all frames or vectors, to the outputs."""
        root, lines = self.nodes[()], list[str]()
        if signature.maps_vectors:
            value = self._vector(root, _Scope("x", lines))
        elif signature.summarises:
            value = self._summary(root, lines, each=False)
        else:
            value = self._sequence(root, lines)
        if signature.summarises:
            return _returning(lines, f"{value.text}[0]" if value.full else value.text)
        if not value.full:
            return _returning(lines, f"np.tile({value.text}, (len(x), 1))")
        return _returning(lines, value.text)

    def _arguments(self, node: Node) -> list[Node]:
        return [self.nodes[path] for path in node.arguments]

    def _assign(self, node: Node, lines: list[str], text: str, full: bool = True) -> _Value:
        name = self._names[node]
        lines.append(f"{name} = {text}")
        return _Value(name, full)

    # Sequence → sequence, sequence → vector

    def _sequence(self, node: Node, lines: list[str]) -> _Value:
        arguments = self._arguments(node)
        match node.operation:
            case Map():
                return self._vector(arguments[0], _Scope("x", lines))
            case MapPrefix():
                return self._summary(arguments[0], lines, each=True)
            case Input():
                return _Value("x")
            case Function() as function:
                values = [
                    self._sequence(argument, lines)
                    if argument.signature.maps_sequences
                    else self._summary(argument, lines, each=False)
                    for argument in arguments
                ]
                # A whole sequence has one row: it is not enough for all frames.
                full = any(
                    value.full and argument.signature.maps_sequences
                    for value, argument in zip(values, arguments, strict=True)
                )
                return self._function(node, function, values, _Scope("x", lines), full)
        raise TypeError(f"{node.operation.name} cannot be exported as {node.signature}")

    def _summary(self, node: Node, lines: list[str], *, each: bool) -> _Value:
        """At each frame, or at the last one."""
        arguments = self._arguments(node)
        match node.operation:
            case Fold():
                return self._fold(node, arguments[0], lines, each)
            case Window() as window:
                name = self._names[node]
                lines.append(f"{name} = {_windowed(window, each)}")
                return self._vector(arguments[0], _Scope(name, lines))
            case Function() as function:
                values = [self._summary(argument, lines, each=each) for argument in arguments]
                full = any(value.full for value in values)
                return self._function(node, function, values, _Scope("x", lines), full)
        raise TypeError(f"{node.operation.name} cannot be exported as {node.signature}")

    def _fold(self, node: Node, body: Node, lines: list[str], each: bool) -> _Value:
        step, inner = self._names.of("step", node), list[str]()
        value = self._vector(body, _Scope("x", inner, "state"))
        self.definitions.append(
            "\n".join(
                [
                    f"def {step}(x, state):",
                    f'    """The next state of the fold, of {body.outputs} components."""',
                    *(f"    {line}" for line in _returning(inner, value.text)),
                ]
            )
        )
        rows = ":" if each else "-1:"
        outputs = "" if node.outputs == body.outputs else f", :{node.outputs}"
        place = f"[{rows}{outputs}]" if outputs or not each else ""
        return self._assign(node, lines, f"fold({step}, x, {body.outputs}){place}")

    # Vector → vector

    def _vector(self, node: Node, scope: _Scope) -> _Value:
        match node.operation:
            case Affine():
                return self._affine(node, scope)
            case Constant():
                return self._constant(node)
            case Select(group=group):
                names = ", ".join(quoted(self.features[column]) for column in group.columns)
                return self._assign(node, scope.lines, f"select({scope.x}, {names})")
            case Input():
                if scope.state is None:
                    return _Value(scope.x)
                return _Value(f"np.concatenate([{scope.x}, {scope.state}])")
            case Function() as function:
                values = [self._vector(argument, scope) for argument in self._arguments(node)]
                full = any(value.full for value in values) or bool(function.features())
                return self._function(node, function, values, scope, full)
        raise TypeError(f"{node.operation.name} cannot be exported as {node.signature}")

    def _affine(self, node: Node, scope: _Scope) -> _Value:
        leaf, name = node.leaf, self._names[node]
        assert leaf is not None
        constant = name.upper()
        names = [self.features[column] for column in leaf.columns]
        weights = dict(zip(names, leaf.weights.tolist(), strict=True))
        self.constants.append(f"{constant}_WEIGHTS = {table(weights)}")
        self.constants.append(f"{constant}_BIAS = {leaf.bias.tolist()}")
        text = f"affine({scope.x}, {constant}_WEIGHTS, {constant}_BIAS)"
        if scope.state is None:
            return self._assign(node, scope.lines, text)
        rows = leaf.accumulator.tolist()
        self.constants.append(f"{constant}_STATE = {listed(list(map(str, rows)))}")
        scope.lines.append(f"{name} = {text}")
        return self._assign(node, scope.lines, f"{name} + {scope.state} @ {constant}_STATE")

    def _constant(self, node: Node) -> _Value:
        assert node.leaf is not None
        name = self._names[node].upper()
        self.constants.append(f"{name} = np.array({node.leaf.bias.tolist()})")
        return _Value(name, full=False)

    def _function(
        self, node: Node, function: Function, values: list[_Value], scope: _Scope, full: bool
    ) -> _Value:
        texts = [value.text for value in values]
        if (beta := node.temperature) is not None:
            condition, then, otherwise = texts
            gate = self._names.of("gate", node)
            steep = condition if beta == 1 else f"{beta} * {condition}"
            scope.lines.append(f"{gate} = sigmoid({steep})")
            return self._assign(node, scope.lines, f"mix({gate}, {then}, {otherwise})", full)
        if function in BUILT_IN:
            return self._assign(node, scope.lines, _INLINE[function.name].format(*texts), full)
        inputs = [scope.x, *texts] if function.features() else texts
        call = f"{self._called(function)}({', '.join(inputs)})"
        if function.meaning.size == 1 and node.outputs > 1:
            call = f"np.repeat({call}, {node.outputs}, axis=-1)"
        return self._assign(node, scope.lines, call, full)

    def _called(self, function: Function) -> str:
        """The name of a function of the user's, which is written down once."""
        name = self._names.functions[function]
        if function not in self._defined:
            self._defined.add(function)
            self.definitions.append(definition(function, name, self.features))
        return name


class _Names:
    """Names that are not taken: that of the operation, with the node's number if need be."""

    def __init__(self, nodes: Mapping[Path, Node], taken: set[str]) -> None:
        self._taken = taken
        self._counts = Counter(_base(node) for node in nodes.values())
        self._counts["gate"] += sum(node.temperature is not None for node in nodes.values())
        self._counts["step"] += sum(isinstance(node.operation, Fold) for node in nodes.values())
        self._found: dict[Path, str] = {}
        operations = dict.fromkeys(node.operation for node in nodes.values())
        self.functions = {
            operation: self._free(operation.name.lower())
            for operation in operations
            if isinstance(operation, Function)
        }

    def __getitem__(self, node: Node) -> str:
        """The name of a node's value."""
        if node.path not in self._found:
            self._found[node.path] = self.of(_base(node), node)
        return self._found[node.path]

    def of(self, base: str, node: Node) -> str:
        """A new name for something that belongs to a node."""
        repeated = self._counts[base] > 1 or base in self._taken
        return self._free(f"{base}_{node.number}" if repeated else base)

    def _free(self, name: str) -> str:
        while name in self._taken:
            name += "_"
        self._taken.add(name)
        return name


def _base(node: Node) -> str:
    if isinstance(node.operation, Window):
        return "window"
    name = node.operation.name
    if isinstance(node.operation, Affine) and node.operation.group:
        return f"{node.operation.group.name}_affine".lower()
    return _CALLED.get(name, name.lower())


def _windowed(window: Window, each: bool) -> str:
    size = window.back + 1
    if window.reduction == "Change":
        if not each:
            return f"x[-1:] - x[-{size}:][:1]"
        text = "rows[-1] - rows[0]"
    else:
        keep = "" if each else ", keepdims=True"
        rows = "rows" if each else f"x[-{size}:]"
        text = _REDUCED[window.reduction].format(rows=rows, keep=keep)
    if not each:
        return text
    return f"np.array([{text} for rows in windows(x, {window.back}, {window.ahead})])"


def _returning(lines: list[str], value: str) -> list[str]:
    """The statements with the value returned; the last one is not named for nothing."""
    assigned = f"{value} = "
    if lines and lines[-1].startswith(assigned):
        return [*lines[:-1], "return " + lines[-1].removeprefix(assigned)]
    return [*lines, f"return {value}"]
