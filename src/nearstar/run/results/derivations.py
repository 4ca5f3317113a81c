"""Which partial programs of a run its complete programs complete, however they were reached.

A search links a program to the one that it was made from, and there are others: equal programs are
trained once, some are trained that no partial program led to, and some before what leads to them.
One program completes another if its derivation, as a word, begins with that of the other.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from itertools import chain, islice, permutations, product

from nearstar.language.canonical import canonical
from nearstar.language.derivation import Alphabet
from nearstar.language.function import Function
from nearstar.language.program import Apply, Hole, Program, completes
from nearstar.search.space import Space

_MOST_REACHED = 500
"""Beginnings that are looked at for one program, over all orders of its operands; few have more."""
_AFTER_ALL = chr(0x10FFFF)


class _Beginning:
    """A beginning of words: the trained partial programs that it is the word of, and what follows
    it in others."""

    __slots__ = ("following", "trained")

    def __init__(self) -> None:
        self.following: dict[str, _Beginning] = {}
        self.trained: list[int] = []


class Derivations:
    """The derivations of a run's programs so far.

    Where operands may change places, a complete program has several words. Partial programs that
    are trained after it are compared with one of them alone, of the order in which it is written.
    """

    def __init__(self, space: Space) -> None:
        self._space = space
        self._alphabet = Alphabet()
        self._beginnings: dict[Program, _Beginning] = {root: _Beginning() for root in space.roots}
        """Of the words that lead on from each root to trained partial programs."""
        self._complete: list[str] = []
        """The words of the complete programs, sorted: what completes a program stands together."""
        self._scores: list[tuple[float, int]] = []
        """The error and the index of each."""

    def add_partial(self, program: Program, index: int) -> int | None:
        """Take up a partial program; gives the best complete one so far that completes it."""
        below: list[tuple[float, int]] = []
        for root in self._roots(program):
            word, beginning = self._word(program, root), self._beginnings[root]
            for letter in word:
                beginning = beginning.following.setdefault(letter, _Beginning())
            beginning.trained.append(index)
            word = self._alphabet.letter(root) + word
            first, last = (bisect_left(self._complete, end) for end in (word, word + _AFTER_ALL))
            below += self._scores[first:last]
        return min(below)[1] if below else None

    def add_complete(self, program: Program, index: int, error: float) -> tuple[int, ...]:
        """Take up a complete program; gives the trained partial ones so far that it completes."""
        found: set[int] = set()
        for each in {program: None, self._space.form(program): None}:
            for root in self._roots(each):
                self._keep(self._alphabet.letter(root) + self._word(each, root), (error, index))
            for beginning in islice(self._begun_by(each), _MOST_REACHED):
                found.update(beginning.trained)
        return tuple(sorted(found))

    def _keep(self, word: str, score: tuple[float, int]) -> None:
        place = bisect_left(self._complete, word)
        self._complete.insert(place, word)
        self._scores.insert(place, score)

    def _roots(self, program: Program) -> Iterator[Program]:
        """What the program can be derived from."""
        return (root for root in self._space.roots if completes(program, root))

    def _word(self, program: Program, root: Program) -> str:
        """The rules that make a program of a root, in their order."""
        if isinstance(root, Hole):
            return self._alphabet.word(program)
        return "".join(map(self._word, program.arguments, root.arguments))

    def _begun_by(self, program: Program) -> Iterator[_Beginning]:
        """The beginnings of a program's words, in all orders of operands, from all roots."""
        for root, beginning in self._beginnings.items():
            for parts in self._fillings(program, root):
                reached = self._reached(beginning, parts)
                # Nothing relies on a root that is but a hole.
                yield from reached if root.size else islice(reached, 1, None)

    def _fillings(self, program: Program, root: Program) -> Iterator[tuple[Program, ...]]:
        """What a program has in the place of each hole of a root, if it can be made of that."""
        if isinstance(root, Hole):
            if program.signature == root.signature:
                yield (program,)
        elif isinstance(program, Apply) and program.production == root.production:
            for arguments in self._orders(program):
                for parts in product(*map(self._fillings, arguments, root.arguments)):
                    yield tuple(chain.from_iterable(parts))

    def _reached(self, beginning: _Beginning, parts: tuple[Program, ...]) -> Iterator[_Beginning]:
        """A beginning, and those after it on the way to these parts, made one after the other."""
        yield beginning
        if not parts or not beginning.following:
            return
        first, *others = parts
        assert isinstance(first, Apply)
        following = beginning.following.get(self._alphabet.letter(first.production))
        if following is not None:
            for arguments in dict.fromkeys(self._orders(first)):
                yield from self._reached(following, (*arguments, *others))

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
        *others, rest = operands[:i] + operands[i + 1 :]
        for each in reversed(others):
            rest = program.on((each, rest))
        yield first, rest
