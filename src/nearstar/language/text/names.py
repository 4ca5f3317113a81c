"""Names in program text: what they stand for, where they fit, and what to say if they do not."""

from __future__ import annotations

import re

from nearstar.language.deciding import written_class
from nearstar.language.domain import Domain
from nearstar.language.function import Function
from nearstar.language.operation import Operation, count
from nearstar.language.operators import Affine, Constant, Input, Select
from nearstar.language.reductions import REDUCTIONS
from nearstar.language.template import KEYWORDS, outline
from nearstar.language.types import Signature
from nearstar.util.nearest import nearest

_LISTED = 12  # names that an error lists
_WINDOW = re.compile("(Sliding|Centred)Window")
_WINDOWS = (
    *("SlidingWindowAverage10", "CentredWindowMax5"),
    *(f"SlidingWindow{reduction}5" for reduction in list(REDUCTIONS)[2:]),
)
"""Some of all windows, one of each reduction."""


class Names:
    """The operations of a domain by the word that their text begins with."""

    def __init__(self, domain: Domain) -> None:
        self._domain = domain
        self._functions = domain.by_word()

    @property
    def features(self) -> tuple[str, ...]:
        """The names of all features."""
        return self._domain.features

    @property
    def classes(self) -> tuple[str, ...]:
        """The names of what programs tell apart."""
        return self._domain.classes

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

    def fitting(self, signature: Signature, variable: str, decides: bool) -> str:
        """A list of what could stand in a place of this type; ``decides``: as the answer itself."""
        names = [*map(written_class, self.classes)] if self._tells(signature) and decides else []
        names += [
            name
            for name in self._all()
            if (operation := self.find(name)) and operation.arguments(signature) is not None
        ]
        if Input().arguments(signature) is not None:
            names.append(variable)
        return ", ".join(names[:_LISTED]) + (", …" if len(names) > _LISTED else "")

    def _tells(self, signature: Signature) -> bool:
        return bool(self.classes) and Constant(self.classes).arguments(signature) is not None

    def hint(self, name: str, variable: str) -> str:
        """What may help somebody who wrote a word that stands for nothing here."""
        operation = self._domain.operation(name)
        if isinstance(operation, Function):
            return f"write {outline(operation.form, variable)} for it."
        if _WINDOW.match(name):
            return f"windows are {', '.join(_WINDOWS)} and the like, of an odd size if centred."
        close = nearest(name, [*map(written_class, self.classes), *self._all(), variable])
        return f"did you mean {close}?" if close else ""

    def _all(self) -> list[str]:
        domain = self._domain
        return [
            *self._functions,
            "map",
            "mapprefix",
            "fold",
            "memory",
            *(name for name in domain.summaries if "Window" in name),
            *(Affine(group).name for group in domain.groups),
            "Affine",
            *(f"{alias}Affine" for alias in domain.aliases),
            *(Select(group).name for group in domain.groups),
            "const",
        ]


def kind(signature: Signature) -> str:
    """The type of a place, in words."""
    ends = (type(end).__name__.lower() for end in (signature.input, signature.output))
    return f"a {' → '.join(ends)} expression of {count(signature.output.size)}"
