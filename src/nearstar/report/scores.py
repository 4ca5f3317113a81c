"""How good a program is on each part of the data, beside other models: ``page.scores``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from nearstar.data.cutting import in_windows
from nearstar.data.recordings import Recordings
from nearstar.data.sequences import Sequences
from nearstar.model.model import Model
from nearstar.training.metrics import Metrics
from nearstar.util.errors import NearstarError

PARTS = ("training", "validation", "test")
_OWN, _MAJORITY = "this program", "majority class"


def scores(
    model: Model, parts: Mapping[str, Recordings], others: Mapping[str, Model]
) -> dict[str, Any] | None:
    """The scores on each part, as they are when a program is fitted.

    Programs learn from windows and are compared on windows, if there are any, and are tested on
    whole recordings. Of a part that is not given, the scores are those that the model was saved
    with; None where there are none at all.
    """
    known: Mapping[str, Any] = model.facts.get("metrics", {})
    data = {name: part for name, part in parts.items() if _labelled(part)}
    training = data.get("training")
    majority = _majority(None if training is None else as_scored(model, "training", training))
    shown = []
    for name in PARTS:
        if name in data:
            metrics = dict(_measured(model, name, data[name], others))
        elif known.get(name) is not None:
            metrics = {_OWN: Metrics.from_confusion(known[name]["confusion"])}
        else:
            continue
        shown.append(_part(model, name, metrics, majority))
    return {"parts": shown} if shown else None


def as_scored(model: Model, part: str, recordings: Recordings) -> Sequences:
    """What the scores of a part are counted on, with the features that the model takes."""
    sequences = model.fitting(recordings.sequences)
    if part == "test" or model.format is None:
        return sequences
    return in_windows(sequences, model.format)


def _labelled(recordings: Recordings) -> bool:
    codes = recordings.sequences.labels
    return codes is not None and bool((codes >= 0).any())


def _measured(
    model: Model, part: str, recordings: Recordings, others: Mapping[str, Model]
) -> Iterator[tuple[str, Metrics]]:
    yield _OWN, model.evaluate(as_scored(model, part, recordings))
    for name, other in others.items():
        try:
            like = replace(other, format=model.format)
            yield name, other.evaluate(as_scored(like, part, recordings))
        except NearstarError as problem:
            raise NearstarError(
                f"{name} cannot be compared on these data: {problem}. Compare models that were "
                "learned from the same features and labels"
            ) from None


def _majority(training: Sequences | None) -> int | None:
    """The most frequent class of the training data; None if they are not known."""
    if training is None:
        return None
    codes = np.asarray(training.labels)
    return int(np.bincount(codes[codes >= 0]).argmax())


def _part(
    model: Model, name: str, metrics: Mapping[str, Metrics], majority: int | None
) -> dict[str, Any]:
    own = metrics[_OWN]
    per_class = own.per_class(model.class_names)
    named = [{"name": each, **scores} for each, scores in per_class.items()]
    beside = {_OWN: own, _MAJORITY: _always(own, majority)}
    return {
        "name": name,
        "elements": int(own.confusion.sum()),
        "kind": _kind(model, name),
        "models": [_model(each, found) for each, found in {**beside, **metrics}.items()],
        "per_class": named,
        "confusion": own.confusion.tolist(),
    }


def _always(metrics: Metrics, code: int | None) -> Metrics:
    """Of one answer for all of it: this class, or the one that is right most often."""
    true = metrics.confusion.sum(axis=1)
    confusion = np.zeros_like(metrics.confusion)
    confusion[:, int(true.argmax()) if code is None else code] = true
    return Metrics.from_confusion(confusion)


def _model(name: str, metrics: Metrics) -> dict[str, Any]:
    scores = {"accuracy": metrics.accuracy, "f1": metrics.f1, "f1_macro": metrics.f1_macro}
    return {"name": name, **scores}


def _kind(model: Model, part: str) -> str:
    """What is counted."""
    signature = model.program.signature
    if signature.maps_vectors:
        return "rows"
    windows = part != "test" and model.format is not None and model.format.window is not None
    if signature.maps_sequences:
        return "frames in windows" if windows else "frames"
    return "windows" if windows else "sequences"
