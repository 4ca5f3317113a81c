"""Running the trials of a study: on all cores, each in a folder of its own, to be gone on with."""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from nearstar.language.canonical import canonical
from nearstar.language.domain import Domain
from nearstar.language.program import Program, columns_read, is_complete
from nearstar.language.text import to_text
from nearstar.model.model import Model
from nearstar.reproduce.algorithms import BASELINES, CLASSIC, NEAR, algorithm, called, usual
from nearstar.reproduce.classic import classic_trial
from nearstar.reproduce.resampling import confusions_by_unit
from nearstar.reproduce.study import Trial
from nearstar.reproduce.tasks import Experiment
from nearstar.run import Finalists, Limits, final, learn
from nearstar.run.results.result import Result
from nearstar.run.trainer import compile_engine
from nearstar.search.astar import AStar
from nearstar.search.protocol import Algorithm
from nearstar.training.metrics import Metrics
from nearstar.util.errors import NearstarError
from nearstar.util.interrupt import Stop
from nearstar.util.whole_files import write_whole

TRIAL, MODEL = "trial.json", "model.json"
_LOOK_UP = 0.2
"""Seconds after which a pressed Ctrl-C is noticed at the latest."""


@dataclass(frozen=True)
class TrialKey:
    """Which trial of a study."""

    algorithm: str
    seed: int
    weight: float | None = None
    """λ, of the searches for the figure."""

    @property
    def folder(self) -> str:
        """The name of its folder."""
        further = "" if self.weight is None else f"-weight-{self.weight:g}"
        return f"{self.algorithm}-{self.seed}{further}"

    def __str__(self) -> str:
        further = "" if self.weight is None else f", λ = {self.weight:g}"
        return f"{called(self.algorithm)}, seed {self.seed}{further}"


