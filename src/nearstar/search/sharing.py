"""How several sources of programs share the time: by what they have brought lately."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable

from nearstar.language.program import applied
from nearstar.language.trees import giving_up
from nearstar.search.frontier import Holes
from nearstar.search.protocol import Node, Score

_NETWORKS = 40.0, 200.0
"""What training a partial program costs, where the first stage of a complete one costs 1: with
holes for vectors alone, and with holes for sequences."""
_FOLD = 5.0
"""How much more a program with a fold costs than others."""
_CHOOSING = 5.0
"""How much more it costs for each leaf that gives up terms, from all of them on."""
_FADING, _LATELY = 0.99, 20.0
"""What is left of what was spent and gained a round later, or once so much more was spent."""
_SPENT = 20.0
"""What every source is taken to have spent before."""
_MOST = 3.0
"""Most gains that count: a source that brings nothing has its turns, too, if fewer."""

_CLEAR = 0.01
"""A path cost that is lower by this is clearly better."""


class Sharing:
    """Whose turn it is among sources of programs: that which gained most for what it cost.

    A gain is a new best program, in full if it is clearly better than the one before. All is
    measured in numbers that are the same on every machine.
    """

    def __init__(self) -> None:
        self._spent: defaultdict[str, float] = defaultdict(float)
        self._gained: defaultdict[str, float] = defaultdict(float)
        self._turns: Counter[str] = Counter()
        """Turns of this round."""
        self._charged: defaultdict[str, float] = defaultdict(float)
        """What they have cost."""
        self._usual: dict[str, float] = {}
        """What a turn of each source has cost lately."""

    def next(self, sources: Iterable[str]) -> str:
        """The source, of these, whose turn it is; the first of equals."""
        return max(sources, key=self._worth)

    def _worth(self, source: str) -> float:
        # What was asked for in this round is not known yet: it will cost what is usual.
        spent = self._spent[source] + self._turns[source] * self._usual.get(source, 1.0)
        return (1.0 + min(self._gained[source], _MOST)) / (_SPENT + spent)

    def put_off(self, source: str, cost: float) -> None:
        """Let a source wait until others have cost about as much as this."""
        self._spent[source] += cost

    def take(self, source: str) -> None:
        """A source has a turn."""
        self._turns[source] += 1

    def charge(self, source: str, node: Node, score: Score) -> None:
        """Take note of what a training costs, about: each stage is twice as long as the last."""
        if node.program.n_holes:
            cost = _NETWORKS[Holes.of(node.program).sequences > 0]
        else:
            cost = 2.0 ** max(len(score.stages), 1) - 1
            if not score.cut and (leaves := giving_up(node.program)):
                cost *= _CHOOSING * leaves
            elif any(each.operation.recurs for each in applied(node.program)):
                cost *= _FOLD
        self._charged[source] += cost

    def gain(self, source: str, amount: float) -> None:
        """Take note of a new best program, which is better by so much."""
        self._gained[source] += min(amount / _CLEAR, 1.0)

    def end_round(self) -> None:
        """All that was asked for is known."""
        for source, turns in self._turns.items():
            each = self._charged[source] / turns
            self._usual[source] = (self._usual.get(source, each) + each) / 2
        for source, cost in self._charged.items():
            self._spent[source] += cost
        left = _FADING ** max(sum(self._charged.values()) / _LATELY, 1.0)
        for table in (self._spent, self._gained):
            for source in table:
                table[source] *= left
        self._turns.clear()
        self._charged.clear()
