"""``nearstar resume``: to go on with a run that was ended, however that was."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nearstar.cli.fit import carry_out
from nearstar.cli.folder import stored_settings
from nearstar.fit import converters as to
from nearstar.fit.options import argument, changed, option, section, values_of
from nearstar.fit.prepare import prepare_files
from nearstar.fit.settings import MachineSettings, OutputSettings, SearchSettings
from nearstar.run.finals import finals_in
from nearstar.run.store import JOURNAL, repair


@dataclass(frozen=True, kw_only=True)
class Resume:
    """Go on with a fit that was ended: by Ctrl-C, a limit, a crash or a power cut.

    Nothing is trained again, and the result is that of a run that was never ended. Data and settings
    are those that the run was begun with, in its settings.toml; limits count for the whole run.

    examples:
      nearstar resume mice-run
      nearstar resume mice-run --time 1h
      nearstar resume mice-run --cluster tcp://node1:8786
    """  # noqa: E501

    run: str = argument("the folder of a fit")
    limits: SearchSettings = section(
        SearchSettings,
        "limits of the whole run, in place of those that it had",
        ("time", "trainings"),
    )
    machines: MachineSettings = section(MachineSettings)
    data: str | None = option(
        to.text, "where the data are now, if they were moved", "FILE", group="the run's files"
    )
    repair: bool = option(
        to.switch, "train again what is damaged in the journal, and keep the rest", default=False
    )
    output: OutputSettings = section(OutputSettings, only=("json", "quiet"))

    def __call__(self) -> int:
        folder = Path(self.run)
        again = changed(stored_settings(folder, JOURNAL), _changes(self))
        if self.repair:
            _repair(folder)
        return carry_out(prepare_files(again), again, folder)


def _changes(settings: Resume) -> dict[str, Any]:
    """What is to be otherwise from now on; one new limit takes the place of all."""
    limits = {"time": settings.limits.time, "trainings": settings.limits.trainings}
    changes: dict[str, Any] = {} if all(each is None for each in limits.values()) else limits
    for name, value in (("workers", settings.machines.workers), ("data", settings.data)):
        if value is not None:
            changes[name] = value
    passing = {"cluster": settings.machines.cluster, "cache": settings.machines.cache}
    return {**changes, **passing, **values_of(settings.output)}


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
