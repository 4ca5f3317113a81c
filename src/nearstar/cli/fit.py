"""``nearstar fit``: from a data file to a program, in a folder."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from nearstar.cli.config import write_config
from nearstar.cli.folder import FRONT, MODEL, RESULT, SETTINGS, new_folder
from nearstar.cli.messages import INTERRUPTED
from nearstar.cli.notes import notes_of
from nearstar.cli.show import further, readable
from nearstar.fit.fit import Fitted, NoProgramError, fit
from nearstar.fit.options import options_of, values_of
from nearstar.fit.prepare import Prepared, prepare_files
from nearstar.fit.settings import FitSettings
from nearstar.run.results.front import FrontRow, model_rows
from nearstar.util.errors import NearstarError
from nearstar.util.whole_files import write_whole

_ENTRY = ("structural_cost", "numbers", "error", "path_cost", "f1", "accuracy")
"""What is told of each program, as in the rows of a front."""


@dataclass(frozen=True, kw_only=True)
class Fit(FitSettings):
    """Learn a program from data.

    DATA is a table with one row for each frame (.csv, .parquet), or arrays (.npz, .npy, .ts). Parts
    named train, valid and test are used as such; else a share of the sequences validates. Flags can
    stand in a TOML file too, given with --config: max_depth = 6 for --max-depth 6.

    examples:
      nearstar fit mice.csv --sequence video --label behavior --group "position=*_x,*_y" --time 5m
      nearstar fit mice.csv --sequence video --label behavior --positive sniff --split-by animal
      nearstar fit mice.csv --sequence video --label behavior --derive "distance(nose1, nose2)"
      nearstar fit long.csv --label behavior --window 100 --hop 50
      nearstar fit arrays.npz --domain basketball --search idsbb --time 10m
      nearstar fit arrays.npz --domain basketball --weight 0.5 --cache arrays-run
      nearstar fit mice.csv --config settings.toml --sketch "map (fun x_t. if ?? > 0 then ?? else ??) x"
      nearstar fit mice.csv --config settings.toml --program "map (fun x_t. DistanceAffine(x_t)) x"
    """  # noqa: E501

    def __call__(self) -> int:
        if self.language.sketch is not None and self.language.program is not None:
            raise NearstarError("--sketch completes a program, --program trains one; give only one")
        prepared = prepare_files(self)  # wrong settings are found out before a folder is made
        with new_folder(self.output.out, Path(self.data)) as folder:
            return carry_out(prepared, self, folder)


def carry_out(prepared: Prepared, settings: FitSettings, folder: Path) -> int:
    """Search, save and report, in the folder of the run."""
    with _writing(folder):
        write_whole(folder / SETTINGS, write_config(_repeated(settings)))
    output = settings.output
    try:
        fitted = fit(prepared, run=folder, progress=False if output.json or output.quiet else None)
    except NoProgramError as none:
        go_on = further(folder, none.result.ended)
        if none.result.ended == "interrupted":
            raise KeyboardInterrupt(go_on if none.result.trained else "") from None
        raise NearstarError(f"{none}\n{go_on}") from None
    report = _report(prepared, fitted, folder)
    with _writing(folder, report["program"]):
        _write(folder, fitted, report)
    if output.json:
        print(json.dumps(report, ensure_ascii=False))
    else:
        summary = "" if fitted.result is None else fitted.result.summary()
        print(readable(fitted.model, report, summary))
    return INTERRUPTED if fitted.how["ended"] == "interrupted" else 0


def _report(prepared: Prepared, fitted: Fitted, folder: Path) -> dict[str, Any]:
    """What was found, as plain data."""
    best, test = fitted.model, prepared.test
    audit = None if fitted.result is None else fitted.result.audit
    rows = model_rows(fitted.models, fitted.best)
    report = {**_entry(rows[fitted.best]), **fitted.how, "model": str(folder / MODEL)}
    if test is not None:
        report["test"] = best.facts["metrics"]["test"]
    report["classes"] = list(best.labels)
    report["sizes"] = {
        "train": len(prepared.task.train),
        "valid": len(prepared.task.valid),
        "test": 0 if test is None else len(test),
    }
    report["notes"] = list(notes_of(prepared))
    report["audit"] = None if audit is None else asdict(audit)
    report["front"] = [
        {
            **_entry(row),
            **({} if test is None else {"test": model.facts["metrics"]["test"]}),
            "model": str(folder / FRONT / f"{row.place + 1}.json"),
        }
        for row, model in zip(rows, fitted.models, strict=True)
    ]
    return report


def _entry(row: FrontRow) -> dict[str, Any]:
    """One program, its costs and scores."""
    return {
        "program": row.text,
        **{name: getattr(row, name) for name in _ENTRY},
        "depth": row.size,
    }


def _write(folder: Path, fitted: Fitted, report: dict[str, Any]) -> None:
    """The files of what was found; the model last, so that where one is, all is there."""
    (folder / FRONT).mkdir(exist_ok=True)
    paths = [folder / FRONT / f"{place}.json" for place in range(1, len(fitted.models) + 1)]
    for path, model in zip(paths, fitted.models, strict=True):
        model.save(path)
    for old in set((folder / FRONT).iterdir()).difference(paths):  # of before it was resumed
        old.unlink()
    write_whole(folder / RESULT, json.dumps(report, indent=1, ensure_ascii=False) + "\n")
    fitted.model.save(folder / MODEL)


@contextmanager
def _writing(folder: Path, program: str | None = None) -> Iterator[None]:
    """What cannot be written is told with the program that was found."""
    try:
        yield
    except (OSError, NearstarError) as problem:
        told = problem.strerror if isinstance(problem, OSError) else problem
        found = "" if program is None else f". The program that was found:\n{program}"
        raise NearstarError(f"{folder} cannot be written: {told}{found}") from None


def _repeated(settings: FitSettings) -> dict[str, Any]:
    """The settings with which the same is found again, from wherever and wherever it is put."""
    repeated = values_of(settings)
    for each in options_of(FitSettings):
        value = repeated[each.name]
        if each.passing:
            del repeated[each.name]
        elif each.path and isinstance(value, str) and Path(value).exists():
            repeated[each.name] = str(Path(value).absolute())
    return repeated
