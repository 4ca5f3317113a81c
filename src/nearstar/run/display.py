"""Progress of a run on a terminal."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from nearstar.language.text import to_text
from nearstar.run.events import Evaluated, Event, Finished, NewBest, Round, Started
from nearstar.run.limits import Limits
from nearstar.run.results.evaluation import Evaluation
from nearstar.run.results.result import gap_between
from nearstar.run.results.summary import gap_by_heuristic, gap_with

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

REFRESHES = 4
"""A second: enough for a clock."""


class Display:
    """A listener that shows where a run stands, in a few lines that are renewed in place.

    It writes to stderr, and nothing at all if that is no terminal; with ``force`` it then shows how
    the run ended. To be used as a context, which ends the display.
    """

    def __init__(self, console: Console | None = None, *, force: bool = False) -> None:
        from rich.console import Console
        from rich.live import Live

        self.console = Console(stderr=True) if console is None else console
        shown = force or self.console.is_terminal
        self._live = (
            Live(self, console=self.console, refresh_per_second=REFRESHES) if shown else None
        )
        self._limits = Limits()
        self._began: float | None = None
        self._trained = 0
        self._rounds = 0
        self._waiting = 0
        self._best: Evaluation | None = None
        self._incumbent: float | None = None
        """The least path cost that the search found by itself."""
        self._bound: float | None = None
        self._guided = False
        """Whether the bound rests on a heuristic."""
        self._epsilon: float | None = None
        self._ended: str | None = None

    def __call__(self, event: Event) -> None:
        match event:
            case Started():
                self._limits = event.limits
            case Evaluated():
                # The run's own clock, which does not count the compiling of the engine.
                self._began = time.monotonic() - event.seconds
                # What was given, not trained, has no step.
                self._trained += event.evaluation.step > 0
                self._guided |= event.evaluation.relaxed
            case NewBest():
                self._best = event.candidate.evaluation
                if self._best.kind != "completion":
                    self._incumbent = self._best.path_cost
                self._bound = event.point.bound
            case Round():
                self._rounds, self._trained = event.point.rounds, event.point.trained
                self._waiting, self._bound = event.waiting, event.point.bound
            case Finished():
                self._began = time.monotonic() - event.result.seconds
                self._bound = event.result.bound
                self._epsilon = event.result.epsilon
                self._ended = event.result.ended

    def __enter__(self) -> Display:
        if self._live:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._live:
            self._live.stop()

    def __rich__(self) -> Table:
        from rich.table import Table
        from rich.text import Text

        table = Table.grid(padding=(0, 1))
        table.add_column(style="dim", no_wrap=True)
        table.add_column(overflow="fold")
        table.add_row("ended" if self._ended else "search", Text(self._progress()))
        if self._best is None:
            nothing = "no complete program" + ("" if self._ended else " yet")
            table.add_row("best", Text(nothing, style="dim"))
        else:
            table.add_row("best", Text(to_text(self._best.program), style="bold"))
            table.add_row("cost", self._cost(self._best))
        return table

    def _progress(self) -> str:
        if self._began is None:
            return "getting ready (the first time on a machine takes about 20 seconds)"
        elapsed = time.monotonic() - self._began
        clock = _clock(elapsed)
        if self._limits.seconds is not None and not self._ended:
            clock += f", {_clock(max(self._limits.seconds - elapsed, 0.0))} left"
        parts = [
            _counted("round", self._rounds, self._limits.rounds),
            _counted("trained", self._trained, self._limits.trainings),
            f"{self._waiting} waiting",
            clock,
        ]
        if self._ended:
            limit = self._ended in ("time", "trainings", "rounds")
            parts.append(f"limit of {self._ended}" if limit else self._ended)
        return " · ".join(parts)

    def _cost(self, best: Evaluation) -> Text:
        from rich.text import Text

        structure = best.weight * best.structural_cost
        text = Text(f"{best.path_cost:.4f}", style="bold cyan")
        rest = f" = {structure:.4f} structure + {best.error:.4f} error"
        if best.f1 is not None:
            rest += f" · accuracy {best.accuracy:.3f}, F1 {best.f1:.3f}"
        gap = gap_between(self._incumbent, self._bound)
        if gap is not None:
            rest += " · " + (gap_by_heuristic(gap) if self._guided else f"gap {gap:.4f}")
            if self._epsilon:
                rest += f"; {gap_with(gap, self._epsilon)}"
        return text.append(rest, style="not bold default")


def _counted(what: str, count: int, limit: int | None) -> str:
    return f"{what} {count}" + ("" if limit is None else f" of {limit}")


def _clock(seconds: float) -> str:
    minutes, seconds = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
