"""Recording a run: all that was evaluated, the best of it, and how it went."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from nearstar.language.choosing import chooses_terms, everything, with_terms
from nearstar.language.numbers import numbers_of
from nearstar.language.program import Program
from nearstar.run.events import Evaluated, Event, Listener, NewBest, Round
from nearstar.run.results.derivations import Derivations
from nearstar.run.results.evaluation import OUTCOME, Candidate, Evaluation, Kind, Outcome
from nearstar.run.results.front import Front, pareto
from nearstar.run.results.result import TracePoint
from nearstar.run.store.trainings import Key, Training, chosen_key, chosen_programs
from nearstar.search.protocol import Ask, Node
from nearstar.search.space import Space
from nearstar.training.train import Trained


class Recorder:
    """Takes what is trained, in the order asked, and tells the listeners.

    Trainings are kept for the front alone. It can be read after an interrupt at any point.
    """

    def __init__(self, space: Space, listeners: Sequence[Listener], *, relaxed: bool) -> None:
        self._space = space
        self._listeners = tuple(listeners)
        self._relaxed = relaxed
        self._indices: dict[Node, int] = {}
        self._given: dict[Program, int] = {}
        self._derivations = Derivations(space)
        self._unbeaten: dict[int, Training] = {}
        self._best: Evaluation | None = None
        self.kind: Kind = "search"
        """Why programs are asked for now."""
        self.nodes: list[Node] = []
        """The node of each evaluation."""
        self.evaluations: list[Evaluation] = []
        self.trace: list[TracePoint] = []
        self.seconds = 0.0
        """When the latest training was there, since the start of the run."""
        self.trained = 0
        self.rounds = 0
        self._in_rounds = 0
        """Evaluations of rounds that have ended."""
        self.engine_seconds = 0.0
        self.bound: float | None = None
        """Of the latest ask."""

    def tell(self, event: Event) -> None:
        for listener in self._listeners:
            listener(event)

    def give(self, trained: Trained) -> None:
        """Count a program whose parameters were given as an answer, before the search begins."""
        node = Node(trained.program, None, g=self._space.cost(trained.program))
        self.add(node, Training.of(trained, 0.0), None)
        self._given[trained.program] = self._indices[node]

    def add(
        self, node: Node, training: Training, key: Key | None, kind: Kind | None = None
    ) -> None:
        """Take the next training in order; without a key for what was given."""
        if node.program in self._given:
            self._indices[node] = self._given[node.program]
            return
        outcome = training.outcome
        # Whatever came before it in order was waited for.
        self.seconds = max(self.seconds, outcome.at)
        kind = kind or ("given" if key is None else "probe" if node.probe else self.kind)
        evaluation = self._evaluation(node, outcome, kind)
        if key is not None and kind != "chosen":
            self.trained += 1
            self.engine_seconds += outcome.seconds
        unbeaten = evaluation.answer and self._is_unbeaten(evaluation)
        if unbeaten:
            self._unbeaten[evaluation.index] = training
        self.nodes.append(node)
        self._indices[node] = evaluation.index
        self.evaluations.append(evaluation)
        self.tell(Evaluated(evaluation, training, self.seconds, key))
        if unbeaten:
            self._compare(evaluation, training)

    def add_chosen(self, node: Node, training: Training, key: Key | None) -> float:
        """Take the programs that came of a training by choosing terms.

        Returns the error of the node, as the search is to see it: where terms were chosen, what the
        best of these programs adds to the node's own cost.
        """
        error, program, space = training.outcome.error, node.program, self._space
        if key is None or not node.complete or not chooses_terms(program):
            return error
        # Not all that was trained had its terms chosen: it then counts with all of them.
        whole = with_terms(program, everything(program))
        if whole in space.grammar and space.is_readable(whole):
            least = space.cost(whole) + error
        else:
            least = node.g + 1.0  # it may not be an answer: as bad as can be
        programs = chosen_programs(program, training.outcome.choices)
        for each, chosen in zip(programs, training.chosen, strict=True):
            came = Node(each, node, g=space.cost(each))
            self.add(came, chosen, chosen_key(key, each), kind="chosen")
            if space.is_readable(each):
                least = min(least, came.g + chosen.outcome.error)
        index = self._indices[node]
        self.evaluations[index] = replace(self.evaluations[index], f=least)
        return least - node.g

    def _is_unbeaten(self, new: Evaluation) -> bool:
        """Whether no answer so far is as good in simplicity and in error, or in path cost."""
        if self._best is None or new.rank < self._best.rank:
            return True
        for index in self._unbeaten:
            each = self.evaluations[index]
            if each.simplicity <= new.simplicity and each.error <= new.error:
                return False
        return True

    def _compare(self, new: Evaluation, training: Training) -> None:
        # Those on the front until now, and the new one.
        self._unbeaten = {each.index: self._unbeaten[each.index] for each in self._front()}
        if self._best is None or new.rank < self._best.rank:
            self._best = new
            point = self._point()
            self.trace.append(point)
            self.tell(NewBest(Candidate(new, training.fetch()), point))

    def end_round(self, ask: Ask) -> None:
        """The search has taken the scores of all that it asked for."""
        self.rounds += 1
        point = self._point()
        self.trace.append(point)
        # What the search makes of them later, by others that it comes to know, is not told again.
        taken = self._taken_lately()
        self.evaluations[self._in_rounds :] = taken
        self._in_rounds = len(self.evaluations)
        self.tell(Round(point, ask.waiting, tuple(taken)))

    def front(self) -> Front:
        """Answers that none other beats, simplest first."""
        return Front(Candidate(each, self._unbeaten[each.index].fetch()) for each in self._front())

    def _front(self) -> tuple[Evaluation, ...]:
        return pareto(self.evaluations[index] for index in self._unbeaten)

    def taken(self) -> list[Evaluation]:
        """The evaluations, with f as the search made it of their errors."""
        return self.evaluations[: self._in_rounds] + self._taken_lately()

    def _taken_lately(self) -> list[Evaluation]:
        """Those of the round that has not ended."""
        first = self._in_rounds
        # An interrupt may have come between a node and its evaluation.
        latest = zip(self.evaluations[first:], self.nodes[first:], strict=False)
        return [
            replace(each, f=node.f) if node.trained and node.f != each.f else each
            for each, node in latest
        ]

    def _point(self) -> TracePoint:
        return TracePoint(
            seconds=self.seconds,
            engine_seconds=self.engine_seconds,
            rounds=self.rounds,
            trained=self.trained,
            best=None if self._best is None else self._best.path_cost,
            bound=self.bound,
        )

    def _evaluation(self, node: Node, outcome: Outcome, kind: Kind) -> Evaluation:
        weight, partial = self._space.weight, not node.complete and not node.probe
        # The search has summed it up already, times λ. A probe is no program of the grammar.
        if weight == 1 or node.probe:
            cost = node.g / (weight or 1.0)
        else:
            cost = self._space.grammar.cost(node.program)
        index, derivations = len(self.evaluations), self._derivations
        found: tuple[int, ...] = ()
        if node.complete and kind not in ("completion", "chosen"):
            found = derivations.add_complete(node.program, index, outcome.error)
        return Evaluation(
            program=node.program,
            index=index,
            parent=self._nearest(node.parent),
            kind=kind,
            complete=node.complete,
            answer=self._is_answer(node),
            size=node.program.size,
            # Rounded, since equal costs are summed in different orders.
            structural_cost=round(cost, 12),
            weight=weight,
            numbers=numbers_of(node.program),
            price=self._space.grammar.price,
            # A search gives a partial program that diverged the h it had before.
            f=node.g + node.closing + (node.h if partial and outcome.diverged else outcome.error),
            completes=found,
            completed_by=derivations.add_partial(node.program, index) if partial else None,
            **{name: getattr(outcome, name) for name in OUTCOME},
        )

    def _is_answer(self, node: Node) -> bool:
        if self._relaxed:
            return not node.probe
        program = node.program
        return node.complete and not chooses_terms(program) and self._space.is_readable(program)

    def _nearest(self, ancestor: Node | None) -> int | None:
        while ancestor is not None and ancestor not in self._indices:
            ancestor = ancestor.parent
        return None if ancestor is None else self._indices[ancestor]
