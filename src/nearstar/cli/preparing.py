"""From a data file and settings to all that a search needs, checked before any long work."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from nearstar.cli import values
from nearstar.cli.reading import data_format, in_windows
from nearstar.data.derived import parse_derived
from nearstar.data.files import read_file
from nearstar.data.format import DataFormat
from nearstar.data.hold_out import hold_out
from nearstar.data.labels import Label, class_names
from nearstar.data.recordings import Recordings
from nearstar.domain import Domain
from nearstar.errors import DataError, NearstarError
from nearstar.fitting import load_domain, read_class_weight, read_domain
from nearstar.nearest import suggestion
from nearstar.relax import Units
from nearstar.task import Task
from nearstar.train import Budget


@dataclass(frozen=True, eq=False)
class Prepared:
    """Data, language and training of a fit."""

    format: DataFormat
    domain: Domain
    labels: tuple[Label, ...]
    task: Task
    test: Recordings | None
    budget: Budget


def prepare(data: str, settings: Mapping[str, Any]) -> Prepared:
    """Read and check everything."""
    format = data_format(settings)
    derived = {each.name: each.text for each in map(parse_derived, settings["derive"])}
    given = None if settings["domain"] is None else load_domain(settings["domain"])
    if given is not None:
        derived = {**given.derived, **derived}
    parts = _parts(data, format, given, derived, settings)
    if not parts["train"].labels:
        raise DataError(_no_labels(data, format))
    labels = parts["train"].labels
    if len(labels) == 2 and format.positive is None:
        parts, labels = _rarer_second(parts)
    format = replace(format, per="frame" if parts["train"].sequences.per_frame else "sequence")
    train, valid = (in_windows(parts[name].sequences, format) for name in ("train", "valid"))
    domain = read_domain(given, train, settings["group"], derived)
    task = Task(train, valid)
    domain.grammar(task.signature())  # a language without programs is found out now
    weights = _class_weight(settings["class_weight"], labels)
    codes = train.labels
    assert codes is not None
    budget = _budget(settings, len(train), read_class_weight(weights, codes, labels))
    return Prepared(format, domain, labels, task, parts.get("test"), budget)


def _parts(
    data: str,
    format: DataFormat,
    domain: Domain | None,
    derived: Mapping[str, str],
    settings: Mapping[str, Any],
) -> dict[str, Recordings]:
    """Training, validation and test data: as the file says, or as the settings do."""
    features = None if domain is None else domain.features
    read = read_file(data, format, features=features, derived=derived).parts
    parts = {"train" if name == "all" else name: part for name, part in read.items()}
    if "train" not in parts:
        raise DataError(f"{data} has no training part, only {', '.join(parts)}")
    labels = parts["train"].labels
    validation = settings["validation"]
    for name, path in (("valid", validation), ("test", settings["test"])):
        if path is not None and not _is_share(path):
            more = read_file(path, format, features=features, derived=derived, labels=labels)
            parts[name] = more.parts.get("all") or more.parts.get(name) or _only(path, more.parts)
    if "valid" not in parts:
        share = values.share(validation)
        train = parts["train"]
        if share == 0:
            parts["valid"] = train
        else:
            parts["train"], parts["valid"] = hold_out(train, share, settings["seed"])
    return parts


def _is_share(validation: str) -> bool:
    """Whether it is meant as a number: no file of data has such a name."""
    return not Path(validation).suffix.lstrip(".").isalpha() and not Path(validation).is_dir()


def _only(path: str, parts: Mapping[str, Recordings]) -> Recordings:
    if len(parts) > 1:
        raise DataError(f"{path} has the parts {', '.join(parts)}; expected one part alone")
    return next(iter(parts.values()))


def _rarer_second(
    parts: dict[str, Recordings],
) -> tuple[dict[str, Recordings], tuple[Label, ...]]:
    """The rarer of two labels as the positive one, which F1 is about."""
    labels = parts["train"].labels
    codes = parts["train"].sequences.labels
    assert codes is not None
    counts = np.bincount(codes[codes >= 0], minlength=2)
    if counts[1] <= counts[0]:
        return parts, labels
    swapped = (labels[1], labels[0])
    names = class_names(swapped)
    return {
        name: replace(part, sequences=part.sequences.relabel({0: 1, 1: 0}, names), labels=swapped)
        for name, part in parts.items()
    }, swapped


def _class_weight(
    spec: str | Mapping[str, float] | None, labels: tuple[Label, ...]
) -> str | dict[Label, float] | None:
    """Weights by label, from weights by the labels' text."""
    if spec is None or isinstance(spec, str):
        return spec
    by_text = {str(label): label for label in labels}
    for name in spec:
        if name not in by_text:
            raise NearstarError(
                f"--class-weight names {name!r}, which is no label; {suggestion(name, by_text)}"
            )
    return {by_text[name]: weight for name, weight in spec.items()}


def _budget(
    settings: Mapping[str, Any], n_sequences: int, class_weights: tuple[float, ...] | None
) -> Budget:
    given = {
        "symbolic_epochs": settings["epochs"],
        "neural_epochs": settings["neural_epochs"],
        "learning_rate": settings["learning_rate"],
        "batch_size": settings["batch_size"],
        "restarts": settings["restarts"],
        "units": None if settings["units"] is None else Units(*settings["units"]),
    }
    chosen = {name: value for name, value in given.items() if value is not None}
    return Budget.for_size(n_sequences, class_weights=class_weights, **chosen)


def _no_labels(data: str, format: DataFormat) -> str:
    if Path(data).suffix in (".npz", ".npy", ".ts") or format.label is not None:
        return f"{data} has no labels; learning needs some"
    return f"{data}: say which column has the labels, with --label COLUMN"
