"""A model's program as LaTeX: equations for a paper."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

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
from nearstar.language.template import VARIABLES
from nearstar.model.explain.nodes import DIGITS, Array, Node, nodes_of
from nearstar.model.export.latex_expression import definition, has_mix
from nearstar.model.export.latex_symbols import number, operator, text
from nearstar.model.model import Model

_TERMS = 4
"""Terms of a sum on one line."""
_KNOWN = {"if", *(function.name for function in BUILT_IN)}
_INFIX = {"add": "{} + {}", "multiply": r"{} \cdot {}", "difference": "{} - {}"}


def to_latex(model: Model) -> str:
    """Display equations that a document with the package amsmath can take in as they are.

    First the program, then what its leaves and functions are; parameters are rounded for reading.
    """
    writer = _Writer(nodes_of(model, DIGITS), model)
    lines = [
        *writer.program(),
        *writer.decision(),
        *writer.leaves(),
        *writer.functions(),
        *writer.gates(),
    ]
    head = r"% Needs \usepackage{amsmath}."
    body = " \\\\\n".join(f"  {line}" for line in lines)
    return f"{head}\n\\begin{{align*}}\n{body}\n\\end{{align*}}\n"


class _Writer:
    def __init__(self, nodes: Mapping[Path, Node], model: Model) -> None:
        self.nodes = nodes
        self.model = model
        self._counts = Counter(node.operation.name for node in nodes.values())

    def program(self) -> Iterator[str]:
        variable = VARIABLES[0]
        yield rf"{operator('program')}({variable}) &= {self.expression(self.nodes[()], 0)}"

    def decision(self) -> Iterator[str]:
        """Which class the outputs speak for."""
        model, program = self.model, rf"{operator('program')}({VARIABLES[0]})"
        offsets = [] if model.offsets is None else model.offsets.tolist()
        if model.program.signature.output.size == 1:
            least = number(0.0 - offsets[0]) if offsets else "0"
            yield rf"{program} > {least} &\iff {text(model.class_names[1])}"
        elif offsets:
            added = ", ".join(map(number, offsets))
            yield rf"\text{{class}} &= \arg\max\left({program} + \left({added}\right)\right)"
        else:
            yield rf"\text{{class}} &= \arg\max {program}"

    # The program

    def expression(self, node: Node, level: int) -> str:
        """A node that stands inside of this many lambdas."""
        variable, bound = VARIABLES[level], VARIABLES[min(level + 1, len(VARIABLES) - 1)]
        match node.operation:
            case Map() | MapPrefix():
                body = self.expression(self.nodes[node.arguments[0]], level + 1)
                mapped = rf"\left({bound} \mapsto {body}\right)({variable})"
                return operator(node.operation.name) + mapped
            case Fold():
                body = self.expression(self.nodes[node.arguments[0]], level + 1)
                return rf"{operator('fold')}\left(({bound}, c) \mapsto {body}\right)({variable})"
            case Window():
                body = self.expression(self.nodes[node.arguments[0]], level)
                return rf"{operator(node.operation.name)}\left({body}\right)"
            case Input():
                return f"({variable}, c)" if node.signature.carried else variable
            case Affine() if node.signature.carried:
                return f"{self.symbol(node)}({variable}, c)"
            case Affine() | Select():
                return f"{self.symbol(node)}({variable})"
            case Constant():
                return self.symbol(node)
            case Function() as function:
                values = [self.expression(self.nodes[path], level) for path in node.arguments]
                return self.applied(node, function, values, variable)
        raise TypeError(f"{node.operation.name} cannot be exported as {node.signature}")

    def applied(self, node: Node, function: Function, values: list[str], variable: str) -> str:
        if node.temperature is not None:
            condition, then, otherwise = values
            return (
                rf"\begin{{cases}} {then} & \text{{if }} {condition} > 0 \\ "
                rf"{otherwise} & \text{{otherwise}} \end{{cases}}"
            )
        if function in BUILT_IN and function.name in _INFIX:
            return rf"\left({_INFIX[function.name].format(*values)}\right)"
        inputs = [*values, variable] if function.features() else values
        return rf"{operator(function.name)}\left({', '.join(inputs)}\right)"

    def symbol(self, node: Node) -> str:
        """The name of a leaf, with its number where there are several of that name."""
        name = operator(node.operation.name)
        several = self._counts[node.operation.name] > 1 and node.leaf is not None
        return f"{name}_{{{node.number}}}" if several else name

    # What is in it

    def leaves(self) -> Iterator[str]:
        """The definition of each leaf, an equation for each output."""
        selections = set[str]()
        for node in self.nodes.values():
            leaf, variable = node.leaf, "x"
            match node.operation:
                case Affine() if leaf:
                    inputs = "(x, c)" if node.signature.carried else f"({variable})"
                    for index, output in enumerate(self.outputs(node)):
                        terms = self.terms(node, leaf.weights[:, index], leaf.accumulator[:, index])
                        yield from _sum(
                            f"{self.symbol(node)}{output}{inputs}", terms, float(leaf.bias[index])
                        )
                case Constant() if leaf:
                    for index, output in enumerate(self.outputs(node)):
                        yield f"{self.symbol(node)}{output} &= {number(float(leaf.bias[index]))}"
                case Select(group=group) if node.operation.name not in selections:
                    selections.add(node.operation.name)
                    names = ", ".join(self.feature(column) for column in group.columns)
                    yield rf"{self.symbol(node)}({variable}) &= \left({names}\right)"

    def terms(self, node: Node, weights: Array, accumulator: Array) -> list[tuple[float, str]]:
        columns = node.leaf.columns if node.leaf else ()
        features = [self.feature(column) for column in columns]
        memory = [f"c_{{{index + 1}}}" for index in range(len(accumulator))]
        return list(zip([*weights.tolist(), *accumulator.tolist()], features + memory, strict=True))

    def feature(self, column: int) -> str:
        return text(self.model.domain.features[column])

    def outputs(self, node: Node) -> list[str]:
        """What tells the outputs of a leaf apart: the class, or a number."""
        if node.outputs == 1:
            return [""]
        names = self.model.class_names
        if node.outputs == len(names):
            return [f"^{{{text(name)}}}" for name in names]
        return [f"^{{({index + 1})}}" for index in range(node.outputs)]

    def functions(self) -> Iterator[str]:
        """The definition of each function of the user's."""
        found, mixes = dict.fromkeys(node.operation for node in self.nodes.values()), False
        for function in found:
            if isinstance(function, Function) and function.name not in _KNOWN:
                yield definition(function, self.model.domain.features)
                mixes = mixes or has_mix(function.meaning)
        if mixes:
            yield rf"{operator('mix')}(g, u, v) &= g\,u + (1 - g)\,v"

    def gates(self) -> Iterator[str]:
        """What the cases mean, which are smooth."""
        temperatures = {node.temperature for node in self.nodes.values()} - {None}
        for beta in temperatures:
            factor = "" if beta == 1 else rf"{number(beta or 0)}\,"
            yield (
                r"\begin{cases} u & \text{if } s > 0 \\ v & \text{otherwise} \end{cases} "
                rf"&= g\,u + (1 - g)\,v, \quad g = \frac{{1}}{{1 + e^{{-{factor}s}}}}"
            )


def _sum(name: str, terms: list[tuple[float, str]], bias: float) -> Iterator[str]:
    """An equation; a long sum goes on in further lines."""
    pieces = [(weight, rf"{number(abs(weight))}\,{symbol}") for weight, symbol in terms]
    pieces.append((bias, number(abs(bias))))
    signed = [f"{'-' if value < 0 else '+'} {piece}" for value, piece in pieces]
    signed[0] = signed[0].removeprefix("+ ").replace("- ", "-")
    for start in range(0, len(signed), _TERMS):
        line = " ".join(signed[start : start + _TERMS])
        yield rf"&\quad {line}" if start else f"{name} &= {line}"
