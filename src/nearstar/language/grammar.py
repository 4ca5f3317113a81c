"""Grammars: which operations may stand in a hole, what they cost, what it takes to close it."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from nearstar.language.deciding import can_name, decides
from nearstar.language.numbers import least_numbers
from nearstar.language.operation import Operation
from nearstar.language.program import (
    Apply,
    Path,
    Production,
    Program,
    applied,
    first_hole,
    holes,
    node_at,
    open_up,
    production,
    replace_by_each,
)
from nearstar.language.types import Signature
from nearstar.util.errors import DomainError, ProgramError

_CLOSING = {
    "vectors": "one that opens no holes, such as affine or const",
    "summaries": "such as fold",
    "sequences": "such as map",
}
"""Rules that close holes of each kind."""


@dataclass(frozen=True, slots=True)
class Rule:
    """An operation that may be applied to a hole, at a cost."""

    operation: Operation
    cost: float

    def __post_init__(self) -> None:
        if not (math.isfinite(self.cost) and self.cost >= 0):
            raise DomainError(f"the cost of {self.operation.name} must be from 0, not {self.cost}")


class _Opening(NamedTuple):
    """What a hole can become in one step."""

    program: Apply
    least_rules: float
    """Of any completion."""


@dataclass(frozen=True)
class Grammar:
    """The programs that a search may form, and their structural costs.

    ``sequences``, ``summaries`` and ``vectors`` are the rules for sequence → sequence,
    sequence → vector and vector → vector holes; each applies where its type fits. A grammar in
    which some hole could never be closed cannot be made.
    """

    root: Signature
    sequences: tuple[Rule, ...]
    summaries: tuple[Rule, ...]
    vectors: tuple[Rule, ...]
    price: float = 0.0
    """What each number to read adds to the cost of the rule that brings it."""

    def __post_init__(self) -> None:
        unclosable = [s for s, rules in self.least_rules.items() if math.isinf(rules)]
        if not unclosable:
            return
        # Holes for sequences wait for summaries, and both for vectors: name the cause.
        signature = min(unclosable, key=lambda s: list(_CLOSING).index(s.kind))
        openers = {
            rule.operation.name
            for other in self.least_rules
            for rule in self.rules(other)
            if signature in (rule.operation.arguments(other) or ())
        }
        raise DomainError(
            f"no rule can close a hole of type {signature}"
            + (f", which {', '.join(sorted(openers))} would open" if openers else "")
            + f"; add a rule that fits it, {_CLOSING[signature.kind]}"
        )

    def rules(self, signature: Signature) -> tuple[Rule, ...]:
        """The rules that may be applied to a hole of this signature, in order."""
        known = self._rules.get(signature)
        if known is None:
            rules: tuple[Rule, ...] = getattr(self, signature.kind)
            known = self._rules[signature] = tuple(
                rule for rule in rules if rule.operation.arguments(signature) is not None
            )
        return known

    @property
    def all_rules(self) -> tuple[Rule, ...]:
        """The rules of all kinds."""
        return self.sequences + self.summaries + self.vectors

    def without(self, names: Collection[str]) -> Grammar:
        """The grammar without the rules of these names; DomainError if it then has no programs."""
        sequences, summaries, vectors = (
            tuple(rule for rule in rules if rule.operation.name not in names)
            for rules in (self.sequences, self.summaries, self.vectors)
        )
        return Grammar(self.root, sequences, summaries, vectors, self.price)

    @cached_property
    def _rules(self) -> dict[Signature, tuple[Rule, ...]]:
        return {}

    @cached_property
    def _openings(self) -> dict[Signature, tuple[_Opening, ...]]:
        return {}

    @cached_property
    def _around(self) -> dict[Signature, tuple[tuple[Program, int], ...]]:
        return {}

    @cached_property
    def _made_by(self) -> dict[Production, Rule | None]:
        return {}

    @cached_property
    def least_rules(self) -> dict[Signature, float]:
        """The least number of rules that closes a hole of each signature that can come up."""
        return self._least(lambda rule, signature: 1)

    @cached_property
    def least_cost(self) -> dict[Signature, float]:
        """The least structural cost that closes a hole of each signature that can come up."""
        return self._least(
            lambda rule, signature: rule.cost + self.price * rule.operation.numbers(signature)
        )

    def _least(self, weight: Callable[[Rule, Signature], float]) -> dict[Signature, float]:
        """Least weight of a derivation from each reachable signature, by relaxation."""
        least = dict.fromkeys(self._reachable(), math.inf)
        changed = True
        while changed:
            changed = False
            for signature, best in least.items():
                for rule in self.rules(signature):
                    arguments = production(rule.operation, signature).arguments
                    total = weight(rule, signature) + sum(least[argument] for argument in arguments)
                    if total < best:
                        best = least[signature] = total
                        changed = True
        return least

    def _reachable(self) -> Sequence[Signature]:
        found = [self.root]
        for signature in found:
            for rule in self.rules(signature):
                for argument in production(rule.operation, signature).arguments:
                    if argument not in found:
                        found.append(argument)
        return found

    def rule_of(self, node: Apply) -> Rule | None:
        """The rule that makes this node, or the cheapest that makes what it refines; if the grammar
        has any."""
        try:
            return self._made_by[node.production]
        except KeyError:
            operation, rules = node.operation, self.rules(node.signature)
            found = [rule for rule in rules if rule.operation == operation] or [
                rule for rule in rules if operation.refines(rule.operation, node.signature)
            ]
            rule = min(found, key=lambda each: each.cost, default=None)
            self._made_by[node.production] = rule
            return rule

    def __contains__(self, program: Program) -> bool:
        """Whether the program, complete or partial, can be derived from the root."""
        return program.signature == self.root and all(map(self.rule_of, applied(program)))

    def cost(self, program: Program) -> float:
        """Structural cost s(α): the sum of the costs of the rules used, and of the numbers to read.

        Leaves whose terms are to be chosen count with the fewest numbers that they can have.
        """
        total, made_by = 0.0, self._made_by
        for node in applied(program):
            rule = made_by.get(node.production) or self.rule_of(node)
            if rule is None:
                raise ProgramError(
                    f"{node.operation.name} is not a rule for {node.signature} in this grammar"
                )
            total += rule.cost
        return total + self.price * least_numbers(program) if self.price else total

    def closing_cost(self, program: Program) -> float:
        """The least cost that any completion adds; thresholds are counted by `cost`."""
        return sum([self.least_cost[hole.signature] for hole in holes(program)])

    def closing_rules(self, program: Program) -> int:
        """The least number of rules that any completion adds."""
        return int(sum([self.least_rules[hole.signature] for hole in holes(program)]))

    def expansions(self, program: Program, max_depth: int | None = None) -> list[Program]:
        """The children of a partial program: its first hole with each rule that fits.

        With ``max_depth``, only those that can still be completed with that many rules in all.
        """
        path, opened = self.openings(program, max_depth)
        return replace_by_each(program, path, opened)

    def openings(self, program: Program, max_depth: int | None) -> tuple[Path, list[Program]]:
        """Where a partial program's first hole is, and each rule that fits there, opened up."""
        path = first_hole(program)
        if path is None:
            return (), []
        signature = node_at(program, path).signature
        room = math.inf
        if max_depth is not None:
            others = self.closing_rules(program) - self.least_rules[signature]
            room = max_depth - program.size - others
        openings = self._opened(signature)
        if not decides(program, path):
            openings = tuple(each for each in openings if not can_name(each.program))
        return path, [each.program for each in openings if each.least_rules <= room]

    def _opened(self, signature: Signature) -> tuple[_Opening, ...]:
        """A hole with each rule that fits; the same objects in all programs, to share memory."""
        known = self._openings.get(signature)
        if known is None:
            opened = [open_up(rule.operation, signature) for rule in self.rules(signature)]
            least = self.least_rules
            known = self._openings[signature] = tuple(
                _Opening(each, 1 + sum(least.get(a.signature, math.inf) for a in each.arguments))
                for each in opened
            )
        return known

    def around(self, signature: Signature) -> tuple[tuple[Program, int], ...]:
        """Each rule, opened up, that a program of a signature may be put into to give another one
        of that signature; and as which argument."""
        known = self._around.get(signature)
        if known is None:
            known = self._around[signature] = tuple(
                (each.program, index)
                for each in self._opened(signature)
                for index, hole in enumerate(each.program.arguments)
                if hole.signature == signature
            )
        return known
