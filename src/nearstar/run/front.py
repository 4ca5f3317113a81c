"""The best programs at every price."""

from __future__ import annotations

import math
from collections.abc import Iterable

from nearstar.run.evaluation import Evaluation


def pareto(evaluations: Iterable[Evaluation]) -> tuple[Evaluation, ...]:
    """Answers that none other beats in structural cost or error, cheapest first.

    One is beaten by another that is no worse in both and better in one; of equals the first found
    stays.
    """
    answers = (each for each in evaluations if each.answer)
    front: list[Evaluation] = []
    least = math.inf
    for each in sorted(answers, key=lambda e: (e.structural_cost, e.error, e.index)):
        if each.error < least:
            front.append(each)
            least = each.error
    return tuple(front)
