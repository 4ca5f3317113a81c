"""The records of a journal: what each says, for those who write it and those who read it.

The first one is the header. All others have a ``kind``, and ``at``: seconds since the start of the
run. What is said of a program follows the fields of `Outcome` and `Rated`.
"""

from __future__ import annotations

import math
import os
import platform
import socket
from base64 import b64decode, b64encode
from collections.abc import Iterable, Sequence
from dataclasses import asdict, fields
from datetime import UTC, datetime
from functools import cached_property
from operator import attrgetter, itemgetter
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numpy.typing import ArrayLike, NDArray

from nearstar.data.scale import Scale
from nearstar.language.domain import Domain
from nearstar.language.networks import Units
from nearstar.language.program import Program
from nearstar.language.text import parse
from nearstar.language.types import Signature
from nearstar.model.model import Model
from nearstar.run.limits import Limits
from nearstar.run.results.evaluation import (
    FROM_TRAINED,
    OUTCOME,
    Evaluation,
    Logged,
    Rated,
    outcome_of,
)
from nearstar.run.results.history import History
from nearstar.run.results.result import Result, TracePoint
from nearstar.run.store.lines import JournalError, Record
from nearstar.run.store.trainings import Key
from nearstar.training.metrics import Metrics
from nearstar.training.task import Task
from nearstar.training.train import Trained
from nearstar.util.version import __version__

FORMAT = "nearstar-journal"
VERSION = 5
"""Raised whenever older journals cannot be gone on with."""

TRAINING, GIVEN = "training", "given"
"""Kinds of records: a program that was trained; one that was given at the start, told likewise."""
STARTED, ENDED = "started", "ended"
"""A process that works on the run."""
BEST, ROUND = "best", "round"
"""What the search has come to."""

_KEY = ("program", "goal", "start", "probe", "cut_after")
"""What a key is made of."""
_ELSEWHERE = (*OUTCOME, "index", "weight", "price")
_PLACE = tuple(each.name for each in fields(Rated) if each.name not in _ELSEWHERE)
"""What a row of a round says of an evaluation, after the offset of its training."""


# The header


def header_record(given: Record) -> Record:
    """The header of a journal about what is given."""
    return {"format": FORMAT, "version": VERSION, "nearstar": __version__, **given}


def checked_header(header: dict[str, Any], path: Path) -> dict[str, Any]:
    """The first record of a journal; raises unless it can be read and gone on with."""
    if header.get("format") != FORMAT:
        raise JournalError(f"{path} is not a journal of nearstar")
    version, writer = header.get("version"), header.get("nearstar")
    if version == VERSION:
        return header
    if isinstance(version, int) and version < VERSION:
        raise JournalError(
            f"{path} is the journal of a run by an earlier nearstar ({writer}), in version "
            f"{version} of the format; this one ({__version__}) reads version {VERSION}: finish "
            "the run with that nearstar, or begin a new one in another folder"
        )
    raise JournalError(
        f"{path} has version {version!r} of the format; this nearstar "
        f"reads version {VERSION}: use the nearstar that wrote it ({writer})"
    )


def about_record(task: Task, domain: Domain, signature: Signature) -> Record:
    """What the header says for those who make models of the programs."""
    return {
        "domain": domain.to_dict(),
        "classes": list(task.train.class_names),
        "signature": signature.to_dict(),
        "scale": task.scale.to_dict(),
    }


class About:
    """The same, as it is read."""

    def __init__(self, header: Record) -> None:
        self._units: Record = header["training"]["budget"]["units"]
        self._about: Record = header["about"]
        self.classes = tuple(map(str, self._about["classes"]))

    @cached_property
    def _domain(self) -> Domain:
        return Domain.from_dict(self._about["domain"])

    def model(self, record: Record) -> Model:
        """The model of a training, with its scores on the validation data."""
        signature = Signature.from_dict(self._about["signature"])
        program = parse(record["program"], self._domain, signature).program
        units = Units(**{each.name: self._units[each.name] for each in fields(Units)})
        scale = Scale.from_dict(self._about["scale"])
        trained = trained_in(record, program, scale, units)
        scores = None if trained.metrics is None else trained.metrics.to_dict(self.classes)
        facts = {"metrics": {"validation": scores}}
        return Model.of(trained, self._domain, self.classes, facts=facts)


# Trainings


def training_record(kind: str, key: Key, trained: Trained, at: float, seed: int) -> Record:
    """All of a training, as plain data; losses and parameters are doubles, little-endian, in
    base64: exact also where they are infinite, and passed over quickly by who does not need them.
    """
    metrics = trained.metrics
    return {
        "kind": kind,
        **dict(zip(_KEY, key, strict=True)),
        "seed": seed,
        **asdict(outcome_of(trained, at)),
        "confusion": None if metrics is None else metrics.confusion.tolist(),
        "losses": _packed(trained.losses),
        "parameters": _packed(trained.theta),
    }


