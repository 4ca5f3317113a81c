"""What notebooks show: fragments of HTML that bring their own styles."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib.resources import files

from markupsafe import Markup

from nearstar.model.model import Model
from nearstar.report.program_html import framed, program_html, text_html
from nearstar.run.results.evaluation import Candidate
from nearstar.run.results.front import Front
from nearstar.run.results.result import Result


def model_html(model: Model) -> str:
    """A model: its program, laid out for reading."""
    return _style() + Markup(program_html(model))


def text_alone(text: str) -> str:
    """The text of a program."""
    return _alone(text_html(text))


def candidate_html(candidate: Candidate) -> str:
    """A candidate: its text, and how good it is."""
    return _alone(text_html(str(candidate)) + _table(Front((candidate,)), 4))


def front_html(front: Front) -> str:
    """A front as a table."""
    return _alone(_table(front))


def result_html(result: Result) -> str:
    """A result: what was found and how, the best program, and the front."""
    best = "" if result.best is None else text_html(str(result.best))
    front = _table(result.front) if result.front else ""
    return _alone(Markup("{}{}{}").format(text_html(result.summary()), best, front))


def _alone(contents: Markup) -> str:
    return _style() + framed(contents)


def _table(front: Front, columns: int = len(Front.HEADINGS)) -> Markup:
    """The first columns of a front's table; the last one is the program."""
    head = _row(Markup('<th scope="col">{}</th>'), Front.HEADINGS[:columns])
    body = (_row(Markup("<td>{}</td>"), row[:columns]) for row in front.rows())
    return Markup('<table class="ns-front"><thead>{}</thead><tbody>{}</tbody></table>').format(
        head, Markup("").join(body)
    )


def _row(cell: Markup, values: Iterable[str]) -> Markup:
    return Markup("<tr>{}</tr>").format(Markup("").join(cell.format(each) for each in values))


@cache
def _style() -> Markup:
    text = (files("nearstar.report") / "assets" / "program.css").read_text("utf-8")
    return Markup("<style>{}</style>").format(Markup(text))
