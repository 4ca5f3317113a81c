"""Answers as records of a journal, and found again by their questions."""

from __future__ import annotations

import hashlib
import math
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from nearstar.metrics import Metrics
from nearstar.program import Program
from nearstar.run.memory import Answer, Question
from nearstar.run.trainer import Trainer
from nearstar.text import to_text
from nearstar.train import Trained

_SCORES = ("accuracy", "f1", "f1_paper", "f1_macro")
_AS_IT_IS = ("error", "epoch", "diverged", "seconds", "failure")


def to_record(question: Question, answer: Answer, seed: int) -> dict[str, Any]:
    """All of an answer, as plain data; parameters are doubles, little-endian, in base64."""
    trained = answer.trained
    return {
        "kind": "answer",
        "program": to_text(question.program),
        "goal": question.goal,
        "start": question.start,
        "seed": seed,
        "at": answer.at,
        **{name: getattr(trained, name) for name in _AS_IT_IS},
        "metrics": None if trained.metrics is None else _scores(trained.metrics),
        # A loss may be infinite where a training diverged; JSON has no such numbers.
        "losses": [loss if math.isfinite(loss) else str(loss) for loss in trained.losses],
        "parameters": b64encode(trained.theta.astype("<f8").tobytes()).decode(),
    }


def _scores(metrics: Metrics) -> dict[str, Any]:
    scores = {name: getattr(metrics, name) for name in _SCORES}
    return {**scores, "confusion": metrics.confusion.tolist()}


def from_record(record: Mapping[str, Any], program: Program, trainer: Trainer) -> Answer:
    """The answer about a program, as it was given for this trainer."""
    metrics = record["metrics"]
    if metrics is not None:
        counts = np.array(metrics["confusion"], np.int64)
        counts.flags.writeable = False
        metrics = Metrics(counts, **{name: metrics[name] for name in _SCORES})
    trained = Trained(
        program=program,
        theta=np.frombuffer(b64decode(record["parameters"]), "<f8"),
        scale=trainer.task.scale,
        units=trainer.budget.units,
        metrics=metrics,
        losses=tuple(map(float, record["losses"])),
        **{name: record[name] for name in _AS_IT_IS},
    )
    return Answer(trained, record["at"])


class Shelf:
    """Where the answers stand in a journal, by their questions: a few bytes for each."""

    def __init__(self, read: Callable[[int], Mapping[str, Any]]) -> None:
        self._read = read
        self._offsets: dict[bytes, int] = {}

    def __len__(self) -> int:
        return len(self._offsets)

    def put(self, record: Mapping[str, Any], offset: int) -> None:
        """Note where the record of an answer stands."""
        self._offsets[_key(record["program"], record["goal"], record["start"])] = offset

    def place(self, question: Question) -> int | None:
        """The offset of the answer to a question."""
        return self._offsets.get(_key(to_text(question.program), question.goal, question.start))

    def find(self, question: Question) -> Mapping[str, Any] | None:
        """The record of the answer to a question."""
        place = self.place(question)
        return None if place is None else self._read(place)


def _key(program: str, goal: float | None, start: str | None) -> bytes:
    text = f"{program}\0{goal!r}\0{start}"
    return hashlib.blake2b(text.encode(), digest_size=16).digest()
