"""``nearstar resume``: to go on with a run that was ended, however that was."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from nearstar.cli import values
from nearstar.cli.config import read_config
from nearstar.cli.fit import carry_out, finding
from nearstar.cli.fit_options import MACHINES, OPTIONS, OUTPUT, SEARCH
from nearstar.cli.folder import SETTINGS
from nearstar.cli.options import Option, OptionGroup, settle
from nearstar.fit.preparing import job_of
from nearstar.run.finals import finals_in
from nearstar.run.store import JOURNAL, repair
from nearstar.util.errors import NearstarError

_LIMITS = tuple(option for option in SEARCH.options if option.name in ("time", "trainings"))
_OUTPUT = tuple(option for option in OUTPUT.options if option.name != "out")
# fmt: off
RESUMING = (
    OptionGroup("limits of the whole run, in place of those that it had", _LIMITS),
    MACHINES,
    OptionGroup(
        "the run's files",
        (
            Option("data", values.text, "where the data are now, if they were moved", "FILE"),
            Option("repair", values.switch,
                   "train again what is damaged in the journal, and keep the rest", default=False),
        ),
    ),
    OptionGroup("output", _OUTPUT),
)
# fmt: on


def resume(settings: dict[str, Any]) -> int:
    """Search on, save, report."""
    folder = Path(settings["run"])
    again = {**stored_settings(folder, SETTINGS, JOURNAL), **_changes(settings)}
    if settings["repair"]:
        _repair(folder)
    job = job_of(again["data"], again)
    return carry_out(job, finding(job.prepared, again), again, folder)


def stored_settings(folder: Path, *needed: str) -> dict[str, Any]:
    """The settings that the run was begun with, if all files that are needed are there."""
    for name in needed:
        if not (folder / name).is_file():
            raise NearstarError(
                f"{folder} is no folder of a search: it has no {name}. Give one that nearstar fit "
                "has made"
            )
    options = [option.name for group in OPTIONS for option in group.options]
    config = read_config(folder / SETTINGS, [*options, "data"])
    if "data" not in config:
        raise NearstarError(f"{folder / SETTINGS} does not say what the data are: data = 'FILE'")
    return {**settle(OPTIONS, {}, config), "data": str(config["data"])}


def _changes(settings: dict[str, Any]) -> dict[str, Any]:
    """What is to be otherwise from now on; one new limit takes the place of all."""
    limits = {option.name: settings[option.name] for option in _LIMITS}
    changes = {} if all(value is None for value in limits.values()) else limits
    for name in ("workers", "data"):
        if settings[name] is not None:
            changes[name] = settings[name]
    passing = ("cluster", "cache", *(option.name for option in _OUTPUT))
    return {**changes, **{name: settings[name] for name in passing}}


def _repair(folder: Path) -> None:
    """What is damaged is trained again; what happened after it is told again."""
    for each in (folder, *finals_in(folder)):
        repaired = repair(each)
        if repaired is not None:
            print(
                f"nearstar: repaired {each / JOURNAL}: {repaired.kept} records kept, "
                f"{repaired.lost} lost; as it was, it is {repaired.original}",
                file=sys.stderr,
            )
