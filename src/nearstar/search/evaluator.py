"""How the baselines ask: complete programs, each scored once in a run."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence

from nearstar.language.program import Program, is_complete
from nearstar.search.protocol import Ask, Node, Score
from nearstar.search.racing import Racing
from nearstar.search.space import Space


class Evaluator:
    """The programs of one run that were asked for, with their path costs λ·s + ζ.

    With ``deduplicate``, a program's canonical form is asked in its place: equivalent programs are
    one, and it never costs more. From a sketch, only if the form completes the sketch as well.
    """

    def __init__(self, space: Space, deduplicate: bool = True, race: bool = True) -> None:
        """``race``: trainings of what is not likely to be the best are cut short."""
        self.space = space
        self._racing = Racing(race)
        self.deduplicate = deduplicate
        self.costs: dict[Program, float] = {}
        """Path costs of what was asked, in that order."""

    def form(self, program: Program) -> Program:
        """What is asked, or gone on from, in place of a program."""
        return self.space.form(program) if self.deduplicate else program

    def ask_roots(self) -> Generator[Ask, Sequence[Score], None]:
        """Ask for what is complete already among the roots: it is an answer, too."""
        yield from self.ask(filter(is_complete, self.space.roots))

    def ask(
        self, programs: Iterable[Program], bound: float | None = None, waiting: int = 0
    ) -> Generator[Ask, Sequence[Score], list[float]]:
        """Path costs of complete programs, in order; asks only for those that are not known."""
        forms = [self.form(program) for program in programs]
        new = [form for form in dict.fromkeys(forms) if form not in self.costs]
        if new:
            nodes = tuple(map(self._node, new))
            scores = yield Ask(nodes, bound, waiting)
            for node, score in zip(nodes, scores, strict=True):
                self._racing.observe(node.g, score)
                node.error = 1.0 if score.diverged else score.error
                node.trained = True
                self.costs[node.program] = node.f
        return [self.costs[form] for form in forms]

    def _node(self, program: Program) -> Node:
        price = self.space.cost(program)
        return Node(program, None, g=price, cutoffs=self._racing.cutoffs(price))

    def affordable(self, programs: Iterable[Program], most: int) -> list[Program]:
        """The programs that can be scored with at most so many asked in the whole run."""
        asked = set(self.costs)
        kept: list[Program] = []
        for program in programs:
            form = self.form(program)
            if form in asked or len(asked) < most:
                asked.add(form)
                kept.append(program)
        return kept
