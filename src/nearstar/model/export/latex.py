"""A model's program as LaTeX: equations for a paper."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from nearstar.language.function import Function
from nearstar.language.operators import BUILT_IN
from nearstar.language.primitives import PRIMITIVES
from nearstar.language.program import Path
from nearstar.language.shortening import DIGITS
from nearstar.language.template import VARIABLES
from nearstar.model.explain.program_parts import Array, Part, parts_of
from nearstar.model.export.latex_expression import definition, has_mix, number, operator, text

if TYPE_CHECKING:
    from nearstar.model.model import Model

_TERMS = 4
"""Terms of a sum on one line."""
_KNOWN = {"if", *(function.name for function in BUILT_IN)}
_INFIX = {"add", "multiply", "subtract"}


def to_latex(model: Model) -> str:
    """Display equations that a document with the package amsmath can take in as they are.

    First the program, then what its leaves and functions are; parameters are rounded for reading.
    """
    writer = _Writer(parts_of(model, DIGITS), model)
    lines = [
        *writer.program(),
        *writer.decision(),
        *writer.classes(),
        *writer.leaves(),
        *writer.functions(),
        *writer.memories(),
        *writer.gates(),
    ]
    head = r"% Needs \usepackage{amsmath}."
    body = " \\\\\n".join(f"  {line}" for line in lines)
    return f"{head}\n\\begin{{align*}}\n{body}\n\\end{{align*}}\n"


class _Writer:
    def __init__(self, nodes: Mapping[Path, Part], model: Model) -> None:
        self.nodes = nodes
        self.model = model
        self._counts = Counter(_named(each) for each in nodes.values() if not each.threshold)

    def program(self) -> Iterator[str]:
        variable = VARIABLES[0]
        yield rf"{operator('program')}({variable}) &= {self.expression(self.nodes[()], 0)}"

    def decision(self) -> Iterator[str]:
        """Which class the outputs speak for; nothing, where they are the names of classes."""
        if self.nodes[()].names:
            return
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

    def expression(self, node: Part, level: int) -> str:
        """A node that stands inside of this many lambdas."""
        variable, bound = VARIABLES[level], VARIABLES[min(level + 1, len(VARIABLES) - 1)]
        operation, carried = node.operation, node.signature.carried
        inner = level + any(piece.kind == "binder" for piece in operation.form)
        if node.threshold is not None:
            asked = node.threshold
            return rf"{text(asked.name)} {asked.sign} {number(asked.value)}"
        if node.says is not None:
            return text(node.says)
        values = [self.expression(self.nodes[path], inner) for path in node.arguments]
        form = operation.latex
        if node.compares:
            form = form.replace("{0} > 0", "{0}")
        if isinstance(operation, Function) and operation.beta is None:
            return _applied(operation, values, variable)
        return form.format(
            *values,
            symbol=self.symbol(node),
            x=variable,
            bound=bound,
            inputs=f"({variable}, c)" if carried else f"({variable})",
            variable=f"({variable}, c)" if carried else variable,
        )

    def symbol(self, node: Part) -> str:
        """The name of a leaf or a memory, with its number where there are several of that name."""
        name = _named(node)
        learned = node.leaf is not None or node.half_life is not None
        several = self._counts[name] > 1 and learned
        return f"{operator(name)}_{{{node.number}}}" if several else operator(name)

    # What is in it

    def leaves(self) -> Iterator[str]:
        """The definition of each leaf, an equation for each output."""
        selected = set[str]()
        for node in self.nodes.values():
            leaf, name = node.learned, self.symbol(node)
            if leaf is not None and leaf.columns:
                inputs = "(x, c)" if node.signature.carried else "(x)"
                for index, output in enumerate(self.outputs(node)):
                    terms = self.terms(node, leaf.weights[:, index], leaf.accumulator[:, index])
                    yield from _sum(f"{name}{output}{inputs}", terms, float(leaf.bias[index]))
            elif leaf is not None:
                for index, output in enumerate(self.outputs(node)):
                    yield f"{name}{output} &= {number(float(leaf.bias[index]))}"
            elif node.operation.family == "sel" and name not in selected:
                selected.add(name)
                columns = node.operation.columns(node.signature)
                names = ", ".join(map(self.feature, columns))
                yield rf"{name}(x) &= \left({names}\right)"

    def classes(self) -> Iterator[str]:
        """The outputs that names of classes are, where others are numbers."""
        if self.nodes[()].names:
            return
        said = {node.says: node.leaf for node in self.nodes.values() if node.says is not None}
        for name, leaf in said.items():
            assert leaf is not None
            values = ", ".join(map(number, leaf.bias.tolist()))
            vector = values if len(leaf.bias) == 1 else rf"\left({values}\right)"
            yield f"{text(name)} &= {vector}"

    def terms(self, node: Part, weights: Array, accumulator: Array) -> list[tuple[float, str]]:
        columns = node.leaf.columns if node.leaf else ()
        features = [self.feature(column) for column in columns]
        memory = [f"c_{{{index + 1}}}" for index in range(len(accumulator))]
        return list(zip([*weights.tolist(), *accumulator.tolist()], features + memory, strict=True))

    def feature(self, column: int) -> str:
        return text(self.model.domain.features[column])

    def outputs(self, node: Part) -> list[str]:
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

    def memories(self) -> Iterator[str]:
        """What each memory is of a function of the frames."""
        for node in self.nodes.values():
            if node.half_life is not None:
                yield (
                    rf"{self.symbol(node)}(f)(x) &= m_n, \quad m_1 = f(x_1), \quad "
                    r"m_t = r\,m_{t-1} + (1 - r)\,f(x_t), \quad "
                    rf"r = 2^{{-1 / h}}, \quad h = {number(node.half_life)}"
                )

    def gates(self) -> Iterator[str]:
        """What the cases mean, which are smooth unless they are hard."""
        nodes = [node for node in self.nodes.values() if not node.operation.is_hard]
        temperatures = {node.temperature for node in nodes} - {None}
        for beta in temperatures:
            factor = "" if beta == 1 else rf"{number(beta or 0)}\,"
            yield (
                r"\begin{cases} u & \text{if } s > 0 \\ v & \text{otherwise} \end{cases} "
                rf"&= g\,u + (1 - g)\,v, \quad g = \frac{{1}}{{1 + e^{{-{factor}s}}}}"
            )


def _applied(function: Function, values: list[str], variable: str) -> str:
    """A function of the user's, or a built-in one, of values."""
    if function in BUILT_IN and function.meaning.kind in _INFIX:
        infix = PRIMITIVES[function.meaning.kind].latex.format(*values)
        return rf"\left({infix}\right)"
    inputs = [*values, variable] if function.features() else values
    return rf"{operator(function.name)}\left({', '.join(inputs)}\right)"


def _sum(name: str, terms: list[tuple[float, str]], bias: float) -> Iterator[str]:
    """An equation; a long sum goes on in further lines."""
    pieces = [(weight, rf"{number(abs(weight))}\,{symbol}") for weight, symbol in terms]
    pieces.append((bias, number(abs(bias))))
    signed = [f"{'-' if value < 0 else '+'} {piece}" for value, piece in pieces]
    signed[0] = signed[0].removeprefix("+ ").replace("- ", "-")
    for start in range(0, len(signed), _TERMS):
        line = " ".join(signed[start : start + _TERMS])
        yield rf"&\quad {line}" if start else f"{name} &= {line}"


def _named(node: Part) -> str:
    """What a part is called; the terms of a leaf stand in its definition."""
    return node.operation.form[0].text if node.leaf is not None else node.operation.name
