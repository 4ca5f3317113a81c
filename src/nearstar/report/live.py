"""The page of a run that is watched, made of its journal alone."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from nearstar.model.model import Model
from nearstar.report.numbers import significant
from nearstar.report.program_html import program_html, text_html
from nearstar.report.scores import scores
from nearstar.report.story import Row, Story
from nearstar.report.words import short_text
from nearstar.run.results.summary import say_ended
from nearstar.run.store.following import Following
from nearstar.util.version import __version__

SILENT = 300.0
"""Seconds without a record after which it is said that the process may have died."""

_IN_FRONT = ("f1", "accuracy", "size", "text", "html")
_Part = dict[str, Any]


class LivePage:
    """The page of the run in a folder as it is now, each time that it is asked for."""

    def __init__(self, folder: str | Path) -> None:
        self._following = Following(folder)
        self._title = Path(folder).resolve().name  # now: later it may be gone
        self._shown: dict[int, _Part] = {}
        """What was made of the programs of the front, which seldom change, by their index."""
        self._shown_of = ""

    def page(self, nodes: int = 0, points: int = 0, run: str | None = None) -> dict[str, Any]:
        """The page; of the search only what comes after so many nodes and points.

        They are those of a ``run``: where that is another one by now, all of the search is given.
        """
        self._following.look()
        story, about = self._following.story, self._following.about
        if story is not None and run is not None and run != story.run:
            nodes = points = 0
        best = None if story is None else story.best
        shown = None if best is None else self._show(best)
        problem = self._following.problem
        return {
            "title": self._title,
            "subtitle": "" if story is None else f"{story.algorithm}, {story.effort}",
            "nearstar": __version__,
            "live": self._live(),
            "notes": [] if problem is None else [problem],
            "classes": [] if about is None else list(about.classes),
            "program": shown and {"html": shown["html"], "text": shown["whole"]},
            "scores": shown and shown["scores"],
            "ethogram": None,
            "front": self._front(story),
            "search": None if story is None else story.to_page(nodes, points),
        }

    def _live(self) -> dict[str, str]:
        # Whoever listens to the page hears each change of this text: it has no clock.
        following, story = self._following, self._following.story
        if following.problem is not None:
            return {"state": "silent", "text": "The journal of the run cannot be followed."}
        if story is None or not following.started:
            return {"state": "waiting", "text": "Waiting for a search to begin in this folder."}
        if story.ended is not None:
            why = say_ended(story.ended, story.limits, story.engine_seconds)
            return {"state": "ended", "text": f"Ended: {why}."}
        silent = time.time() - following.written
        if silent >= SILENT:
            return {
                "state": "silent",
                "text": f"Nothing was written for {int(silent // 60)} min: a training takes long, "
                f"or the process has died (nearstar resume {following.folder} goes on with it).",
            }
        who = following.started
        workers = "1 worker" if who["workers"] == 1 else f"{who['workers']} workers"
        text = f"Running: process {who['process']} on {who['host']}, {workers}."
        return {"state": "running", "text": text}

    def _front(self, story: Story | None) -> list[_Part] | None:
        if story is None or not story.front:
            return None
        return [
            {
                "cost": significant(row.structural_cost, 6),
                "error": significant(row.error, 6),
                **{name: self._show(row)[name] for name in _IN_FRONT},
                "chosen": row is story.best,
            }
            for row in story.front
        ]

    def _show(self, row: Row) -> _Part:
        """What is shown of a program of the front."""
        story = self._following.story
        assert story is not None
        if story.run != self._shown_of:
            self._shown, self._shown_of = {}, story.run
        if row.index not in self._shown:
            front = {each.index for each in story.front}
            self._shown = {index: part for index, part in self._shown.items() if index in front}
            self._shown[row.index] = self._made(row, self._following.model(row.index))
        return self._shown[row.index]

    def _made(self, row: Row, model: Model | None) -> _Part:
        story = self._following.story
        assert story is not None
        return {
            "whole": row.text if model is None else model.text(),
            "text": row.text if model is None else short_text(model),
            "html": text_html(row.text) if model is None else program_html(model),
            "size": None if model is None else model.program.size,
            "scores": None if model is None else scores(model, {}, {}),
            **story.scores(row.index),
        }
