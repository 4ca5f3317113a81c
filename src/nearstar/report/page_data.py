"""All that the page shows of a model, gathered: the data that `render` takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from nearstar.data.recordings import Recordings
from nearstar.data.sequences import Sequences
from nearstar.language.domain import Domain
from nearstar.model.model import Model
from nearstar.report.ethogram import ethogram
from nearstar.report.html_page import SECTIONS, render
from nearstar.report.program_html import program_html
from nearstar.report.scores import as_scored, scores
from nearstar.report.search_data import search_data, subtitle
from nearstar.report.words import short_text
from nearstar.run.results.front import FrontRow, model_rows
from nearstar.run.results.history import History
from nearstar.run.results.models import model_of
from nearstar.run.results.result import Result
from nearstar.training.task import Task
from nearstar.util.errors import NearstarError
from nearstar.util.version import __version__
from nearstar.util.whole_files import write_whole

Page = dict[str, Any]
_FINGERPRINTS = {"training": "train", "validation": "valid"}
"""The names of parts in a model's provenance."""


def make_page(
    model: Model | None,
    title: str,
    *,
    parts: Mapping[str, Recordings],
    front: Sequence[Model] = (),
    history: History | None = None,
    others: Mapping[str, Model] | None = None,
    only: Sequence[str] = (),
    notes: Sequence[str] = (),
) -> Page:
    """The page of a model, or of a search that has found none yet.

    ``parts`` are the data by part, as far as they are there: training, validation, test. ``front``
    are the models that it was chosen from, simplest first, and ``history`` tells how they were
    found. ``others`` are models to compare with, ``only`` the ids of sequences to show.
    """
    page: Page = {
        "title": title,
        "subtitle": _subtitle(model, history),
        "nearstar": __version__,
        "live": None,
        "notes": list(notes),
        **dict.fromkeys(SECTIONS),
        "classes": [],
        "search": None if history is None else search_data(history),
    }
    if model is None:
        return page
    return {
        **page,
        "notes": [*notes, *_changes(model, parts)],
        "classes": list(model.class_names),
        "program": {"html": program_html(model), "text": model.text()},
        "scores": scores(model, parts, others or {}),
        "ethogram": ethogram(model, parts, only),
        "front": _front(front, model) or None,
    }


def write_report(
    path: str | Path,
    result: Result,
    task: Task,
    domain: Domain,
    *,
    test: Sequences | None = None,
    compare: Mapping[str, Model] | None = None,
) -> None:
    """Write what `learn` found as a page to read in a browser: one HTML file.

    With ``test`` data the scores on these are shown too, and some
    of their sequences over time; else some of the validation data. ``compare`` are other models by
    name, such as that of an RNN, whose scores stand beside.
    """
    if result.best is None:
        raise NearstarError(f"there is no program to report of: {result.summary()}")
    models = [
        model_of(
            each.trained,
            task,
            domain,
            task.train.class_names,
            provenance={"weight": each.evaluation.weight},
        )
        for each in result.front
    ]
    parts = {"training": task.train, "validation": task.valid, "test": test}
    page = make_page(
        models[result.front.index(result.best)],
        Path(path).stem,
        parts={name: Recordings.of(data) for name, data in parts.items() if data is not None},
        front=models,
        history=History.of(result),
        others=compare,
    )
    write_whole(path, render(page))


def _subtitle(model: Model | None, history: History | None) -> str:
    if history is not None:
        return subtitle(history)
    source = {} if model is None else model.facts.get("provenance", {})
    given = "search" in source and source["search"] is None
    return "a program that was given, and trained" if given else ""


def _changes(model: Model, parts: Mapping[str, Recordings]) -> list[str]:
    """What is said of data that are not those of the fit."""
    known: Mapping[str, str] = model.facts.get("provenance", {}).get("fingerprints", {})
    changed = [
        name
        for name, part in parts.items()
        if (kept := known.get(_FINGERPRINTS.get(name, ""))) is not None
        and model.fingerprint_of(as_scored(model, name, part)) != kept
    ]
    if not changed:
        return []
    return [
        f"The {' and '.join(changed)} data are not the same as when the program was learned: its "
        "scores on them are what it reaches now."
    ]


def _front(models: Sequence[Model], chosen: Model) -> list[dict[str, Any]]:
    exact = [model.text(digits=None) for model in models]
    own = chosen.text(digits=None)
    rows = model_rows(models, exact.index(own) if own in exact else None)
    return [
        front_entry(row, short_text(model), program_html(model))
        for row, model in zip(rows, models, strict=True)
    ]


def front_entry(row: FrontRow, text: str, html: str) -> dict[str, Any]:
    """A program of ``page.front``."""
    return {
        "axis": "numbers" if row.axis == "numbers" else "cost",
        "cost": row.structural_cost,
        "error": row.error,
        "f1": row.f1,
        "accuracy": row.accuracy,
        "size": row.size,
        "numbers": row.numbers,
        "text": text,
        "html": html,
        "chosen": row.chosen,
    }
