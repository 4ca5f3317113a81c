"""Settings of searches: what all have in common, those of NEAR's two, and the published ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, ClassVar, Self

from nearstar.language.domain import Domain
from nearstar.util.checks import check_settings


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Settings of a search: checked by their types, and as the paper has them."""

    published: ClassVar[Mapping[str, Any]] = MappingProxyType({})
    """What is published for all domains alike."""
    in_domains: ClassVar[tuple[str, ...]] = ()
    """What is published for each: names of settings, or of tables of them."""

    race: bool = True
    """Cut trainings short, stage by stage, of programs that are not likely to be the best at their
    price: by how far the errors of earlier ones fell after each stage."""

    def __post_init__(self) -> None:
        check_settings(self)

    @classmethod
    def paper(cls, domain: Domain, **changes: Any) -> Self:
        """The published settings for one of the paper's domains."""
        return cls(**{**cls.published, **cls._sizes(domain), **changes})

    @classmethod
    def sized(cls, domain: Domain, **changes: Any) -> Self:
        """The sizes published for one of the paper's domains, and all else as is usual here."""
        return cls(**{**cls._sizes(domain), **changes})

    @classmethod
    def _sizes(cls, domain: Domain) -> dict[str, Any]:
        sizes: dict[str, Any] = {}
        for name, value in domain.published(*cls.in_domains).items():
            sizes |= value if isinstance(value, Mapping) else {name: value}
        return sizes


@dataclass(frozen=True, kw_only=True)
class NearSettings(Settings):
    """Settings of both NEAR searches; each can be switched off and on by itself."""

    # The published searches, step for step.
    published = MappingProxyType(
        {
            "lazy": False,
            "pathmax": False,
            "closing_cost": False,
            "margin": 0.0,
            "correct": False,
            "probes": False,
            "deduplicate": False,
            "early_stop": False,
            "correction": 0.0,
            "exploration": 0,
            "width": 1,
            "train_root": True,
            "race": False,
        }
    )

    frontier: int | None = None
    """Most nodes that wait; the worst are given up. None: no limit."""
    max_children: int | None = None
    """Most children of a node, drawn at random by the seed. None: all."""
    lazy: bool = True
    """Train a child when it comes up, not when it is made; until then it has its parent's h."""
    pathmax: bool = True
    """Take the parent's h where it is higher: the child's completions are among the parent's."""
    closing_cost: bool = True
    """Add to f the least structural cost that can close the open holes."""
    margin: float | None = field(default=None, metadata={"infinite": True})
    """Keep nodes whose f is above the best path cost by less than this: trained h are noisy. None:
    by as much as h was measured to be above what programs reached, but for one node of ten. With
    ``math.inf`` nothing is dropped, and only limits end a search of a large space."""
    correct: bool = True
    """Lower h of a partial program to the error of any of its completions that was trained."""
    probes: bool = True
    """Put nodes in order by what cheap completions of theirs reach: with an affine leaf over
    everything in each hole. Networks are trained for the bound alone. For A*."""
    deduplicate: bool = True
    """Train only one of programs with the same canonical form."""
    warm_start: bool = False
    """Start a child's training from its parent's parameters, as far as they share parts."""
    early_stop: bool = True
    """End the training of a partial program as soon as its error is no higher than its parent's h,
    which pathmax would put in its place. Needs pathmax; changes nothing but the time, unless
    children start from its parameters."""
    correction: float = 1.0
    """How far h is corrected where nodes are put in order. With 0 the order is that of f. But h
    falls short of what programs reach, the more so the more holes are open, so that f leads through
    all small partial programs before a good complete one is met. With 1 the order is that of f +
    the mean error of h so far for each hole: of those that see a whole sequence, whose networks can
    do the work of all the rest, and of the others by themselves. What is dropped is decided by f
    all the same, and so is the gap."""
    exploration: int = field(default=8, metadata={"least": 0})
    """Most complete programs that a round trains besides its nodes, whatever h says: the next by
    structural cost, and variants of the best so far; with probes also random completions of what
    promises most. How many, is decided by what they and h have brought lately. They change nothing
    in the bound."""
    width: int = 4
    """Nodes that a round goes on from, to be trained side by side; never the number of workers."""
    train_root: bool = False
    """Train the network alone first. Its error is no bound, and nothing uses it but a child whose
    own training diverges."""
