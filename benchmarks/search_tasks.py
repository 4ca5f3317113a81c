"""The tasks that searches are compared on: those of ``nearstar reproduce`` that stand in."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

import nearstar as ns
from nearstar.reproduce import tasks
from nearstar.reproduce.stand_ins import FOLDER, Archive

DATA = Path(os.environ.get(FOLDER, Path(__file__).parents[2] / "shared" / "data"))
"""Where the files with real data are; tasks that need one are left out without it."""


class Setting(tasks.Experiment):
    """A task, trained as published or as by default, for searches to be compared."""

    @property
    def max_depth(self) -> int:
        return self.constraints.max_depth

    def published(self) -> ns.Budget:
        """Training to the letter of the paper: one stage, the last parameters, a fixed order."""
        return self.budget(paper=True)

    def ours(self) -> ns.Budget:
        """Training as it is by default: in stages, so that searches can race programs."""
        return self.budget(paper=False)


_NAMES = {
    "hidden-rule": "hidden-rule",
    "social": "rat-social",
    "other": "rat-other",
    "aggression": "rat-aggression",
    "ballhandler": "nba",
    "bouts": "rat-bouts",
}
"""What the tasks are called in these measurements, and in ``nearstar reproduce``."""


def _file(name: str) -> Path | None:
    source = tasks.TASKS[name].source
    return DATA / source.file if isinstance(source, Archive) else None


def _load(name: str) -> Setting:
    return Setting(**vars(tasks.load(name, _file(name))))


TASKS: Mapping[str, Callable[[], Setting]] = {
    own: partial(_load, name) for own, name in _NAMES.items()
}


def available() -> list[str]:
    """The tasks whose data are there."""
    files = {own: _file(name) for own, name in _NAMES.items()}
    return [own for own, file in files.items() if file is None or file.exists()]
