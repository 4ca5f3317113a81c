"""How many complete programs there are, exactly; and drawing one of them, each as likely."""

from __future__ import annotations

import numpy as np

from nearstar.language.grammar import Grammar
from nearstar.language.program import Apply, Program, production
from nearstar.language.types import Signature
from nearstar.util.errors import NearstarError

_Holes = tuple[Signature, ...]


class Counting:
    """Counts and draws complete programs of a grammar by the number of their rules.

    Programs are counted as they are written: equivalent ones count as several.
    """

    def __init__(self, grammar: Grammar) -> None:
        self.grammar = grammar
        self._known: dict[tuple[_Holes, int], int] = {}

    def programs(self, signature: Signature, rules: int) -> int:
        """Complete programs of a signature with exactly so many rules."""
        return self._ways((signature,), rules)

    def up_to(self, signature: Signature, rules: int) -> int:
        """Complete programs of a signature with at most so many rules."""
        return sum(self.programs(signature, fewer) for fewer in range(rules + 1))

    def draw(self, signature: Signature, most_rules: int, random: np.random.Generator) -> Program:
        """One of the complete programs with at most so many rules, each with the same chance."""
        total = self.up_to(signature, most_rules)
        if total == 0:
            raise NearstarError(
                f"no program of type {signature} has at most {most_rules} rules; allow more"
            )
        index = _below(total, random)
        rules = 1
        while index >= self.programs(signature, rules):
            index -= self.programs(signature, rules)
            rules += 1
        return self._nth((signature,), rules, index)[0]

    def _ways(self, holes: _Holes, rules: int) -> int:
        """Ways to fill all these holes with exactly so many rules in all."""
        if rules < len(holes) or not holes:
            return int(rules == 0 and not holes)
        key = (holes, rules)
        if key not in self._known:
            first, rest = holes[:1], holes[1:]
            if rest:
                ways = sum(
                    self._ways(first, share) * self._ways(rest, rules - share)
                    for share in _shares(rest, rules)
                )
            else:
                ways = sum(
                    self._ways(production(rule.operation, holes[0]).arguments, rules - 1)
                    for rule in self.grammar.rules(holes[0])
                )
            self._known[key] = ways
        return self._known[key]

    def _nth(self, holes: _Holes, rules: int, index: int) -> tuple[Program, ...]:
        """The way of this number, from 0, to fill the holes: in the order in which they count."""
        if not holes:
            return ()
        first, rest = holes[:1], holes[1:]
        if not rest:
            return (self._nth_program(holes[0], rules, index),)
        for share in _shares(rest, rules):
            ways_of_rest = self._ways(rest, rules - share)
            ways = self._ways(first, share) * ways_of_rest
            if index < ways:
                one, other = divmod(index, ways_of_rest)
                return self._nth(first, share, one) + self._nth(rest, rules - share, other)
            index -= ways
        raise IndexError(index)

    def _nth_program(self, signature: Signature, rules: int, index: int) -> Program:
        for rule in self.grammar.rules(signature):
            arguments = production(rule.operation, signature).arguments
            ways = self._ways(arguments, rules - 1)
            if index < ways:
                return Apply(rule.operation, signature, self._nth(arguments, rules - 1, index))
            index -= ways
        raise IndexError(index)


def _shares(rest: _Holes, rules: int) -> range:
    """How many of the rules the first hole may take: each hole after it needs one."""
    return range(1, rules - len(rest) + 1)


def _below(end: int, random: np.random.Generator) -> int:
    """A whole number from 0 and below ``end``, which may be of any size."""
    bits = (end - 1).bit_length()
    surplus = -bits % 8
    while True:
        # At least half of the numbers of so many bits will do.
        number = int.from_bytes(random.bytes((bits + surplus) // 8), "little") >> surplus
        if number < end:
            return number
