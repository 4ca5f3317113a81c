"""What a part of a program sees of a feature: its value at a frame, or a window's summary."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from nearstar.language.program import Apply, Path, Program
from nearstar.language.reductions import Reduction


@dataclass(frozen=True)
class View:
    """The frames from ``back`` before a position to ``ahead`` after it, and what becomes of them.

    They are cut off at both ends of a sequence.
    """

    reduction: Reduction | None = None
    """None: the value at the position."""
    back: int = 0
    ahead: int = 0
    at_end: bool = False
    """Whether the position is the last frame of the sequence, rather than each one in turn."""

    def end(self) -> View:
        """What is seen of the whole sequence: it ends with its last frame."""
        return _AT_END

    @property
    def moves(self) -> bool:
        """Whether what it shows has the data's mean (a window's change has mean 0)."""
        return self.reduction is None or self.reduction.moves

    @property
    def empty(self) -> bool:
        """Whether it is 0 whatever the data are, such as the change within one frame."""
        return not self.moves and not self.back + self.ahead

    def of(self, name: str) -> str:
        """What it shows of a feature."""
        if self.reduction is None or not self.back + self.ahead:
            return f"{name} at the end of the sequence" if self.at_end else name
        return f"the {self.reduction.noun} of {name} over {self._frames}"

    @property
    def of_each(self) -> str:
        """What it shows of several features; nothing to say if that is their values."""
        if self.reduction is not None and self.empty:
            return f"taking 0 for each, its {self.reduction.noun} within one frame"
        if self.reduction is None or not self.back + self.ahead:
            return "taking each at the end of the sequence" if self.at_end else ""
        return f"taking the {self.reduction.noun} of each over {self._frames}"

    @property
    def _frames(self) -> str:
        count = self.back + 1 + self.ahead
        if self.at_end:
            return f"the last {count} frames of the sequence"
        return (
            f"the {count} frames centred on this one" if self.ahead else f"the last {count} frames"
        )


def view_at(program: Program, path: Path) -> View:
    """What the part at a path sees of each feature."""
    return next(view for at, _, view in walk_with_views(program) if at == path)


def walk_with_views(program: Program) -> Iterator[tuple[Path, Program, View]]:
    """Every node with its path and what it sees, in the order of the derivation."""
    yield from _walk((), program, _AT_END if program.signature.summarises else _PLAIN)


def _walk(path: Path, node: Program, view: View) -> Iterator[tuple[Path, Program, View]]:
    yield path, node, view
    if isinstance(node, Apply):
        for index, argument in enumerate(node.arguments):
            seen = node.operation.sees(view, node.signature, argument.signature)
            yield from _walk((*path, index), argument, seen)


_PLAIN, _AT_END = View(), View(at_end=True)
