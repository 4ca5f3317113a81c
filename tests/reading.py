"""A reader of printed programs, as a person would be one: with the text and the raw columns alone.

It shares nothing with the product: neither its parser nor its features nor its arithmetic. All is
computed in double precision, a frame at a time where there is a memory.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Rows = NDArray[np.int64]
Value = Callable[[Rows, Array], Array]
"""Of frames, by their rows, and what a memory has at each: a row of numbers for each frame."""

_TOKEN = re.compile(
    r'\s*("(?:[^"\\]|\\.)*"|[^\W\d][\w.]*|(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?|.)', re.DOTALL
)
_STATISTICS: dict[str, Callable[[Array], float]] = {
    "mean": lambda values: float(np.sum(values)) / len(values),
    "spread": lambda values: float(np.sqrt(np.mean((values - np.mean(values)) ** 2))),
    "least": min,
    "largest": max,
    "change": lambda values: values[-1] - values[0],
    "rate": lambda values: float(np.mean(np.abs(np.diff(values)))) if len(values) > 1 else 0.0,
    "first": lambda values: values[0],
    "last": lambda values: values[-1],
}


@dataclass
class Reader:
    """Reads one text for some sequences: ``columns`` by name, sequence i from offsets[i]."""

    text: str
    columns: Mapping[str, Array]
    offsets: Rows
    classes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self.tokens = [match[1] for match in _TOKEN.finditer(self.text.strip())] + ["", ""]

    def codes(self) -> NDArray[np.int64]:
        """The classes that the program tells, of each frame or each sequence."""
        outputs = self.outputs()
        if outputs.shape[1] == 1:
            return (outputs[:, 0] > 0).astype(np.int64)
        return np.argmax(outputs, axis=1)

    def outputs(self) -> Array:
        rows = np.arange(self.offsets[-1])
        none = np.zeros((len(rows), 0))
        match self.tokens[0]:
            case "map":
                body = self.function("map")
                result = body(rows, none)
                self.take(")", "x", "")
            case "mapprefix":
                self.function_head("mapprefix")
                result = self.folded()
                self.take(")", "x", "")
            case "last":
                body = self.function("last")
                self.take(")", "x", "")
                result = body(rows, none)[self.offsets[1:] - 1]
            case _:
                result = self.expression()(rows, none)
                self.take("")
        return result

    def folded(self) -> Array:
        """What a memory has at each frame."""
        if self.sees("memory"):
            return self.faded()
        body = self.function("fold")
        self.take(")", "c")
        self.tokens.pop(0)
        found = []
        for begin, end in zip(self.offsets[:-1], self.offsets[1:], strict=True):
            memory = np.zeros((1, 1))
            for row in range(begin, end):
                memory = body(np.array([row]), memory)
                found.append(memory[0])
        return np.array(found)

    def faded(self) -> Array:
        """A mean of which half is left after so many frames; at first it is what there is then."""
        self.take("memory", "[")
        kept = 0.5 ** (1 / self.number())
        self.take("]", "(", "fun")
        self.tokens.pop(0)
        if self.sees("."):
            self.take(".")
        values = self.expression()(np.arange(self.offsets[-1]), np.zeros((self.offsets[-1], 0)))
        self.take(")")
        self.tokens.pop(0)
        for begin, end in zip(self.offsets[:-1], self.offsets[1:], strict=True):
            for row in range(begin + 1, end):
                values[row] = kept * values[row - 1] + (1 - kept) * values[row]
        return values

    # Text

    def take(self, *expected: str) -> None:
        for each in expected:
            assert self.tokens[0] == each, f"expected {each!r} at {' '.join(self.tokens[:12])!r}"
            self.tokens.pop(0)

    def sees(self, *tokens: str) -> bool:
        return self.tokens[0] in tokens

    def function_head(self, name: str) -> None:
        self.take(name, "(", "fun")
        self.tokens.pop(0)  # the dot may have been taken for a part of the variable's name
        if self.sees("."):
            self.take(".")

    def function(self, name: str) -> Value:
        self.function_head(name)
        return self.expression()

    def expression(self) -> Value:
        if self.sees("if"):
            return self.choice()
        if self.sees("add", "multiply"):
            name = self.tokens.pop(0)
            self.take("(")
            first = self.expression()
            self.take(",")
            second = self.expression()
            self.take(")")
            if name == "add":
                return lambda rows, memory: first(rows, memory) + second(rows, memory)
            return lambda rows, memory: first(rows, memory) * second(rows, memory)
        if self.sees("Affine"):
            return self.affine()
        return self.total() if self.sees("(") else self.answer()

    def answer(self) -> Value:
        """The name of a class, which is the answer, whatever other outputs there are."""
        name = self.tokens.pop(0)
        code = self.classes.index(json.loads(name) if name.startswith('"') else name)
        outputs = np.where(np.arange(len(self.classes)) == code, np.inf, -np.inf)
        return lambda rows, memory: np.tile(outputs, (len(rows), 1))

    def choice(self) -> Value:
        self.take("if")
        if self.sees("(", "if", "add", "multiply", "Affine"):
            asked = self.expression()
            self.take(">", "0")
            holds: Value = lambda rows, memory: asked(rows, memory) > 0  # noqa: E731
        else:
            holds = self.comparison()
        self.take("then")
        then = self.expression()
        self.take("else")
        otherwise = self.expression()

        def chosen(rows: Rows, memory: Array) -> Array:
            first, second = then(rows, memory), otherwise(rows, memory)
            if first.shape != second.shape:  # one has an output for each of two classes
                first, second = of_each(first), of_each(second)
            return np.where(holds(rows, memory), first, second)

        return chosen

    def comparison(self) -> Value:
        values = self.feature()
        sign = self.tokens.pop(0)
        assert sign in "<>"
        number = self.number()
        above = values > number if sign == ">" else values < number
        return lambda rows, memory: above[rows, None]

    def total(self) -> Value:
        """Sums in parentheses, one for each output."""
        self.take("(")
        sums = [np.zeros(self.offsets[-1])]
        while not self.sees(")"):
            if self.sees("|"):
                self.take("|")
                sums.append(np.zeros(self.offsets[-1]))
            number = self.number()
            if self.sees("·"):
                self.take("·")
                sums[-1] += number * self.feature()
            else:
                sums[-1] += number
        self.take(")")
        values = np.stack(sums, axis=1)
        return lambda rows, memory: values[rows]

    def affine(self) -> Value:
        """A leaf of several outputs, or in a memory: features in braces, numbers in brackets."""
        self.take("Affine", "{")
        features = [self.feature()]
        while self.sees(","):
            self.take(",")
            features.append(self.feature())
        self.take("}", "[")
        outputs: list[list[list[float]]] = [[[]]]
        while not self.sees("]"):
            outputs[-1][-1].append(self.number())
            if self.sees(",", ";", "|"):
                match self.tokens.pop(0):
                    case ";":
                        outputs[-1].append([])
                    case "|":
                        outputs.append([[]])
        self.take("]", "(")
        self.tokens.pop(0)
        self.take(")")
        read = np.stack(features, axis=1)
        weights = np.array([each[0] for each in outputs]).T
        memories = np.array([[*chain.from_iterable(each[1:-1])] for each in outputs]).T
        biases = np.array([each[-1][0] for each in outputs])
        return lambda rows, memory: (
            read[rows] @ weights + (memory @ memories if memory.shape[1] else 0.0) + biases
        )

    def number(self) -> float:
        minus = False
        while self.sees("-", "+"):
            minus ^= self.tokens.pop(0) == "-"
        number = float(self.tokens.pop(0))
        return -number if minus else number

    # Features

    def feature(self) -> Array:
        """A column by its name, or a statistic of one over a window."""
        name = self.tokens.pop(0)
        if name.startswith('"'):
            name = name[1:-1].replace('\\"', '"').replace("\\\\", "\\")
        if not self.sees("(") or name in self.columns:
            return np.asarray(self.columns[name], np.float64)
        self.take("(")
        of = self.feature()
        window = []
        while not self.sees(")"):
            window.append(self.tokens.pop(0))
        self.take(")")
        return self.statistic(name, of, " ".join(window).removeprefix(", "))

    def statistic(self, name: str, of: Array, window: str) -> Array:
        """Of the frames around each one, or the last ones, or of all; cut off at the ends."""
        count = int(window.split()[-1]) if window not in ("", "whole") else len(of)
        back = count // 2 if window not in ("", "whole") else count
        ahead = back
        if window.startswith("last"):
            back, ahead = count - 1, 0
        result = np.empty(len(of))
        for begin, end in zip(self.offsets[:-1], self.offsets[1:], strict=True):
            whole = back >= end - begin and ahead >= end - begin
            if whole:
                result[begin:end] = _STATISTICS[name](of[begin:end])
                continue
            for row in range(begin, end):
                seen = of[max(begin, row - back) : min(end, row + ahead + 1)]
                result[row] = _STATISTICS[name](seen)
        return result


def of_each(outputs: Array) -> Array:
    """Of two classes, an output for each."""
    return np.hstack([np.zeros_like(outputs), outputs]) if outputs.shape[1] == 1 else outputs
