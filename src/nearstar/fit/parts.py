"""Training, validation and test data: read from files, divided, the rarer of two classes second."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from nearstar.data.files import read_file
from nearstar.data.format import DataFormat
from nearstar.data.recordings import Recordings, rarer_second
from nearstar.data.splits import hold_out
from nearstar.fit.settings import FitSettings
from nearstar.util.errors import DataError, Setting

Parts = Mapping[str, Recordings]
"""Data by what they are for: train, valid, and perhaps test."""

_SHARE = 0.25
"""Of the data, for validation, unless somebody says otherwise."""


def divided(parts: Parts, settings: FitSettings, *, least: int = 0) -> dict[str, Recordings]:
    """The parts, with one for validation held out where there is none, if settings allow.

    The rarer of two classes in training becomes the second one, which F1 is about, unless settings
    name it. ``least``: so many labels must be left to learn from, else the split is an error.
    """
    found = dict(parts)
    share = _SHARE if settings.training.share is None else settings.training.share
    if "valid" not in found and share > 0:
        found["train"], found["valid"] = _split(found["train"], share, settings.search.seed, least)
    if settings.format.positive is None:
        found = rarer_second(found, "train")
    found.setdefault("valid", found["train"])
    return found


def _split(train: Recordings, share: float, seed: int, least: int) -> tuple[Recordings, Recordings]:
    rest, held = hold_out(train, share, seed)
    for part, needed, use in (
        (rest, least, "learn from"),
        (held, min(least, 1), "compare programs on"),
    ):
        codes = part.sequences.labels
        assert codes is not None
        left = np.unique(codes[codes >= 0])
        if len(left) < needed:
            what = f"only the label {train.labels[left[0]]!r}" if len(left) else "no label"
            raise DataError(
                f"with a share of {share:g} for validation, {what} is left to {use}; give more "
                "data, a file of validation data, or ",
                Setting("validation", 0),
                " to compare on all of them",
            )
    return rest, held


def file_parts(settings: FitSettings) -> dict[str, Recordings]:
    """The parts in the files that the settings name, divided."""
    data, format = settings.data, settings.format.format()
    domain, derived = settings.language.vocabulary()
    features = None if domain is None else domain.features
    read = read_file(data, format, features=features, derived=derived).parts
    parts = {"train" if name == "all" else name: part for name, part in read.items()}
    if "train" not in parts:
        raise DataError(f"{data} has no training part, only {', '.join(parts)}")
    train = parts["train"]
    if not train.labels:
        raise _no_labels(data, format, table=train.rows is not None)
    share = settings.training.share
    if share is not None and "valid" in parts:
        raise DataError(
            f"{data} has a part for validation, so none can be held out: leave ",
            Setting("validation"),
            " out",
        )
    valid = settings.training.validation if share is None else None
    for name, setting, path in (
        ("valid", "validation", valid),
        ("test", "test", settings.training.test),
    ):
        if isinstance(path, str):
            try:
                found = read_file(
                    path,
                    replace(format, per="frame" if train.sequences.per_frame else "sequence"),
                    features=features,
                    derived=derived,
                    labels=train.labels,
                    optional=("part",),
                ).parts
            except DataError as problem:
                raise DataError(Setting(setting), ": ", *problem.args) from None
            parts[name] = found.get("all") or found.get(name) or _only(path, found)
    return divided(parts, settings, least=2)


def _only(path: str, parts: Parts) -> Recordings:
    if len(parts) > 1:
        raise DataError(f"{path} has the parts {', '.join(parts)}; expected one part alone")
    return next(iter(parts.values()))


def _no_labels(data: str, format: DataFormat, *, table: bool) -> DataError:
    if not table or format.label is not None:
        return DataError(f"{data} has no labels; learning needs some")
    return DataError(f"{data}: say which column has the labels, with ", Setting("label", "COLUMN"))
