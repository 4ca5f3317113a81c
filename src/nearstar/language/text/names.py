"""Names in program text: what they stand for, where they fit, and what to say if they do not."""

from __future__ import annotations

import re

from nearstar.language.columns import columns_of
from nearstar.language.domain import Domain
from nearstar.language.function import Function
from nearstar.language.operators import (
    BUILT_IN,
    Affine,
    Fold,
    Input,
    Map,
    MapPrefix,
    Select,
    Window,
    if_then_else,
)
from nearstar.language.program import Operation
from nearstar.language.template import KEYWORDS, by_word
from nearstar.language.text.forms import form, outline
from nearstar.language.types import Sequence, Signature
from nearstar.util.nearest import nearest

_LISTED = 12  # names that an error lists
_WINDOW = re.compile("(Sliding|Centred)Window")


class Names:
    """The operations of a domain by the word that their text begins with."""

    def __init__(self, domain: Domain) -> None:
        self._domain = domain
        self._functions = by_word((if_then_else(domain.beta), *BUILT_IN, *domain.functions))

    def find(self, name: str) -> Operation | None:
        """The operation whose text begins with this word; DomainError for impossible windows."""
        if name in self._functions:
            return self._functions[name]
        operation = self._domain.operation(name)
        # Functions go by their first word, variables by their scope.
        return None if isinstance(operation, Function | Input) else operation

    def taken(self, name: str) -> bool:
        """Whether no variable may have this name."""
        return name in KEYWORDS or self.find(name) is not None

    def fitting(self, signature: Signature, variable: str) -> str:
        """A list of what could stand in a place of this type."""
        names = [
            name
            for name in self._all()
            if (operation := self.find(name)) and operation.arguments(signature) is not None
        ]
        if Input().arguments(signature) is not None:
            names.append(variable)
        return ", ".join(names[:_LISTED]) + (", …" if len(names) > _LISTED else "")

    def hint(self, name: str, variable: str) -> str:
        """What may help somebody who wrote a word that stands for nothing here."""
        operation = self._domain.operation(name)
        if isinstance(operation, Function):
            return f"write {outline(form(operation), variable)} for it."
        if _WINDOW.match(name):
            return (
                "windows are SlidingWindowAverage10, CentredWindowMax5, SlidingWindowMin5, "
                "SlidingWindowChange5 and the like, of an odd size if centred."
            )
        close = nearest(name, [*self._all(), variable])
        return f"did you mean {close}?" if close else ""

    def _all(self) -> list[str]:
        domain = self._domain
        return [
            *self._functions,
            "map",
            "mapprefix",
            "fold",
            *(name for name in domain.summaries if "Window" in name),
            *(Affine(group).name for group in domain.groups),
            "Affine",
            *(f"{alias}Affine" for alias in domain.aliases),
            *(Select(group).name for group in domain.groups),
            "const",
        ]


def kind(signature: Signature) -> str:
    """The type of a place, in words."""
    if signature.maps_vectors:
        direction = "vector → vector"
    else:
        direction = "sequence → vector" if signature.summarises else "sequence → sequence"
    return f"a {direction} expression of {_numbers(signature.output.size)}"


def mismatch(operation: Operation, signature: Signature) -> str:
    """What an operation is, that makes it unfit for a place of this type."""
    match operation:
        case Map() | MapPrefix():
            return "gives a sequence"
        case Fold() | Window():
            return "makes one vector of a sequence"
        case Input():
            if isinstance(signature.input, Sequence) and signature.summarises:
                return "is a sequence"
            return f"has {_numbers(signature.input_size)}"
    if not signature.maps_vectors and not getattr(operation, "lifts", False):
        return "is a function of vectors"
    columns = columns_of(operation, signature)
    if columns and max(columns) >= signature.input.size:
        return f"reads feature {max(columns)}, counted from 0, of only {signature.input.size}"
    gives = operation.gives if isinstance(operation, Function) else len(columns)
    return f"gives {_numbers(gives)}"


def _numbers(count: int | str) -> str:
    return f"{count} number{'' if count == 1 else 's'}"
