"""All that the folder of a run has to tell, whether or not the run came to its end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from nearstar.cli.folder import FRONT, MODEL, RESULT, SETTINGS, stored_result, stored_settings
from nearstar.cli.messages import as_flag
from nearstar.data.recordings import Recordings
from nearstar.fit.parts import file_parts
from nearstar.fit.prepare import prepare_files
from nearstar.model.model import Model
from nearstar.report.scores import as_scored
from nearstar.run.results.history import History
from nearstar.run.store import JOURNAL
from nearstar.run.store.following import Following
from nearstar.search.pruning import TOLERANCE
from nearstar.util.errors import NearstarError, message_of

_NAMES = {"train": "training", "valid": "validation", "test": "test"}


@dataclass(frozen=True, eq=False)
class RunContents:
    """What a run has found so far, and the data that it is about, as far as they can be read."""

    model: Model | None
    """None where no complete program was trained yet."""
    front: tuple[Model, ...] = ()
    history: History | None = None
    """None where there was no search."""
    parts: Mapping[str, Recordings] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    """What a person should know about all this."""


def contents_of(folder: Path, data: str | None) -> RunContents:
    """What was saved; where nothing was, what the journal has. ``data``: where they are now."""
    following = Following(folder)
    following.look()
    saved = (folder / MODEL).exists()
    if not saved and following.history is None:
        why = following.problem or f"it has no {MODEL} and no {JOURNAL}"
        raise NearstarError(f"{folder} is no folder of a run: {why}. Give one that fit has made")
    said = stored_result(folder / RESULT, lambda result: [str(note) for note in result["notes"]])
    model = Model.load(folder / MODEL) if saved else following.best_model()
    if following.history is not None and model is not None:
        following.history.final_cost = _final_cost(model, following.history)
    found = RunContents(
        model,
        _saved_front(folder) if saved else _front_so_far(following),
        following.history,
        notes=(*said, *_unsaved(folder, following, saved)),
    )
    if (folder / SETTINGS).is_file():
        return _with_data(found, folder, data)
    if data is not None:
        raise NearstarError(
            f"--data: {folder} has no {SETTINGS}, which would say how they are read; give labelled "
            "data to test on with --test"
        )
    note = f"The data are not known: the folder has no {SETTINGS}, as nearstar fit makes it."
    return replace(found, notes=(*found.notes, note))


def _final_cost(model: Model, history: History) -> float | None:
    """The path cost of a model that is better than all of its search: finals made it so."""
    source, best = model.facts.get("provenance", {}), history.best
    if best is None or not {"structural_cost", "error"} <= source.keys():
        return None
    cost: float = history.weight * source["structural_cost"] + source["error"]
    return cost if cost < best.path_cost - TOLERANCE else None


def _saved_front(folder: Path) -> tuple[Model, ...]:
    paths = sorted((folder / FRONT).glob("*.json"), key=lambda path: (len(path.name), path.name))
    return tuple(Model.load(path) for path in paths)


def _front_so_far(following: Following) -> tuple[Model, ...]:
    assert following.history is not None
    found = []
    for row in following.history.front:
        if (model := following.model(row.index)) is not None:
            # What a saved one knows of itself.
            source = {name: getattr(row, name) for name in ("structural_cost", "error", "weight")}
            found.append(replace(model, facts={**model.facts, "provenance": source}))
    return tuple(found)


def _unsaved(folder: Path, following: Following, saved: bool) -> list[str]:
    """What is said of a search that is not told to its end."""
    if following.problem is not None:
        return [f"The search is told as far as its journal can be read: {following.problem}"]
    if following.history is None or following.history.ended is not None:
        return []
    of_what = "the search has gone on since" if saved else "this is the best program so far"
    return [
        f"The run has not come to an end: {of_what}. If nobody works on it any more, nearstar "
        f"resume {folder} goes on with it."
    ]


def _with_data(found: RunContents, folder: Path, data: str | None) -> RunContents:
    """With the data that the settings name; without them, if they cannot be read or used."""
    settings = stored_settings(folder)
    settings = settings if data is None else replace(settings, data=data)
    try:
        model = found.model
        if model is not None and model.format is None:
            prepared = prepare_files(settings)
            model = replace(model, format=prepared.format, labels=prepared.labels)
            read = prepared.parts
        else:
            read = file_parts(settings)
        parts = {_NAMES[name]: part for name, part in read.items()}
        for name, part in parts.items():
            if model is not None:
                model.evaluate(as_scored(model, name, part))
    except NearstarError as problem:
        if data is not None:
            raise
        told = message_of(problem, as_flag)
        told += "" if told.endswith(("?", ".")) else "."
        note = (
            f"The data could not be used: {told} If they were moved, nearstar report "
            f"{folder} --data FILE finds them."
        )
        return replace(found, notes=(*found.notes, note))
    return replace(found, model=model, parts=parts)
