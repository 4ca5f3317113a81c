"""The trainings of a run, found again by what decides them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from nearstar.language.choosing import Choice, with_terms
from nearstar.language.program import Program
from nearstar.language.text import to_text
from nearstar.run.results.evaluation import Outcome, outcome_of
from nearstar.run.store.identity import Identity
from nearstar.training.course import is_cut
from nearstar.training.train import Trained

Key = tuple[str, float | None, str | None, bool, int]
"""All that decides a training, besides task, budget and seed, which are those of the run: the
program's text, the error that it may end at, a digest of what it starts from, whether it is but a
probe, and the stage after which it was cut off; 0 if it was not. The same in every process."""


def key_of(
    program: Program,
    goal: float | None = None,
    start: Trained | None = None,
    probe: bool = False,
) -> Key:
    """The key of a whole training; a start that diverged has nothing to pass on."""
    digest = None if start is None or start.diverged else _digest(start)
    return to_text(program), goal, digest, probe, 0


def ended(key: Key, outcome: Outcome | Trained) -> Key:
    """The key of a training that is known to have ended so."""
    return (*key[:-1], len(outcome.stages) if outcome.cut else 0)


def in_place_of(
    trainings: Trainings, key: Key, program: Program, cutoffs: Sequence[float]
) -> Training | None:
    """A training that went as one with these cutoffs would go, whatever its own were."""
    for stage in range(len(cutoffs) + 1):
        training = trainings.get((*key[:-1], stage), program)
        if training is not None and _fits(training.outcome, cutoffs):
            return training
    return None


def _fits(outcome: Outcome, cutoffs: Sequence[float]) -> bool:
    stages, last = outcome.stages, len(outcome.stages)
    passed = not any(is_cut(stages[:n], cutoffs) for n in range(1, last))
    return passed and (not outcome.cut or is_cut(stages, cutoffs))


def _digest(start: Trained) -> str:
    digest = hashlib.blake2b(to_text(start.program).encode(), digest_size=16)
    digest.update(start.theta.tobytes())
    return digest.hexdigest()


class Training(NamedTuple):
    """The outcome of a training, and how to get at its parameters."""

    outcome: Outcome
    fetch: Callable[[], Trained]
    chosen: Sequence[Training] = ()
    """Those of the programs that came of it by choosing terms."""

    @classmethod
    def of(cls, trained: Trained, at: float) -> Training:
        """A training that is at hand."""
        chosen = [cls.of(each, at) for each in trained.chosen]
        return cls(outcome_of(trained, at), lambda: trained, chosen)


def chosen_programs(program: Program, choices: Sequence[Choice]) -> list[Program]:
    """The programs that came of one by choosing terms."""
    return [with_terms(program, choice) for choice in choices]


def chosen_key(key: Key, program: Program) -> Key:
    """The key of a program that came of the training with this key by choosing terms."""
    parent, goal, start, *_ = key
    # Several programs may come to the same terms, each with parameters of its own.
    came_of = hashlib.blake2b(f"{parent}\n{start}".encode(), digest_size=8).hexdigest()
    return to_text(program), goal, f"terms chosen of {came_of}", False, 0


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
