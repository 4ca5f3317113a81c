"""The tasks that searches are compared on."""

from __future__ import annotations

import dataclasses
import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import nearstar as ns
from nearstar.library import Group

DATA = Path(os.environ.get("NEARSTAR_DATA", Path(__file__).parents[2] / "shared" / "data"))
"""Where the files with real data are; tasks that need one are left out without it."""


@dataclass(frozen=True)
class Setting:
    """Data, domain, and training as published for the experiment that the task stands in for."""

    train: ns.Sequences
    valid: ns.Sequences
    test: ns.Sequences
    domain: ns.Domain
    longer: int
    """These data are smaller than the published ones: epochs are multiplied by this, so that the
    number of gradient steps is about the same."""
    class_weights: tuple[float, ...] | None = None

    @property
    def max_depth(self) -> int:
        return int(self.domain.paper["max_depth"])

    def published(self) -> ns.Budget:
        """Training to the letter of the paper: last epoch, batches in a fixed order."""
        budget = ns.Budget.paper(self.domain)
        return dataclasses.replace(
            budget,
            neural_epochs=budget.neural_epochs * self.longer,
            symbolic_epochs=budget.symbolic_epochs * self.longer,
            class_weights=self.class_weights,
        )

    def ours(self) -> ns.Budget:
        """The same epochs, rates and sizes; the best epoch counts, batches are reordered."""
        return dataclasses.replace(self.published(), select="best", reshuffle=True)


def hidden_rule() -> Setting:
    """Two simulated animals; the labels are those of a program."""
    train, valid, test = ns.two_animals_split(seed=0)
    domain = ns.Domain.built_in("crim13")
    faster = {**domain.paper, "learning_rate": 0.02}  # 300 sequences: few steps, larger ones
    return Setting(train, valid, test, dataclasses.replace(domain, paper=faster), longer=3)


def social(behaviour: int = 1, weight: float = 1.0) -> Setting:
    """Whether two rats are in social contact, in each frame."""
    data = np.load(DATA / "rat_social.npz")
    parts = (
        ns.Sequences.from_arrays(data[f"X_{part}"][..., :19], data[f"y_{part}"] == behaviour)
        for part in ("train", "valid", "test")
    )
    return Setting(*parts, ns.Domain.built_in("crim13"), longer=5, class_weights=(1.0, weight))


def aggression() -> Setting:
    """Whether one rat attacks the other, in each frame: 9 % of them.

    With the paper's weight for its rare behaviour, 1.5, most programs never say yes.
    """
    return social(2, weight=3.0)


def ballhandler() -> Setting:
    """Who holds the ball, in each frame."""
    data = np.load(DATA / "nba_ballhandler.npz")
    parts = (
        ns.Sequences.from_arrays(data[f"X_{part}"], data[f"y_{part}"])
        for part in ("train", "valid", "test")
    )
    return Setting(*parts, ns.Domain.built_in("basketball"), longer=11)


def bouts() -> Setting:
    """What two rats do in a bout of up to 300 frames; trained as the paper trains Fly-vs-Fly."""
    data = np.load(DATA / "rat_bouts.npz")
    parts = (
        ns.Sequences.from_arrays(
            data[f"X_{part}"], data[f"y_{part}"], lengths=data[f"lengths_{part}"]
        )
        for part in ("train", "valid", "test")
    )
    pair = ns.Domain.built_in("crim13")
    domain = dataclasses.replace(
        pair,
        name="bouts",
        features=(*pair.features, "nose1", "nose2", "nose3", "visible1", "visible2"),
        groups=(*pair.groups, Group("nose", (19, 20, 21)), Group("visibility", (22, 23))),
        paper=ns.Domain.built_in("fly").paper,
    )
    return Setting(*parts, domain, longer=2)


TASKS = {
    "hidden-rule": hidden_rule,
    "social": social,
    "aggression": aggression,
    "ballhandler": ballhandler,
    "bouts": bouts,
}
_FILES = {
    "social": "rat_social.npz",
    "aggression": "rat_social.npz",
    "ballhandler": "nba_ballhandler.npz",
    "bouts": "rat_bouts.npz",
}


def available() -> list[str]:
    """The tasks whose data are there."""
    return [name for name in TASKS if name not in _FILES or (DATA / _FILES[name]).exists()]
