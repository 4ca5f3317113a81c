"""The best programs at every price, and the one table of them that all faces show."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from nearstar.model.model import Model
from nearstar.run.results.evaluation import Axis, Candidate, Rated, axis_of
from nearstar.util.notebooks import ShownInNotebooks

R = TypeVar("R", bound=Rated)


@dataclass(frozen=True, slots=True)
class FrontRow:
    """What there is to say of one program of a front."""

    place: int
    """From 0, simplest first."""
    axis: Axis
    """What the front is over, beside the error."""
    text: str
    """With its parameters, rounded for reading, where they are known."""
    structural_cost: float
    error: float
    path_cost: float
    f1: float | None
    """On the validation data; None if the training diverged. So is the accuracy."""
    accuracy: float | None
    size: int
    """Rules applied to derive it."""
    numbers: int | None
    """Numbers to read; None with networks in it."""
    chosen: bool

    @property
    def simplicity(self) -> float:
        """Where pictures show it on the axis."""
        return float(getattr(self, self.axis))

    @property
    def height(self) -> float:
        """What pictures show of it: F1, or what stands for it."""
        return 1 - self.error if self.f1 is None else self.f1


_SHARED = ("structural_cost", "error", "path_cost", "f1", "accuracy", "size")


def front_rows(front: Iterable[tuple[Rated, str, int | None]]) -> list[FrontRow]:
    """The table of evaluated programs with their texts and numbers to read; the one of least path
    cost is chosen."""
    given = [
        # What is not known of parameters is known of programs.
        (rated, text, rated.numbers if numbers is None else numbers)
        for rated, text, numbers in front
    ]
    best = min((rated for rated, *_ in given), key=lambda rated: rated.rank, default=None)
    return [
        FrontRow(
            place=place,
            axis=_shown_axis(rated.price, numbers),
            text=text,
            numbers=numbers,
            chosen=rated is best,
            **{name: getattr(rated, name) for name in _SHARED},
        )
        for place, (rated, text, numbers) in enumerate(given)
    ]


def _shown_axis(price: float, numbers: int | None) -> Axis:
    """That of the front, but for networks, which nobody can read."""
    return "structural_cost" if numbers is None else axis_of(price)


def model_rows(models: Sequence[Model], chosen: int | None) -> list[FrontRow]:
    """The table of models as `model_of` makes them, with what they reach with their offsets."""
    rows = []
    for place, model in enumerate(models):
        source, scores = model.facts["provenance"], model.facts["metrics"]["validation"] or {}
        cost, error = source["structural_cost"], source["error"]
        row = FrontRow(
            place=place,
            axis=_shown_axis(model.domain.price, model.numbers),
            text=model.text(),
            structural_cost=cost,
            error=error,
            path_cost=source.get("weight", 1.0) * cost + error,
            f1=scores.get("f1"),
            accuracy=scores.get("accuracy"),
            size=model.program.size,
            numbers=model.numbers,
            chosen=place == chosen,
        )
        rows.append(row)
    return rows


class Front(ShownInNotebooks, tuple[Candidate, ...]):
    """Answers that none other beats in simplicity or error, simplest first; see `pareto`.

    A tuple that shows itself as a table.
    """

    __slots__ = ()

    HEADINGS = ("cost", "numbers", "error", "F1", "accuracy", "program")

    @property
    def best(self) -> Candidate | None:
        """The one of least path cost."""
        return min(self, key=lambda each: each.evaluation.rank, default=None)

    def rows(self) -> list[FrontRow]:
        """It as a table."""
        return front_rows((each.evaluation, str(each), each.numbers) for each in self)

    def cells(self) -> list[tuple[str, ...]]:
        """What is shown of each, under the headings."""
        return [
            (
                f"{row.structural_cost:.4g}",
                "–" if row.numbers is None else str(row.numbers),
                f"{row.error:.3f}",
                *("–" if share is None else f"{share:.3f}" for share in (row.f1, row.accuracy)),
                row.text,
            )
            for row in self.rows()
        ]

    def __str__(self) -> str:
        lines = [self.HEADINGS, *self.cells()]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        return "\n".join(
            "  ".join([*map(str.rjust, numbers, widths), program]) for *numbers, program in lines
        )

    __repr__ = __str__


def pareto(evaluations: Iterable[R]) -> tuple[R, ...]:
    """Answers that none other beats in simplicity or error, simplest first.

    One is beaten by another that is no worse in both and better in one; of equals the first found
    stays. What is simple is told by structural cost or, where they have a price, by the numbers to
    read. Of all answers the one of least path cost is there in any case: among those with as few
    numbers it may err more, and be made of fewer rules.
    """
    answers = [each for each in evaluations if each.answer]
    best = min(answers, key=lambda each: each.rank, default=None)
    front: list[R] = []
    least = math.inf
    for each in sorted(answers, key=lambda e: (e.simplicity, e.error, e.index)):
        if each.error < least or each is best:
            front.append(each)
            least = min(least, each.error)
    return tuple(front)
