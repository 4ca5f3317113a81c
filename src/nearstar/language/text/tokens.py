"""Tokens of program text, read one at a time, and errors that point at one."""

from __future__ import annotations

import re
from typing import NamedTuple

from nearstar.language.feature_names import read_name
from nearstar.language.template import WORD
from nearstar.util.caret import pointing
from nearstar.util.errors import TextError

MAX_LENGTH = 1_000_000
"""Characters of the longest text that is read."""
MINUS = "\N{MINUS SIGN}"
"""Read as ``-`` in numbers: text that was typeset has it."""
TIMES = "\N{MIDDLE DOT}"
"""Between a weight and what it is of; ``*`` is read, too."""

_TOKEN = re.compile(
    rf"\s*(?:(?P<word>{WORD})"
    rf"|(?P<number>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+{MINUS}]?[0-9]+)?)"
    r"|(?P<sign>\?\?|\S)"
    r"|\Z)"
)

_COMPARED = re.compile(r"\s*([<>])\s*([^\s]*)")


class Token(NamedTuple):
    """A piece of text and where it starts; at the end of the text the kind is ``end``."""

    kind: str
    text: str
    start: int

    def __str__(self) -> str:
        return repr(shortened(self.text)) if self.text else "the end of the text"


class Tokens:
    """The tokens of a text, of which one is looked at."""

    def __init__(self, text: str) -> None:
        self.text = text
        if len(text) > MAX_LENGTH:
            problem = f"the text has {len(text):,} characters; at most {MAX_LENGTH:,} are read"
            raise self.error(problem, Token("end", "", MAX_LENGTH))
        self._position = 0
        self.current = self._scan()

    def take(self) -> Token:
        """The token looked at; the next one takes its place."""
        token = self.current
        self.current = self._scan()
        return token

    def take_name(self) -> str | None:
        """The name of a feature that begins where the token looked at does; None if none does."""
        read = read_name(self.text, self.current.start)
        if read is None:
            return None
        name, self._position = read
        self.current = self._scan()
        return name

    def take_quoted(self, opened: Token) -> str | None:
        """The name in quotes that begins with a token taken before; None if it does not end."""
        read = read_name(self.text, opened.start)
        if read is None:
            return None
        name, self._position = read
        self.current = self._scan()
        return name

    def comparison(self) -> tuple[str, bool, str] | None:
        """What begins with the token looked at, if it is a name and a sign, as in ``gap > 3``: the
        name, whether it is in quotes, and the sign with what follows it."""
        start = self.current.start
        read = read_name(self.text, start)
        if read is None:
            return None
        name, end = read
        after = _COMPARED.match(self.text, end)
        return after and (name, self.text.startswith('"', start), after[1] + after[2])

    def error(self, problem: str, token: Token | None = None) -> TextError:
        """The error to raise for a problem at a token; the one looked at unless given."""
        return TextError(pointing(self.text, (token or self.current).start, problem))

    def _scan(self) -> Token:
        match = _TOKEN.match(self.text, self._position)
        assert match is not None  # anything that is no space matches as a sign
        kind = match.lastgroup
        if kind is None:
            # The place to point at is right after the last token, not after trailing space.
            return Token("end", "", self._position)
        self._position = match.end()
        return Token(kind, match[kind], match.start(kind))


def shortened(text: str) -> str:
    """The text, cut if it is very long."""
    return text if len(text) <= 40 else f"{text[:39]}…"
