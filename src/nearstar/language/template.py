"""Templates: how the text of an operation is laid out around its arguments.

``if {0} > 0 then {1} else {2}`` is one. ``{0}``, ``{1}``, … are the arguments and ``{x}`` is the
variable; the rest is literal. The same pieces drive printing and parsing, so that the two agree.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise
from typing import Literal, NamedTuple

from nearstar.util.errors import DomainError

WORD = r"[^\W\d]\w*"
"""What the text of a program takes for one word."""
KEYWORDS = frozenset({"map", "mapprefix", "fold", "memory", "fun", "c", "const"})
VARIABLES = ("x", "x_t", "x_i")
"""Variables as they are printed: the input, and what the first and second lambda bind."""

Kind = Literal["word", "sign", "argument", "variable", "binder", "start", "numbers", "terms"]

_PIECE = re.compile(rf"(\s*)(?:\{{(\w+)\}}|({WORD}|[0-9]+)|([^\w\s]))")
_PLACES: dict[str, Kind] = {"x": "variable", "fun": "binder", "c": "start", "w": "numbers"}
# A dot could continue a number, [ could open the parameters of the argument before it, ? could
# join a hole, and braces are for places.
_UNUSABLE = frozenset(".[]?{}")
_LEAF_OR_WINDOW = re.compile(r".*Affine|sel_.*|(?:Sliding|Centred)Window.*")


class Piece(NamedTuple):
    """A word or a sign that is printed as it is, or a place for something else."""

    kind: Kind
    text: str
    spaced: bool
    """Whether white space goes before it."""


@lru_cache(maxsize=4096)
def pieces(text: str) -> tuple[Piece, ...]:
    """The pieces of a template's text.

    Besides ``{0}`` and ``{x}`` the built-in forms have ``{fun}`` (the variable that a lambda
    binds), ``{c}`` (the start of a fold) and ``{w}`` (parameters, before any argument).
    """
    found: list[Piece] = []
    position, text = 0, text.strip()
    while position < len(text):
        match = _PIECE.match(text, position)
        if match is None:
            raise DomainError(f"the template {text!r} cannot have {text[position]!r} there")
        space, place, word, sign = match.groups()
        if place is None:
            found.append(Piece("word" if word else "sign", word or sign, bool(space)))
        elif place in _PLACES or place.isdecimal():
            found.append(Piece(_PLACES.get(place, "argument"), place, bool(space)))
        else:
            raise DomainError(f"the template {text!r} has the unknown place {{{place}}}")
        position = match.end()
    return tuple(found)


def check_template(name: str, prints: str, arguments: int) -> None:
    """Raise DomainError if text could not be read by the template of a function."""
    result = pieces(prints)
    problem = (
        _problem_of_first(result)
        or _problem_of_places(result, arguments)
        or _problem_of_literals(result)
    )
    if problem:
        raise DomainError(f"{name} cannot print as {prints!r}: {problem}")


def _problem_of_first(pieces: tuple[Piece, ...]) -> str | None:
    if not pieces or pieces[0].kind != "word" or pieces[0].text.isdecimal():
        return "it must begin with a word, by which text is recognised"
    word = pieces[0].text
    if word in KEYWORDS or word in VARIABLES:
        return f"{word!r} is a word of the language; begin with another one"
    if begins_leaf(word):
        return f"{word!r} would be taken for a leaf or a window; begin with another word"
    return None


def begins_leaf(word: str) -> bool:
    """Whether a word is taken for a leaf of features, or a window."""
    return _LEAF_OR_WINDOW.fullmatch(word) is not None


def _problem_of_places(pieces: tuple[Piece, ...], arguments: int) -> str | None:
    places = [piece for piece in pieces if piece.kind not in ("word", "sign")]
    if odd := [piece.text for piece in places if piece.kind not in ("argument", "variable")]:
        return f"it has the unknown place {{{odd[0]}}}"
    if [p.text for p in places if p.kind == "argument"] != [str(i) for i in range(arguments)]:
        expected = ", ".join(f"{{{index}}}" for index in range(arguments)) or "none"
        return f"the places of its arguments must be, each once and in this order: {expected}"
    if sum(piece.kind == "variable" for piece in places) > 1:
        return "{x} may stand in it once"
    return None


def _problem_of_literals(pieces: tuple[Piece, ...]) -> str | None:
    for piece in pieces:
        if piece.kind == "sign" and (piece.text in _UNUSABLE or not piece.text.isprintable()):
            return f"the character {piece.text!r} cannot be used"
    for before, piece in pairwise(pieces):
        if not piece.spaced and "sign" not in (before.kind, piece.kind):
            return f"there must be a space or a sign before {_shown(piece)}"
    return None


def _shown(piece: Piece) -> str:
    return repr(piece.text) if piece.kind == "word" else f"{{{piece.text}}}"


def outline(form: tuple[Piece, ...], variable: str) -> str:
    """The form as a person would sketch it: ``if … > 0 then … else …``."""
    bound = VARIABLES[2] if variable == VARIABLES[1] else VARIABLES[1]
    shown = {"argument": "…", "variable": variable, "binder": bound, "numbers": ""}
    return "".join(" " * piece.spaced + shown.get(piece.kind, piece.text) for piece in form)
