"""Rewriting: a program's canonical form, from the leaves up."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import combinations
from operator import is_not
from typing import TypeVar

from nearstar.language.canonical.closure import (
    affine_bits,
)
from nearstar.language.canonical.covers import GrammarLeaf, cheapest_cover, union
from nearstar.language.canonical.knowledge import Knowledge
from nearstar.language.canonical.roles import (
    Role,
    are_alike,
    is_constant,
    is_last,
    is_taken_in,
)
from nearstar.language.function import Function
from nearstar.language.grammar import Grammar
from nearstar.language.operation import Operation
from nearstar.language.operators import Affine, Constant, Map, MapPrefix, Window
from nearstar.language.program import (
    MAX_HEIGHT,
    Apply,
    Hole,
    Path,
    Program,
    replace_by_each,
)
from nearstar.language.types import Signature

MAX_MEMO = 200_000
"""Programs remembered before forgetting them all."""

T = TypeVar("T")


def canonical(program: Program, grammar: Grammar) -> Program:
    """The representative of the program's equivalents that the identities lead to."""
    return _canoniser(_Same(grammar)).program(program)


def canonical_with_each(
    program: Program, path: Path, news: Sequence[Program], grammar: Grammar
) -> list[Program]:
    """The canonical forms of a program with each of these in turn at a path."""
    return _canoniser(_Same(grammar)).with_each(program, path, news)


class _Same:
    """A grammar as a key that compares by identity: hashing all its rules would take longer than
    most calls of ``canonical``."""

    __slots__ = ("grammar",)

    def __init__(self, grammar: Grammar) -> None:
        self.grammar = grammar

    def __hash__(self) -> int:
        return id(self.grammar)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.grammar is other.grammar


@lru_cache(maxsize=16)
def _canoniser(same: _Same) -> _Canoniser:
    return _Canoniser(same.grammar)


class _Sum:
    """The parts of a sum, in which signs that do not matter are forgotten."""

    def __init__(self) -> None:
        self.plus: list[Program] = []
        self.minus: list[Program] = []
        self.free: list[Program] = []
        """Closed under negation: the sign does not matter."""


