"""The trainings of a run, found again by what decides them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import NamedTuple, Protocol

from nearstar.language.program import Program
from nearstar.language.text import to_text
from nearstar.run.results.evaluation import Outcome, outcome_of
from nearstar.run.store.identity import Identity
from nearstar.training.train import Trained

Key = tuple[str, float | None, str | None]
"""All that decides a training, besides task, budget and seed, which are those of the run: the
program's text, the error that it may end at, and a digest of what it starts from. The same in every
process."""


def key_of(program: Program, goal: float | None = None, start: Trained | None = None) -> Key:
    """The key of a training; a start that diverged has nothing to pass on."""
    return to_text(program), goal, None if start is None or start.diverged else _digest(start)


def _digest(start: Trained) -> str:
    digest = hashlib.blake2b(to_text(start.program).encode(), digest_size=16)
    digest.update(start.theta.tobytes())
    return digest.hexdigest()


class Training(NamedTuple):
    """The outcome of a training, and how to get at its parameters."""

    outcome: Outcome
    fetch: Callable[[], Trained]

    @classmethod
    def of(cls, trained: Trained, at: float) -> Training:
        """A training that is at hand."""
        return cls(outcome_of(trained, at), lambda: trained)


class Trainings(Protocol):
    """Trainings by their keys."""

    def get(self, key: Key, program: Program) -> Training | None:
        """The training of a program, if there is one."""


class Memory(Trainings, Protocol):
    """The trainings of a run. With those of its earlier part, a search comes to where that stopped
    without training anything again.
    """

    seconds: float
    """For how long the run has gone on so far."""

    def keep(self, key: Key, trained: Trained, at: float) -> Training:
        """Take up a training; called by any thread, as soon as it is there.

        Returns the one that counts: the first.
        """


class NoMemory:
    """The memory of a run whose trainings nobody will ask for again."""

    seconds = 0.0

    def get(self, key: Key, program: Program) -> Training | None:
        return None

    def keep(self, key: Key, trained: Trained, at: float) -> Training:
        return Training.of(trained, at)


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
        self._trainings: dict[Key, tuple[Trained, float]] = {}

    def begin(self, identity: Identity) -> None:
        """Be the memory of this run; raises if it is that of another one."""
        if self.identity is not None:
            identity.check_same(self.identity, self._name, self._anew)
        self.identity = identity

    def get(self, key: Key, program: Program) -> Training | None:
        found = self._trainings.get(key)
        return None if found is None else Training.of(*found)

    def keep(self, key: Key, trained: Trained, at: float) -> Training:
        return Training.of(*self._trainings.setdefault(key, (trained, at)))

    def __len__(self) -> int:
        return len(self._trainings)
