"""Answering the rounds of a search: what is not known is trained, and some of what comes next."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

from nearstar.run.limits import Limits
from nearstar.run.recorder import Recorder
from nearstar.run.requests import Request, Requests, Wish
from nearstar.run.workers.pool import OutOfTime, Pool
from nearstar.search.protocol import Ask, Node, Score

FORESEEN = 1000
"""Most programs that were trained without being asked for, and may still be."""


class Rounds:
    """The rounds of one search, answered by the workers of a pool, within limits."""

    def __init__(
        self,
        requests: Requests,
        recorder: Recorder,
        pool: Pool,
        limits: Limits,
        before_training: Callable[[], None],
    ) -> None:
        self._requests = requests
        self._recorder = recorder
        self._pool = pool
        self._limits = limits
        self._before_training = before_training
        self._training: dict[Wish, Request] = {}
        """What this round waits for."""
        self._foreseen: dict[Wish, Request] = {}
        """What was trained, or is, before it is asked for."""
        self._ahead: Iterator[Node] = iter(())

    def answer(self, ask: Ask) -> list[Score] | None:
        """Train programs side by side, and take the answers in order, while time is left.

        None if there would be more trainings than may be: those up to the limit are taken.
        """
        nodes = self._affordable(ask.nodes)
        requests = [self._requests.of(node) for node in nodes]
        self._begin(requests)
        self._ahead = iter(() if self._is_last(ask) else ask.ahead)
        scores = [self._take(*each) for each in zip(nodes, requests, strict=True)]
        return scores if len(nodes) == len(ask.nodes) else None

    def _affordable(self, nodes: Sequence[Node]) -> list[Node]:
        """The nodes, in order, before the first that would be a training too many."""
        affordable: list[Node] = []
        trained = self._recorder.trained
        for node in nodes:
            if not self._requests.is_given(node):
                if trained == self._limits.trainings:
                    break
                trained += 1
            affordable.append(node)
        return affordable

    def _is_last(self, ask: Ask) -> bool:
        """Whether a limit ends the run with this round."""
        recorder, trainings = self._recorder, self._limits.trainings
        all_trained = trainings is not None and recorder.trained + len(ask.nodes) >= trainings
        return all_trained or recorder.rounds + 1 == self._limits.rounds

    def _begin(self, requests: Sequence[Request]) -> None:
        # What is asked twice, or was foreseen, is trained once.
        self._training = {}
        for each in requests:
            if each.training is None and each.wish not in self._training:
                self._training[each.wish] = self._foreseen.pop(each.wish, each)
        if not self._training:
            return
        self._before_training()
        self._requests.clock.start()
        new = [each for each in self._training.values() if each.future is None]
        self._make_room(len(new))
        for each in new:
            self._submit(each)

    def _take(self, node: Node, request: Request) -> Score:
        most = self._limits.engine_seconds
        if most is not None and self._recorder.engine_seconds >= most:
            raise OutOfTime
        if request.training is None:
            first = self._training[request.wish]
            assert first.future is not None
            self._pool.result(first.future, self._left, self._go_ahead)
            request.training = first.training
        assert request.training is not None
        self._requests.answered(node, request)
        self._recorder.add(node, request.training, request.key)
        outcome = request.training.outcome
        error = self._recorder.add_chosen(node, request.training, request.key)
        return Score(error, outcome.diverged, outcome.stages, outcome.cut)

    def _submit(self, request: Request) -> None:
        request.future = self._pool.submit(request, self._left())

    def _left(self) -> float:
        """Seconds until the limit of time."""
        seconds = self._limits.seconds
        return math.inf if seconds is None else seconds - self._requests.clock.seconds

    # What comes next

    def _go_ahead(self) -> bool:
        """Begin with something that may be asked next; False if there is nothing."""
        for node in self._ahead:
            each = self._requests.of(node)
            under_way = each.wish in self._training or each.wish in self._foreseen
            if each.training is None and not under_way:
                self._submit(each)
                self._foreseen[each.wish] = each
                self._forget()
                return True
        return False

    def _make_room(self, trainings: int) -> None:
        """What was not asked for must not keep what is from being trained."""
        idle = [each.future for each in self._foreseen.values() if each.future is not None]
        dropped = set(self._pool.make_room(trainings, idle))
        self._foreseen = {
            wish: each for wish, each in self._foreseen.items() if each.future not in dropped
        }

    def _forget(self) -> None:
        """Of what was trained and is never asked for, few are kept: the latest."""
        if len(self._foreseen) > FORESEEN:
            answered = [wish for wish, each in self._foreseen.items() if each.training is not None]
            for wish in answered[: len(self._foreseen) - FORESEEN]:
                del self._foreseen[wish]
