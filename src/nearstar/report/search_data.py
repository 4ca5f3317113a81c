"""How a search went, as ``page.search``."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import Any

from nearstar.report.digits import significant
from nearstar.run.results.audit import Audit
from nearstar.run.results.evaluation import Rated
from nearstar.run.results.history import History
from nearstar.run.results.result import TracePoint, gap_at
from nearstar.run.results.summary import say_excess

COMPLETE, DIVERGED, FAILED, COMPLETION, PROBE = 1, 2, 4, 8, 16
"""Kinds of nodes on the page, to be added up; a completion is a random one, for the audit."""

_NAMES = {
    "AStar": "A*",
    "IDSBB": "IDS-BB",
    "MCTS": "Monte Carlo tree search",
    "MonteCarlo": "Monte Carlo sampling",
}
"""What searches are called, where that is not the name of their class."""


def subtitle(history: History) -> str:
    """The search and its effort."""
    return f"{_name(history)}, {history.effort}"


def _name(history: History) -> str:
    return _NAMES.get(history.algorithm, history.algorithm)


def search_data(history: History, nodes_from: int = 0, points_from: int = 0) -> dict[str, Any]:
    """The history, with the nodes and points from those on."""
    best, audit = history.best, history.audits[0]
    nodes = history.evaluations[nodes_from:]
    # Points come before the evaluations of their round: what they say themselves is right, but for
    # random completions.
    completed = best is not None and best.kind == "completion"
    incumbent = history.incumbent if completed else None
    return {
        "run": history.run,
        "algorithm": _name(history),
        "weight": history.weight,
        "ended": history.ended,
        "summary": history.summary(),
        "seconds": _short(history.seconds),
        "trained": history.trained,
        "rounds": history.rounds,
        "waiting": history.waiting,
        "best": None if best is None else best.index,
        "front": [each.index for each in history.front],
        "bound": _short(history.bound),
        "gap": _short(history.gap),
        "epsilon": _short(history.epsilon),
        "audit": None if audit is None else _audit(audit),
        "trace": [_point(each, incumbent) for each in history.points[points_from:]],
        "nodes": {
            "text": [each.text for each in nodes],
            "parent": [-1 if each.parent is None else each.parent for each in nodes],
            "cost": [_short(each.structural_cost) for each in nodes],
            "error": [_short(each.error) for each in nodes],
            "f": [_short(each.f) for each in nodes],
            "kind": [_kind(each) for each in nodes],
        },
    }


def _kind(each: Rated) -> int:
    kind = COMPLETE if each.complete else 0
    kind |= DIVERGED if each.diverged else 0
    kind |= FAILED if each.failure is not None else 0
    return kind | {"completion": COMPLETION, "probe": PROBE}.get(each.kind, 0)


def _point(point: TracePoint, incumbent: float | None) -> list[Any]:
    """A point of the trace: seconds, programs trained, best cost, what is drawn as the bound, which
    is never above the best, and the gap."""
    bound = drawn_bound(point)
    gap = gap_at(point, incumbent)
    return [_short(point.seconds), point.trained, *map(_short, (point.best, bound, gap))]


def drawn_bound(point: TracePoint) -> float | None:
    """A bound for pictures: where it is above the best, all that it says is that nothing is left
    below that. None where there is nothing to draw."""
    if point.bound is None or point.best is None:
        return None if point.bound == math.inf else point.bound
    return min(point.bound, point.best)


def _audit(audit: Audit) -> dict[str, Any]:
    numbers = {
        name: value if isinstance(value, int) else _short(value)
        for name, value in asdict(audit).items()
    }
    return {**numbers, "text": say_excess(audit)}


def _short(value: float | None) -> float | str | None:
    """Six significant digits are enough for any picture; JSON has no infinite numbers."""
    if value is None:
        return None
    return significant(value, 6) if math.isfinite(value) else str(value)
