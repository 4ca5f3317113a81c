"""Errors meant for the people who use the package.

Each message says what was given, what was expected and what to do about it.
"""


class NearstarError(ValueError):
    """Base of every error whose cause lies in what the user gave."""


class DataError(NearstarError):
    """The data cannot be read as sequences of feature vectors with class labels."""


class ProgramError(NearstarError):
    """A program that is not well typed, or parameters that do not fit it."""


class TextError(ProgramError):
    """Program text that cannot be read; the message shows the line with a caret."""


class DomainError(NearstarError):
    """A domain, grammar or library function that cannot be used."""
