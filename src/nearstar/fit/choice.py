"""Choosing from the front: another balance of simplicity and error than λ's."""

from __future__ import annotations

from collections.abc import Sequence

from nearstar.run.results.evaluation import Candidate
from nearstar.util.checks import check_number, check_whole
from nearstar.util.errors import NearstarError


def choose(
    front: Sequence[Candidate],
    index: int | None = None,
    *,
    max_cost: float | None = None,
    max_depth: int | None = None,
    within: float | None = None,
) -> int:
    """The place on the front of the program that is wanted.

    By its index; or the one of least path cost among those that cost and apply at most so much; or,
    with ``within``, the simplest of these whose error is at most so much above the least.
    """
    if index is not None:
        if (max_cost, max_depth, within) != (None, None, None):
            raise NearstarError("select by an index or by max_cost, max_depth and within, not both")
        check_whole("the index", index, least=0)
        if index >= len(front):
            raise NearstarError(
                f"there is no program {index}; the front has {len(front)}, counted from 0"
            )
        return int(index)
    if max_cost is not None:
        check_number("max_cost", max_cost, least=0.0)
    if max_depth is not None:
        check_whole("max_depth", max_depth)
    evaluations = [candidate.evaluation for candidate in front]
    allowed = [
        place
        for place, each in enumerate(evaluations)
        if (max_cost is None or each.structural_cost <= max_cost)
        and (max_depth is None or each.program.size <= max_depth)
    ]
    if not allowed:
        raise NearstarError(
            f"no program of the front is that simple: the cheapest costs "
            f"{min(each.structural_cost for each in evaluations):g}, the smallest applies "
            f"{min(each.program.size for each in evaluations)} rules"
        )
    if within is None:
        return min(allowed, key=lambda place: evaluations[place].rank)
    check_number("within", within, least=0.0)
    most = min(evaluations[place].error for place in allowed) + within
    return min(
        (place for place in allowed if evaluations[place].error <= most),
        key=lambda place: (evaluations[place].simplicity, evaluations[place].error),
    )
