"""The RNN baseline: the network that stands in the root hole, on its own."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar

from nearstar.language.domain import Domain
from nearstar.language.networks import Units
from nearstar.language.program import Hole
from nearstar.search.algorithm_settings import Settings
from nearstar.search.protocol import Ask, Node, Search
from nearstar.search.space import Space
from nearstar.util.checks import check_whole

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Budget = TypeVar("Budget", bound="DataclassInstance")
"""How programs are trained: a search knows no more of it than what it replaces."""


_LOOKS = 100
"""Looks at the validation data in a training."""


@dataclass(frozen=True, kw_only=True)
class RNN(Settings):
    """A one-layer LSTM classifier: no program at all, but the accuracy to compare programs with."""

    units: int = 64
    """Hidden units."""
    steps: int = 1000
    """Steps of its training; each takes one batch."""
    learning_rate: float | None = field(default=None, metadata={"positive": True})
    """None: that of the budget."""
    batch_size: int | None = None
    """None: that of the budget."""
    patience: int | None = None
    """Looks without a lower validation error after which the training ends, of about a hundred in
    all; None: that of the budget."""

    @classmethod
    def paper(cls, domain: Domain, n_sequences: int = 0, **changes: Any) -> RNN:
        """The published settings for one of the paper's domains, with so many sequences to train
        on: its epochs are so many steps."""
        check_whole("n_sequences", n_sequences)
        published = dict(domain.published("rnn")["rnn"])
        batches = math.ceil(n_sequences / published["batch_size"])
        steps = published.pop("epochs") * batches
        return cls(**{"steps": steps, **published, **changes})

    def budget(self, budget: Budget) -> Budget:
        """The budget with which the network is trained: ``budget`` apart from these settings."""
        given: dict[str, Any] = {
            name: getattr(self, name)
            for name in ("learning_rate", "batch_size", "patience")
            if getattr(self, name) is not None
        }
        if self.learning_rate is not None:
            given["neural_rate"] = 1.0
        given |= {"neural_steps": self.steps, "look_every": max(self.steps // _LOOKS, 1)}
        return replace(budget, units=Units(self.units, self.units), **given)

    def search(self, space: Space, seed: int) -> Search:
        root = Node(Hole(space.grammar.root), None, g=0.0)
        (score,) = yield Ask((root,))
        root.error = score.error
        root.trained = True
        return None
