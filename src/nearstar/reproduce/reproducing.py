"""The paper's experiment on a task: from its data to tables, figures and a page, in a folder."""

from __future__ import annotations

import json
import os
import platform
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numba
import numpy as np

from nearstar.report.plots import check_plots
from nearstar.reproduce.algorithms import ALL
from nearstar.reproduce.published import PUBLISHED
from nearstar.reproduce.running import Plan, Running, Told, TrialKey
from nearstar.reproduce.study import Study, Trial
from nearstar.reproduce.tasks import Experiment
from nearstar.reproduce.writing import write_study
from nearstar.run.store.identity import changes_in, plain_data
from nearstar.run.workers.pool import available_cores
from nearstar.training.train import TRAINING_VERSION
from nearstar.util.errors import NearstarError
from nearstar.util.version import __version__
from nearstar.util.whole_files import write_whole

RUNS, SETTINGS = "runs", "study.json"


def reproduce(
    experiment: Experiment,
    plan: Plan | None = None,
    folder: str | Path | None = None,
    *,
    workers: int | None = None,
    told: Told = lambda key, trial: None,
    command: str = "",
) -> Study:
    """All algorithms on a task, over several seeds; tables, figures and a page in the folder.

    A folder with trials of the same task and settings is gone on with: what was made is not made
    again, and more seeds or algorithms are added to it. ``workers`` are trials made at a time, on
    threads (None: one for each core). ``told`` hears of each trial; ``command`` is quoted in the
    results.
    """
    plan = Plan() if plan is None else plan
    check_plots()  # before anything that takes long
    place = Path(f"reproduce-{experiment.kind.name}" if folder is None else folder)
    workers = available_cores() if workers is None else workers
    kept = _Folder(place, _identity(experiment, plan))

    def counted(key: TrialKey, trial: Trial) -> None:
        kept.count()  # a study that is killed knows how long it took
        told(key, trial)

    try:
        made = Running(experiment, plan, place / RUNS).run(workers, counted)
        study = _study(experiment, plan, made, _how(experiment, plan, command, workers, kept))
        write_study(study, place)
    finally:
        kept.count()
    return study


def _study(
    experiment: Experiment, plan: Plan, made: Mapping[TrialKey, Trial], how: Mapping[str, str]
) -> Study:
    order = [*ALL]
    keys = sorted(made, key=lambda key: (order.index(key.algorithm), key.seed, key.weight or 0.0))
    return Study(
        task=experiment.kind.name,
        title=experiment.kind.title,
        paper=plan.paper,
        classes=experiment.train.class_names,
        unit=experiment.unit,
        trials=tuple(made[key] for key in keys if key.weight is None),
        sweep=tuple(made[key] for key in keys if key.weight is not None),
        published=PUBLISHED[experiment.kind.column] if experiment.kind.column else {},
        made=how,
    )


def _identity(experiment: Experiment, plan: Plan) -> dict[str, Any]:
    """What must be the same for trials to belong together."""
    parts = {part: getattr(experiment, part).fingerprint() for part in ("train", "valid", "test")}
    return {
        "task": experiment.kind.name,
        "paper's settings": plan.paper,
        "seconds of a search": plan.seconds,
        "finalists": 0 if plan.finals is None else plan.finals.programs,
        "training version": TRAINING_VERSION,
        "budget": plain_data(experiment.budget(plan.paper)),
        **{f"{part} data": fingerprint for part, fingerprint in parts.items()},
    }


class _Folder:
    """The folder of a study: that it is of the same study, and how long it took."""

    def __init__(self, folder: Path, identity: Mapping[str, Any]) -> None:
        self._path = folder / SETTINGS
        self._identity = identity
        self._began = time.monotonic()
        self._before = 0.0
        if self._path.is_file():
            self._check(folder)
        elif folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise NearstarError(
                f"--out {folder} is there already, and is no study of nearstar's; give another name"
            )
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self.count()
        except OSError as problem:
            raise NearstarError(
                f"the folder {folder} cannot be written to: {problem.strerror}"
            ) from None

    def _check(self, folder: Path) -> None:
        try:
            found = json.loads(self._path.read_text("utf-8"))
            earlier, self._before = found["identity"], float(found["elapsed"])
        except (ValueError, KeyError, TypeError, OSError) as problem:
            raise NearstarError(f"{self._path} cannot be read: {problem}") from None
        if changes := changes_in(earlier, self._identity):
            raise NearstarError(
                f"the study in {folder} was begun otherwise ({'; '.join(changes)}); give the same "
                "again to go on with it, or another --out"
            )

    @property
    def elapsed(self) -> float:
        """Seconds, of all the times that it was worked on."""
        return self._before + time.monotonic() - self._began

    def count(self) -> None:
        """Write down the time that it took so far."""
        plain = {"identity": self._identity, "elapsed": self.elapsed}
        write_whole(self._path, json.dumps(plain, indent=1))


def _how(
    experiment: Experiment, plan: Plan, command: str, workers: int, kept: _Folder
) -> dict[str, str]:
    """How a study was made, in words."""
    parts = (experiment.train, experiment.valid, experiment.test)
    sizes = " / ".join(f"{len(part):,}" for part in parts)
    units = len(np.unique(experiment.units))
    budget = experiment.budget(plan.paper)
    words = {
        "Command": command,
        "Stands in for": experiment.kind.stands_in_for or "",
        "Data": f"{sizes} sequences to train, validate and test; {len(experiment.domain.features)} "
        f"features; {units} {experiment.unit}s in the test data",
        "Training": f"{budget.neural_steps} steps for programs with holes, "
        f"{budget.symbolic_steps} for complete ones; learning rate {budget.learning_rate:g}; "
        f"batches of {budget.batch_size}; loss {budget.loss}; "
        + ("the best look counts" if budget.select == "best" else "the last step counts"),
        "Finals": ""
        if plan.finals is None
        else f"the {plan.finals.programs} best programs of each search are trained again, "
        f"{plan.finals.longer} times as long and {plan.finals.restarts} times each, before one is "
        "chosen",
        "Time of a search": f"{plan.seconds:g} s of processor time for each search of NEAR; each "
        "baseline as long as the longest of these took; half of it for each λ of the figure",
        "Time taken": f"{kept.elapsed / 60:.0f} minutes on {workers} "
        + ("core" if workers == 1 else "cores"),
        "Machine": _machine(),
        "Versions": f"nearstar {__version__}, Python {platform.python_version()}, "
        f"NumPy {np.__version__}, Numba {numba.__version__}",
    }
    return {name: text for name, text in words.items() if text}


def _machine() -> str:
    """The processor, as far as it says what it is."""
    name = platform.processor() or platform.machine()
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
        name = next(line.split(":", 1)[1].strip() for line in lines if "model name" in line)
    except (OSError, StopIteration):
        pass
    return f"{name}, {os.cpu_count()} cores, {platform.system()}"
