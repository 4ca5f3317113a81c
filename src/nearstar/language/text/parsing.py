"""Text to programs: a reader that looks at one token and knows the type that is expected.

Constructs that are not read to their end wait on a list, not on Python's stack, so that the depth
of a text is limited by its own rules and not by how deep the caller already is.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from nearstar.language.deciding import is_class, passed_on, written_class
from nearstar.language.domain import Domain
from nearstar.language.notation import HOLE
from nearstar.language.operation import Operation, count
from nearstar.language.operators import HARD, Affine, Constant, Input, Terms
from nearstar.language.parameters import check_half_life
from nearstar.language.program import MAX_HEIGHT, Apply, Hole, Program
from nearstar.language.template import VARIABLES, Piece, outline
from nearstar.language.text.names import Names, kind
from nearstar.language.text.printing import Shape, shape
from nearstar.language.text.tokens import MINUS, TIMES, Token, Tokens, shortened
from nearstar.language.thresholds import Threshold
from nearstar.language.types import Signature
from nearstar.util.errors import DomainError, ProgramError, TextError
from nearstar.util.nearest import suggestion

MAX_NESTING = 2 * MAX_HEIGHT
"""Expressions and parentheses that may be open at the same time."""

_SIGNS = ("+", "-", MINUS)
_IN_PARENTHESES = (Piece("argument", "0", False), Piece("sign", ")", False))


@dataclass(frozen=True, eq=False)
class Parsed:
    """What a text says.

    ``theta`` has the parameters of all affine and constant leaves in the order of the derivation;
    it is None if there are such leaves and the text does not give their parameters.
    """

    program: Program
    theta: NDArray[np.float64] | None


def parse(text: str, domain: Domain, signature: Signature) -> Parsed:
    """The program of a type that a text in the paper's notation describes.

    Any text either gives a program or raises a TextError, which shows the place and says what was
    expected there.
    """
    for given, expected in ((text, str), (domain, Domain), (signature, Signature)):
        if not isinstance(given, expected):
            raise ProgramError(
                f"parse takes a text, a Domain and a Signature, not a {type(given).__name__}; "
                "Task.signature() is the signature for its data"
            )
    return _Parser(text, domain, signature).read()


@dataclass(slots=True)
class _Construct:
    """An operation, or a pair of parentheses, whose text is being read."""

    token: Token
    operation: Operation | None
    signature: Signature
    expected: tuple[Signature, ...]
    """Types of its arguments."""
    variable: str
    """What its own text may name."""
    inner: str = field(init=False)
    """What its arguments may name: another variable once a lambda has bound it."""
    pieces: Iterator[Piece] = field(init=False)
    """What is still to be read of its form."""
    arguments: list[Program] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.inner = self.variable
        # The first word has told which operation it is, and is read.
        self.pieces = iter(self.operation.form[1:] if self.operation else _IN_PARENTHESES)

    def finished(self) -> Program:
        """The program that it has become."""
        if self.operation is None:
            return self.arguments[0]
        return Apply(self.operation, self.signature, tuple(self.arguments))


class _Parser:
    """Reads one text."""

    def __init__(self, text: str, domain: Domain, signature: Signature) -> None:
        self._tokens = Tokens(text)
        self._names = Names(domain)
        self._signature = signature
        self._open: list[_Construct] = []
        self._height = 0
        self._parameters: list[NDArray[np.float64]] = []
        self._bare: Token | None = None  # the first leaf without parameters

    def read(self) -> Parsed:
        program = self._begin(self._signature, VARIABLES[0])
        while self._open:
            if program is not None:
                self._open[-1].arguments.append(program)
            program = self._go_on(self._open[-1])
        assert program is not None
        if self._tokens.current.kind != "end":
            raise self._tokens.error(f"the program ends before {self._tokens.current}")
        theta = None if self._bare else np.concatenate([np.empty(0), *self._parameters])
        return Parsed(program, theta)

    def _begin(self, signature: Signature, variable: str) -> Program | None:
        """Begin an expression; its program if that is all of it, None if it stays open."""
        token = self._tokens.take()
        if token.text == HOLE:
            return Hole(signature)
        if token.text == "(" and self._at_number():
            return self._formula(token, signature)
        if (leaf := self._class(token, signature, variable)) is not None:
            return leaf
        if token.text == "(":
            self._push(_Construct(token, None, signature, (signature,), variable))
            return None
        operation = self._operation(token, signature, variable)
        if is_class(operation) and not self._decides():
            raise self._misplaced(token.text, token, signature, variable)
        expected = operation.arguments(signature)
        if expected is None:
            raise self._misfit(token, operation, signature, variable)
        self._push(_Construct(token, operation, signature, expected, variable))
        return None

    def _class(self, token: Token, signature: Signature, variable: str) -> Program | None:
        """The leaf that names a class, if a token begins the name of one."""
        name: str | None = token.text
        if token.text == '"':
            name = self._tokens.take_quoted(token)
            if name not in self._names.classes:
                raise self._no_class(name, token)
        elif name not in self._names.classes or written_class(name) != name or name == variable:
            return None
        leaf = Constant(self._names.classes)
        if not self._decides():
            raise self._misplaced(written_class(name), token, signature, variable)
        if leaf.arguments(signature) is None:
            raise self._misfit(token, leaf, signature, variable)
        self._parameters.append(leaf.numbers_of(name, signature.output.size))
        self._check_parameters()
        return Apply(leaf, signature)

    def _no_class(self, name: str | None, token: Token) -> TextError:
        if name is None:
            return self._tokens.error("the quotes are not closed as in JSON", token)
        known = self._names.classes
        hint = suggestion(name, known) if known else "the domain has no classes = [...]"
        return self._tokens.error(f"there is no class {shortened(name)!r}; {hint}", token)

    def _decides(self) -> bool:
        """Whether what is to be read next is the answer by itself."""
        around = ((each.operation, len(each.arguments)) for each in self._open)
        return all(operation is None or at in passed_on(operation) for operation, at in around)

    def _misplaced(self, name: str, token: Token, signature: Signature, variable: str) -> TextError:
        """A class that is named where something is computed from it."""
        betas = [each.operation.beta for each in self._open if each.operation]
        smooth = any(beta is not None and beta < HARD for beta in betas)
        why = f"; the if is smooth here, and hard in a domain with beta = {HARD:g}"
        fitting = self._fitting(signature, variable)
        return self._tokens.error(
            f"{shortened(name)} is an answer: it stands alone or in a branch of a hard if, not "
            f"where something is computed from it{why * smooth}. Here {kind(signature)} is "
            f"expected: {fitting}",
            token,
        )

    def _fitting(self, signature: Signature, variable: str) -> str:
        return self._names.fitting(signature, variable, self._decides())

    def _push(self, construct: _Construct) -> None:
        self._open.append(construct)
        self._height += construct.operation is not None
        if self._height > MAX_HEIGHT:
            problem = f"a program may be at most {MAX_HEIGHT} levels high"
            raise self._tokens.error(problem, construct.token)
        if len(self._open) > MAX_NESTING:
            problem = f"expressions and parentheses may be at most {MAX_NESTING} levels deep"
            raise self._tokens.error(problem, construct.token)

    def _go_on(self, construct: _Construct) -> Program | None:
        """Read a construct up to its end, or up to its next argument and begin that."""
        for piece in construct.pieces:
            match piece.kind:
                case "argument":
                    expected = construct.expected[len(construct.arguments)]
                    if self._at_threshold(construct):
                        next(construct.pieces), next(construct.pieces)  # not above 0
                        return self._threshold(expected)
                    return self._begin(expected, construct.inner)
                case "variable":
                    self._variable(construct)
                case "binder":
                    construct.inner = self._binder()
                case "start":
                    self._literal(("c", "0"), construct)
                case "numbers":
                    self._numbers(construct)
                case "terms":
                    pass  # they have told which operation it is, and are read
                case _:
                    self._literal((piece.text,), construct)
        self._open.pop()
        self._height -= construct.operation is not None
        return construct.finished()

    # What an expression begins with

    def _operation(self, token: Token, signature: Signature, variable: str) -> Operation:
        if token.text == variable:
            return Input()
        if token.kind == "word":
            try:
                operation = self._names.find(token.text)
            except DomainError as problem:
                raise self._tokens.error(str(problem), token) from None
            if isinstance(operation, Affine) and self._tokens.current.text == "{":
                return self._with_terms(operation)
            if operation is not None:
                return operation
            if token.text in self._scope():
                raise self._wrong_variable(token, variable)
        raise self._unknown(token, signature, variable)

    def _scope(self) -> set[str]:
        """Variables that are bound where the next token is, the innermost one aside."""
        return {VARIABLES[0], *(construct.variable for construct in self._open)}

    def _unknown(self, token: Token, signature: Signature, variable: str) -> TextError:
        hint = self._names.hint(token.text, variable) if token.kind == "word" else ""
        here = f"{hint} Here" if hint else "here"
        fitting = self._fitting(signature, variable)
        problem = f"{here} {kind(signature)} is expected: {fitting}, or {HOLE} for a hole"
        return self._tokens.error(f"found {token}; {problem}", token)

    def _misfit(
        self, token: Token, operation: Operation, signature: Signature, variable: str
    ) -> TextError:
        problem = f"{shortened(token.text)} {operation.misfit(signature)}"
        fitting = self._fitting(signature, variable)
        return self._tokens.error(
            f"{problem}, but here {kind(signature)} is expected: {fitting}", token
        )

    # What follows

    def _literal(self, allowed: tuple[str, ...], construct: _Construct) -> None:
        if self._tokens.current.text in allowed:
            self._tokens.take()
            return
        expected = " or ".join(map(repr, allowed))
        if construct.operation is None:
            inside = "to close the parenthesis"
        else:
            inside = f"as in {outline(construct.operation.form, construct.variable)}"
        raise self._tokens.error(f"expected {expected}, {inside}; found {self._tokens.current}")

    def _variable(self, construct: _Construct) -> None:
        """The variable, in any number of parentheses."""
        depth = 0
        while self._tokens.current.text == "(":
            self._tokens.take()
            depth += 1
        token = self._tokens.take()
        if token.text != construct.variable:
            raise self._wrong_variable(token, construct.variable)
        for _ in range(depth):
            if self._tokens.current.text != ")":
                found = self._tokens.current
                raise self._tokens.error(f"expected ')' to close the parenthesis; found {found}")
            self._tokens.take()

    def _wrong_variable(self, token: Token, variable: str) -> TextError:
        outer = token.text in self._scope()
        why = f": {token} is not the innermost one" if outer else f"; found {token}"
        return self._tokens.error(f"expected the variable {shortened(variable)}{why}", token)

    def _binder(self) -> str:
        token = self._tokens.take()
        if token.kind != "word":
            raise self._tokens.error(f"expected a variable's name; found {token}", token)
        try:
            taken = self._names.taken(token.text)
        except DomainError:
            taken = True
        if taken:
            problem = f"expected a variable's name; {token} has another meaning"
            raise self._tokens.error(problem, token)
        return token.text

    # Terms

    def _with_terms(self, leaf: Affine) -> Affine:
        """The leaf of features in braces, or of a star: they are to be chosen."""
        self._tokens.take()
        if self._tokens.current.text == "*":
            return self._choosing(leaf)
        if leaf.group is not None:
            raise self._tokens.error(
                f"expected '*', for {leaf.name} to choose of its features; a list of some is "
                f"Affine{{…}}; found {self._tokens.current}"
            )
        return Affine(self._terms())

    def _choosing(self, leaf: Affine) -> Affine:
        """Up to the end of the braces: a star, and the most that may be chosen."""
        self._tokens.take()
        found, most = self._tokens.take(), None
        if found.kind == "number":
            if not found.text.isdecimal() or int(found.text) < 1:
                problem = f"expected a whole number from 1 after '*'; found {found}"
                raise self._tokens.error(problem, found)
            found, most = self._tokens.take(), int(found.text)
        if found.text != "}":
            after = "" if most is None else str(most)
            raise self._tokens.error(f"expected '}}' after '*{after}'; found {found}", found)
        return leaf.choosing(self._names.features, most)

    def _terms(self) -> Terms:
        """Names of features, for all outputs or for each, up to the end of the braces."""
        lists = [self._list()]
        while (found := self._tokens.take()).text == "|":
            lists.append(self._list())
        if found.text != "}":
            raise self._tokens.error(f"expected ',' or '}}' after a feature; found {found}", found)
        if not any(lists):
            raise self._tokens.error(f"expected the name of a feature; found {found}", found)
        terms = Terms.of(lists, self._names.features)
        in_order = all(names == [n for n in terms.names if n in names] for names in lists)
        if self._tokens.current.text == "[" and not in_order:
            problem = f"with numbers, features stand in the order of the data: {terms.text}"
            raise self._tokens.error(problem)
        return terms

    def _list(self) -> list[str]:
        """Names of features with commas between them, if there are any."""
        names: list[str] = []
        if self._tokens.current.text in ("|", "}"):
            return names
        while True:
            names.append(self._name(names))
            if self._tokens.current.text != ",":
                return names
            self._tokens.take()

    def _name(self, known: Collection[str]) -> str:
        """The name of a feature that is not known yet."""
        token, features = self._tokens.current, self._names.features
        name = self._tokens.take_name()
        if name is None:
            raise self._tokens.error(f"expected the name of a feature; found {token}", token)
        if name not in features:
            raise self._tokens.error(
                f"there is no feature {shortened(name)!r}; {suggestion(name, features)}", token
            )
        if name in known:
            raise self._tokens.error(f"{shortened(name)} is there already", token)
        return name

    def _at_number(self) -> bool:
        current = self._tokens.current
        return current.kind == "number" or current.text in _SIGNS

    def _formula(self, opened: Token, signature: Signature) -> Program:
        """Sums for each output, up to their parenthesis."""
        sums = [self._weights()]
        while self._tokens.take().text == "|":
            sums.append(self._weights())
        if not any(weights for weights, _ in sums):
            raise self._tokens.error("a sum has a feature at least, as in (2·gap - 1)", opened)
        given = f"{len(sums)} sums give" if len(sums) > 1 else "a sum gives"
        return self._leaf(given, opened, signature, sums)

    def _leaf(
        self,
        given: str,
        opened: Token,
        signature: Signature,
        sums: Sequence[tuple[Mapping[str, float], float]],
    ) -> Program:
        """A leaf with its numbers, of a text that begins with a token."""
        terms = Terms.of([list(weights) for weights, _ in sums], self._names.features)
        leaf = Affine(terms)
        fits = len(sums) == signature.output.size and leaf.arguments(signature) is not None
        if not fits or leaf.formula(signature) is None:
            raise self._tokens.error(
                f"{given} {count(len(sums))} for each element, and no accumulator is read; here "
                f"{kind(signature)} is expected: a sum for each number, as in (2·gap - 1 | .5), or "
                f"Affine{terms.text}",
                opened,
            )
        rows = [[weights.get(name, 0.0) for weights, _ in sums] for name in terms.names]
        self._parameters.append(np.array([*rows, [bias for _, bias in sums]]).ravel())
        self._check_parameters()
        return Apply(leaf, signature)

    def _weights(self) -> tuple[dict[str, float], float]:
        """Weights of features, and the number at the end."""
        weights: dict[str, float] = {}
        bias = None
        while self._tokens.current.text not in (")", "|"):
            found = self._tokens.current
            if bias is not None:
                raise self._tokens.error(f"a sum ends with its number; expected ')', found {found}")
            if weights and found.text not in _SIGNS:
                raise self._tokens.error(f"expected '+', '-' or ')' in a sum; found {found}")
            number = self._number()
            if self._tokens.current.text in (TIMES, "*"):
                self._tokens.take()
                weights[self._name(weights)] = number
            else:
                bias = number
        return weights, 0.0 if bias is None else bias

    def _at_threshold(self, construct: _Construct) -> bool:
        """Whether the condition of an ``if`` begins that compares a feature with a number."""
        if construct.operation is None or construct.operation.beta is None or construct.arguments:
            return False
        read = self._tokens.comparison()
        if read is None:
            return False
        name, quoted, compared = read
        known = name in self._names.features
        # What is compared with 0 may be any expression; with another number, only a feature.
        if compared == ">0" and not quoted:
            return known and not self._is_expression(construct.inner)
        return known or not self._is_expression(construct.inner)

    def _is_expression(self, variable: str) -> bool:
        """Whether the word looked at means something by itself."""
        word = self._tokens.current
        try:
            known = word.kind == "word" and self._names.find(word.text) is not None
        except DomainError:
            known = True
        return known or word.text == variable

    def _threshold(self, signature: Signature) -> Program:
        """Whether a feature is above or below a number: a leaf with weight 1 or -1."""
        opened = self._tokens.current
        name = self._name(())
        above = self._tokens.take().text == ">"
        threshold = Threshold(name, above, self._number())
        weight, bias = threshold.numbers
        return self._leaf("a threshold gives", opened, signature, [({name: weight}, bias)])

    # Parameters

    def _numbers(self, construct: _Construct) -> None:
        operation = construct.operation
        assert operation is not None
        if self._tokens.current.text != "[":
            self._bare = self._bare or construct.token
        else:
            self._tokens.take()
            (matrix,), first = operation.matrices(construct.signature), self._tokens.current
            self._parameters.append(self._block(shape(matrix), construct.token.text))
            if matrix.is_half_life:
                self._check_half_life(self._parameters[-1][0], first)
        self._check_parameters()

    def _check_parameters(self) -> None:
        if self._bare and self._parameters:
            raise self._tokens.error(
                f"{self._bare.text} has no parameters, but another leaf has; expected them in all "
                "leaves or in none",
                self._bare,
            )

    def _check_half_life(self, value: float, token: Token) -> None:
        try:
            check_half_life(value)
        except ProgramError as problem:
            raise self._tokens.error(str(problem), token) from None

    def _block(self, shape: Shape, name: str) -> NDArray[np.float64]:
        """The numbers of a leaf, as they stand in θ: input by input."""
        values: list[float] = []
        for joint in shape.joints():
            values.append(self._number())
            found = self._tokens.take()
            if found.text != joint:
                problem = f"expected {joint!r}, as in {shortened(name)}{shape.outline()}"
                raise self._tokens.error(f"{problem}; found {found}", found)
        return np.array(values).reshape(-1, shape.rows).T.ravel()

    def _number(self) -> float:
        token = self._tokens.take()
        minus = token.text in ("-", MINUS)
        digits = self._tokens.take() if minus or token.text == "+" else token
        if digits.kind != "number":
            raise self._tokens.error(f"expected a finite number; found {digits}", digits)
        value = float(digits.text.replace(MINUS, "-"))
        if math.isinf(value):
            raise self._tokens.error(f"the number {digits} is too large", digits)
        return -value if minus else value
