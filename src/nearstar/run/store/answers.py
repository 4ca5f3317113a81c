"""Answers as records of a journal, and found again by their questions."""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nearstar.language.program import Program
from nearstar.run.store import Record
from nearstar.run.store.memory import Answer, Key, Outcome, Question
from nearstar.run.trainer import Trainer
from nearstar.training.metrics import Metrics
from nearstar.training.train import Trained

_SCORES = ("accuracy", "f1", "f1_paper", "f1_macro")
_AS_IT_IS = ("error", "epoch", "diverged", "seconds", "failure")


def to_record(question: Question, trained: Trained, at: float, seed: int) -> dict[str, Any]:
    """All of an answer, as plain data; losses and parameters are doubles, little-endian, in base64:
    exact also where they are infinite, and passed over quickly by who does not need them.
    """
    return {
        "kind": "answer",
        "program": question.key[0],
        "goal": question.goal,
        "start": question.start,
        "seed": seed,
        "at": at,
        **{name: getattr(trained, name) for name in _AS_IT_IS},
        "metrics": None if trained.metrics is None else _scores(trained.metrics),
        "losses": _packed(trained.losses),
        "parameters": _packed(trained.theta),
    }


def _packed(numbers: ArrayLike) -> str:
    return b64encode(np.asarray(numbers, "<f8").tobytes()).decode()


def unpacked(text: str) -> NDArray[np.float64]:
    """Losses or parameters of a record."""
    return np.frombuffer(b64decode(text), "<f8")


def _scores(metrics: Metrics) -> dict[str, Any]:
    scores = {name: getattr(metrics, name) for name in _SCORES}
    return {**scores, "confusion": metrics.confusion.tolist()}


def from_record(record: Record, program: Program, trainer: Trainer) -> Trained:
    """The trained program of an answer that was given to this trainer."""
    metrics = record["metrics"]
    if metrics is not None:
        counts = np.array(metrics["confusion"], np.int64)
        counts.flags.writeable = False
        metrics = Metrics(counts, **{name: metrics[name] for name in _SCORES})
    return Trained(
        program=program,
        theta=unpacked(record["parameters"]),
        scale=trainer.task.scale,
        units=trainer.budget.units,
        metrics=metrics,
        losses=tuple(unpacked(record["losses"]).tolist()),
        **{name: record[name] for name in _AS_IT_IS},
    )


class Shelf:
    """The answers in a journal, by their questions.

    All but the parameters is in memory: some hundred bytes for each.
    """

    def __init__(self, read: Callable[[int], Record], trainer: Trainer) -> None:
        self._read = read
        self._trainer = trainer
        # Plain tuples of plain values: Python's garbage collector passes over them.
        self._rows: dict[Key, tuple[Any, ...]] = {}

    def __len__(self) -> int:
        return len(self._rows)

    def put(self, record: Record, offset: int) -> None:
        """Take up the record of an answer, which stands at the offset."""
        metrics = record["metrics"] or {}
        self._rows[record["program"], record["goal"], record["start"]] = (
            offset,
            record["at"],
            record["error"],
            record["diverged"],
            record["epoch"],
            record["seconds"],
            metrics.get("accuracy"),
            metrics.get("f1"),
            record["failure"],
        )

    def place(self, question: Question) -> int:
        """The offset of the answer to a question."""
        offset: int = self._rows[question.key][0]
        return offset

    def get(self, question: Question) -> Answer | None:
        """The answer to a question, if there is one."""
        row = self._rows.get(question.key)
        if row is None:
            return None
        offset, *outcome = row
        return Answer(
            Outcome(*outcome),
            lambda: from_record(self._read(offset), question.program, self._trainer),
        )
