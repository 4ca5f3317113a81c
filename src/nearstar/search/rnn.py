"""The RNN baseline: the network that stands in the root hole, on its own."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar

from nearstar.language.networks import Units
from nearstar.language.program import Hole
from nearstar.search.algorithm_settings import Settings
from nearstar.search.protocol import Ask, Node, Search
from nearstar.search.space import Space

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Budget = TypeVar("Budget", bound="DataclassInstance")
"""How programs are trained: a search knows no more of it than what it replaces."""


@dataclass(frozen=True, kw_only=True)
class RNN(Settings):
    """A one-layer LSTM classifier: no program at all, but the accuracy to compare programs with."""

    in_domains = ("rnn",)

    units: int = 64
    """Hidden units."""
    epochs: int = 40
    learning_rate: float | None = field(default=None, metadata={"positive": True})
    """None: that of the budget."""
    batch_size: int | None = None
    """None: that of the budget."""
    patience: int | None = None
    """Epochs without a lower validation error after which the training ends; None: that of the
    budget."""

    def budget(self, budget: Budget) -> Budget:
        """The budget with which the network is trained: ``budget`` apart from these settings."""
        given: dict[str, Any] = {
            name: getattr(self, name)
            for name in ("learning_rate", "batch_size", "patience")
            if getattr(self, name) is not None
        }
        units = Units(self.units, self.units)
        return replace(budget, neural_epochs=self.epochs, units=units, **given)

    def search(self, space: Space, seed: int) -> Search:
        root = Node(Hole(space.grammar.root), None, g=0.0)
        (score,) = yield Ask((root,))
        root.h = score.error
        root.trained = True
        return None
