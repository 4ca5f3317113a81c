"""The admissibility audit: did the heuristic promise no more than was reached?

NEAR's guarantee rests on h, the error of a partial program with networks in its holes, never being
above the error of any program that completes it. How far it is, is measured here on all that a run
has trained, and how well h orders partial programs by what they lead to.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from nearstar.language.text import to_text
from nearstar.run.results.evaluation import Rated
from nearstar.search.protocol import Ask, Node, Search
from nearstar.search.pruning import TOLERANCE
from nearstar.search.sampling import completion
from nearstar.search.space import Space
from nearstar.util.seeds import seed_for


@dataclass(frozen=True)
class Audit:
    """h of partial programs against the least error of complete ones that complete them."""

    nodes: int
    """Partial programs compared."""
    violations: float
    """The share of them whose h is above what was reached."""
    largest: float
    """The largest excess of h over it: the measured ε."""
    mean: float
    """The mean excess, 0 where h is not above it."""
    correlation: float | None
    """Spearman's, between h and what was reached; None for fewer than 3 nodes, or if either is the
    same for all."""

    @classmethod
    def of(cls, pairs: Iterable[tuple[float, float]]) -> Audit | None:
        """The audit of pairs (h, least error reached); None if there are none."""
        h, reached = np.array([*pairs], np.float64).reshape(-1, 2).T
        if not len(h):
            return None
        excess = np.maximum(h - reached, 0.0)
        return cls(
            nodes=len(h),
            violations=float(np.mean(excess > TOLERANCE)),
            largest=float(excess.max()),
            mean=float(excess.mean()),
            correlation=_rank_correlation(h, reached),
        )


def audit_search(evaluations: Sequence[Rated]) -> Audit | None:
    """The audit of all partial programs of which any completion was trained, for whatever reason
    but the audit itself."""
    reached = _least_errors(evaluations)
    return Audit.of(
        (each.error, reached[each.index])
        for each in evaluations
        if _audited(each) and reached[each.index] < math.inf
    )


def audit_completions(evaluations: Sequence[Rated]) -> Audit | None:
    """The audit of the parents of random completions."""
    return Audit.of(
        (evaluations[each.parent].error, each.error)
        for each in evaluations
        if each.kind == "completion" and each.parent is not None
    )


def measured_epsilon(*audits: Audit | None) -> float | None:
    """By how much h was above what was reached, at most, by all audits; 0 if by no more than
    rounding, None if nothing was measured."""
    largest = max((each.largest for each in audits if each is not None), default=None)
    return 0.0 if largest is not None and largest <= TOLERANCE else largest


def _least_errors(evaluations: Sequence[Rated]) -> list[float]:
    """For each evaluation the least error that was reached below it, or by itself."""
    reached = [math.inf] * len(evaluations)
    for each in evaluations:
        if each.complete and each.kind != "completion":
            reached[each.index] = each.error
            for above in each.completes:
                reached[above] = min(reached[above], each.error)
        elif each.completed_by is not None:
            reached[each.index] = min(reached[each.index], evaluations[each.completed_by].error)
    # A program is trained after its ancestors: from the last to the first, all below is known.
    for each in reversed(evaluations):
        if each.parent is not None:
            reached[each.parent] = min(reached[each.parent], reached[each.index])
    return reached


def unfinished(nodes: Sequence[Node], evaluations: Sequence[Rated]) -> list[Node]:
    """The partial nodes, but the root, that the search trained without any completion of them.

    ``nodes`` are those of the evaluations.
    """
    reached = _least_errors(evaluations)
    return [
        nodes[each.index]
        for each in evaluations
        if _audited(each) and reached[each.index] == math.inf and nodes[each.index].trained
    ]


def random_completions(
    space: Space, unfinished: Sequence[Node], n: int, seed: int, bound: float | None
) -> Search:
    """Asks for one random completion each of n of the nodes, drawn at random.

    The programs that a search completes are those it thought best; these show whether it was right
    about the others. ``bound`` is where that search ended.
    """
    random = np.random.default_rng(seed_for(seed, "audit"))
    size = min(n, len(unfinished))
    chosen = sorted(random.choice(len(unfinished), size, replace=False)) if size else []
    if chosen:
        yield Ask(tuple(_completed(space, unfinished[i], seed) for i in chosen), bound)
    return None


def _completed(space: Space, node: Node, seed: int) -> Node:
    random = np.random.default_rng(seed_for(seed, "completion", to_text(node.program)))
    program = completion(space, node.program, random)
    return Node(program, node, g=space.cost(program))


def _audited(evaluation: Rated) -> bool:
    """The root is left out, since nothing relies on its h, and so is what has none of its own."""
    return evaluation.relaxed and not evaluation.is_root and not evaluation.diverged


def _rank_correlation(h: np.ndarray, reached: np.ndarray) -> float | None:
    if len(h) < 3 or np.ptp(h) == 0 or np.ptp(reached) == 0:
        return None
    return float(np.corrcoef(_ranks(h), _ranks(reached))[0, 1])


def _ranks(values: np.ndarray) -> np.ndarray:
    """Ranks, the mean of them for equal values. (SciPy's would take a second to import.)"""
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks: np.ndarray = (np.cumsum(counts) - (counts - 1) / 2)[places]
    return ranks
