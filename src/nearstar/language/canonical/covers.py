"""Covers: the cheapest affine leaves that read what a sum of them must read.

What a leaf reads is a set of columns, as the bits of a number.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from itertools import combinations
from math import comb
from operator import or_
from typing import NamedTuple

from nearstar.language.program import Apply, Program

MAX_COVERS = 5_000
"""More sets of affine leaves than this are not compared; leaves are then only left out."""


class GrammarLeaf(NamedTuple):
    """A leaf of the grammar with parameters, the first of those that read the same."""

    reads: int
    cost: int
    program: Apply


def cheapest_cover(
    options: Iterable[GrammarLeaf], needed: int, most: int, joining: int
) -> tuple[Program, ...] | None:
    """The cheapest leaves, at most so many, that read all that is needed; None: too many to try."""
    useful = _undominated(options, needed)
    most = min(most, len(useful))
    if sum(comb(len(useful), n) for n in range(1, most + 1)) > MAX_COVERS:
        return None
    best: tuple[int, tuple[Program, ...]] | None = None
    for n in range(1, most + 1):
        for leaves in combinations(useful, n):
            cost = sum(leaf.cost + joining for leaf in leaves)
            reads = union(leaf.reads for leaf in leaves) or 0
            if not needed & ~reads and (best is None or cost < best[0]):
                best = cost, tuple(leaf.program for leaf in leaves)
    return best[1] if best else None


def _undominated(options: Iterable[GrammarLeaf], needed: int) -> list[GrammarLeaf]:
    """The leaves without those for which another one does as much and costs no more."""
    kept: list[GrammarLeaf] = []
    # Cheap ones first, of equals those that do most: only earlier ones can dominate.
    by_cost = sorted(options, key=lambda leaf: (leaf.cost, -(leaf.reads & needed).bit_count()))
    for leaf in by_cost:
        does = leaf.reads & needed
        if does and not any(not does & ~other.reads for other in kept):
            kept.append(leaf)
    return kept


def union(shifts: Iterable[int | None]) -> int | None:
    """All that is in any of these sets; None if there are none."""
    known = [shift for shift in shifts if shift is not None]
    return reduce(or_, known) if known else None
