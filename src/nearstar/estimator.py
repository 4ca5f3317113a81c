"""The scikit-learn face: a classifier that learns a program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from nearstar.data.conversion import unnamed
from nearstar.data.labels import Label
from nearstar.fit.choice import choose
from nearstar.fit.dataframes import explanation, front_table, history_table
from nearstar.fit.estimator_settings import USUAL, read_parameters, read_seed
from nearstar.fit.examples import ExampleReader, Examples
from nearstar.fit.fit import fit
from nearstar.fit.options import changed
from nearstar.fit.parts import divided
from nearstar.fit.prepare import prepare
from nearstar.fit.settings import FitSettings
from nearstar.fit.targets import accuracy
from nearstar.language.domain import Domain
from nearstar.language.program import Program
from nearstar.model.model import Model
from nearstar.run.results.history import History
from nearstar.run.store.journaled_run import identity_in
from nearstar.run.store.trainings import RunMemory
from nearstar.search.constraints import Constraints
from nearstar.search.protocol import Algorithm
from nearstar.training.budget import Budget
from nearstar.util.errors import DataError
from nearstar.util.whole_files import write_whole

if TYPE_CHECKING:
    import pandas as pd


@dataclass(kw_only=True, eq=False, repr=False)
class ProgramClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier of sequences, or of vectors, that learns a program which people can read.

    X is an array (sequences, frames, features); or a list of arrays (frames, features) of any
    lengths; or a table with a row for each frame, if ``sequence``, ``frame``, ``label`` or
    ``group`` name columns of it; or plain vectors (examples, features). y has one label a sequence,
    or one a frame; None, NaN and ``unlabelled`` mean that there is none. Of a table, y has an entry
    a row, or is left out where ``label`` names its column.

    Parameters
    ----------
    domain : Domain, name or path, default=None
        Names, groups and rules: a Domain, the name of a built-in one, or a TOML file. None: made
        from the names of the features.
    groups : mapping, default=None
        Groups of features, ``{"position": ["nose_*", 4]}``: columns by name, pattern or index.
    derive : list of str, default=()
        Features computed from tracked points, such as ``"distance(nose, tail)"`` (tables).
    bank : str, default=None
        What programs read: a few of all features and their statistics over windows, with hard ifs
        ("terms"), or features in groups, with smooth ifs ("none"). None: terms, without a domain or
        groups.
    causal : bool, default=False
        Whether these windows are of the past alone.
    trees : bool, default=False
        Whether leaves may name a class: lists and trees of ifs, over terms of a bank.
    price : float, default=None
        What each number to read costs, as structure does; None: .0015 with a bank, else what the
        domain says.
    search : str or search, default="astar"
        astar, idsbb, enumeration, montecarlo, mcts, genetic or rnn; or one with its settings.
    budget : Budget, default=None
        How each program is trained.
    weight : float, default=1.0
        λ, what structure costs against error; higher gives simpler programs.
    constraints : Constraints, default=None
        What programs may contain.
    max_depth : int, default=None
        Most rules in a program; None: that of the constraints. Where there are none either, 10; or
        64 for A* with trees of classes.
    numbers : int, default=None
        Most numbers to read in a program; None: that of the constraints.
    terms : int, default=None
        Most terms of a leaf that chooses them, as with a bank.
    start : str, Program or Model, default=None
        A sketch to complete, or a program to improve.
    class_weight : "balanced" or mapping, default=None
        What examples of each class weigh in training.
    loss : "cross-entropy" or "f1", default=None
        What training lowers: "f1" weighs two classes as the best F1 needs it. None: the budget's;
        without one, "f1" for two classes that have no weights.
    validation : float or (X, y), default=0.25
        What programs are compared on: a share of the sequences, or data of their own. 0: the
        training data.
    trainings : int, default=None
        Most programs to train. None: 1,000, unless there is a time limit.
    time_limit : float, default=None
        Most seconds to search.
    finalists : int, default=5
        So many of the best programs are trained again when the search has ended, for longer and
        more often, before one is chosen.
    n_jobs : int, default=-1
        Programs trained at a time; -1: one for each core. It does not change the result.
    random_state : int, RandomState or None, default=None
    warm_start : bool, default=False
        Whether fit goes on with the search of the last fit; raise ``trainings`` before.
    layout : str, default="auto"
        The axes of X: "frames_features" or "features_frames" for three dimensions, "series" for
        two that are (sequences, frames). "auto": frames_features, and vectors for two.
    unlabelled : list of labels, default=()
        Labels that mean none, such as -1.
    missing : "error" or "interpolate", default="error"
        What to do with missing values in X.
    sequence, frame, label, group : str, default=None
        Columns of a table: the sequence of each row, frame numbers, labels, and what must not
        stand both in training and in validation, such as the animal.
    per : "frame" or "sequence", default=None
        What a label of a table belongs to; None: decided by the table.
    features : list of str, default=()
        Columns of a table that are features, by name or pattern; empty: all numbers without a role.
    window, hop : int, default=None
        Cut sequences into windows of so many frames, each so many after the last (None: just
        touching); where they overlap, predictions are averaged. None: windows of 500 frames, if
        frames are labelled and sequences are longer than 1,000.
    tune_threshold : bool, default=False
        Whether to choose on the validation data how readily each class is predicted.
    verbose : bool, default=False
        Whether to show progress.

    Attributes
    ----------
    classes_ : array
        The labels, sorted, in the type of y.
    program_ : str
        The program with its parameters.
    programs_ : DataFrame
        The best program at every price, simplest first (by cost or, where numbers to read have a
        price, by these): cost, depth (rules applied), numbers to read, f1 and accuracy on the
        validation data, score (λ·cost + error), chosen, program.
    gap_ : float or None
        How far the best score of the search may be above the least possible one. It rests on the
        heuristic; ``result_.epsilon`` tells how much that overestimated. None if unknown.
    history_ : DataFrame
        How the search went.
    model_ : Model
        The chosen program as a model: prints, saves, evaluates.
    result_ : Result
        All that the search found.
    domain_ : Domain
    n_features_in_ : int
    feature_names_in_ : array
        If the data have names.
    """

    domain: Domain | str | Path | None = USUAL["domain"]
    groups: Mapping[str, Any] | None = USUAL["groups"]
    derive: Sequence[str] = USUAL["derive"]
    bank: str | None = USUAL["bank"]
    causal: bool = USUAL["causal"]
    trees: bool = USUAL["trees"]
    price: float | None = USUAL["price"]
    search: str | Algorithm = USUAL["search"]
    budget: Budget | None = None
    weight: float = USUAL["weight"]
    constraints: Constraints | None = None
    max_depth: int | None = USUAL["max_depth"]
    numbers: int | None = USUAL["numbers"]
    terms: int | None = USUAL["terms"]
    start: str | Program | Model | None = USUAL["start"]
    class_weight: str | Mapping[Any, float] | None = USUAL["class_weight"]
    loss: str | None = USUAL["loss"]
    validation: float | tuple[Any, Any] = USUAL["validation"]
    trainings: int | None = USUAL["trainings"]
    time_limit: float | None = USUAL["time_limit"]
    finalists: int = USUAL["finalists"]
    n_jobs: int | None = USUAL["n_jobs"]
    random_state: int | np.random.RandomState | None = USUAL["random_state"]
    warm_start: bool = False
    layout: str = "auto"
    unlabelled: Sequence[Label] = USUAL["unlabelled"]
    missing: str = USUAL["missing"]
    sequence: str | None = USUAL["sequence"]
    frame: str | None = USUAL["frame"]
    label: str | None = USUAL["label"]
    group: str | None = USUAL["group"]
    per: str | None = USUAL["per"]
    features: Sequence[str] = USUAL["features"]
    window: int | None = USUAL["window"]
    hop: int | None = USUAL["hop"]
    tune_threshold: bool = USUAL["tune_threshold"]
    verbose: bool = USUAL["verbose"]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.three_d_array = True
        return tags

    # Learning

    def fit(
        self,
        X: Any,
        y: Any = None,
        groups: Any = None,
        *,
        run: str | Path | None = None,
        cache: Sequence[str | Path] = (),
        workers: Executor | None = None,
        cluster: Any = None,
    ) -> ProgramClassifier:
        """Search for a program.

        ``groups`` names what each sequence belongs to (of a table: each row), such as an animal:
        none stands both in training and in validation.

        ``run`` is a folder for a journal of the search: the same fit with the same folder goes on
        where the last one stopped, however that was. ``cache`` names folders of other runs, whose
        trainings are used again. ``workers`` is an executor, and ``cluster`` a Dask cluster, to
        train on instead of ``n_jobs`` threads. For all of these see `learn`.
        """
        settings = read_parameters(self.get_params(deep=False))
        settings.check()
        first = self._new_reader(settings)
        examples = first.read_first(self, X, y, groups)
        reader = first.after(examples)
        parts = {"train": examples.recordings}
        if isinstance(self.validation, tuple | list):
            valid = reader.read(self, *self.validation, classes=examples.classes)
            parts["valid"] = valid.recordings
        remembered = self._memory()
        in_memory = None if remembered is None else remembered.identity
        begun = in_memory if run is None else identity_in(run)
        seed = read_seed(self.random_state, None if begun is None else begun.seed)
        machines = {"workers": workers or settings.machines.workers, "cluster": cluster}
        settings = changed(settings, {"seed": seed, "cache": cache, **machines})
        prepared = prepare(settings, divided(parts, settings))
        self._remembered = remembered
        fitted = fit(prepared, run=remembered if run is None else run, progress=self.verbose)
        assert fitted.result is not None
        self._reader = reader
        self._models = fitted.models
        self.classes_ = np.asarray(examples.classes)
        swapped = prepared.labels != examples.recordings.labels
        self._order = slice(None, None, -1 if swapped else 1)  # of classes by code, and back
        self.domain_ = prepared.domain
        self.result_ = fitted.result
        self.gap_ = fitted.result.gap
        self.history_ = history_table(fitted.result)
        return self.select()

    def select(
        self,
        index: int | None = None,
        *,
        max_cost: float | None = None,
        max_depth: int | None = None,
        within: float | None = None,
    ) -> ProgramClassifier:
        """Predict with another program of ``programs_`` from now on.

        By its index; or the one of least score among those with at most such a cost and depth; or,
        with ``within``, the simplest of them whose error is at most so much above their least:
        ``within=0.02`` gives up two points of F1 for a simpler program. Without arguments: the one
        of least score.
        """
        check_is_fitted(self, "result_")
        front = self.result_.front
        chosen = choose(front, index, max_cost=max_cost, max_depth=max_depth, within=within)
        self.model_ = self._models[chosen]
        self.program_ = self.model_.text()
        self.programs_ = front_table(self._models, chosen)
        return self

    # Using what was learned

    def predict(self, X: Any) -> Any:
        """A label for each sequence or each frame, as y was; of a table, for each row."""
        examples = self._read(X)
        codes = self.model_.predict(examples.sequences)
        return self._answer(examples, self.classes_[self._order][codes])

    def predict_proba(self, X: Any) -> Any:
        """The probability of each class, in the last axis."""
        examples = self._read(X)
        probabilities = self.model_.probabilities(examples.sequences)
        return self._answer(examples, probabilities[:, self._order])

    def decision_function(self, X: Any) -> Any:
        """Scores of the classes, in the last axis; of two classes only the log-odds of the second.

        The class of the largest score is predicted; of two, the second if its is above 0.
        """
        examples = self._read(X)
        scores = self.model_.scores(examples.sequences)
        if scores.shape[1] == 1:
            return self._answer(examples, scores[:, 0] * self._order.step)
        return self._answer(examples, scores[:, self._order])

    def score(self, X: Any, y: Any = None) -> float:
        """Accuracy on all that is labelled; of a table, counted in rows."""
        predicted = self.predict(X)
        labels = self._reader.labels_in(X) if y is None else y
        if labels is None:
            raise DataError("to score, give the labels as y")
        return accuracy(labels, predicted, self.unlabelled)

    def explain(self, X: Any) -> pd.DataFrame:
        """Why each frame is called what it is: the value of every part of the program.

        See `nearstar.explain`. Of a table, with its sequences and frame numbers, sorted by these,
        and with its index.
        """
        examples = self._read(X)
        return explanation(self.model_, examples, X.index if examples.form == "table" else None)

    def report(self, path: str | Path, X: Any = None, y: Any = None) -> None:
        """Write what was learned as a page to read in a browser: one HTML file.

        It shows the program, its scores, the programs to choose from and the search; with X, and y
        or labels in X, also scores on these as test data, and some sequences over time.
        """
        from nearstar.report.html_page import render
        from nearstar.report.page_data import make_page

        check_is_fitted(self, "model_")
        parts = {} if X is None else {"test": self._read_test(X, y).recordings}
        page = make_page(
            self.model_,
            Path(path).stem,
            parts=parts,
            front=self._models,
            history=History.of(self.result_),
        )
        write_whole(path, render(page))

    def _read_test(self, X: Any, y: Any) -> Examples:
        if y is None and self._reader.labels_in(X) is None:
            return self._read(X)
        reader = replace(self._reader, format=replace(self._reader.format, group=None))
        return reader.read(self, X, y, classes=self.classes_[self._order])

    def _read(self, X: Any) -> Examples:
        check_is_fitted(self, "model_")
        return self._reader.read_unlabelled(self, X)

    def _answer(self, examples: Examples, values: NDArray[Any]) -> Any:
        return examples.restored(values, self.model_.program.signature.maps_sequences)

    def _memory(self) -> RunMemory | None:
        """What the last fit left to go on with, or a new memory for the next one."""
        if not self.warm_start:
            return None
        new = RunMemory("the search of the last fit", "set warm_start=False")
        return getattr(self, "_remembered", None) or new

    def _new_reader(self, settings: FitSettings) -> ExampleReader:
        """How X is read, before it was seen."""
        format = settings.format.format()
        domain, derived = settings.language.vocabulary()
        # A domain without real names takes the columns that there are, and so do explicit features.
        features = None if domain is None or format.features else domain.features
        features = None if features is None or unnamed(features) else features
        return ExampleReader(self.layout, format, features, derived)
