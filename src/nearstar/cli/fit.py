"""``nearstar fit``: from a data file to a program, in a folder."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from nearstar.cli.config import write_config
from nearstar.cli.fit_options import FILES, PASSING
from nearstar.cli.folder import FRONT, MODEL, RESULT, SETTINGS, new_folder
from nearstar.cli.main import INTERRUPTED
from nearstar.cli.showing import further, readable
from nearstar.cli.using import Use
from nearstar.fit.fitting import read_search
from nearstar.fit.prepared import Prepared
from nearstar.fit.preparing import Job, job_of
from nearstar.language.program import is_complete
from nearstar.language.text import parse
from nearstar.model.model import Model
from nearstar.run import Finalists, Limits, final, learn
from nearstar.run.results.audit import Audit
from nearstar.search.constraints import Constraints
from nearstar.search.protocol import Algorithm
from nearstar.search.rnn import RNN
from nearstar.training.train import Trained, train
from nearstar.util.errors import NearstarError
from nearstar.util.whole_files import write_whole

DEFAULT_SECONDS = 60.0


@dataclass(frozen=True, eq=False)
class Found:
    """What a fit gave: the best program at every price, and how the search went."""

    front: tuple[Trained, ...]
    """Cheapest first."""
    best: int
    """The place of the chosen one."""
    search: Mapping[str, Any]
    """Plain data: gap, bound, how it ended, programs trained, seconds."""
    summary: str
    audit: Audit | None = None


def fit(settings: dict[str, Any]) -> int:
    """``nearstar fit``: read, search, save, report."""
    if settings["sketch"] is not None and settings["program"] is not None:
        raise NearstarError("--sketch completes a program, --program trains one; give only one")
    job = job_of(settings["data"], settings)
    find = finding(job.prepared, settings)  # wrong settings are found out before a folder is made
    with new_folder(settings["out"], Path(settings["data"])) as folder:
        return carry_out(job, find, settings, folder)


def carry_out(
    job: Job, find: Callable[[Path], Found], settings: Mapping[str, Any], folder: Path
) -> int:
    """Search, save and report, in the folder of the run."""
    with _writing(folder):
        write_whole(folder / SETTINGS, write_config(_repeated(settings)))
    found = find(folder)
    models = [_model(each, job, found, settings) for each in found.front]
    report = _report(job, found, models, folder)
    with _writing(folder, report["program"]):
        _write(folder, models, found.best, report)
    if settings["json"]:
        print(json.dumps(report, ensure_ascii=False))
    else:
        print(readable(models[found.best], report, found.summary))
    return INTERRUPTED if found.search["ended"] == "interrupted" else 0


def finding(prepared: Prepared, settings: Mapping[str, Any]) -> Callable[[Path], Found]:
    """What the settings ask for, ready to be started in the folder of a run."""
    arrange = _search if settings["program"] is None else _training
    return arrange(prepared, settings)


def _search(prepared: Prepared, settings: Mapping[str, Any]) -> Callable[[Path], Found]:
    """A search, ready to be started."""
    algorithm = _algorithm(settings)
    limits = Limits(seconds=settings["time"], trainings=settings["trainings"])
    if limits == Limits():
        limits = Limits(seconds=DEFAULT_SECONDS)
    depth = {} if settings["max_depth"] is None else {"max_depth": settings["max_depth"]}
    constraints = Constraints(
        forbid=tuple(settings["forbid"]), require=tuple(settings["require"]), **depth
    )

    training: dict[str, Any] = {
        "seed": settings["seed"],
        "budget": prepared.budget,
        "workers": settings["workers"] if settings["cluster"] is None else None,
        "cluster": settings["cluster"],
        "progress": False if settings["json"] or settings["quiet"] else None,
    }

    def search(folder: Path) -> Found:
        result = learn(
            prepared.task,
            prepared.domain,
            algorithm,
            limits=limits,
            constraints=constraints,
            weight=settings["weight"],
            start=settings["sketch"],
            run=folder,
            cache=settings["cache"],
            audit_samples=settings["audit"],
            **training,
        )
        if result.best is None:
            if result.ended == "interrupted":
                raise KeyboardInterrupt(further(folder, result.ended) if result.trained else "")
            raise NearstarError(f"{result.summary()}\n{further(folder, result.ended)}")
        if settings["finalists"]:
            finalists = Finalists(settings["finalists"])
            result = final(
                prepared.task, prepared.domain, result, finalists, run=folder, **training
            )
        assert result.best is not None
        programs = [each.evaluation.program for each in result.front]
        how = {
            "gap": result.gap,
            # Above all numbers where nothing is left to explore: then the best cost is the least.
            "bound": None if result.bound == math.inf else result.bound,
            "ended": result.ended,
            "trained": result.trained,
            "seconds": round(result.seconds, 3),
        }
        if result.finals is not None:
            how["finalists"] = result.finals.trained
        best = programs.index(result.best.evaluation.program)
        front = tuple(each.trained for each in result.front)
        return Found(front, best, how, result.summary(), result.audit)

    return search


def _algorithm(settings: Mapping[str, Any]) -> Algorithm:
    """The search; a network that is all there is has its size and its epochs from the settings."""
    search = read_search(settings["search"])
    if not isinstance(search, RNN):
        return search
    given = {
        "epochs": settings["neural_epochs"],
        "units": None if settings["units"] is None else settings["units"][0],
    }
    return replace(search, **{name: value for name, value in given.items() if value is not None})


def _training(prepared: Prepared, settings: Mapping[str, Any]) -> Callable[[Path], Found]:
    """The training of one program that was given, ready to be started."""
    parsed = parse(settings["program"], prepared.domain, prepared.task.signature())
    if not is_complete(parsed.program):
        raise NearstarError("--program has a hole, ??; --sketch finds what belongs there")

    budget = prepared.budget
    if parsed.theta is not None and settings["restarts"] is None:
        budget = replace(budget, restarts=1)  # others would start from numbers of their own

    def training(folder: Path) -> Found:
        trained = train(parsed.program, prepared.task, budget, settings["seed"], start=parsed.theta)
        how = {"gap": None, "bound": None, "ended": "finished", "trained": 1}
        return Found((trained,), 0, {**how, "seconds": round(trained.seconds, 3)}, "")

    return training


def _model(trained: Trained, job: Job, found: Found, settings: Mapping[str, Any]) -> Model:
    """The model of a program, with its scores on the test data."""
    provenance = {
        "data": Path(settings["data"]).name,
        "search": None if settings["program"] is not None else settings["search"],
        "seed": settings["seed"],
        "weight": settings["weight"],
        # Not the time it took: the same settings and data give the same file.
        **{name: value for name, value in found.search.items() if name != "seconds"},
    }
    tuned = settings["threshold"] == "tuned"
    model = job.prepared.model(trained, tuned=tuned, provenance=provenance)
    if job.test is None:
        return model
    tested = Use(model, job.test, job.prepared.format).evaluate().to_dict(model.class_names)
    metrics = {**model.facts["metrics"], "test": tested}
    return replace(model, facts={**model.facts, "metrics": metrics})


def _report(
    job: Job,
    found: Found,
    models: list[Model],
    folder: Path,
) -> dict[str, Any]:
    """What was found, as plain data."""
    best = models[found.best]
    report = {**_entry(best), **found.search, "model": str(folder / MODEL)}
    if job.test is not None:
        report["test"] = best.facts["metrics"]["test"]
    report["classes"] = list(best.labels)
    report["sizes"] = {
        "train": len(job.prepared.task.train),
        "valid": len(job.prepared.task.valid),
        "test": 0 if job.test is None else len(job.test),
    }
    report["notes"] = list(job.notes)
    report["audit"] = None if found.audit is None else asdict(found.audit)
    report["front"] = [
        {**_entry(model), "model": str(folder / FRONT / f"{place}.json")}
        for place, model in enumerate(models, 1)
    ]
    return report


def _entry(model: Model) -> dict[str, Any]:
    """One program, its costs and scores."""
    facts, valid = model.facts["provenance"], model.facts["metrics"]["validation"]
    return {
        "program": model.text(),
        "structural_cost": facts["structural_cost"],
        "error": facts["error"],
        "path_cost": facts["weight"] * facts["structural_cost"] + facts["error"],
        "f1": None if valid is None else valid["f1"],
        "accuracy": None if valid is None else valid["accuracy"],
        "depth": model.program.size,
    }


def _write(folder: Path, models: list[Model], best: int, report: dict[str, Any]) -> None:
    """The files of what was found; the model last, so that where one is, all is there."""
    (folder / FRONT).mkdir(exist_ok=True)
    places = [folder / FRONT / f"{place}.json" for place in range(1, len(models) + 1)]
    for place, model in zip(places, models, strict=True):
        model.save(place)
    for old in set((folder / FRONT).iterdir()).difference(places):  # of before it was resumed
        old.unlink()
    write_whole(folder / RESULT, json.dumps(report, indent=1, ensure_ascii=False) + "\n")
    models[best].save(folder / MODEL)


@contextmanager
def _writing(folder: Path, program: str | None = None) -> Iterator[None]:
    """What cannot be written is told with the program that was found."""
    try:
        yield
    except (OSError, NearstarError) as problem:
        told = problem.strerror if isinstance(problem, OSError) else problem
        found = "" if program is None else f". The program that was found:\n{program}"
        raise NearstarError(f"{folder} cannot be written: {told}{found}") from None


def _repeated(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings with which the same is found again, from wherever and wherever it is put."""
    repeated = {name: value for name, value in settings.items() if name not in PASSING}
    for name in FILES:
        value = repeated[name]
        if isinstance(value, str) and Path(value).exists():
            repeated[name] = str(Path(value).absolute())
    return repeated
