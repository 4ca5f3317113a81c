"""The best programs at every price."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TypeVar

from nearstar.run.results.evaluation import Candidate, Rated

R = TypeVar("R", bound=Rated)


class Front(tuple[Candidate, ...]):
    """Answers that none other beats in structural cost or error, cheapest first.

    A tuple that shows itself as a table.
    """

    __slots__ = ()

    HEADINGS = ("cost", "error", "F1", "accuracy", "program")

    def rows(self) -> list[tuple[str, ...]]:
        """What the table says of each."""
        return [
            (
                f"{each.evaluation.structural_cost:.4g}",
                f"{each.evaluation.error:.3f}",
                *map(_share, (each.evaluation.f1, each.evaluation.accuracy)),
                str(each),
            )
            for each in self
        ]

    def __str__(self) -> str:
        lines = [self.HEADINGS, *self.rows()]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        return "\n".join(
            "  ".join([*map(str.rjust, numbers, widths), program]) for *numbers, program in lines
        )

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from nearstar.report.notebook import front_html

        return front_html(self)


def _share(share: float | None) -> str:
    return "–" if share is None else f"{share:.3f}"


def pareto(evaluations: Iterable[R]) -> tuple[R, ...]:
    """Answers that none other beats in structural cost or error, cheapest first.

    One is beaten by another that is no worse in both and better in one; of equals the first found
    stays.
    """
    answers = (each for each in evaluations if each.answer)
    front: list[R] = []
    least = math.inf
    for each in sorted(answers, key=lambda e: (e.structural_cost, e.error, e.index)):
        if each.error < least:
            front.append(each)
            least = each.error
    return tuple(front)
