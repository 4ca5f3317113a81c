"""The story of a search: all that was evaluated, as columns, and where it stood when."""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from nearstar.language.notation import HOLE
from nearstar.language.text import to_text
from nearstar.report.numbers import significant
from nearstar.run.limits import Limits
from nearstar.run.results.audit import Audit, audit_completions, audit_search
from nearstar.run.results.evaluation import Rated
from nearstar.run.results.front import pareto
from nearstar.run.results.result import Ended, Result
from nearstar.run.results.summary import say_ended, say_excess, say_failures, say_gap, say_pruned
from nearstar.run.results.trace import TracePoint, gap_between

COMPLETE, DIVERGED, FAILED, COMPLETION = 1, 2, 4, 8
"""Kinds of nodes, to be added up; a completion is a random one, for the audit."""

_NAMES = {
    "AStar": "A*",
    "IDSBB": "IDS-BB",
    "MCTS": "Monte Carlo tree search",
    "MonteCarlo": "Monte Carlo sampling",
}
"""What searches are called, where that is not the name of their class."""

_ALL_POINTS = 500
"""Points of the trace that are kept whatever they say."""
_STEP = 1.01
"""Later ones are kept for a new best program, or when so many times the seconds have passed."""

_GROWTH = 1.02
"""How many times the nodes there are when the audit of a running search is made again."""


@dataclass(slots=True)
class Row(Rated):
    """A node of a story by itself."""

    text: str
    index: int
    parent: int | None
    complete: bool
    answer: bool
    structural_cost: float
    weight: float
    error: float
    f: float

    @property
    def is_root(self) -> bool:
        return self.text == HOLE