def is_training(record: Record) -> bool:
    """Whether it is what somebody has trained."""
    return bool(record.get("kind") == TRAINING)


key_in = itemgetter(*_KEY)
"""The key of a training."""
_outcome = itemgetter(*OUTCOME)
_STAGES, _CHOICES = OUTCOME.index("stages"), OUTCOME.index("choices")


def outcome_in(record: Record) -> tuple[Any, ...]:
    """What came of a training, as plain values in the order of `Outcome`."""
    values = list(_outcome(record))
    values[_STAGES] = tuple(values[_STAGES])
    values[_CHOICES] = tuple(
        tuple(tuple(map(tuple, columns)) for columns in choice) for choice in values[_CHOICES]
    )
    return tuple(values)


def trained_in(record: Record, program: Program, scale: Scale, units: Units) -> Trained:
    """The trained program of a training."""
    confusion = record["confusion"]
    return Trained(
        program=program,
        theta=_unpacked(record["parameters"]),
        scale=scale,
        units=units,
        metrics=None if confusion is None else Metrics.from_confusion(confusion),
        losses=tuple(_unpacked(record["losses"]).tolist()),
        **{**{name: record[name] for name in FROM_TRAINED}, "stages": tuple(record["stages"])},
    )


def _packed(numbers: ArrayLike) -> str:
    return b64encode(np.asarray(numbers, "<f8").tobytes()).decode()


def _unpacked(text: str) -> NDArray[np.float64]:
    return np.frombuffer(b64decode(text), "<f8")


# The search


def started_record(limits: Limits, workers: int, at: float) -> Record:
    """A process begins to work on the run."""
    return {
        "kind": STARTED,
        "at": at,
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
        "host": socket.gethostname(),
        "process": os.getpid(),
        "workers": workers,
        "limits": asdict(limits),
        "nearstar": __version__,
        "numpy": np.__version__,
        "numba": numba.__version__,
        "python": platform.python_version(),
        "machine": platform.machine(),
    }


def best_record(point: TracePoint, index: int) -> Record:
    """There is a new best program, the evaluation of this index."""
    return {"kind": BEST, **_point(point), "index": index}


def round_record(point: TracePoint, waiting: int, taken: list[list[Any]]) -> Record:
    """The search has taken all that it asked for: the rows of evaluations since the last round."""
    return {"kind": ROUND, **_point(point), "waiting": waiting, "taken": taken}


def ended_record(result: Result, offsets: Sequence[int]) -> Record:
    """The run has ended; ``offsets`` are those of the trainings since the last round."""
    rest = result.evaluations[len(result.evaluations) - len(offsets) :]
    return {
        "kind": ENDED,
        "at": result.seconds,
        "reason": result.ended,
        "trained": result.trained,
        "rounds": result.rounds,
        "best": None if result.best is None else result.best.evaluation.index,
        "bound": _finite(result.bound),
        "taken": rows_of(offsets, rest),
    }


_place = attrgetter(*_PLACE)


def rows_of(offsets: Iterable[int], taken: Iterable[Evaluation]) -> list[list[Any]]:
    """The rows of evaluations, whose trainings stand at these offsets."""
    return [
        [offset, *map(_finite, _place(each))] for offset, each in zip(offsets, taken, strict=True)
    ]


def logged(
    row: Sequence[Any], index: int, history: History, text: str, outcome: Iterable[Any]
) -> Logged:
    """The evaluation of a history that a row tells of, with the outcome of its training."""
    place = dict(zip(_PLACE, row[1:], strict=True))
    place["f"], place["completes"] = float(place["f"]), tuple(place["completes"])
    place |= {"weight": history.weight, "price": history.price}
    return Logged(*outcome, index=index, text=text, **place)


def _point(point: TracePoint) -> Record:
    values = asdict(point)
    return {"at": values.pop("seconds"), **values, "bound": _finite(point.bound)}


def point_in(record: Record) -> TracePoint:
    """The point of the trace that a record of a round, or of a new best program, has."""
    values = {each.name: record.get(each.name) for each in fields(TracePoint)}
    return TracePoint(**{**values, "seconds": record["at"], "bound": bound_in(record)})


def bound_in(record: Record) -> float | None:
    """The bound at that time."""
    bound = record["bound"]
    return None if bound is None else float(bound)


def _finite(value: Any) -> Any:
    """JSON has no infinite numbers: they are texts."""
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value
