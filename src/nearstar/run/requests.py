"""What the search asks for: known by the run's memory, by other runs or from the start, or to be
trained."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass

from nearstar.language.program import Program
from nearstar.run.limits import Clock
from nearstar.run.store.trainings import (
    Key,
    Memory,
    Training,
    Trainings,
    ended,
    in_place_of,
    key_of,
)
from nearstar.search.protocol import Node
from nearstar.training.train import Trained

Cutoffs = tuple[float, ...]
Arguments = tuple[Program, Trained | None, float | None, Cutoffs, bool]
"""What a trainer takes: a program, what it starts from, the error that it may end at, those after
its stages that end it, and whether it is but a probe."""
Wish = tuple[Key, Cutoffs] | None
"""All that decides a training, before it is known how it ends; None if it was given."""


@dataclass(eq=False)
class Request:
    """A program to be trained, until it is; workers have it in hand meanwhile."""

    program: Program
    start: Trained | None
    """The trained program whose parameters it starts from."""
    goal: float | None
    cutoffs: Cutoffs
    whole: Key | None
    """The key that it has if it is not cut off; None if it was given, and needs no training."""
    store: Callable[[Key, Trained], Training]
    """Has what was trained kept."""
    training: Training | None = None
    """Once it is known."""
    future: Future[Trained] | None = None
    """Of its training, once that is begun."""

    @property
    def arguments(self) -> Arguments:
        probe = self.whole is not None and self.whole[3]
        return self.program, self.start, self.goal, self.cutoffs, probe

    @property
    def wish(self) -> Wish:
        return None if self.whole is None else (self.whole, self.cutoffs)

    @property
    def key(self) -> Key | None:
        """That of the training, once it is known."""
        if self.whole is None or self.training is None:
            return None
        return ended(self.whole, self.training.outcome)

    def keep(self, trained: Trained) -> None:
        """Called once, in any thread, before the future has the result."""
        assert self.whole is not None
        self.training = self.store(ended(self.whole, trained), trained)


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
        self._wishes: dict[Node, tuple[Key, Cutoffs]] | None = {} if keep else None

    def is_given(self, node: Node) -> bool:
        """Whether the node's program was given with its parameters."""
        return self._given is not None and node.program == self._given.program

    def of(self, node: Node) -> Request:
        """The request of a node."""
        program, goal = node.program, node.goal
        if self._given is not None and self.is_given(node):
            given = Training.of(self._given, 0.0)
            return Request(program, None, goal, (), None, self._store, given)
        start = self._start(node)
        key = key_of(program, goal, start, node.probe)
        known = self._known(key, program, node.cutoffs)
        return Request(program, start, goal, node.cutoffs, key, self._store, known)

    def answered(self, node: Node, request: Request) -> None:
        """The search has the answer to what it asked for: others may start from it."""
        if self._wishes is not None and request.wish is not None:
            self._wishes[node] = request.wish

    def _store(self, key: Key, trained: Trained) -> Training:
        return self._memory.keep(key, trained, self.clock.seconds)

    def _start(self, node: Node) -> Trained | None:
        """The trained program whose parameters a node's training starts from: the nearest that the
        search has had trained, since not all are, such as those that were but probed."""
        start = node.warm_from
        while start is not None:
            if self.is_given(start):
                return self._given
            if self._wishes is None:
                raise ValueError("the search starts trainings from others: drive it with keep=True")
            if start in self._wishes:
                key, cutoffs = self._wishes[start]
                found = in_place_of(self._memory, key, start.program, cutoffs)
                assert found is not None
                return found.fetch()
            start = start.warm_from
        return None

    def _known(self, key: Key, program: Program, cutoffs: Cutoffs) -> Training | None:
        """The training of this run, or of another one, which is then this one's too."""
        training = in_place_of(self._memory, key, program, cutoffs)
        if training is not None:
            return training
        for cache in self._caches:
            found = in_place_of(cache, key, program, cutoffs)
            if found is not None and found.outcome.failure is None:
                return self._store(ended(key, found.outcome), found.fetch())
        return None
