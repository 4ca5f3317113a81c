"""What is spent on a training: as much as the verdict on its program needs."""

from __future__ import annotations

from bisect import insort
from collections import deque
from itertools import zip_longest

from nearstar.search.protocol import Score

_BEST = 10
"""So many of the best programs are remembered with all their stages."""
_LATEST = 100
"""So many of the latest programs, at each stage, a program is compared with."""
_PROMOTED = 0.25, 0.35, 0.5
"""The share of them, after each stage but the last, that go on."""
_HOPED = 0.5, 0.7, 0.85
"""What may be left of an error after each of these stages when a training has ended, if not less:
some programs begin slowly."""
_LUCK = 0.9
"""A program may have more luck, by this, than any of the best has had."""
_SPARSER = 1.1
"""So many times what it may come to a program with all terms may have as its error: with a few it
may be a little better."""
_LEAST = 1e-6
"""No error, and no share of one, is taken to be less."""


class Racing:
    """Where trainings end that are not likely to bring anything, by what earlier ones came to.

    After each stage a complete program goes on if it is among the better ones of those that were
    trained lately, at the same stage, by path cost (successive halving, as in Li et al. 2020, A
    system for massively parallel hyperparameter tuning); and if it may still become the best: its
    error would have to fall by no more than is usual, or than those of the best programs fell.
    """

    def __init__(self, on: bool) -> None:
        self.on = on
        self._best: list[tuple[float, tuple[float, ...]]] = []
        """The best that were trained whole: path costs, and errors at the ends of all stages."""
        self._seen: list[deque[float]] = []
        """Path costs of the latest at each stage."""

    def cutoffs(self, price: float, *, chooses: bool = False) -> tuple[float, ...]:
        """For the training of a complete program of this price, λ·s; one that ``chooses`` terms at
        its end has one more, before it does."""
        if len(self._best) < _BEST:
            return ()
        worth = max(self._best[0][0] - price, 0.0)
        left = [min(column) for column in self._left()]
        last = (_SPARSER * worth,) if chooses else ()
        stages = tuple(
            min(self._promoted(stage) - price, worth / max(min(_LUCK * least, hoped), _LEAST))
            for stage, (least, hoped) in enumerate(
                zip_longest(left, _HOPED[: len(left)], fillvalue=1.0)
            )
        )
        return stages + last

    def expected(self, score: Score) -> float:
        """The error that a program would have come to, had it been trained whole."""
        left = self._left()[max(len(score.stages) - 1, 0) :]
        return score.error * (sorted(left[0])[len(left[0]) // 2] if left else 1.0)

    def observe(self, price: float, score: Score) -> None:
        """Take note of a complete program of this price."""
        if not self.on or score.diverged:
            return
        for stage, error in enumerate(score.stages):
            if stage == len(self._seen):
                self._seen.append(deque(maxlen=_LATEST))
            self._seen[stage].append(price + error)
        if len(score.stages) > 1 and not score.cut:
            insort(self._best, (price + score.error, score.stages))
            del self._best[_BEST:]

    def _promoted(self, stage: int) -> float:
        """The path cost up to which programs go on after a stage."""
        seen, share = sorted(self._seen[stage]), (*_PROMOTED, 1.0)[min(stage, len(_PROMOTED))]
        return seen[min(int(share * len(seen)), len(seen) - 1)]

    def _left(self) -> list[list[float]]:
        """For each stage but the last, what was left of the errors of the best at its end."""
        most = max((len(stages) for _, stages in self._best), default=0)
        shares = (
            [max(stages[-1], _LEAST) / max(error, _LEAST) for error in stages[:-1]]
            for _, stages in self._best
            if len(stages) == most
        )
        return [list(column) for column in zip(*shares, strict=True)]
