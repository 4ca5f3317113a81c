"""A program as Python statements over rows of features.

Values are arrays whose last axis is the components: (rows, components) for every row of the data,
(1, components) for a whole sequence, and (components,) in a step of a fold or for a constant.
NumPy repeats what has fewer rows or a single component.
"""

from __future__ import annotations

import builtins
import keyword
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from nearstar.language.function import Function
from nearstar.language.meaning import Occurrence, Site, evaluate
from nearstar.language.operators import BUILT_IN, Window
from nearstar.language.program import Path
from nearstar.model.explain.program_parts import Leaf, Part
from nearstar.model.export.python_expression import definition, listed, quoted, table, written
from nearstar.model.export.python_helpers import HELPERS

TAKEN = {
    *(*keyword.kwlist, *keyword.softkwlist, *dir(builtins), *HELPERS),
    *("np", "csv", "sys", "x", "state", "features", "scores", "probabilities", "predict"),
    *("sequences", "table_of", "answers", "main"),
}
"""Names that mean something in every module."""


@dataclass(frozen=True)
class _Value:
    """An expression in the source, and whether it has a row for each one that it should."""

    text: str
    full: bool = True


class Body:
    """The parts of a module that come from the program."""

    def __init__(
        self, nodes: Mapping[Path, Part], features: tuple[str, ...], taken: Iterable[str] = ()
    ) -> None:
        self.nodes = nodes
        self.features = features
        self.constants: list[str] = []
        """Lines that define the parameters."""
        self.definitions: list[str] = []
        """Functions of the user's, and steps of folds."""
        self.names = _Names(nodes, {*TAKEN, *taken})
        self._defined: set[Function] = set()

    def scores(self) -> list[str]:
        """The statements from ``x``, all frames or vectors, to the outputs."""
        program, lines = self.nodes[()].program, list[str]()
        value = evaluate(program, _Source(self, lines))
        if program.signature.summarises:
            return _returning(lines, f"{value.text}[0]" if value.full else value.text)
        if not value.full:
            return _returning(lines, f"np.tile({value.text}, (len(x), 1))")
        return _returning(lines, value.text)

    def called(self, function: Function) -> str:
        """The name of a function of the user's, which is written down once."""
        name = self.names.functions[function]
        if function not in self._defined:
            self._defined.add(function)
            self.definitions.append(definition(function, name, self.features))
        return name


