"""Errors meant for the people who use the package.

Each message says what was given, what was expected and what to do about it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Setting:
    """A setting that a message names, with a value for it: people give it in several ways."""

    name: str
    value: Any = None

    def __str__(self) -> str:
        """As it is written in Python."""
        return self.name if self.value is None else f"{self.name}={self.value!r}"


class NearstarError(ValueError):
    """Base of every error whose cause lies in what the user gave.

    Its arguments are the parts of the message: texts, and each `Setting` that it names.
    """

    def __str__(self) -> str:
        return message_of(self)


class DataError(NearstarError):
    """The data cannot be read as sequences of feature vectors with class labels."""


class ProgramError(NearstarError):
    """A program that is not well typed, or parameters that do not fit it."""


class TextError(ProgramError):
    """Program text that cannot be read; the message shows the line with a caret."""


class DomainError(NearstarError):
    """A domain, grammar or library function that cannot be used."""


def message_of(problem: NearstarError, write: Callable[[Setting], str] = str) -> str:
    """What an error says, with settings as they are written where it is read."""
    return "".join(write(e) if isinstance(e, Setting) else str(e) for e in problem.args)
