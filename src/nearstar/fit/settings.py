"""The settings of a fit: one value for flags, TOML files and the parameters of the estimator."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import Any

from nearstar.data.derived import read_derived
from nearstar.data.format import DataFormat
from nearstar.data.labels import Label
from nearstar.fit import converters as to
from nearstar.fit.options import argument, option, section
from nearstar.fit.resolve import SEARCHES, DomainSource, load_domain, read_search
from nearstar.language.domain import Domain
from nearstar.language.networks import Units
from nearstar.language.program import Program
from nearstar.model.model import Model
from nearstar.run.limits import Limits
from nearstar.search.astar import AStar
from nearstar.search.constraints import Constraints
from nearstar.search.protocol import Algorithm
from nearstar.search.rnn import RNN
from nearstar.training.budget import Budget
from nearstar.training.losses import LOSSES
from nearstar.util.errors import NearstarError, Setting

FILES = "a .csv, .parquet, .npz, .npy or .ts file, or a folder of .npy files"
"""What data are read from, as the help says it."""
_TREE_RULES = 64
"""Most rules in a program where trees of classes are grown: those of a tree of 21 answers."""
_FINALISTS = 5
"""How many of the best programs are trained again, unless somebody says otherwise."""


# fmt: off
@dataclass(frozen=True, kw_only=True)
class FormatSettings:
    """How data are read; None: as is usual, or as the model says that they are for."""

    sequence: str | None = option(
        to.text, "names the sequence (video, game, trial) of each row; without it all rows are one",
        "COLUMN", group="columns of a table")
    frame: str | None = option(to.text, "frame numbers; without it rows are in order", "COLUMN")
    label: str | None = option(to.text, "labels; an empty cell means unlabelled", "COLUMN")
    split_by: str | None = option(
        to.text, "animals, games or subjects: none stands both in training and in validation",
        "COLUMN", keyword="group")
    parts: str | None = option(to.text, "says train, valid or test", "COLUMN")
    features: tuple[str, ...] | None = option(
        to.names, "names or patterns with commas between, such as 'nose_*,speed'; for arrays also "
        "places, such as 0-18 (all columns of numbers that have no other role)", "NAMES", usual=())
    per: str | None = option(
        to.text, "whether a label is of a frame or of a whole sequence (of a sequence, if it never "
        "changes within one)", choices=("frame", "sequence"), group="what is in the data")
    positive: Label | None = option(to.label, "learn this label against all others", "LABEL")
    unlabelled: tuple[Label, ...] | None = option(
        to.labels, "labels that mean none, with commas between, such as -1", "LABELS", usual=())
    missing: str | None = option(
        to.text, "what to do with missing values (error)", choices=("error", "interpolate"),
        usual="error")
    window: int | None = option(
        to.whole(1), "cut sequences into windows of so many frames (500, if frames have labels and "
        "sequences are longer than 1000)", "FRAMES")
    hop: int | None = option(
        to.whole(1), "frames from the start of a window to that of the next (no overlap)", "FRAMES")

    def format(self, usual: DataFormat | None = None) -> DataFormat:
        """The format of data, with what is said here in the place of what is usual."""
        given = {name: value for name, value in vars(self).items() if value is not None}
        for name, role in (("split_by", "group"), ("parts", "part")):
            if name in given:
                given[role] = given.pop(name)
        return replace(usual or DataFormat(), **given)


@dataclass(frozen=True, kw_only=True)
class LanguageSettings:
    """What programs are made of."""

    domain: DomainSource | None = option(
        to.text, "features, groups and rules of a field: one of `nearstar domains`, or a TOML file",
        "NAME|FILE", group="what programs are made of", path=True)
    group: Mapping[str, Any] | None = option(
        to.assigned(to.names), "features that programs weigh together, such as 'position=*_x,*_y'; "
        "may be repeated (those whose names are alike)", "NAME=FEATURES", many=True,
        keyword="groups")
    derive: tuple[str, ...] = option(
        to.text, "a feature computed from tracked points, such as 'distance(nose, tail)', "
        "'speed(nose)' or 'gap = distance(nose1, nose2)'; may be repeated", "FEATURE", many=True,
        default=())
    bank: str | None = option(
        to.text, "what programs read: a few of all features and of their statistics over windows, "
        "with hard ifs (terms); or features in groups, with smooth ifs (none). Without it: terms, "
        "unless there is a domain, or groups", choices=("none", "terms"))
    causal: bool = option(
        to.switch, "these windows are of the past alone", default=False, usual=False)
    trees: bool = option(
        to.switch, "leaves may name a class: lists and trees of ifs, over terms of a bank",
        default=False, usual=False)
    price: float | None = option(
        to.not_negative, "what each number to read costs, as structure does (.0015)", "NUMBER")
    max_depth: int | None = option(
        to.whole(1), f"most rules in a program (10; {_TREE_RULES} for A* with trees of classes)",
        "RULES")
    numbers: int | None = option(to.whole(1), "most numbers to read in a program", "NUMBER")
    terms: int | None = option(
        to.whole(1), "most terms of a leaf that chooses them, as those of a bank do", "NUMBER")
    forbid: tuple[str, ...] = option(
        to.names, "rules that programs may not use", "RULES", default=())
    require: tuple[str, ...] = option(to.names, "rules that programs must use", "RULES", default=())
    sketch: str | Program | Model | None = option(
        to.text, "a program with ?? for the parts to be found", "TEXT", keyword="start")
    program: str | None = option(
        to.text, "train exactly this program; numbers in it are where training starts", "TEXT")
    rules: Constraints | None = None
    """What else programs must be like; beside it only the most rules and numbers count."""

    @property
    def has_bank(self) -> bool:
        """Whether programs read terms of a bank."""
        own = self.domain is not None or self.group is not None
        return self.bank == "terms" if self.bank is not None else not own

    @property
    def constraints(self) -> Constraints:
        """What programs must be like, as far as it is said."""
        rules = self.rules or Constraints(forbid=self.forbid, require=self.require)
        given = {"max_depth": self.max_depth, "numbers": self.numbers}
        said: dict[str, Any] = {name: each for name, each in given.items() if each is not None}
        return replace(rules, **said)

    def vocabulary(self) -> tuple[Domain | None, dict[str, str]]:
        """The domain that is given, and the features to compute: its own, and further ones."""
        derived = {name: each.text for name, each in read_derived(self.derive).items()}
        if self.domain is None:
            return None, derived
        domain = load_domain(self.domain)
        domain = replace(domain, derived={**domain.derived, **derived}) if derived else domain
        return domain, dict(domain.derived)


@dataclass(frozen=True, kw_only=True)
class SearchSettings:
    """How programs are found, and how long that may take."""

    search: str | Algorithm = option(
        to.text, "how programs are found (astar)", default="astar", choices=tuple(SEARCHES),
        group="search")
    time: float | None = option(
        to.duration, "how long to search, such as 30s, 5m or 1h30m (1m, unless --trainings is "
        "given)", "TIME", keyword="time_limit")
    trainings: int | None = option(
        to.whole(1), "most programs to train; the result is then the same on any machine", "NUMBER")
    weight: float = option(
        to.not_negative, "λ, what structure costs against errors: more gives shorter programs (1)",
        "NUMBER", default=1.0)
    seed: int = option(
        to.whole(0), "of everything that is random (0)", "NUMBER", default=0,
        keyword="random_state", usual=None)
    audit: int = option(
        to.whole(0), "check so many parts that the search left, by training a random program of "
        "each (0)", "NUMBER", default=0)
    finalists: int = option(
        to.whole(0), "train so many of the best programs again when the search has ended, for "
        f"longer and more often, before one is chosen ({_FINALISTS})", "NUMBER", default=_FINALISTS)
    otherwise: Limits = Limits(seconds=60.0)
    """The limits where none is given: searches by name go on as long as they may."""

    @property
    def limits(self) -> Limits:
        """How long to search."""
        limits = Limits(seconds=self.time, trainings=self.trainings)
        return self.otherwise if limits == Limits() else limits


@dataclass(frozen=True, kw_only=True)
class TrainingSettings:
    """What programs are trained and compared on, and how."""

    validation: str | float | None = option(
        to.share_or_file, "the share of the sequences that programs are compared on, or a file of "
        "them (0.25)", "SHARE|FILE", group="training", path=True, usual=0.25)
    test: str | None = option(to.text, "a file to test the result on", "FILE", path=True)
    class_weight: str | Mapping[Any, float] | None = option(
        to.class_weight, "weights of the labels in training, such as 'sniff=3,other=1', or "
        "balanced", "WEIGHTS")
    loss: str | None = option(
        to.text, "what training lowers; f1 weighs two labels as the best F1 needs it (f1 for two "
        "labels without weights, else cross-entropy)", choices=tuple(LOSSES))
    threshold: str = option(
        to.text, "tuned: choose on the validation data how readily each label is given (as "
        "trained)", choices=("trained", "tuned"), default="trained", keyword="tune_threshold",
        usual=False)
    steps: int | None = option(
        to.whole(1), "batches that a program is trained on, at most (750)", "NUMBER")
    neural_steps: int | None = option(
        to.whole(1), "the same for programs with networks in holes (450)", "NUMBER")
    learning_rate: float | None = option(to.positive, "of Adam", "NUMBER")
    batch_size: int | None = option(to.whole(1), "sequences in a batch", "NUMBER")
    units: tuple[int, int] | None = option(
        to.units, "most and least hidden units of a network", "MOST,LEAST")
    restarts: int | None = option(
        to.whole(1, 1000), "trainings of each program; the best one counts", "NUMBER")
    budget: Budget | None = None
    """How programs are trained, all in one; None: by the size of the data, and what is said."""

    @property
    def share(self) -> float | None:
        """The share of the data to hold out; None for what is a file, or not given."""
        try:
            return None if self.validation is None else float(self.validation)
        except ValueError:
            return None

    @property
    def changes(self) -> dict[str, Any]:
        """What is said of a budget."""
        given = {
            "symbolic_steps": self.steps,
            "neural_steps": self.neural_steps,
            "learning_rate": self.learning_rate,
            "batch_size": self.batch_size,
            "restarts": self.restarts,
            "units": None if self.units is None else Units(*self.units),
        }
        return {name: value for name, value in given.items() if value is not None}


@dataclass(frozen=True, kw_only=True)
class MachineSettings:
    """Where programs are trained, and what need not be."""

    workers: int | Executor | None = option(
        to.whole(1), "programs trained at a time (one for each core)", "NUMBER", group="machines",
        keyword="n_jobs", usual=-1)
    cluster: Any = option(
        to.text, "train on a Dask cluster: the address of its scheduler, such as tcp://host:8786, "
        "or its scheduler file", "ADDRESS", passing=True)
    cache: tuple[Any, ...] = option(
        to.text, "the folder of another run on the same data with the same seed, whose trainings "
        "are used again; may be repeated", "RUN", many=True, default=(), passing=True)

    @property
    def hired(self) -> dict[str, Any]:
        """Who trains: where there is a cluster, no threads do."""
        threads = isinstance(self.workers, int)
        workers = None if threads and self.cluster is not None else self.workers
        return {"workers": workers, "cluster": self.cluster}


@dataclass(frozen=True, kw_only=True)
class OutputSettings:
    """What becomes of the result."""

    out: str | None = option(
        to.text, "folder for the run (named after the data)", "DIR", group="output", passing=True)
    json: bool = option(
        to.switch, "print one JSON object, and nothing else", default=False, passing=True)
    quiet: bool = option(
        to.switch, "no progress display", default=False, passing=True, keyword="verbose",
        usual=False)


@dataclass(frozen=True, kw_only=True)
class FitSettings:
    """All that a fit can be told."""

    format: FormatSettings = section(FormatSettings)
    language: LanguageSettings = section(LanguageSettings)
    search: SearchSettings = section(SearchSettings)
    training: TrainingSettings = section(TrainingSettings)
    machines: MachineSettings = section(MachineSettings)
    output: OutputSettings = section(OutputSettings)
    data: str = argument(FILES)
    """The file; empty where data do not come from one."""

    def check(self) -> None:
        """Raise for what is wrong whatever the data are."""
        _ = self.algorithm, self.search.limits, self.constraints, self.format.format()
        if self.language.trees and not self.language.has_bank:
            raise NearstarError(
                Setting("trees"), " are over the terms of a bank, and there is none; give ",
                Setting("bank", "terms"), ", or a domain with classes and the rule 'class'"
            )  # fmt: skip

    @property
    def constraints(self) -> Constraints:
        """What programs must be like. Trees of classes, which A* grows, may be large."""
        language = self.language
        said = language.rules is not None or language.max_depth is not None
        if language.trees and not said and isinstance(self.algorithm, AStar):
            return replace(language.constraints, max_depth=_TREE_RULES)
        return language.constraints

    @property
    def algorithm(self) -> Algorithm:
        """The search; a network that is all there is has its size and steps from the training."""
        search, training = read_search(self.search.search), self.training
        if not isinstance(search, RNN):
            return search
        given: dict[str, Any] = {
            "steps": training.neural_steps,
            "units": None if training.units is None else training.units[0],
        }
        return replace(search, **{name: each for name, each in given.items() if each is not None})
# fmt: on
