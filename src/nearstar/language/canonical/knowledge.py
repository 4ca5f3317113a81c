"""What the identities know of a grammar's rules and of programs, found out once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple, TypeVar

from nearstar.language.canonical.closure import (
    NOTHING,
    Closure,
    affine_bits,
    closure_of,
    closures_of_holes,
)
from nearstar.language.canonical.covers import GrammarLeaf
from nearstar.language.canonical.roles import Role, is_last, role_of
from nearstar.language.deciding import is_class
from nearstar.language.grammar import Grammar
from nearstar.language.numbers import least_numbers
from nearstar.language.operation import Operation
from nearstar.language.operators import Affine, Constant, Fold, Map, MapPrefix, Memory, Window
from nearstar.language.program import Apply, Hole, Production, Program, applied, open_up
from nearstar.language.types import Signature
from nearstar.util.errors import ProgramError

T = TypeVar("T")


class Known(NamedTuple):
    """What is known of an operation at one type."""

    label: str
    cost: int
    role: Role


class Rules:
    """The rules of a grammar for one signature, by what the identities ask for."""

    def __init__(self, grammar: Grammar, signature: Signature) -> None:
        self.cost = {rule.operation: _exact(rule.cost) for rule in grammar.rules(signature)}
        # Sorted stably by cost: of equals, the one that the grammar names first.
        self.operations = sorted(self.cost, key=self.cost.__getitem__)
        self.add, self.difference, self.multiply = (
            _first(op for op in self.operations if role_of(op) == role)
            for role in ("add", "difference", "multiply")
        )
        self.map = _first(op for op in self.operations if isinstance(op, Map))
        self.last = _first(op for op in self.operations if is_last(op))
        self.constant: GrammarLeaf | None = None
        self.affine: dict[int, GrammarLeaf] = {}
        self.picks: dict[tuple[int, ...], Apply] = {}
        for operation in self.operations:
            self._note_leaf(open_up(operation, signature))

    def _note_leaf(self, node: Apply) -> None:
        operation, cost = node.operation, self.cost[node.operation]
        match operation:
            case Constant() if not is_class(operation):  # which stands only where it decides
                self.constant = GrammarLeaf(0, cost, node)
            case Affine() if operation.most_terms is None:
                reads = affine_bits(operation, node.signature)
                self.affine.setdefault(reads, GrammarLeaf(reads, cost, node))
            case _ if (picks := operation.picks(node.signature)) is not None:
                self.picks.setdefault(picks, node)

    def joining_cost(self) -> int:
        """What one more part of a sum costs; 0 where there are no sums."""
        joins = [op for op in (self.add, self.difference) if op is not None]
        return min((self.cost[op] for op in joins), default=0)


class Knowledge:
    """Of one grammar; arguments of the programs asked about are in canonical form."""

    def __init__(self, grammar: Grammar) -> None:
        self._grammar = grammar
        self._holes = closures_of_holes(grammar)
        self._labels = _labels(grammar)
        self._rules: dict[Signature, Rules] = {}
        self._known: dict[Production, Known] = {}
        self._closures: dict[Program, Closure] = {}
        self._orders: dict[Program, str] = {}
        self._constants: dict[Signature, Apply | None] = {}

    def forget_programs(self) -> None:
        """Keep only what is known of rules: there are few of them."""
        self._closures.clear()
        self._orders.clear()

    def known_of(self, node: Apply) -> Known:
        """What is known of a node's operation; ProgramError if it is no rule."""
        known = self._known.get(node.production)
        if known is None:
            operation, rule = node.operation, self._grammar.rule_of(node)
            if rule is None:
                raise ProgramError(
                    f"{operation.name} is not a rule for {node.signature} in this grammar"
                )
            label = self._labels.get(operation, operation.name)
            known = Known(label, _exact(rule.cost), role_of(operation))
            self._known[node.production] = known
        return known

    def order(self, program: Program) -> str:
        """A text to sort by: equal for equal programs only. Holes last, before them what has some,
        so that a chain's end is what is expanded, and expanding it leaves the order of the rest."""
        if isinstance(program, Hole):
            return "2"
        order = self._orders.get(program)
        if order is None:
            rank = "1" if program.n_holes else "0"
            inside = ",".join([self.order(argument) for argument in program.arguments])
            order = f"{rank}{self.known_of(program).label}({inside})"
            self._orders[program] = order
        return order

    def closure(self, program: Program) -> Closure:
        """The closure of a program whose arguments are canonical."""
        if isinstance(program, Hole):
            return self._holes.get(program.signature, NOTHING)
        closure = self._closures.get(program)
        if closure is None:
            parts = tuple([self.closure(argument) for argument in program.arguments])
            closure = self._closures[program] = closure_of(program.production, parts)
        return closure

    def cost(self, program: Program) -> int:
        """Its structural cost, as a whole number."""
        return sum([self.known_of(node).cost for node in applied(program)])

    def rules(self, signature: Signature) -> Rules:
        """The rules for a signature, looked through once."""
        known = self._rules.get(signature)
        if known is None:
            known = self._rules[signature] = Rules(self._grammar, signature)
        return known

    def is_any_constant(self, program: Program) -> bool:
        """Whether it is complete and can be exactly the constants."""
        return not program.n_holes and self.closure(program).constant

    def no_worse(self, candidate: Program | None, than: Program) -> Program | None:
        """The candidate, if it exists and has neither a higher cost nor more rules."""
        if (
            candidate is not None
            and candidate.size <= than.size
            and self.cost(candidate) <= self.cost(than)
        ):
            return candidate
        return None

    def constant(self, signature: Signature) -> Apply | None:
        """The cheapest program that gives any constant."""
        if signature not in self._constants:
            found: list[Apply] = []
            for operation in self.rules(signature).operations:
                if isinstance(operation, Constant) and not is_class(operation):
                    found.append(open_up(operation, signature))
                elif isinstance(operation, Map | MapPrefix | Window | Fold | Memory):
                    (body,) = operation.arguments(signature) or ()
                    inside = self.constant(body)
                    if inside is not None:
                        found.append(Apply(operation, signature, (inside,)))
            found.sort(key=lambda each: (self.cost(each), each.size, least_numbers(each)))
            self._constants[signature] = found[0] if found else None
        return self._constants[signature]


def _exact(cost: float) -> int:
    """A cost as a whole number, so that sums do not depend on their order."""
    return round(cost * 2**40)


def _first(items: Iterable[T]) -> T | None:
    return next(iter(items), None)


def _labels(grammar: Grammar) -> dict[Operation, str]:
    """Names of operations; those that share one are told apart by their place in the grammar."""
    operations = list(dict.fromkeys(rule.operation for rule in grammar.all_rules))
    uses = Counter(operation.name for operation in operations)
    return {
        operation: operation.name if uses[operation.name] == 1 else f"{operation.name}#{index}"
        for index, operation in enumerate(operations)
    }
