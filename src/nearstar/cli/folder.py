"""The folder of a run: its model, the models of the front, and how they were found."""

from __future__ import annotations

from pathlib import Path

from nearstar.errors import NearstarError
from nearstar.model import Model

MODEL = "model.json"
RESULT = "result.json"
SETTINGS = "settings.toml"
FRONT = "front"


def new_folder(wanted: str | None, data: Path) -> Path:
    """A folder for a new run: the one that was asked for, or one named after the data.

    Nothing that is there is written over.
    """
    if wanted is None:
        stem = data.name.split(".")[0] or "run"
        names = (f"{stem}-run" if n == 1 else f"{stem}-run-{n}" for n in range(1, 10_000))
        folder = next(path for name in names if not (path := Path(name)).exists())
    else:
        folder = Path(wanted)
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise NearstarError(
                f"--out {folder} is there already and not empty; give another folder, or remove it"
            )
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise NearstarError(f"the folder {folder} cannot be made: {problem.strerror}") from None
    return folder


def load_model(path: str) -> Model:
    """A model by its file, or by the folder of its run."""
    place = Path(path)
    return Model.load(place / MODEL if place.is_dir() else place)