@dataclass(frozen=True)
class _Source(Site[_Value]):
    """A site in the source: the names of its input, and the statements so far."""

    body: Body
    lines: list[str] = field(default_factory=list)
    x: str = "x"
    state: str | None = None

    def _assign(self, here: Occurrence, text: str, full: bool = True) -> _Value:
        name = self.body.names[self.body.nodes[here.path]]
        self.lines.append(f"{name} = {text}")
        return _Value(name, full)

    def _leaf(self, here: Occurrence) -> tuple[str, Leaf]:
        """The name of a leaf's parameters, and what they are."""
        node = self.body.nodes[here.path]
        assert node.leaf is not None
        return self.body.names[node].upper(), node.leaf

    def broadcast(self, here: Occurrence, value: _Value) -> _Value:
        # A whole sequence has one row: it is not enough for all frames.
        return replace(value, full=False)

    def window(self, here: Occurrence, window: Window) -> _Source:
        if self.each:
            each = f"for rows in windows(x, {window.back}, {window.ahead})"
            text = f"np.array([{window.reduces.python} {each}])"
        else:
            text = window.reduces.python_last.format(rows=f"x[-{window.back + 1}:]")
        return replace(self, x=self._assign(here, text).text)

    def scan(self, here: Occurrence, body: Callable[[_Source], _Value]) -> _Value:
        step = self.body.names.of("step", self.body.nodes[here.path])
        size, outputs = here.argument(0).signature.carried, here.signature.output.size
        inner = _Source(self.body, state="state")
        value = body(inner)
        self.body.definitions.append(
            "\n".join(
                [
                    f"def {step}(x, state):",
                    f'    """The next state of the fold, of {size} components."""',
                    *(f"    {line}" for line in _returning(inner.lines, value.text)),
                ]
            )
        )
        rows = ":" if self.each else "-1:"
        some = "" if outputs == size else f", :{outputs}"
        place = f"[{rows}{some}]" if some or not self.each else ""
        return self._assign(here, f"fold({step}, x, {size}){place}")

    def fade(self, here: Occurrence, value: _Value) -> _Value:
        if not value.full:  # a constant: its mean is what it is
            return value
        node = self.body.nodes[here.path]
        name = f"{self.body.names[node].upper()}_HALF_LIFE"
        self.body.constants.append(f"{name} = {node.half_life}")
        last = "" if self.each else "[-1:]"
        return self._assign(here, f"fading_mean({value.text}, {name}){last}")

    def affine(self, here: Occurrence, role: str = "affine") -> _Value:
        if (asked := self.body.nodes[here.path].threshold) is not None:
            read = f"select({self.x}, {quoted(asked.name)})"
            return _Value(f"{read} {asked.sign} {asked.value + 0.0!r}")
        (constant, leaf), constants = self._leaf(here), self.body.constants
        names = [self.body.features[column] for column in leaf.columns]
        weights = dict(zip(names, leaf.weights.tolist(), strict=True))
        constants.append(f"{constant}_WEIGHTS = {table(weights)}")
        constants.append(f"{constant}_BIAS = {leaf.bias.tolist()}")
        value = self._assign(here, f"affine({self.x}, {constant}_WEIGHTS, {constant}_BIAS)")
        if self.state is None:
            return value
        rows = leaf.accumulator.tolist()
        constants.append(f"{constant}_STATE = {listed(list(map(str, rows)))}")
        return self._assign(here, f"{value.text} + {self.state} @ {constant}_STATE")

    def constant(self, here: Occurrence) -> _Value:
        name, leaf = self._leaf(here)
        says = self.body.nodes[here.path].says
        about = "" if says is None else f"  # {quoted(says)}"
        self.body.constants.append(f"{name} = np.array({leaf.bias.tolist()}){about}")
        return _Value(name, full=False)

    def features(self, here: Occurrence, columns: tuple[int, ...]) -> _Value:
        names = ", ".join(quoted(self.body.features[column]) for column in columns)
        return self._assign(here, f"select({self.x}, {names})")

    def variable(self, here: Occurrence) -> _Value:
        if self.state is None:
            return _Value(self.x)
        return _Value(f"np.concatenate([{self.x}, {self.state}])")

    def function(self, here: Occurrence, function: Function, arguments: Sequence[_Value]) -> _Value:
        texts = [value.text for value in arguments]
        full = any(value.full for value in arguments) or bool(function.features())
        if function.beta is not None:
            condition, then, otherwise = texts
            if function.is_hard:
                compares = self.body.nodes[here.path].compares
                holds = condition if compares else f"{condition} > 0"
                return self._assign(here, f"np.where({holds}, {then}, {otherwise})", full)
            gate = self.body.names.of("gate", self.body.nodes[here.path])
            steep = condition if function.beta == 1 else f"{function.beta} * {condition}"
            self.lines.append(f"{gate} = sigmoid({steep})")
            return self._assign(here, f"mix({gate}, {then}, {otherwise})", full)
        if function in BUILT_IN:
            return self._assign(here, written(function.meaning, texts), full)
        inputs = [self.x, *texts] if function.features() else texts
        call = f"{self.body.called(function)}({', '.join(inputs)})"
        if function.meaning.size == 1 and here.signature.output.size > 1:
            call = f"np.repeat({call}, {here.signature.output.size}, axis=-1)"
        return self._assign(here, call, full)


class _Names:
    """Names that are not taken: that of the operation, with the node's number if need be."""

    def __init__(self, nodes: Mapping[Path, Part], taken: set[str]) -> None:
        self._taken = taken
        self._counts = Counter(node.operation.noun for node in nodes.values())
        gates = (node.operation for node in nodes.values() if not node.operation.is_hard)
        self._counts["gate"] += sum(operation.beta is not None for operation in gates)
        self._counts["step"] += sum(node.operation.recurs for node in nodes.values())
        self._found: dict[Path, str] = {}
        operations = dict.fromkeys(node.operation for node in nodes.values())
        self.functions = {
            operation: self._free(operation.name.lower())
            for operation in operations
            if isinstance(operation, Function)
        }

    def __getitem__(self, node: Part) -> str:
        """The name of a node's value."""
        if node.path not in self._found:
            self._found[node.path] = self.of(node.operation.noun, node)
        return self._found[node.path]

    def of(self, base: str, node: Part) -> str:
        """A new name for something that belongs to a node."""
        repeated = self._counts[base] > 1 or base in self._taken
        return self._free(f"{base}_{node.number}" if repeated else base)

    def _free(self, name: str) -> str:
        while name in self._taken:
            name += "_"
        self._taken.add(name)
        return name


def _returning(lines: list[str], value: str) -> list[str]:
    """The statements with the value returned; the last one is not named for nothing."""
    assigned = f"{value} = "
    if lines and lines[-1].startswith(assigned):
        return [*lines[:-1], "return " + lines[-1].removeprefix(assigned)]
    return [*lines, f"return {value}"]
