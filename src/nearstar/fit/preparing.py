"""From a data file and settings to all that a search needs, checked before any long work."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from nearstar.cli import values
from nearstar.cli.reading import data_format
from nearstar.data.derived import parse_derived
from nearstar.data.derived.points import points_of
from nearstar.data.files import read_file
from nearstar.data.format import DataFormat
from nearstar.data.labels import Label
from nearstar.data.recordings import Recordings, rarer_second
from nearstar.data.selecting import select
from nearstar.data.splits import hold_out
from nearstar.fit.fitting import load_domain, usual_window
from nearstar.fit.prepared import Prepared, prepare
from nearstar.language.domain import Domain
from nearstar.language.networks import Units
from nearstar.util.errors import DataError, NearstarError
from nearstar.util.nearest import suggestion

DEFAULT_SHARE = 0.25


@dataclass(frozen=True, eq=False)
class Job:
    """All that a fit is about."""

    prepared: Prepared
    test: Recordings | None
    notes: tuple[str, ...]
    """What a person should know about the data."""


def job_of(data: str, settings: Mapping[str, Any]) -> Job:
    """Read and check everything."""
    format, (given, derived) = data_format(settings), _language(settings)
    parts = parts_of(data, settings)
    train = parts["train"]
    prepared = prepare(
        train,
        parts["valid"],
        format,
        domain=given,
        groups=_groups(settings["group"], train.sequences.feature_names),
        derived=derived,
        class_weight=_class_weight(settings["class_weight"], train.labels),
        loss=settings["loss"],
        **_training(settings),
    )
    return Job(prepared, parts.get("test"), _notes(train, format, derived))


def _language(settings: Mapping[str, Any]) -> tuple[Domain | None, dict[str, str]]:
    """The domain that is given, and the features to compute."""
    derived = {each.name: each.text for each in map(parse_derived, settings["derive"])}
    if settings["domain"] is None:
        return None, derived
    domain = load_domain(settings["domain"])
    return domain, {**domain.derived, **derived}


def parts_of(data: str, settings: Mapping[str, Any]) -> dict[str, Recordings]:
    """Training, validation and test data, with what F1 is about as the second of two classes."""
    format, (domain, derived) = data_format(settings), _language(settings)
    parts = _divided(data, format, domain, derived, settings)
    return rarer_second(parts, "train") if format.positive is None else parts


def _divided(
    data: str,
    format: DataFormat,
    domain: Domain | None,
    derived: Mapping[str, str],
    settings: Mapping[str, Any],
) -> dict[str, Recordings]:
    """The parts of the data: as the file says, or as the settings do."""
    features = None if domain is None else domain.features
    read = read_file(data, format, features=features, derived=derived).parts
    parts = {"train" if name == "all" else name: part for name, part in read.items()}
    if "train" not in parts:
        raise DataError(f"{data} has no training part, only {', '.join(parts)}")
    train = parts["train"]
    if not train.labels:
        raise DataError(_no_labels(data, format))
    validation, test = settings["validation"], settings["test"]
    share = _share(validation)
    for name, path in (("valid", validation if share is None else None), ("test", test)):
        if path is not None:
            try:
                more = read_file(
                    path,
                    _settled(format, train),
                    features=features,
                    derived=derived,
                    labels=train.labels,
                    optional=("part",),
                ).parts
            except DataError as problem:
                flag = "--validation" if name == "valid" else "--test"
                raise DataError(f"{flag}: {problem}") from None
            parts[name] = more.get("all") or more.get(name) or _only(path, more)
    if "valid" not in parts:
        share = DEFAULT_SHARE if share is None else share
        parts["train"], parts["valid"] = _split(train, share, settings["seed"])
    elif validation is not None and share is not None:
        raise DataError(
            f"{data} has a part for validation, so none can be held out: leave --validation out"
        )
    return parts


def _share(validation: str | None) -> float | None:
    """The share to hold out; None for what is a file, or not given."""
    try:
        float(validation or "")
    except ValueError:
        return None
    try:
        return values.share(validation or "")
    except NearstarError as problem:
        raise NearstarError(f"--validation: {problem}") from None


def _split(train: Recordings, share: float, seed: int) -> tuple[Recordings, Recordings]:
    if share == 0:
        return train, train
    rest, held = hold_out(train, share, seed)
    for part, use in ((rest, "learn from"), (held, "compare programs on")):
        codes = part.sequences.labels
        assert codes is not None
        left = np.unique(codes[codes >= 0])
        if len(left) < (2 if part is rest else 1):
            what = f"only the label {train.labels[left[0]]!r}" if len(left) else "no label"
            raise DataError(
                f"with a share of {share:g} for validation, {what} is left to {use}; give more "
                "data, a file of validation data, or --validation 0 to compare on all of them"
            )
    return rest, held


def _settled(format: DataFormat, train: Recordings) -> DataFormat:
    """The format with what the training data have decided."""
    return replace(format, per="frame" if train.sequences.per_frame else "sequence")


def _groups(
    given: Mapping[str, tuple[str, ...]] | None, features: tuple[str, ...]
) -> dict[str, tuple[str, ...]] | None:
    """Groups by the names of their features, which may be given by pattern or place, too."""
    if given is None:
        return None
    groups = {}
    for name, patterns in given.items():
        try:
            groups[name] = select(features, patterns, places=True)
        except DataError as problem:
            raise DataError(f"--group {name}: {problem}") from None
    return groups


def _notes(train: Recordings, format: DataFormat, derived: Mapping[str, str]) -> tuple[str, ...]:
    """What a person may have overlooked: recordings are cut, frame numbers are a feature, …"""
    sequences = train.sequences
    window = usual_window(sequences) if format.window is None else None
    cut = f"recordings are long, so programs learn from windows of {window} frames; see --window"
    points = _points(train, derived)
    return (*([cut] if window else []), *_counting(train, format), *points)


def _points(train: Recordings, derived: Mapping[str, str]) -> tuple[str, ...]:
    """What could be made of tracked points that are read as bare coordinates."""
    names = train.sequences.feature_names
    # Where there is a third axis, x and y alone are no place.
    points = [point for point in points_of(names) if f"{point}_z" not in names]
    if train.rows is None or derived or len(points) < 2:
        return ()
    one, other = points[:2]
    shown = ", ".join(points[:4]) + (", …" if len(points) > 4 else "")
    return (
        f"the columns hold points ({shown}); what programs need is often between them: "
        f"--derive 'distance({one}, {other})', --derive 'speed({one})'",
    )


def _counting(train: Recordings, format: DataFormat) -> tuple[str, ...]:
    """What is said of columns of frame numbers that are read as features."""
    sequences = train.sequences
    if format.frame is not None or train.rows is None or len(sequences.frames) < 3:
        return ()
    inner = np.ones(len(sequences.frames) - 1, bool)
    inner[sequences.offsets[1:-1] - 1] = False  # steps from one sequence to the next
    steps = np.diff(sequences.frames, axis=0)[inner]
    counting = np.flatnonzero((steps == 1).all(axis=0) & bool(len(steps)))
    return tuple(
        f"{sequences.feature_names[column]!r} goes up by 1 from row to row, and is read as a "
        f"feature; if it is the frame number, say --frame {sequences.feature_names[column]}"
        for column in counting
    )


def _only(path: str, parts: Mapping[str, Recordings]) -> Recordings:
    if len(parts) > 1:
        raise DataError(f"{path} has the parts {', '.join(parts)}; expected one part alone")
    return next(iter(parts.values()))


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


def _training(settings: Mapping[str, Any]) -> dict[str, Any]:
    """What the settings say of training."""
    given = {
        "symbolic_epochs": settings["epochs"],
        "neural_epochs": settings["neural_epochs"],
        "learning_rate": settings["learning_rate"],
        "batch_size": settings["batch_size"],
        "restarts": settings["restarts"],
        "units": None if settings["units"] is None else Units(*settings["units"]),
    }
    return {name: value for name, value in given.items() if value is not None}


def _no_labels(data: str, format: DataFormat) -> str:
    if Path(data).suffix in (".npz", ".npy", ".ts") or format.label is not None:
        return f"{data} has no labels; learning needs some"
    return f"{data}: say which column has the labels, with --label COLUMN"
