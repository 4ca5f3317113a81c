"""The page of a run that is watched, made of its journal alone."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from nearstar.report.html_page import SECTIONS
from nearstar.report.page_data import front_entry
from nearstar.report.program_html import program_html, text_html
from nearstar.report.scores import scores
from nearstar.report.search_data import search_data, subtitle
from nearstar.report.words import short_text
from nearstar.run.results.evaluation import Told
from nearstar.run.results.front import front_rows
from nearstar.run.results.history import History
from nearstar.run.results.summary import counted, say_ended
from nearstar.run.store.following import Following
from nearstar.util.version import __version__

SILENT = 300.0
"""Seconds without a record after which it is said that the process may have died."""

_Part = dict[str, Any]


class LivePage:
    """The page of the run in a folder as it is now, each time that it is asked for."""

    def __init__(self, folder: str | Path) -> None:
        self._following = Following(folder)
        self._title = Path(folder).resolve().name  # now: later it may be gone
        self._shown: dict[tuple[str, int], _Part] = {}
        """What was made of the programs of the front, which seldom change, by run and index."""

    def page(self, nodes: int = 0, points: int = 0, run: str | None = None) -> dict[str, Any]:
        """The page; of the search only what comes after so many nodes and points.

        They are those of a ``run``: where that is another one by now, all of the search is given.
        """
        self._following.look()
        history, about = self._following.history, self._following.about
        problem = self._following.problem
        page = {
            "title": self._title,
            "subtitle": "" if history is None else subtitle(history),
            "nearstar": __version__,
            "live": self._live(),
            "notes": [] if problem is None else [problem],
            **dict.fromkeys(SECTIONS),
            "classes": [] if about is None else list(about.classes),
        }
        if history is None:
            return page
        if run is not None and run != history.run:
            nodes = points = 0
        return {**page, **self._found(history), "search": search_data(history, nodes, points)}

    def _found(self, history: History) -> dict[str, Any]:
        """The sections of what was found."""
        front = {(history.run, each.index): each for each in history.front}
        known = self._shown
        self._shown = {key: known.get(key) or self._made(each) for key, each in front.items()}
        made = [part["numbers"] for part in self._shown.values()]
        rows = front_rows(
            (each, each.text, numbers) for each, numbers in zip(history.front, made, strict=True)
        )
        shown = list(zip(rows, self._shown.values(), strict=True))
        if not shown:
            return {}
        best = next(part for row, part in shown if row.chosen)
        return {
            "program": {"html": best["html"], "text": best["whole"]},
            "scores": best["scores"],
            "front": [front_entry(row, part["text"], part["html"]) for row, part in shown],
        }

    def _made(self, each: Told) -> _Part:
        """What is shown of a program of the front."""
        model = self._following.model(each.index)
        if model is None:
            html = text_html(each.text)
            shown = {"whole": each.text, "text": each.text, "html": html}
            return {**shown, "scores": None, "numbers": None}
        return {
            "whole": model.text(),
            "text": short_text(model),
            "html": program_html(model),
            "scores": scores(model, {}, {}),
            "numbers": model.numbers,
        }

    def _live(self) -> dict[str, str]:
        # Whoever listens to the page hears each change of this text: it has no clock.
        following, history = self._following, self._following.history
        if following.problem is not None:
            return {"state": "silent", "text": "The journal of the run cannot be followed."}
        if history is None or not following.started:
            return {"state": "waiting", "text": "Waiting for a search to begin in this folder."}
        if history.ended is not None:
            return {"state": "ended", "text": f"Ended: {say_ended(history)}."}
        silent = time.time() - following.written
        if silent >= SILENT:
            return {
                "state": "silent",
                "text": f"Nothing was written for {int(silent // 60)} min: a training takes long, "
                f"or the process has died (nearstar resume {following.folder} goes on with it).",
            }
        who = following.started
        workers = counted(who["workers"], "worker")
        text = f"Running: process {who['process']} on {who['host']}, {workers}."
        return {"state": "running", "text": text}
