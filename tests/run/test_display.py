"""The display: compact on a terminal, silent elsewhere."""

from __future__ import annotations

import io
from types import SimpleNamespace

import pytest
from rich.console import Console
from run.driving import Plain, Table, small_space, trained

from nearstar.language.program import is_complete
from nearstar.language.text import to_text
from nearstar.run import Display, Event, Finished, Limits, Result, drive
from nearstar.run import display as display_module
from nearstar.run import driver as driver_module

SPACE = small_space()


def console(terminal: bool) -> tuple[Console, io.StringIO]:
    file = io.StringIO()
    return Console(file=file, force_terminal=terminal, width=120, color_system=None), file


def events_of(limits: Limits, **options: object) -> tuple[list[Event], Result]:
    events: list[Event] = []
    result = drive(
        Plain().search(SPACE), Table(), SPACE, limits=limits, listeners=[events.append], **options
    )
    return events, result


def shown(display: Display) -> str:
    plain, file = console(False)
    plain.print(display)
    return file.getvalue()


def test_what_is_shown_while_a_run_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver_module, "compile_engine", lambda: None)
    events, result = events_of(Limits(trainings=50, seconds=3600.0))
    # As if 3 minutes and 5 seconds had passed since the run began.
    clock = SimpleNamespace(monotonic=lambda: 185.0)
    monkeypatch.setattr(display_module, "time", clock)
    display = Display(console(True)[0])
    display(events[0])
    assert "getting ready" in shown(display) and "no complete program yet" in shown(display)
    for event in events[1:-1]:
        display(event)
    display._began = 0.0
    text = shown(display)
    best = result.best
    assert best is not None and result.trace[-1].bound is not None
    cost = best.evaluation.path_cost
    gap = cost - result.trace[-1].bound
    for part in (
        f"round {result.rounds}",
        "trained 50 of 50",
        "waiting",
        "3:05, 56:55 left",
        to_text(best.trained.program),
        f"{cost:.4f}",
        f"{best.evaluation.error:.4f} error",
        f"gap {gap:.4f}",
    ):
        assert part in text
    assert len(text.splitlines()) == 3
    display(events[-1])
    assert text != shown(display) and "trainings" in shown(display) and "left" not in shown(display)
    assert f"gap {gap:.4f} by the heuristic" in text and "ε" not in text
    end = " ".join(shown(display).split())
    assert result.epsilon and f"with the measured ε of {result.epsilon:.4f}" in end


def test_a_terminal_shows_the_run_and_how_it_ended() -> None:
    terminal, file = console(True)
    with Display(terminal) as display:
        result = drive(Plain().search(SPACE), Table(), SPACE, listeners=[display])
    assert result.best is not None
    last = file.getvalue().split("exhausted")[-1]
    assert to_text(result.best.trained.program) in last


def test_nothing_is_written_where_there_is_no_terminal() -> None:
    other, file = console(False)
    with Display(other) as display:
        drive(Plain().search(SPACE), Table(), SPACE, listeners=[display])
    assert file.getvalue() == ""


def test_forced_without_a_terminal_it_shows_the_end_alone() -> None:
    other, file = console(False)
    with Display(other, force=True) as display:
        drive(Plain().search(SPACE), Table(), SPACE, listeners=[display])
    assert file.getvalue().count("round") == 1 and "exhausted" in file.getvalue()


def test_the_terminal_is_given_back_after_an_accident() -> None:
    terminal, file = console(True)
    with pytest.raises(ZeroDivisionError), Display(terminal):
        raise ZeroDivisionError
    written = file.getvalue()
    terminal.print("and then")
    assert file.getvalue() == written + "and then\n"


def test_what_was_given_is_not_counted_as_trained() -> None:
    program = next(
        each.program for each in events_of(Limits())[1].evaluations if is_complete(each.program)
    )
    events, result = events_of(Limits(trainings=1), given=trained(program, 0.0, step=0))
    display = Display(console(True)[0])
    for event in events:
        if not isinstance(event, Finished):
            display(event)
    assert "trained 1 of 1" in shown(display) and len(result.evaluations) == 2