class _Canoniser(Knowledge):
    """Canonical forms for one grammar, with all that has been found out so far."""

    def __init__(self, grammar: Grammar) -> None:
        super().__init__(grammar)
        self._programs: dict[Program, Program] = {}
        self._covers: dict[tuple[Signature, int, int, int], tuple[Program, ...] | None] = {}

    def program(self, program: Program) -> Program:
        """The canonical form; programs that could come out too high stay as they are."""
        if program.size > MAX_HEIGHT:
            return program
        self._forget()
        return self._canonical(program)

    def with_each(self, program: Program, path: Path, news: Sequence[Program]) -> list[Program]:
        """The canonical forms of a program with each of these in turn at a path.

        They are made from the place of the new part up: all else is the same in all of them.
        """
        if any(program.size + new.size > MAX_HEIGHT for new in news):
            return [*map(self.program, replace_by_each(program, path, news))]
        self._forget()
        around, parts = self._around(program, path), map(self._canonical, news)
        return replace_by_each(
            around, path, parts, lambda node, arguments: self._form(node.on(arguments))
        )

    def _around(self, program: Program, path: Path) -> Program:
        """The program with all that is beside a path in canonical form."""
        if not path:
            return program
        assert isinstance(program, Apply)
        return program.on(
            tuple(
                self._around(argument, path[1:]) if index == path[0] else self._canonical(argument)
                for index, argument in enumerate(program.arguments)
            )
        )

    def _forget(self) -> None:
        if len(self._programs) > MAX_MEMO:
            self._programs.clear()
            self.forget_programs()

    def _canonical(self, program: Program) -> Program:
        if isinstance(program, Hole):
            return program
        known = self._programs.get(program)
        if known is None:
            # Remembered with canonical arguments only: then parts are the same objects wherever
            # they stand, which saves memory, and are found without comparing them.
            arguments = tuple([self._canonical(argument) for argument in program.arguments])
            if any(map(is_not, arguments, program.arguments)):
                program = program.on(arguments)
            known = self._form(program)
        return known

    def _form(self, program: Apply) -> Program:
        """The canonical form of a program whose arguments are canonical, looked up if known."""
        known = self._programs.get(program)
        if known is None:
            known = self._programs[program] = self._rewritten(program)
        return known

    def _rewritten(self, program: Apply) -> Program:
        """The canonical form of a program whose arguments are canonical."""
        known = self.known_of(program)  # raises for what is not in the grammar
        if self.is_any_constant(program):
            return self.no_worse(self.constant(program.signature), program) or program
        match program.operation:
            case Function():
                return self._function(program, program.operation, known.role)
            case Affine() if program.operation.most_terms is None:
                reads = affine_bits(program.operation, program.signature)
                leaf = self.rules(program.signature).affine.get(reads)
                return self.no_worse(leaf and leaf.program, program) or program
            case _ if (picks := program.operation.picks(program.signature)) is not None:
                return self.rules(program.signature).picks[picks]
            case Window() if is_last(program.operation):
                last = self.rules(program.signature).last or program.operation
                return Apply(last, program.signature, program.arguments)
            case MapPrefix() | Map():
                return self._map(program)
        return program

    # Sequences

    def _map(self, node: Apply) -> Program:
        """``mapprefix`` of an element alone is ``map``, and ``map`` of ``x`` is ``x``."""
        rules, body = self.rules(node.signature), node.arguments[0]
        operation = body.operation if isinstance(body, Apply) else None
        better: Program | None = None
        if isinstance(node.operation, Map):
            picks = None if operation is None else operation.picks(body.signature)
            better = None if picks is None else rules.picks.get(picks)
        elif operation is not None and is_last(operation) and rules.map is not None:
            better = Apply(rules.map, node.signature, body.arguments)
        better = self.no_worse(better, node)
        return self._canonical(better) if better else node

    def _one_window(self, node: Apply) -> Program | None:
        """A function of values of the same window is that window of the function's value."""
        windows = {
            argument.operation
            for argument in node.arguments
            if isinstance(argument, Apply) and isinstance(argument.operation, Window)
            if not self.closure(argument).constant
        }
        body = node.signature.per_element()
        if len(windows) != 1 or node.operation not in self.rules(body).cost:
            return None
        window = windows.pop()
        parts = [self._inside(window, argument) for argument in node.arguments]
        known = [part for part in parts if part is not None]
        if len(known) < len(parts):
            return None
        return Apply(window, node.signature, (Apply(node.operation, body, tuple(known)),))

    def _inside(self, window: Operation, argument: Program) -> Program | None:
        """The program whose value in the window is the argument's."""
        if isinstance(argument, Hole):
            return None
        if argument.operation == window:
            return argument.arguments[0]
        if self.is_any_constant(argument):
            return self.constant(argument.signature.per_element())
        return None

    # Functions

    def _function(self, node: Apply, function: Function, role: Role) -> Program:
        if node.signature.summarises:
            merged = self.no_worse(self._one_window(node), node)
            if merged is not None:
                return self._canonical(merged)
        if role == "if":
            return self._if(node)
        # Constants and affine leaves are vectors: above them a sum is one function among others.
        if node.signature.maps_vectors and role in ("add", "difference"):
            return self._shortest(node, self._terms(node, 1)) or node
        if node.signature.maps_vectors and role == "multiply":
            return self._product(node)
        if "associative" in function.laws:
            operands = sorted(self._operands(node, function), key=self.order)
            return self._chain(function, self._joined(function, operands))
        if "commutative" in function.laws:
            return node.on(tuple(sorted(node.arguments, key=self.order)))
        return node

    def _joined(self, function: Function, operands: list[Program]) -> list[Program]:
        """The operands without pairs that can be written as one: constants, or the same window."""
        for i, j in combinations(range(len(operands)), 2):
            one = self._as_one(function, operands[i], operands[j])
            if one is not None:
                rest = operands[:i] + operands[i + 1 : j] + operands[j + 1 :]
                return self._joined(function, sorted([*rest, one], key=self.order))
        return operands

    def _as_one(self, function: Function, left: Program, right: Program) -> Program | None:
        summarises = left.signature.summarises
        if not summarises and not (self.is_any_constant(left) and self.is_any_constant(right)):
            return None
        pair = Apply(function, left.signature, (left, right))
        if self.is_any_constant(pair):
            return self.no_worse(self.constant(pair.signature), pair)
        one = self.no_worse(self._one_window(pair), pair) if summarises else None
        return None if one is None else self._canonical(one)

    def _if(self, node: Apply) -> Program:
        condition, then, otherwise = node.arguments
        if is_constant(condition):
            summed = self._sum_of_branches(node)
            if summed is not None:
                return summed
        if self.closure(condition).negate and self.order(otherwise) < self.order(then):
            return node.on((condition, otherwise, then))
        return node

    def _sum_of_branches(self, node: Apply) -> Program | None:
        """With a constant gate the branches have constant weights, which they can take in."""
        _, then, otherwise = node.arguments
        if not (self.closure(then).stretch and self.closure(otherwise).stretch):
            return None
        return self._shortest(node, self._terms(then, 1) + self._terms(otherwise, 1))

    def _product(self, node: Apply) -> Program:
        operands = self._operands(node, node.operation)
        others = [operand for operand in operands if not is_constant(operand)]
        if len(others) < len(operands):
            constants = [operand for operand in operands if is_constant(operand)][:1]
            if any(self.closure(other).scale for other in others):
                constants = []
            operands = constants + others
        best = self.rules(node.signature).multiply
        return self._chain(best or node.operation, operands)

    def _operands(self, node: Program, operation: Operation) -> list[Program]:
        """The operands of a chain of one associative operation, or of others that mean the same."""
        if isinstance(node, Hole) or not are_alike(node.operation, operation):
            return [node]
        left, right = node.arguments
        return self._operands(left, operation) + self._operands(right, operation)

    def _chain(self, operation: Operation, operands: Iterable[Program]) -> Program:
        """The operands in order, nested to the right: a hole at the end then grows the chain."""
        *rest, result = sorted(operands, key=self.order)
        for operand in reversed(rest):
            result = Apply(operation, result.signature, (operand, result))
        return result

    # Sums

    def _shortest(self, node: Apply, terms: list[tuple[Program, int]]) -> Program | None:
        """The sum of the terms that equals the node, if it can be written and is no worse."""
        parts, shift = self._absorb(node.signature, terms)
        short = self.no_worse(self._join(parts), node)
        if short is not None:
            return short
        # There is no rule for −α alone, nor α + β where difference is the only rule (or by far the
        # cheapest). A leaf that the parts take in again then gives a term of the sign that lacks.
        leaf = None if shift is None else self._spare_leaf(node.signature, shift)
        if leaf is not None:
            parts.free.append(leaf.program)
            short = self.no_worse(self._join(parts), node)
        return short or self.no_worse(self._join(self._signed(terms)), node)

    def _spare_leaf(self, signature: Signature, shift: int) -> GrammarLeaf | None:
        """The cheapest leaf that a sum closed under this shift takes in."""
        rules = self.rules(signature)
        leaves = [leaf for leaf in rules.affine.values() if not leaf.reads & ~shift]
        if rules.constant is not None:
            leaves.insert(0, rules.constant)
        return min(leaves, key=lambda leaf: leaf.cost, default=None)

    def _terms(self, node: Program, sign: int) -> list[tuple[Program, int]]:
        """The parts of a sum with their signs."""
        if isinstance(node, Apply):
            role = self.known_of(node).role
            if role in ("add", "difference"):
                left, right = node.arguments
                second = -sign if role == "difference" else sign
                return self._terms(left, sign) + self._terms(right, second)
        return [(node, sign)]

    def _signed(self, terms: Iterable[tuple[Program, int]]) -> _Sum:
        result = _Sum()
        for term, sign in terms:
            if self.closure(term).negate:
                result.free.append(term)
            else:
                (result.plus if sign > 0 else result.minus).append(term)
        return result

    def _absorb(
        self, signature: Signature, terms: list[tuple[Program, int]]
    ) -> tuple[_Sum, int | None]:
        """The sum without what its other parts can take in, and what it is closed under adding."""
        constants, affines, others = [], [], []
        for term in terms:
            operation = term[0].operation if isinstance(term[0], Apply) else None
            if isinstance(operation, Constant):
                constants.append(term)
            elif isinstance(operation, Affine) and operation.most_terms is None:
                affines.append(term)
            else:
                others.append(term)
        others_shift = union(self.closure(term).shift for term, _ in others)
        shift = union([others_shift, *(self.closure(term).shift for term, _ in affines)])
        result = self._signed((term, sign) for term, sign in others if not is_taken_in(term, shift))
        leaves = [term for term, _ in affines]
        if shift is not None:
            result.free += self._cover(signature, leaves, others_shift or 0, shift)
        elif constants:
            result.free.append(constants[0][0])
        return result, shift

    def _cover(
        self, signature: Signature, leaves: list[Program], given: int, shift: int
    ) -> Sequence[Program]:
        """The cheapest affine leaves that, with what is given, read what these leaves read."""
        needed = shift & ~given
        if not needed:
            return ()
        key = (signature, needed, shift, len(leaves))
        if key not in self._covers:
            rules = self.rules(signature)
            options = [leaf for leaf in rules.affine.values() if not leaf.reads & ~shift]
            found = cheapest_cover(options, needed, len(leaves), rules.joining_cost())
            self._covers[key] = found
        cover = self._covers[key]
        return cover if cover is not None else self._without_spare(leaves, needed)

    def _without_spare(self, leaves: list[Program], needed: int) -> list[Program]:
        """The leaves without those that the others make superfluous."""
        kept = sorted(leaves, key=self.order)
        for leaf in reversed(kept.copy()):
            others = kept.copy()
            others.remove(leaf)
            if needed & ~(union(self.closure(other).shift for other in others) or 0) == 0:
                kept = others
        return kept

    def _join(self, parts: _Sum) -> Program | None:
        """The cheapest sum of the parts; None if the grammar has no way to write it."""
        plus, minus, free = (
            sorted(terms, key=self.order) for terms in (parts.plus, parts.minus, parts.free)
        )
        if len(plus) + len(minus) + len(free) == 1:
            return (plus + free)[0] if plus or free else None
        signature = (plus + minus + free)[0].signature
        rules = self.rules(signature)
        add, difference = rules.add, rules.difference
        if add is not None and (difference is None or rules.cost[add] <= rules.cost[difference]):
            return self._sum_minus_sum(add, difference, plus + free, minus)
        if not plus:
            plus, free = free[:1], free[1:]
        minus = sorted(minus + free, key=self.order)
        if plus and minus and difference is not None:
            return _differences(difference, plus, minus)
        return self._chain(add, plus) if add is not None and not minus else None

    def _sum_minus_sum(
        self,
        add: Operation,
        difference: Operation | None,
        plus: list[Program],
        minus: list[Program],
    ) -> Program | None:
        if not minus:
            return self._chain(add, plus)
        if not plus or difference is None:
            return None
        left, right = self._chain(add, plus), self._chain(add, minus)
        return Apply(difference, left.signature, (left, right))


def _differences(difference: Operation, plus: list[Program], minus: list[Program]) -> Program:
    """p₁ − (((m₁ − p₂) − p₃) …) − m₂ − m₃ …: the sum with no other rule than difference."""
    signature = plus[0].signature
    inner = minus[0]
    for term in plus[1:]:
        inner = Apply(difference, signature, (inner, term))
    result = plus[0]
    for term in [inner, *minus[1:]]:
        result = Apply(difference, signature, (result, term))
    return result
