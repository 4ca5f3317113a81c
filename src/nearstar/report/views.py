"""What a part of a program sees of a feature: its value at a frame, or a window's summary."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from nearstar.language.operators import Fold, Map, MapPrefix, Window
from nearstar.language.operators.windows import Reduction
from nearstar.language.program import Path
from nearstar.model.explain.nodes import Node

_NOUNS: dict[Reduction, str] = {
    "Average": "average",
    "Max": "maximum",
    "Min": "minimum",
    "Change": "change",
}


@dataclass(frozen=True)
class View:
    """The frames from ``back`` before a position to ``ahead`` after it, and what becomes of them.

    As in `nearstar.library.Window`, they are cut off at both ends of a sequence.
    """

    reduction: Reduction | None = None
    """None: the value at the position."""
    back: int = 0
    ahead: int = 0
    at_end: bool = False
    """Whether the position is the last frame of the sequence, rather than each one in turn."""

    @property
    def empty(self) -> bool:
        """Whether it is 0 whatever the data are: the change within one frame."""
        return self.reduction == "Change" and not self.back + self.ahead

    def of(self, name: str) -> str:
        """What it shows of a feature."""
        if self.reduction is None or not self.back + self.ahead:
            return f"{name} at the end of the sequence" if self.at_end else name
        return f"the {_NOUNS[self.reduction]} of {name} over {self._frames}"

    @property
    def of_each(self) -> str:
        """What it shows of several features; nothing to say if that is their values."""
        if self.empty:
            return "taking 0 for each, its change within one frame"
        if self.reduction is None or not self.back + self.ahead:
            return "taking each at the end of the sequence" if self.at_end else ""
        return f"taking the {_NOUNS[self.reduction]} of each over {self._frames}"

    @property
    def _frames(self) -> str:
        count = self.back + 1 + self.ahead
        if self.at_end:
            return f"the last {count} frames of the sequence"
        return (
            f"the {count} frames centred on this one" if self.ahead else f"the last {count} frames"
        )


def view_at(nodes: Mapping[Path, Node], path: Path) -> View:
    """What the vector → vector part at a path sees of each feature."""
    around = [nodes[path[:end]].operation for end in range(len(path))]
    everywhere = any(isinstance(each, MapPrefix) for each in around)
    for operation in reversed(around):
        match operation:
            case Window(reduction=reduction, back=back, ahead=ahead):
                # At the end of a sequence nothing is ahead.
                return View(reduction, back, ahead if everywhere else 0, at_end=not everywhere)
            case Map() | Fold():
                return View()
    return View()
