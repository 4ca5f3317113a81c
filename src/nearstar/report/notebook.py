"""What notebooks show: fragments of HTML that bring their own styles."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache, singledispatch

from markupsafe import Markup

from nearstar.model.model import Model
from nearstar.report.html_page import asset
from nearstar.report.program_html import in_frame, program_html, text_html
from nearstar.run.results.evaluation import Candidate
from nearstar.run.results.front import Front
from nearstar.run.results.result import Result


@singledispatch
def html_of(value: object) -> str:
    """What notebooks show of a value: see `ShownInNotebooks`. Of most, a program say, the text."""
    return _alone(text_html(str(value)))


@html_of.register
def _model(model: Model) -> str:
    return _style() + Markup(program_html(model))


@html_of.register
def _candidate(candidate: Candidate) -> str:
    return _alone(text_html(str(candidate)) + _table(Front((candidate,)), 4))


@html_of.register
def _front(front: Front) -> str:
    return _alone(_table(front))


@html_of.register
def _result(result: Result) -> str:
    """What was found and how, the best program, and the front."""
    best = "" if result.best is None else text_html(str(result.best))
    front = _table(result.front) if result.front else ""
    return _alone(Markup("{}{}{}").format(text_html(result.summary()), best, front))


def _alone(contents: Markup) -> str:
    return _style() + in_frame(contents)


def _table(front: Front, columns: int = len(Front.HEADINGS)) -> Markup:
    """The first columns of a front's table; the last one is the program."""
    head = _row(Markup('<th scope="col">{}</th>'), Front.HEADINGS[:columns])
    body = (_row(Markup("<td>{}</td>"), row[:columns]) for row in front.cells())
    return Markup('<table class="ns-front"><thead>{}</thead><tbody>{}</tbody></table>').format(
        head, Markup("").join(body)
    )


def _row(cell: Markup, values: Iterable[str]) -> Markup:
    return Markup("<tr>{}</tr>").format(Markup("").join(cell.format(each) for each in values))


@cache
def _style() -> Markup:
    return Markup("<style>{}</style>").format(Markup(asset("program.css")))