@dataclass(frozen=True)
class Plan:
    """Which trials are made, and for how long."""

    algorithms: tuple[str, ...] | None = None
    """Their keys in `algorithms.ALL`. None: all, with the paper's settings all but ``astar-alone``,
    which is the same as ``astar`` there."""
    seeds: tuple[int, ...] = (0, 1, 2)
    seconds: float = 120.0
    """Processor time that each search of NEAR has for its trainings, at most; the baselines have
    as long as the longest of these took."""
    weights: tuple[float, ...] = (0.0, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
    """λ of the searches for the figure, which have half the time."""
    paper: bool = False
    finalists: int = 5
    """How many of the best programs of each search are trained again before one is chosen; the
    paper's settings have none."""

    @property
    def names(self) -> tuple[str, ...]:
        """The algorithms that are run."""
        return usual(self.paper) if self.algorithms is None else self.algorithms

    @property
    def finals(self) -> Finalists | None:
        """How they are trained again; None if none is."""
        return None if self.paper or not self.finalists else Finalists(self.finalists)

    @property
    def trials(self) -> list[TrialKey]:
        """All trials in the order in which they are begun: what others wait for comes first."""
        near = [name for name in NEAR if name in self.names]
        free = [name for name in self.names if name not in (*NEAR, *BASELINES)]
        baselines = [name for name in self.names if name in BASELINES]
        keys = [TrialKey(name, n) for names in (near, free) for n in self.seeds for name in names]
        if "astar" in near:
            keys += [TrialKey("astar", seed, each) for seed in self.seeds for each in self.weights]
        return keys + [TrialKey(name, seed) for seed in self.seeds for name in baselines]

    def needs(self, key: TrialKey) -> list[TrialKey]:
        """Trials that must be made before: what decides its time, or what it takes trainings of."""
        if key.weight is not None:
            return [TrialKey("astar", key.seed)]
        near = [name for name in NEAR if name in self.names]
        return [TrialKey(name, key.seed) for name in near] if key.algorithm in BASELINES else []


Told = Callable[[TrialKey, Trial], None]
"""Called, in the main thread, when a trial has ended or is found to have been made before."""


class Running:
    """The trials of a plan, made side by side; what was made before is not made again."""

    def __init__(self, experiment: Experiment, plan: Plan, folder: Path) -> None:
        self.experiment = experiment
        self.plan = plan
        self.folder = folder
        self._stop = Stop()
        self._common: dict[str, Any] = {
            "task": experiment.task(plan.paper),
            "domain": experiment.domain,
            "budget": experiment.budget(plan.paper),
            "workers": 1,
            "progress": False,
            "stop": self._stop,
        }
        """What all searches and finals are called with."""
        self._made: dict[TrialKey, Trial] = {}

    def run(self, workers: int, told: Told) -> dict[TrialKey, Trial]:
        """All trials. Ctrl-C ends it; what was trained is kept for the next time."""
        compile_engine()
        waiting = self.plan.trials
        under_way: dict[Future[Trial], TrialKey] = {}
        with ThreadPoolExecutor(workers) as pool:
            try:
                while waiting or under_way:
                    for key in self._ready(waiting)[: workers - len(under_way)]:
                        waiting.remove(key)
                        under_way[pool.submit(self._trial, key)] = key
                    # In short steps: an interrupt does not end a longer wait everywhere.
                    done, _ = wait(under_way, _LOOK_UP, FIRST_COMPLETED)
                    for future in done:
                        key = under_way.pop(future)
                        self._made[key] = future.result()
                        told(key, self._made[key])
            except BaseException:
                self._stop.set()
                raise
        return self._made

    def _ready(self, waiting: list[TrialKey]) -> list[TrialKey]:
        """Those whose needs have been made, in order."""
        return [key for key in waiting if all(e in self._made for e in self.plan.needs(key))]

    def _trial(self, key: TrialKey) -> Trial:
        path = self.folder / key.folder / TRIAL
        if path.is_file():
            return _read(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        if key.algorithm in CLASSIC:
            weights = self.experiment.kind.class_weights
            trial = classic_trial(key.algorithm, self.experiment, key.seed, weights)
        else:
            trial = self._search(key)
        write_whole(path, json.dumps(trial.to_dict(), ensure_ascii=False))
        return trial

    def _search(self, key: TrialKey) -> Trial:
        folder, needs = self.folder / key.folder, self.plan.needs(key)
        own = {**self._common, "seed": key.seed, "run": folder}
        result = learn(
            **own,
            algorithm=self._algorithm(key),
            limits=Limits() if key.algorithm == "rnn" else Limits(engine_seconds=self._time(key)),
            constraints=self.experiment.constraints,
            weight=1.0 if key.weight is None else key.weight,
            single=not self.plan.paper,
            # What A* has trained with λ = 1 need not be trained again with another.
            cache=[self.folder / need.folder for need in needs if key.weight is not None],
        )
        if self.plan.finals is not None:
            result = final(**own, result=result, finalists=self.plan.finals)
        if result.ended == "interrupted":
            raise KeyboardInterrupt
        trial, model = trial_of(key.algorithm, key.seed, result, self.experiment)
        if model is not None:
            model.save(folder / MODEL)
        return trial

    def _algorithm(self, key: TrialKey) -> Algorithm:
        domain, paper = self.experiment.domain, self.plan.paper
        if key.weight is not None:  # it ends when nothing left can be better
            return AStar.paper(domain) if paper else AStar()
        longer, n_sequences = self.experiment.kind.longer, len(self.experiment.train)
        return algorithm(key.algorithm, domain, n_sequences, longer=longer, paper=paper)

    def _time(self, key: TrialKey) -> float:
        """Processor seconds that a search has."""
        if key.weight is not None:
            return self.plan.seconds / 2
        took = (self._made[need].seconds for need in self.plan.needs(key))
        return max(took, default=self.plan.seconds)


def _read(path: Path) -> Trial:
    """A trial that was made before."""
    try:
        return Trial.from_dict(json.loads(path.read_text("utf-8")))
    except (ValueError, KeyError, TypeError) as problem:
        raise NearstarError(
            f"{path} is no trial that this nearstar wrote ({problem}); remove it to make it again"
        ) from None


def trial_of(
    algorithm: str, seed: int, result: Result, experiment: Experiment
) -> tuple[Trial, Model | None]:
    """The trial of a result, and the model that it found, if any."""
    audit = result.audit
    bests = [(each.engine_seconds, each.best) for each in result.trace if each.best is not None]
    known: dict[str, Any] = {
        "seconds": result.engine_seconds,
        "weight": result.evaluations[0].weight if result.evaluations else 1.0,
        "curve": tuple(
            point for i, point in enumerate(bests) if i == 0 or point[1] < bests[i - 1][1]
        ),
        "trained": result.trained,
        "ended": result.ended,
        "gap": result.gap,
        "epsilon": result.epsilon,
        "violations": None if audit is None else audit.violations,
        "correlation": None if audit is None else audit.correlation,
    }
    test, best = experiment.test, result.best
    n = test.n_classes
    if best is None:
        nothing = np.zeros((0, n, n), np.int64)
        return Trial(algorithm, seed, None, None, nothing, **known), None
    model = result.model(experiment.domain, experiment.train.class_names)
    predicted = model.predict(test)
    labels = np.asarray(test.labels, np.int64)
    program, evaluation = best.trained.program, best.evaluation
    if is_complete(program):
        grammar = experiment.domain.grammar(program.signature)
        known |= {
            "program": to_text(program),
            "learned": model.text(),
            "canonical": to_text(canonical(program, grammar)),
            "features": features_of(program, experiment.domain),
            "depth": program.size,
            "height": program.height,
            "structural_cost": evaluation.structural_cost,
            "path_cost": evaluation.path_cost,
        }
    by_unit = confusions_by_unit(labels, predicted, test, experiment.units)
    metrics = Metrics.from_codes(labels, predicted, n)
    return Trial(algorithm, seed, best.trained.metrics, metrics, by_unit, **known), model


def features_of(program: Program, domain: Domain) -> tuple[str, ...]:
    """The names of the features that a program reads, in the order of the columns."""
    return tuple(domain.features[column] for column in columns_read(program))
