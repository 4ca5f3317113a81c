"""The admissibility audit: did the heuristic promise less than, or as much as, was reached?

NEAR's guarantee rests on f never being above the cost of the best program that a node leads to. How
far it is, is measured here, and how well f orders nodes by what they lead to.
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
    """f of partial programs against the least path cost that was reached from them."""

    nodes: int
    """Partial programs compared."""
    violations: float
    """The share of them whose f is above what was reached."""
    largest: float
    """The largest excess of f over it: the measured ε."""
    mean: float
    """The mean excess, 0 where f is not above it."""
    correlation: float | None
    """Spearman's, between f and what was reached; None for fewer than 3 nodes, or if either is the
    same for all."""

    @classmethod
    def of(cls, pairs: Iterable[tuple[float, float]]) -> Audit | None:
        """The audit of pairs (f, least path cost reached); None if there are none."""
        f, reached = np.array([*pairs], np.float64).reshape(-1, 2).T
        if not len(f):
            return None
        excess = np.maximum(f - reached, 0.0)
        return cls(
            nodes=len(f),
            violations=float(np.mean(excess > TOLERANCE)),
            largest=float(excess.max()),
            mean=float(excess.mean()),
            correlation=_rank_correlation(f, reached),
        )


def audit_search(evaluations: Sequence[Rated]) -> Audit | None:
    """The audit of all partial programs, but the root, that the search completed."""
    reached = _least_reached(evaluations)
    return Audit.of(
        (each.f, reached[each.index])
        for each in evaluations
        if _audited(each) and reached[each.index] < math.inf
    )


def audit_completions(evaluations: Sequence[Rated]) -> Audit | None:
    """The audit of the parents of random completions."""
    return Audit.of(
        (evaluations[each.parent].f, each.path_cost)
        for each in evaluations
        if each.kind == "completion" and each.parent is not None
    )


def _least_reached(evaluations: Sequence[Rated]) -> list[float]:
    """For each evaluation the least path cost that the search reached below it, or by itself."""
    reached = [
        each.path_cost if each.complete and each.kind != "completion" else math.inf
        for each in evaluations
    ]
    # A program is trained after its ancestors: from the last to the first, all below is known.
    for each in reversed(evaluations):
        if each.parent is not None:
            reached[each.parent] = min(reached[each.parent], reached[each.index])
    return reached


def unfinished(nodes: Sequence[Node], evaluations: Sequence[Rated]) -> list[Node]:
    """The partial nodes, but the root, that the search trained and never completed.

    ``nodes`` are those of the evaluations.
    """
    reached = _least_reached(evaluations)
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
    """The root is left out: nothing relies on its f."""
    return not evaluation.complete and not evaluation.is_root


def _rank_correlation(f: np.ndarray, reached: np.ndarray) -> float | None:
    if len(f) < 3 or np.ptp(f) == 0 or np.ptp(reached) == 0:
        return None
    return float(np.corrcoef(_ranks(f), _ranks(reached))[0, 1])


def _ranks(values: np.ndarray) -> np.ndarray:
    """Ranks, the mean of them for equal values. (SciPy's would take a second to import.)"""
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks: np.ndarray = (np.cumsum(counts) - (counts - 1) / 2)[places]
    return ranks
