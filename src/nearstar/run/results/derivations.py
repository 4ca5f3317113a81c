"""Which partial programs of a run its complete programs complete, however they were reached.

A search links a program to the one that it was made from, and there are others: equal programs are
trained once, some are trained that no partial program led to, and some before what leads to them.
A derivation is a word here, with a letter for each rule in the order in which it is applied. One
program completes another if the word of the other is the beginning of its own.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from itertools import islice, permutations, product

from nearstar.language.canonical import canonical
from nearstar.language.function import Function
from nearstar.language.program import Apply, Hole, Production, Program, applied, completes
from nearstar.search.space import Space

_MOST_WORDS = 48
"""Orders of a program's operands that are looked at; few programs have more."""
_REMEMBERED = 5_000
"""Parts of programs whose words are kept before forgetting them all."""
_AFTER_ALL = chr(0x10FFFF)


class Derivations:
    """The derivations of a run's programs so far.

    Where operands may change places, a complete program has several words. Partial programs that
    are trained after it are compared with one of them alone, of the order in which it is written.
    """

    def __init__(self, space: Space) -> None:
        self._space = space
        self._letters: dict[Production | Program, str] = {}
        self._of_parts: dict[Program, tuple[str, ...]] = {}
        self._partial: dict[str, list[int]] = {}
        """The indices of the trained partial programs, by their words."""
        self._complete: list[str] = []
        """The words of the complete programs, sorted: what completes a program stands together."""
        self._scores: list[tuple[float, int]] = []
        """The error and the index of each."""

    def add_partial(self, program: Program, index: int) -> int | None:
        """Take up a partial program; gives the best complete one so far that completes it."""
        below: list[tuple[float, int]] = []
        for root in self._roots(program):
            word = self._letter(root) + self._word(program, root)
            self._partial.setdefault(word, []).append(index)
            first, last = (bisect_left(self._complete, end) for end in (word, word + _AFTER_ALL))
            below += self._scores[first:last]
        return min(below)[1] if below else None

    def add_complete(self, program: Program, index: int, error: float) -> tuple[int, ...]:
        """Take up a complete program; gives the trained partial ones so far that it completes."""
        begun: set[str] = set()
        for each in {program: None, self._space.form(program): None}:
            for root in self._roots(each):
                self._keep(self._letter(root) + self._word(each, root), (error, index))
            for root in self._space.roots:
                first, least = self._letter(root), 0 if root.size else 1  # nothing relies on a hole
                for word in self._words(each, root):
                    begun.update(first + word[:rules] for rules in range(least, len(word)))
        known = (self._partial.get(word, ()) for word in begun)
        return tuple(sorted({place for places in known for place in places}))

    def _keep(self, word: str, score: tuple[float, int]) -> None:
        place = bisect_left(self._complete, word)
        self._complete.insert(place, word)
        self._scores.insert(place, score)

    def _roots(self, program: Program) -> Iterator[Program]:
        """What the program can be derived from."""
        return (root for root in self._space.roots if completes(program, root))

    def _letter(self, of: Production | Program) -> str:
        return self._letters.setdefault(of, chr(len(self._letters)))

    def _word(self, program: Program, root: Program) -> str:
        """The rules that make a program of a root, in their order."""
        if isinstance(root, Hole):
            return "".join([self._letter(each.production) for each in applied(program)])
        return "".join(map(self._word, program.arguments, root.arguments))

    def _words(self, program: Program, root: Program) -> tuple[str, ...]:
        """The same for all orders of operands in which it can be made of the root, if any."""
        if isinstance(root, Hole):
            return self._all_words(program) if program.signature == root.signature else ()
        if isinstance(program, Hole) or program.production != root.production:
            return ()
        words = (
            "".join(parts)
            for arguments in self._orders(program)
            for parts in product(*map(self._words, arguments, root.arguments))
        )
        return tuple(dict.fromkeys(islice(words, _MOST_WORDS)))

    def _all_words(self, program: Program) -> tuple[str, ...]:
        if isinstance(program, Hole):
            return ("",)
        known = self._of_parts.get(program)
        if known is None:
            letter = self._letter(program.production)
            words = (
                letter + "".join(parts)
                for arguments in self._orders(program)
                for parts in product(*map(self._all_words, arguments))
            )
            known = tuple(dict.fromkeys(islice(words, _MOST_WORDS)))
            if len(self._of_parts) >= _REMEMBERED:
                self._of_parts.clear()
            self._of_parts[program] = known
        return known

    def _orders(self, program: Apply) -> Iterator[tuple[Program, ...]]:
        """The arguments of a program, in all orders that give an equal one."""
        arguments = program.arguments
        yield arguments
        if len({each.signature for each in arguments[-2:]}) != 1 or len(arguments) < 2:
            return
        operation = program.operation
        laws = operation.laws if isinstance(operation, Function) else ()
        if "associative" in laws:
            yield from _rotated(program)
        elif "commutative" in laws:
            yield from permutations(arguments)
        else:
            *others, one, other = arguments
            exchanged = (*others, other, one)
            if one != other and self._are_equal(program, program.on(exchanged)):
                yield exchanged

    def _are_equal(self, program: Program, other: Program) -> bool:
        grammar = self._space.grammar
        return canonical(program, grammar) == canonical(other, grammar)


def _rotated(program: Apply) -> Iterator[tuple[Program, Program]]:
    """A chain of an associative operation with each of its operands in turn as the first."""
    operands: list[Program] = []
    rest: Program = program
    while isinstance(rest, Apply) and rest.production == program.production:
        operands.append(rest.arguments[0])
        rest = rest.arguments[1]
    operands.append(rest)
    for i, first in enumerate(operands):
        *others, chain = operands[:i] + operands[i + 1 :]
        for each in reversed(others):
            chain = program.on((each, chain))
        yield first, chain
