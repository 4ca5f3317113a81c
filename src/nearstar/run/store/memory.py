"""What a run remembers: the answers to what its search asked."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Protocol

from nearstar.language.program import Program
from nearstar.language.text import to_text
from nearstar.run.store.identity import Identity
from nearstar.training.train import Trained


@dataclass(frozen=True)
class Question:
    """All that decides a training, besides task, budget and seed, which are those of the run."""

    program: Program
    goal: float | None = None
    start: str | None = None
    """A digest of the program and parameters that it starts from."""

    @classmethod
    def of(cls, program: Program, goal: float | None, start: Trained | None) -> Question:
        """The question of a program; a start that diverged has nothing to pass on."""
        return cls(program, goal, None if start is None or start.diverged else _digest(start))

    @cached_property
    def key(self) -> Key:
        """What tells it from all other questions of a run."""
        return to_text(self.program), self.goal, self.start


Key = tuple[str, float | None, str | None]
"""A question with the text of its program: the same in every process."""


class Outcome(NamedTuple):
    """What came of a training, without its parameters."""

    at: float
    """When it was there, in seconds since the start of the run."""
    error: float
    diverged: bool
    epoch: int
    seconds: float
    accuracy: float | None
    f1: float | None
    failure: str | None


class Answer(NamedTuple):
    """The outcome of a training, and how to get at its parameters."""

    outcome: Outcome
    fetch: Callable[[], Trained]

    @classmethod
    def of(cls, trained: Trained, at: float) -> Answer:
        """The answer of a training that is at hand."""
        metrics = trained.metrics
        outcome = Outcome(
            at=at,
            error=trained.error,
            diverged=trained.diverged,
            epoch=trained.epoch,
            seconds=trained.seconds,
            accuracy=None if metrics is None else metrics.accuracy,
            f1=None if metrics is None else metrics.f1,
            failure=trained.failure,
        )
        return cls(outcome, lambda: trained)


class Answers(Protocol):
    """Answers by their questions."""

    def get(self, question: Question) -> Answer | None:
        """The answer, if there is one."""


class Memory(Answers, Protocol):
    """The answers of a run. With those of its earlier part, a search comes to where that stopped
    without training anything again.
    """

    seconds: float
    """For how long the run has gone on so far."""

    def keep(self, question: Question, trained: Trained, at: float) -> Answer:
        """Take up an answer; called by any thread, as soon as it is there.

        Returns the answer that counts: the first one.
        """


class Forgetful:
    """The memory of a run whose answers nobody will ask for again."""

    seconds = 0.0

    def get(self, question: Question) -> Answer | None:
        return None

    def keep(self, question: Question, trained: Trained, at: float) -> Answer:
        return Answer.of(trained, at)


class RunMemory:
    """The memory of a run within one process.

    With ``learn(run=memory)``, another call with the same memory, and higher limits, goes on.
    """

    def __init__(self, name: str = "the run in memory", anew: str = "take a new memory") -> None:
        """``name`` and how to begin ``anew`` are for the error that tells of another run."""
        self._name = name
        self._anew = anew
        self.seconds = 0.0
        self.identity: Identity | None = None
        self._answers: dict[Key, tuple[Trained, float]] = {}

    def begin(self, identity: Identity) -> None:
        """Be the memory of this run; raises if it is that of another one."""
        if self.identity is not None:
            identity.check_same(self.identity, self._name, self._anew)
        self.identity = identity

    def get(self, question: Question) -> Answer | None:
        found = self._answers.get(question.key)
        return None if found is None else Answer.of(*found)

    def keep(self, question: Question, trained: Trained, at: float) -> Answer:
        return Answer.of(*self._answers.setdefault(question.key, (trained, at)))

    def __len__(self) -> int:
        return len(self._answers)


def _digest(start: Trained) -> str:
    digest = hashlib.blake2b(to_text(start.program).encode(), digest_size=16)
    digest.update(start.theta.tobytes())
    return digest.hexdigest()
