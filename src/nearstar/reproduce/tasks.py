"""The tasks of the paper, and those that stand in for them where its data are not at hand."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import MappingProxyType

from nearstar.language.domain import Domain
from nearstar.reproduce import stand_ins
from nearstar.reproduce.authors import Folder, Form, Parts
from nearstar.reproduce.published import SIZES
from nearstar.reproduce.stand_ins import Archive, Supplied
from nearstar.search.constraints import Constraints
from nearstar.training.budget import Budget
from nearstar.training.task import Task
from nearstar.util.errors import NearstarError
from nearstar.util.nearest import suggestion


@dataclass(frozen=True)
class TaskKind:
    """A task before its data are read."""

    name: str
    """As on the command line."""
    title: str
    """What is to be told from what."""
    source: Folder | Archive | Supplied
    domain: Callable[[], Domain]
    """Its ``paper`` has the published settings."""
    longer: int = 1
    """With fewer sequences than the paper's, epochs are multiplied by this, so that the number of
    gradient steps is about the same."""
    class_weights: tuple[float, ...] | None = None
    column: str | None = None
    """Its column in `published.PUBLISHED`; None where it only stands in."""
    stands_in_for: str | None = None
    """The paper's task; None where it is that."""

    @property
    def needs(self) -> str:
        """The data that it needs: the name of a file, or a layout."""
        return self.source.needs

    def load(self, data: Path | None, positive: int | None = None) -> Experiment:
        """The task with its data; what is wrong with them is an error that says what is expected.

        `positive` is the label to be told from all others in the paper's data on behaviour, where
        they have more than two.
        """
        domain, source = self.domain(), self.source
        if isinstance(source, Folder) and source.binary:
            parts = source.read(data, domain.features, positive)
        elif positive is None:
            parts = source.read(data, domain.features)
        else:
            raise NearstarError(
                f"positive is {positive!r}, but the classes of {self.name} are fixed; leave it out"
            )
        return Experiment(**vars(parts), kind=self, domain=domain)


@dataclass(frozen=True, eq=False)
class Experiment(Parts):
    """A task of the paper, or one that stands in for it: data, domain and the paper's settings."""

    kind: TaskKind
    domain: Domain

    def task(self, paper: bool) -> Task:
        """The data to learn from; the paper does not standardise all features."""
        standardise = not paper or bool(self.domain.paper.get("standardise", True))
        return Task(self.train, self.valid, standardise=standardise)

    def budget(self, paper: bool) -> Budget:
        """How programs are trained: to the letter of the paper, or as they usually are here.

        With the loss of F1, weights of classes are not needed: it finds its own.
        """
        if not paper:
            loss = "f1" if self.train.n_classes == 2 else "cross-entropy"
            return Budget.for_size(len(self.train), loss=loss)
        budget = Budget.paper(self.domain, len(self.train), class_weights=self.kind.class_weights)
        return replace(
            budget,
            neural_steps=budget.neural_steps * self.kind.longer,
            symbolic_steps=budget.symbolic_steps * self.kind.longer,
        )

    @property
    def constraints(self) -> Constraints:
        """The published limit on programs."""
        return Constraints.paper(self.domain)


def _behaviour(of: str) -> tuple[str, str]:
    return (f"not {of}", of)


def _mice(behaviour: str, title: str, weights: tuple[float, float]) -> TaskKind:
    form = Form((19,), 100, per_frame=True, codes=2, classes=_behaviour(behaviour))
    return TaskKind(
        f"crim13-{behaviour}",
        title,
        Folder(form, SIZES["crim13"]),
        partial(Domain.built_in, "crim13"),
        class_weights=weights,
        column=behaviour,
    )


def _rats(behaviour: str, code: int, title: str, weight: float = 1.0) -> TaskKind:
    classes = _behaviour(behaviour)
    form = Form((19, 24), 100, per_frame=True, codes=3, classes=classes, positive=code)
    return TaskKind(
        f"rat-{behaviour}",
        title,
        Archive("rat_social.npz", form),
        partial(Domain.built_in, "crim13"),
        longer=5,
        class_weights=(1.0, weight),
        stands_in_for="CRIM13",
    )


_HOLDERS = (*(f"offense{i}" for i in range(1, 6)), "nobody")

_KINDS = (
    _mice("sniff", "Whether a mouse sniffs the other, in each frame", (1.0, 1.5)),
    _mice("other", "Whether two mice do nothing of interest, in each frame", (1.0, 1.0)),
    TaskKind(
        "fly",
        "Which of seven things a pair of flies does, in a sequence of up to 300 frames",
        Folder(Form((53,), 300, per_frame=False, codes=7), SIZES["fly"]),
        partial(Domain.built_in, "fly"),
        column="fly",
    ),
    TaskKind(
        "basketball",
        "Who holds the ball, in each frame",
        Folder(Form((22,), 25, per_frame=True, codes=6), SIZES["basketball"]),
        partial(Domain.built_in, "basketball"),
        column="basketball",
    ),
    _rats("social", 1, "Whether two rats are in social contact, in each frame"),
    _rats("other", 0, "Whether two rats have nothing to do with each other, in each frame"),
    # 9 % of the frames: with the paper's weight for its rare behaviour, 1.5, most programs never
    # say yes.
    _rats("aggression", 2, "Whether one rat attacks the other, in each frame", weight=3.0),
    TaskKind(
        "rat-bouts",
        "Which of six things two rats do, in a bout of up to 300 frames",
        Archive("rat_bouts.npz", Form((24,), 300, per_frame=False, codes=6)),
        stand_ins.bouts_domain,
        longer=2,
        stands_in_for="Fly-vs-Fly",
    ),
    TaskKind(
        "nba",
        "Which attacker holds the ball, or nobody, in each frame",
        Archive("nba_ballhandler.npz", Form((22,), 25, True, codes=6, classes=_HOLDERS)),
        partial(Domain.built_in, "basketball"),
        longer=11,
        stands_in_for="basketball",
    ),
    TaskKind(
        "watch",
        "Which of seven shoulder exercises somebody performs, in windows of four seconds",
        Supplied(stand_ins.watch, "pip install nearstar[demo]"),
        stand_ins.watch_domain,
        longer=5,
        stands_in_for="Fly-vs-Fly",
    ),
    TaskKind(
        "hidden-rule",
        "Whether a simulated animal sniffs the other by the rule of a program, in each frame",
        Supplied(stand_ins.hidden_rule),
        stand_ins.hidden_rule_domain,
        longer=3,
        stands_in_for="CRIM13, with animals that are simulated",
    ),
)

TASKS: Mapping[str, TaskKind] = MappingProxyType({kind.name: kind for kind in _KINDS})
"""The tasks by name: first the paper's, then those that stand in."""


def load(name: str, data: str | Path | None, positive: int | None = None) -> Experiment:
    """A task with its data, from the file or folder that it needs (see `TaskKind.needs`)."""
    if name not in TASKS:
        raise NearstarError(f"no task {name!r}; {suggestion(name, TASKS)}")
    return TASKS[name].load(None if data is None else Path(data), positive)
