"""What a run can answer without training: by its memory, by other runs, or by its start."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future

from nearstar.run.clock import Clock
from nearstar.run.store.memory import Answer, Answers, Key, Memory, Question
from nearstar.run.workers.threads import Job
from nearstar.search.protocol import Node
from nearstar.training.train import Trained


class Known:
    """All answers that there are, and the clock by which new ones come."""

    def __init__(
        self, memory: Memory, caches: Sequence[Answers], given: Trained | None, keep: bool
    ) -> None:
        """``keep`` what was asked, for searches that start trainings from others."""
        self.memory = memory
        self.clock = Clock(memory.seconds)
        self._caches = caches
        self._given = given
        self._questions: dict[Node, Question] | None = {} if keep else None

    def is_given(self, node: Node) -> bool:
        """Whether the node's program was given with its parameters."""
        return self._given is not None and node.program == self._given.program

    def ask(self, node: Node) -> Asked:
        """What the node's program comes to, as far as that is known."""
        if self._given is not None and self.is_given(node):
            return Asked(self, node, None, None, Answer.of(self._given, 0.0))
        start = self._start(node)
        question = Question.of(node.program, node.goal, start)
        if self._questions is not None:
            self._questions[node] = question
        return Asked(self, node, question, start, self._answer(question))

    def _start(self, node: Node) -> Trained | None:
        """The trained program whose parameters a node's training starts from."""
        if node.warm_from is None:
            return None
        if self.is_given(node.warm_from):
            return self._given
        if self._questions is None:
            raise ValueError("the search starts trainings from others: drive it with keep=True")
        answer = self.memory.get(self._questions[node.warm_from])
        assert answer is not None
        return answer.fetch()

    def _answer(self, question: Question) -> Answer | None:
        """The answer of this run, or of another one, which is then this one's too."""
        answer = self.memory.get(question)
        if answer is not None:
            return answer
        for cache in self._caches:
            found = cache.get(question)
            if found is not None and found.outcome.failure is None:
                return self.memory.keep(question, found.fetch(), self.clock.seconds)
        return None


class Asked:
    """A node that was asked for, and its answer, once it is known."""

    def __init__(
        self,
        known: Known,
        node: Node,
        question: Question | None,
        start: Trained | None,
        answer: Answer | None,
    ) -> None:
        self.node = node
        self.question = question
        """None if it was given, and needs no answer."""
        self.answer = answer
        self.future: Future[Trained] | None = None
        """Of its training, once that is begun."""
        self._known = known
        self._start = start

    @property
    def key(self) -> Key:
        """What it shares with others that ask the same."""
        assert self.question is not None
        return self.question.key

    def job(self) -> Job:
        """Its training."""
        return Job(self.node.program, self._start, self.node.goal, self._arrive)

    def _arrive(self, trained: Trained) -> None:
        assert self.question is not None
        known = self._known
        self.answer = known.memory.keep(self.question, trained, known.clock.seconds)
