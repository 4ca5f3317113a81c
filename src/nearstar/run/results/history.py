"""The history of a search: all that was evaluated so far, and where it stood when."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from nearstar.run.limits import Limits
from nearstar.run.results.audit import Audit, audit_completions, audit_search, measured_epsilon
from nearstar.run.results.evaluation import Told
from nearstar.run.results.front import pareto
from nearstar.run.results.result import Ended, Result, TracePoint, gap_between, least_found
from nearstar.run.results.summary import say_ended, say_faults, say_gap, say_time, say_trained

_ALL_POINTS = 500
"""Points of the trace that are kept whatever they say."""
_STEP = 1.01
"""Later ones are kept for a new best program, or when so many times the seconds have passed."""

_GROWTH = 1.02
"""How many times the evaluations there are when the audit of a running search is made again."""


class History:
    """Evaluations in their order, whoever tells of them; and how the search went.

    Evaluations and points are only added, so that who has the first of them needs the others
    alone. Otherwise it is another ``run``, to be taken up from its beginning.
    """

    def __init__(self, run: str, algorithm: str, weight: float = 1.0, price: float = 0.0) -> None:
        self.run = run
        self.algorithm = algorithm
        """The name of the search's class."""
        self.weight = weight
        self.price = price
        self.evaluations: list[Told] = []
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
        self.final_cost: float | None = None
        """The path cost that finals came to, if they made it less."""
        self.settled: TracePoint | None = None
        """Where the gap first was 0, by the heuristic."""
        self._latest: TracePoint | None = None
        self._front: tuple[Told, ...] = ()
        self._in_front = 0
        """Evaluations that were compared for the front."""
        self._audited = -1
        """Evaluations of which the audits are known."""
        self._audits: tuple[Audit | None, Audit | None] = (None, None)

    @classmethod
    def of(cls, result: Result) -> History:
        """The history of a result."""
        any_one = next(iter(result.evaluations), None)
        given = () if any_one is None else (any_one.weight, any_one.price)
        history = cls("", result.algorithm, *given)
        history.evaluations += result.evaluations
        for point in result.trace:
            history.note(point)
        history.limits = result.limits
        history.final_cost = result.final_cost
        history.end(result.ended, result.bound, result.seconds, result.trained, result.rounds)
        return history

    # Telling it

    def add(self, evaluations: Iterable[Told], after: int, other: Callable[[], str]) -> None:
        """Add evaluations after so many of those that are there.

        If there are more, these are taken back, and that is an ``other`` run.
        """
        if after < len(self.evaluations):
            del self.evaluations[after:]
            self.run = other()
            self._front, self._in_front, self._audited = (), 0, -1
        self.evaluations += evaluations

    def note(self, point: TracePoint) -> None:
        """Where the search stands."""
        self._latest = point
        self.bound = point.bound
        if self.settled is None and gap_between(point.best, point.bound) == 0:
            self.settled = point
        for name in ("seconds", "engine_seconds", "trained", "rounds"):
            setattr(self, name, max(getattr(self, name), getattr(point, name)))
        last = self.points[-1] if len(self.points) >= _ALL_POINTS else None
        if last is None or point.best != last.best or point.seconds > _STEP * last.seconds:
            self.points.append(point)

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

    @property
    def front(self) -> tuple[Told, ...]:
        """Answers that none other beats in simplicity or error, simplest first."""
        if self._in_front < len(self.evaluations):
            self._front = pareto([*self._front, *self.evaluations[self._in_front :]])
            self._in_front = len(self.evaluations)
        return self._front

    @property
    def best(self) -> Told | None:
        """The answer of least path cost."""
        return min(self.front, key=lambda each: each.rank, default=None)

    @property
    def incumbent(self) -> float | None:
        """The least path cost that the search found by itself, without random completions."""
        best = self.best
        # Few searches have a better completion: only then all evaluations are gone through.
        if best is not None and best.kind == "completion":
            return least_found(self.evaluations)
        return None if best is None else best.path_cost

    @property
    def gap(self) -> float | None:
        """By how much the incumbent may be above the least possible, by the heuristic; None if
        unknown."""
        return gap_between(self.incumbent, self.bound)

    @property
    def audits(self) -> tuple[Audit | None, Audit | None]:
        """Of partial programs of which there are completions so far; and of those of which there
        are none, by random completions."""
        # While the search goes on, a little more changes little, and takes time from it.
        size = len(self.evaluations)
        due = self.ended is not None or size >= _GROWTH * self._audited
        if due and size > self._audited:
            self._audits = audit_search(self.evaluations), audit_completions(self.evaluations)
            self._audited = size
        return self._audits

    @property
    def epsilon(self) -> float | None:
        """The measured ε; None if nothing was measured."""
        return measured_epsilon(*self.audits)

    @property
    def effort(self) -> str:
        """Such as “200 programs trained, 120 of them as probes, in 61 s”."""
        return f"{say_trained(self)} in {say_time(self.seconds)}"

    def summary(self) -> list[str]:
        """What is known of the best program, and why the run ended, in lines of plain text."""
        if self.best is None:
            lines = ["no complete program was trained" + ("" if self.ended else " yet")]
        else:
            lines = [say_gap(self)]
        if self.final_cost is not None:
            lines.append(f"cost {self.final_cost:.4f} since the best were trained again, in finals")
        lines += say_faults(self, self.audits[1])
        return lines if self.ended is None else [*lines, say_ended(self)]
