"""The folder of a run: its journal, its model, the models of the front, how they were found."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

from nearstar.cli.config import read_config
from nearstar.fit.options import changed, read_values
from nearstar.fit.settings import FitSettings
from nearstar.model.model import Model
from nearstar.run.store import JOURNAL, has_trainings
from nearstar.util.errors import NearstarError

T = TypeVar("T")

MODEL = "model.json"
RESULT = "result.json"
SETTINGS = "settings.toml"
FRONT = "front"


@contextmanager
def new_folder(wanted: str | None, data: Path) -> Iterator[Path]:
    """A folder for a new run: the one that was asked for, or one named after the data.

    Nothing that is there is written over. If the run fails, it is left behind only if something was
    trained, to be resumed.
    """
    folder = _free(data) if wanted is None else Path(wanted)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        what = "not empty" if folder.is_dir() else "no folder"
        further = f" (nearstar resume {folder} goes on with it)" if has_trainings(folder) else ""
        raise NearstarError(
            f"--out {folder} is there already and {what}{further}; give another name, or remove it"
        )
    made = [each for each in (folder, *folder.parents) if not each.exists()]
    try:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as problem:
            raise NearstarError(f"the folder {folder} cannot be made: {problem.strerror}") from None
        yield folder
    except BaseException:
        if not has_trainings(folder):
            _remove(folder, made)
        raise


def _remove(folder: Path, made: list[Path]) -> None:
    shutil.rmtree(folder / FRONT, ignore_errors=True)
    with suppress(OSError):
        for name in (MODEL, RESULT, SETTINGS, JOURNAL):
            (folder / name).unlink(missing_ok=True)
        for each in made:  # as far as nobody else has put anything there
            each.rmdir()


def _free(data: Path) -> Path:
    stem = data.name.split(".")[0] or "run"
    names = (f"{stem}-run" if n == 1 else f"{stem}-run-{n}" for n in range(1, 10_000))
    return next(path for name in names if not (path := Path(name)).exists())


def stored_settings(folder: Path, *needed: str) -> FitSettings:
    """The settings that the run was begun with, if all files that are needed are there, too."""
    for name in (SETTINGS, *needed):
        if not (folder / name).is_file():
            raise NearstarError(
                f"{folder} is no folder of a search: it has no {name}. Give one that nearstar fit "
                "has made"
            )
    config = read_config(folder / SETTINGS)
    if "data" not in config:
        raise NearstarError(f"{folder / SETTINGS} does not say what the data are: data = 'FILE'")
    return changed(FitSettings(), read_values(FitSettings, config))


def stored_result(path: Path, read: Callable[[dict[str, Any]], list[T]]) -> list[T]:
    """What is read of the result of a fit; nothing, where there is none."""
    if not path.is_file():
        return []
    try:
        return read(json.loads(path.read_text("utf-8")))
    except (OSError, ValueError, LookupError, TypeError) as problem:
        raise NearstarError(f"{path} is damaged, or not what fit writes: {problem!r}") from None


def load_model(path: str) -> Model:
    """A model by its file, or by the folder of its run."""
    place = Path(path)
    if not place.is_dir():
        return Model.load(place)
    if (place / MODEL).exists():
        return Model.load(place / MODEL)
    if has_trainings(place):
        raise NearstarError(
            f"the run in {place} has no {MODEL} yet; nearstar resume {place} goes on with it"
        )
    raise NearstarError(f"the folder {place} has no {MODEL}; give the folder of a fit")
