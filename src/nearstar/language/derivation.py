"""Derivations as words: a letter for each rule, in the order in which rules are applied.

A program is begun by another one if the word of that is the beginning of its own: what it was
after any number of rules is found without making it.
"""

from __future__ import annotations

from nearstar.language.program import Production, Program, applied


class Alphabet:
    """Gives each rule a letter when it is first met with, and each start of a derivation, too."""

    def __init__(self) -> None:
        self._letters: dict[Production | Program, str] = {}

    def letter(self, of: Production | Program) -> str:
        """That of a rule, or of what programs are derived from."""
        known = self._letters.get(of)
        if known is None:
            known = self._letters[of] = chr(len(self._letters))
        return known

    def word(self, program: Program) -> str:
        """The rules that make a program of a hole, in their order."""
        return "".join([self.letter(each.production) for each in applied(program)])
