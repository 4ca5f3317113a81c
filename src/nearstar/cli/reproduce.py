"""``nearstar reproduce``: the paper's experiments, to be checked by anyone."""

from __future__ import annotations

import shlex
import sys
import time
from pathlib import Path
from typing import Any

from nearstar.cli import values
from nearstar.cli.options import Option, OptionGroup
from nearstar.reproduce import TASKS, Plan, Study, Trial, load, reproduce
from nearstar.reproduce.algorithms import ALL
from nearstar.reproduce.running import TrialKey
from nearstar.reproduce.table import to_markdown
from nearstar.reproduce.tables import main_table
from nearstar.util.errors import NearstarError
from nearstar.util.nearest import suggestion

_USUAL = Plan()
OPTIONS = (
    OptionGroup(
        "data",
        (
            Option("data", values.text, "the .npz file of a stand-in task, or the folder with it; "
                   "for the paper's tasks the folder of the authors' .npy files", "PATH"),
            Option("positive", values.whole(0), "of the paper's CRIM13 files with more labels than "
                   "0 and 1: the one to tell from all others", "CODE"),
        ),
    ),
    OptionGroup(
        "what to run",
        (
            Option("paper", values.switch, "the paper's settings, to the letter", default=False),
            Option("trials", values.whole(1, 1000), "seeds for each algorithm (3)", "N", default=3),
            Option("seed", values.whole(0), "the first of the seeds (0)", "N", default=0),
            Option("time", values.duration, "processor time for each search of NEAR, at most (2m)",
                   "TIME", default=_USUAL.seconds),
            Option("algorithms", values.names, "only these, with commas between, of "
                   + ", ".join(ALL), "NAMES"),
            Option("weights", values.numbers, "λ for the figure of depth and F1, with commas "
                   "between; none: no figure (" + ",".join(f"{w:g}" for w in _USUAL.weights) + ")",
                   "NUMBERS", default=_USUAL.weights),
            Option("finalists", values.whole(0, 1000), "how many of the best programs are trained "
                   "again, longer, before one is chosen (5; none with --paper)", "N",
                   default=_USUAL.finalists),
            Option("workers", values.whole(1, 1024), "trials at a time (one for each core)", "N"),
            Option("out", values.text, "the folder of the study (reproduce-TASK); one that is "
                   "there is gone on with", "FOLDER"),
        ),
    ),
)  # fmt: skip


def run(settings: dict[str, Any]) -> int:
    """``nearstar reproduce``."""
    if settings["task"] is None:
        print(_listed())
        return 0
    plan = _plan(settings)
    experiment = load(settings["task"], settings["data"], settings["positive"])
    folder = Path(settings["out"] or f"reproduce-{experiment.kind.name}")
    progress = _Progress(len(plan.trials))
    try:
        study = reproduce(
            experiment,
            plan,
            folder,
            workers=settings["workers"],
            told=progress,
            command=_command(settings),
        )
    except KeyboardInterrupt:
        raise KeyboardInterrupt(
            f"what was trained is in {folder}, and the same command goes on with it"
        ) from None
    print(_shown(study, folder))
    return 0


def _plan(settings: dict[str, Any]) -> Plan:
    for name in settings["algorithms"] or ():
        if name not in ALL:
            raise NearstarError(f"--algorithms: no algorithm {name!r}; {suggestion(name, ALL)}")
    for weight in settings["weights"]:
        if weight < 0:
            raise NearstarError(f"--weights: λ is a number from 0, not {weight:g}")
    chosen = settings["algorithms"] or ALL
    first = settings["seed"]
    return Plan(
        algorithms=tuple(name for name in ALL if name in chosen),
        seeds=tuple(range(first, first + settings["trials"])),
        seconds=settings["time"],
        weights=settings["weights"],
        paper=settings["paper"],
        finalists=settings["finalists"],
    )


class _Progress:
    """Tells on stderr of each trial that has ended."""

    def __init__(self, trials: int) -> None:
        self._trials = trials
        self._done = 0
        self._began = time.monotonic()

    def __call__(self, key: TrialKey, trial: Trial) -> None:
        self._done += 1
        found = "no program" if trial.test is None else f"test F1 {trial.test.f1:.3f}"
        minutes = (time.monotonic() - self._began) / 60
        print(
            f"{self._done} of {self._trials} ({minutes:.0f} min): {key}: {found}"
            f"  {trial.program or ''}".rstrip(),
            file=sys.stderr,
            flush=True,
        )


def _shown(study: Study, folder: Path) -> str:
    return (
        f"{to_markdown(main_table(study))}\n\n"
        f"Tables, figures, programs: {folder / 'index.html'} (a page), {folder / 'results.md'}\n"
        f"The run of each trial is in {folder / 'runs'}; its model.json is for nearstar show, "
        "explain, report"
    )


def _command(settings: dict[str, Any]) -> str:
    """The command as it may be given again; of a path only its end, which is all that tells."""
    words = ["nearstar", "reproduce", settings["task"]]
    options = [option for group in OPTIONS for option in group.options]
    for option in options:
        value = settings[option.name]
        if value == option.default or option.name in ("out", "workers"):
            continue
        words.append(option.flag)
        if option.name == "data":
            words.append(Path(value).name)
        elif isinstance(value, tuple):
            parts = (f"{part:g}" if isinstance(part, float) else part for part in value)
            words.append(",".join(parts) or "none")
        elif value is not True:
            words.append(f"{value:g}s" if option.name == "time" else str(value))
    return shlex.join(words)


def _listed() -> str:
    width = max(map(len, TASKS))
    lines = [f"  {name:{width}}  {kind.title} ({kind.needs})" for name, kind in TASKS.items()]
    return "Tasks, and the data that they need:\n" + "\n".join(lines)
