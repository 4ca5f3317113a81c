"""What the search asks for: known by the run's memory, by other runs or from the start, or to be
trained."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass

from nearstar.language.program import Program
from nearstar.run.limits import Clock
from nearstar.run.store.trainings import Key, Memory, Training, Trainings, key_of
from nearstar.search.protocol import Node
from nearstar.training.train import Trained

Arguments = tuple[Program, Trained | None, float | None]
"""What a trainer takes: a program, what it starts from, and the error that it may end at."""


@dataclass(eq=False)
class Request:
    """A program to be trained, until it is; workers have it in hand meanwhile."""

    program: Program
    start: Trained | None
    """The trained program whose parameters it starts from."""
    goal: float | None
    key: Key | None
    """None if it was given, and needs no training."""
    store: Callable[[Key, Trained], Training]
    """Has what was trained kept."""
    training: Training | None = None
    """Once it is known."""
    future: Future[Trained] | None = None
    """Of its training, once that is begun."""

    @property
    def arguments(self) -> Arguments:
        return self.program, self.start, self.goal

    def keep(self, trained: Trained) -> None:
        """Called once, in any thread, before the future has the result."""
        assert self.key is not None
        self.training = self.store(self.key, trained)


class Requests:
    """Makes requests, with all that is known already; and has the clock by which more comes."""

    def __init__(
        self, memory: Memory, caches: Sequence[Trainings], given: Trained | None, keep: bool
    ) -> None:
        """``keep`` what was asked for, for searches that start trainings from others."""
        self.clock = Clock(memory.seconds)
        self._memory = memory
        self._caches = caches
        self._given = given
        self._keys: dict[Node, Key] | None = {} if keep else None

    def is_given(self, node: Node) -> bool:
        """Whether the node's program was given with its parameters."""
        return self._given is not None and node.program == self._given.program

    def of(self, node: Node) -> Request:
        """The request of a node."""
        program, goal = node.program, node.goal
        if self._given is not None and self.is_given(node):
            known = Training.of(self._given, 0.0)
            return Request(program, None, goal, None, self._store, known)
        start = self._start(node)
        key = key_of(program, goal, start)
        if self._keys is not None:
            self._keys[node] = key
        return Request(program, start, goal, key, self._store, self._known(key, program))

    def _store(self, key: Key, trained: Trained) -> Training:
        return self._memory.keep(key, trained, self.clock.seconds)

    def _start(self, node: Node) -> Trained | None:
        """The trained program whose parameters a node's training starts from."""
        start = node.warm_from
        if start is None:
            return None
        if self.is_given(start):
            return self._given
        if self._keys is None:
            raise ValueError("the search starts trainings from others: drive it with keep=True")
        training = self._memory.get(self._keys[start], start.program)
        assert training is not None
        return training.fetch()

    def _known(self, key: Key, program: Program) -> Training | None:
        """The training of this run, or of another one, which is then this one's too."""
        training = self._memory.get(key, program)
        if training is not None:
            return training
        for cache in self._caches:
            found = cache.get(key, program)
            if found is not None and found.outcome.failure is None:
                return self._store(key, found.fetch())
        return None
