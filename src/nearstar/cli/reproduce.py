"""``nearstar reproduce``: the paper's experiments, to be checked by anyone."""

from __future__ import annotations

import shlex
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from nearstar.fit import converters as to
from nearstar.fit.options import argument, option, options_of, values_of
from nearstar.reproduce import TASKS, Plan, Study, Trial, load, reproduce
from nearstar.reproduce.algorithms import ALL
from nearstar.reproduce.running import TrialKey
from nearstar.reproduce.study_tables import main_table
from nearstar.reproduce.table import to_markdown
from nearstar.util.errors import NearstarError
from nearstar.util.nearest import suggestion

_USUAL = Plan()


@dataclass(frozen=True, kw_only=True)
class Reproduce:
    """Run the paper's experiments: all its algorithms on a task, as tables and figures.

    Each algorithm has several trials, the baselines as much time as NEAR took. The results are a page,
    Markdown, CSV and SVG in a folder. Ctrl-C ends it; the same command goes on where it stopped.

    examples:
      nearstar reproduce
      nearstar reproduce hidden-rule --time 20s
      nearstar reproduce nba --data nba_ballhandler.npz
      nearstar reproduce crim13-sniff --data crim13_processed --paper
      nearstar reproduce rat-social --data rats.npz --algorithms astar --trials 20 --weights none
    """  # noqa: E501

    # fmt: off
    task: str | None = argument("a task; without one they are listed", optional=True)
    data: str | None = option(
        to.text, "the .npz file of a stand-in task, or the folder with it; for the paper's tasks "
        "the folder of the authors' .npy files", "PATH", group="data")
    positive: int | None = option(
        to.whole(0), "of the paper's CRIM13 files with more labels than 0 and 1: the one to tell "
        "from all others", "CODE")
    paper: bool = option(
        to.switch, "the paper's settings, to the letter", default=False, group="what to run")
    trials: int = option(to.whole(1, 1000), "seeds for each algorithm (3)", "N", default=3)
    seed: int = option(to.whole(0), "the first of the seeds (0)", "N", default=0)
    time: float = option(
        to.duration, "processor time for each search of NEAR, at most (2m)", "TIME",
        default=_USUAL.seconds)
    algorithms: tuple[str, ...] | None = option(
        to.names, "only these, with commas between, of " + ", ".join(ALL), "NAMES")
    weights: tuple[float, ...] = option(
        to.numbers, "λ for the figure of depth and F1, with commas between; none: no figure ("
        + ",".join(f"{w:g}" for w in _USUAL.weights) + ")", "NUMBERS", default=_USUAL.weights)
    finalists: int = option(
        to.whole(0, 1000), "how many of the best programs are trained again, longer, before one is "
        "chosen (5; none with --paper)", "N", default=_USUAL.finalists)
    workers: int | None = option(
        to.whole(1, 1024), "trials at a time (one for each core)", "N", passing=True)
    out: str | None = option(
        to.text, "the folder of the study (reproduce-TASK); one that is there is gone on with",
        "FOLDER", passing=True)
    # fmt: on

    def __call__(self) -> int:
        if self.task is None:
            print(_listed())
            return 0
        plan = _plan(self)
        experiment = load(self.task, self.data, self.positive)
        folder = Path(self.out or f"reproduce-{experiment.kind.name}")
        try:
            study = reproduce(
                experiment,
                plan,
                folder,
                workers=self.workers,
                told=_progress(len(plan.trials)),
                command=_command(self),
            )
        except KeyboardInterrupt:
            raise KeyboardInterrupt(
                f"what was trained is in {folder}, and the same command goes on with it"
            ) from None
        print(_shown(study, folder))
        return 0


def _plan(settings: Reproduce) -> Plan:
    for name in settings.algorithms or ():
        if name not in ALL:
            raise NearstarError(f"--algorithms: no algorithm {name!r}; {suggestion(name, ALL)}")
    for weight in settings.weights:
        if weight < 0:
            raise NearstarError(f"--weights: λ is a number from 0, not {weight:g}")
    chosen, first = settings.algorithms, settings.seed
    return Plan(
        algorithms=tuple(name for name in ALL if name in chosen) if chosen else None,
        seeds=tuple(range(first, first + settings.trials)),
        seconds=settings.time,
        weights=settings.weights,
        paper=settings.paper,
        finalists=settings.finalists,
    )


def _progress(trials: int) -> Callable[[TrialKey, Trial], None]:
    """Tells on stderr of each trial that has ended."""
    done, began = count(1), time.monotonic()

    def tell(key: TrialKey, trial: Trial) -> None:
        found = "no program" if trial.test is None else f"test F1 {trial.test.f1:.3f}"
        minutes = (time.monotonic() - began) / 60
        print(
            f"{next(done)} of {trials} ({minutes:.0f} min): {key}: {found}"
            f"  {trial.program or ''}".rstrip(),
            file=sys.stderr,
            flush=True,
        )

    return tell


def _shown(study: Study, folder: Path) -> str:
    return (
        f"{to_markdown(main_table(study))}\n\n"
        f"Tables, figures, programs: {folder / 'index.html'} (a page), {folder / 'results.md'}\n"
        f"The run of each trial is in {folder / 'runs'}; its model.json is for nearstar show, "
        "explain, report"
    )


def _command(settings: Reproduce) -> str:
    """The command as it may be given again; of a path only its end, which is all that tells."""
    words = ["nearstar", "reproduce", str(settings.task)]
    values = values_of(settings)
    for each in options_of(Reproduce):
        value = values[each.name]
        if value == each.default or each.passing or each.positional:
            continue
        words.append(each.flag)
        if each.name == "data":
            words.append(Path(value).name)
        elif isinstance(value, tuple):
            parts = (f"{part:g}" if isinstance(part, float) else part for part in value)
            words.append(",".join(parts) or "none")
        elif value is not True:
            words.append(f"{value:g}s" if each.name == "time" else str(value))
    return shlex.join(words)


def _listed() -> str:
    width = max(map(len, TASKS))
    lines = [f"  {name:{width}}  {kind.title} ({kind.needs})" for name, kind in TASKS.items()]
    return "Tasks, and the data that they need:\n" + "\n".join(lines)