class Story:
    """Nodes in the order of evaluation, one place in each column; and how the search went.

    Nodes and points are only added, so that who has the first of them needs the others alone.
    Otherwise it is another ``run``, to be taken up from its beginning.
    """

    def __init__(self, run: str, algorithm: str, weight: float, *, relaxed: bool) -> None:
        """In a ``relaxed`` run programs with holes are answers too."""
        self.run = run
        self.algorithm = _NAMES.get(algorithm, algorithm)
        self.weight = weight
        self._relaxed = relaxed
        self.texts: list[str] = []
        self.parents = array("q")
        """-1 for none."""
        self.costs = array("d")
        self.errors = array("d")
        self.f = array("d")
        self.kinds = array("b")
        self.f1 = array("d")
        """Not a number where it is not known; so is the accuracy."""
        self.accuracy = array("d")
        self.failure: str | None = None
        """Why no worker could train the first of those that failed."""
        self.points: list[TracePoint] = []
        """Enough of the trace for a picture."""
        self.seconds = 0.0
        self.engine_seconds = 0.0
        self.trained = 0
        self.rounds = 0
        self.waiting: int | None = 0
        """Nodes in the frontier; None when the search has ended."""
        self.bound: float | None = None
        self.ended: Ended | None = None
        self.limits = Limits()
        self._latest: TracePoint | None = None
        self._front: tuple[Row, ...] = ()
        self._in_front = 0
        """Nodes that were compared for the front."""
        self._audited = -1
        """Nodes of which the audit is known."""
        self._audits: tuple[Audit | None, Audit | None] = (None, None)

    @classmethod
    def of(cls, result: Result) -> Story:
        """The story of a result."""
        evaluations = result.evaluations
        weight = evaluations[0].weight if evaluations else 1.0
        relaxed = any(each.answer and not each.complete for each in evaluations)
        story = cls("", result.algorithm, weight, relaxed=relaxed)
        for each in evaluations:
            story.add(
                to_text(each.program),
                each.parent,
                each.structural_cost,
                each.error,
                each.f,
                diverged=each.diverged,
                failure=each.failure,
                f1=each.f1,
                accuracy=each.accuracy,
            )
        story.mark_completions(0 if result.pruned is None else result.pruned.nodes)
        for point in result.trace:
            story.note(point)
        story.limits = result.limits
        story.end(result.ended, result.bound, result.seconds, result.trained, result.rounds)
        return story

    def __len__(self) -> int:
        return len(self.texts)

    # Telling it

    def add(
        self,
        text: str,
        parent: int | None,
        cost: float,
        error: float,
        f: float,
        *,
        diverged: bool,
        failure: str | None,
        f1: float | None,
        accuracy: float | None,
    ) -> None:
        """The next node."""
        self.texts.append(text)
        self.parents.append(-1 if parent is None else parent)
        self.costs.append(cost)
        self.errors.append(error)
        self.f.append(f)
        complete = COMPLETE if HOLE not in text else 0
        failed = FAILED if failure is not None else 0
        self.kinds.append(complete | (DIVERGED if diverged else 0) | failed)
        self.f1.append(math.nan if f1 is None else f1)
        self.accuracy.append(math.nan if accuracy is None else accuracy)
        self.failure = failure if self.failure is None else self.failure

    def cut(self, size: int, run: str) -> None:
        """Take back all nodes but the first; that is another run."""
        for column in self._columns():
            del column[size:]
        self.run = run
        self._front, self._in_front, self._audited = (), 0, -1

    def _columns(self) -> tuple[list[str] | array[Any], ...]:
        numbers = (self.parents, self.costs, self.errors, self.f, self.kinds)
        return self.texts, *numbers, self.f1, self.accuracy

    def mark_completions(self, count: int) -> None:
        """The last nodes were not asked for by the search, but for the audit."""
        for index in range(len(self) - count, len(self)):
            self.kinds[index] |= COMPLETION
        self._audited = -1

    def note(self, point: TracePoint) -> None:
        """Where the search stands."""
        self._latest = point
        self.bound = point.bound
        self.seconds = max(self.seconds, point.seconds)
        self.engine_seconds = max(self.engine_seconds, point.engine_seconds)
        self.trained = max(self.trained, point.trained)
        self.rounds = max(self.rounds, point.rounds)
        if len(self.points) < _ALL_POINTS or self._tells(point):
            self.points.append(point)

    def _tells(self, point: TracePoint) -> bool:
        last = self.points[-1]
        return point.best != last.best or point.seconds > _STEP * last.seconds

    def end(
        self, ended: Ended, bound: float | None, seconds: float, trained: int, rounds: int
    ) -> None:
        """The run has ended."""
        self.ended, self.bound, self.waiting = ended, bound, None
        self.seconds = max(self.seconds, seconds)
        # An earlier process may have come further, but not all that was trained was asked for.
        self.trained = max(trained, 0 if self._latest is None else self._latest.trained)
        self.rounds = max(self.rounds, rounds)
        if self._latest is not None and self.points[-1] is not self._latest:
            self.points.append(self._latest)

    def go_on(self, limits: Limits) -> None:
        """A process works on the run."""
        self.limits, self.ended, self.waiting = limits, None, 0

    # Reading it

    def row(self, index: int) -> Row:
        complete = bool(self.kinds[index] & COMPLETE)
        parent = self.parents[index]
        return Row(
            text=self.texts[index],
            index=index,
            parent=None if parent < 0 else parent,
            complete=complete,
            answer=complete or self._relaxed,
            structural_cost=self.costs[index],
            weight=self.weight,
            error=self.errors[index],
            f=self.f[index],
        )

    def rows(self, first: int = 0) -> list[Row]:
        """All nodes from the first on."""
        return [self.row(index) for index in range(first, len(self))]

    def scores(self, index: int) -> dict[str, float | None]:
        """F1 and accuracy of a node, as far as they are known."""
        found = {"f1": self.f1[index], "accuracy": self.accuracy[index]}
        return {name: None if math.isnan(each) else each for name, each in found.items()}

    @property
    def front(self) -> tuple[Row, ...]:
        """Answers that none other beats in structural cost or error, cheapest first."""
        if self._in_front < len(self):
            self._front = pareto([*self._front, *self.rows(self._in_front)])
            self._in_front = len(self)
        return self._front

    @property
    def best(self) -> Row | None:
        """The answer of least path cost."""
        return min(self.front, key=lambda row: row.rank, default=None)

    @property
    def gap(self) -> float | None:
        """By how much the best path cost may be above the least possible; None if unknown."""
        best = self.best
        return gap_between(None if best is None else best.path_cost, self.bound)

    @property
    def audit(self) -> Audit | None:
        """Of partial programs that the search completed, so far."""
        return self._audit()[0]

    @property
    def pruned(self) -> Audit | None:
        """Of partial programs that it did not, by random completions."""
        return self._audit()[1]

    def _audit(self) -> tuple[Audit | None, Audit | None]:
        # While the search goes on, a little more changes little, and takes time from it.
        due = self.ended is not None or len(self) >= _GROWTH * self._audited
        if due and len(self) > self._audited:
            rows = self.rows()
            own = sum(kind < COMPLETION for kind in self.kinds)
            self._audits = audit_search(rows[:own]), audit_completions(rows, own)
            self._audited = len(self)
        return self._audits

    @property
    def effort(self) -> str:
        """Such as “200 programs trained in 61 s”."""
        programs = "1 program" if self.trained == 1 else f"{self.trained} programs"
        return f"{programs} trained in {_time(self.seconds)}"

    def summary(self) -> list[str]:
        """What is known of the best program, and why the run ended, in lines of plain text."""
        if self.best is None:
            lines = ["no complete program was trained" + ("" if self.ended else " yet")]
        else:
            heuristic = any(not kind & COMPLETE for kind in self.kinds)
            lines = [say_gap(self.gap, self.bound, self.ended, heuristic=heuristic)]
        if self.pruned is not None:
            lines.append(say_pruned(self.pruned))
        if self.failure is not None:
            failures = sum(bool(kind & FAILED) for kind in self.kinds)
            lines.append(say_failures(failures, self.failure))
        if self.ended is not None:
            lines.append(say_ended(self.ended, self.limits, self.engine_seconds))
        return lines

    def to_page(self, nodes_from: int = 0, points_from: int = 0) -> dict[str, Any]:
        """``page.search``, with the nodes and points from those on."""
        best, audit = self.best, self.audit
        return {
            "run": self.run,
            "algorithm": self.algorithm,
            "weight": self.weight,
            "ended": self.ended,
            "summary": self.summary(),
            "seconds": _short(self.seconds),
            "trained": self.trained,
            "rounds": self.rounds,
            "waiting": self.waiting,
            "best": None if best is None else best.index,
            "front": [row.index for row in self.front],
            "bound": _short(self.bound),
            "gap": _short(self.gap),
            "audit": None if audit is None else _in_page(audit),
            "trace": [
                [_short(each.seconds), each.trained, _short(each.best), _short(each.bound)]
                for each in self.points[points_from:]
            ],
            "nodes": {
                "text": self.texts[nodes_from:],
                "parent": self.parents[nodes_from:].tolist(),
                "cost": _all_short(self.costs[nodes_from:]),
                "error": _all_short(self.errors[nodes_from:]),
                "f": _all_short(self.f[nodes_from:]),
                "kind": self.kinds[nodes_from:].tolist(),
            },
        }


def _in_page(audit: Audit) -> dict[str, Any]:
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


def _all_short(values: Sequence[float]) -> list[float | str | None]:
    return [_short(value) for value in values]


def _time(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.3g} s"
    minutes = int(seconds // 60)
    if minutes < 120:
        return f"{minutes} min {int(seconds % 60)} s"
    return f"{minutes // 60} h {minutes % 60} min"
