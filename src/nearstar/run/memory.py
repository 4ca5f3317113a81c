"""What a run remembers: the answers to what its search asked."""

from __future__ import annotations

import hashlib
from typing import NamedTuple, Protocol

from nearstar.program import Program
from nearstar.run.identity import Identity
from nearstar.text import to_text
from nearstar.train import Trained


class Question(NamedTuple):
    """All that decides a training, besides task, budget and seed, which are those of the run."""

    program: Program
    goal: float | None = None
    start: str | None = None
    """A digest of the program and parameters that it starts from."""

    @classmethod
    def of(cls, program: Program, goal: float | None, start: Trained | None) -> Question:
        """The question of a program; a start that diverged has nothing to pass on."""
        return cls(program, goal, None if start is None or start.diverged else _digest(start))


class Answer(NamedTuple):
    """A trained program, and when it was there, in seconds since the start of the run."""

    trained: Trained
    at: float


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

    def keep(self, question: Question, answer: Answer) -> None:
        """Take up an answer; called by any thread, as soon as it is there."""


class Forgetful:
    """The memory of a run whose answers nobody will ask for again."""

    seconds = 0.0

    def get(self, question: Question) -> Answer | None:
        return None

    def keep(self, question: Question, answer: Answer) -> None:
        pass


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
        self._answers: dict[Question, Answer] = {}

    def begin(self, identity: Identity) -> None:
        """Be the memory of this run; raises if it is that of another one."""
        if self.identity is not None:
            identity.check_same(self.identity, self._name, self._anew)
        self.identity = identity

    def get(self, question: Question) -> Answer | None:
        return self._answers.get(question)

    def keep(self, question: Question, answer: Answer) -> None:
        self._answers[question] = answer

    def __len__(self) -> int:
        return len(self._answers)


def _digest(start: Trained) -> str:
    digest = hashlib.blake2b(to_text(start.program).encode(), digest_size=16)
    digest.update(start.theta.tobytes())
    return digest.hexdigest()
