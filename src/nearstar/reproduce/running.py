"""Running the trials of a study: on all cores, each in a folder of its own, to be gone on with."""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path

from nearstar.reproduce import classic
from nearstar.reproduce.algorithms import BASELINES, NAMES, NEAR, algorithm, for_weights
from nearstar.reproduce.tasks import Experiment
from nearstar.reproduce.trial import Trial
from nearstar.reproduce.trying import trial_of
from nearstar.run import Finalists, Limits, final, learn
from nearstar.run.results.result import Result
from nearstar.run.trainer import compile_engine
from nearstar.search.protocol import Algorithm
from nearstar.training.task import Task
from nearstar.training.train import Budget
from nearstar.util.errors import NearstarError
from nearstar.util.interrupt import Stop
from nearstar.util.whole_files import write_whole

TRIAL, MODEL = "trial.json", "model.json"
_LOOK_UP = 0.2
"""Seconds after which a pressed Ctrl-C is noticed at the latest."""


@dataclass(frozen=True)
class Plan:
    """Which trials are made, and for how long."""

    algorithms: tuple[str, ...] = (*NAMES, *classic.NAMES)
    seeds: tuple[int, ...] = (0, 1, 2)
    seconds: float = 120.0
    """Processor time that each search of NEAR has for its trainings, at most; the baselines have
    as long as the longer of the two took."""
    weights: tuple[float, ...] = (0.0, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
    """λ of the searches for the figure, which have half the time."""
    paper: bool = False
    finalists: int = 5
    """How many of the best programs of each search are trained again before one is chosen; the
    paper's settings have none."""

    @property
    def finals(self) -> Finalists | None:
        """How they are trained again; None if none is."""
        return None if self.paper or not self.finalists else Finalists(self.finalists)


@dataclass(frozen=True)
class Job:
    """One trial to be made."""

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
        name = {**NAMES, **classic.NAMES}[self.algorithm]
        further = "" if self.weight is None else f", λ = {self.weight:g}"
        return f"{name}, seed {self.seed}{further}"


def jobs_of(plan: Plan) -> list[Job]:
    """All trials in the order in which they are begun: what others wait for comes first."""
    names = plan.algorithms
    near = [name for name in NEAR if name in names]
    free = [name for name in names if name not in (*NEAR, *BASELINES)]
    baselines = [name for name in names if name in BASELINES]
    jobs = [Job(name, seed) for group in (near, free) for seed in plan.seeds for name in group]
    if "astar" in names:
        jobs += [Job("astar", seed, weight) for seed in plan.seeds for weight in plan.weights]
    return jobs + [Job(name, seed) for seed in plan.seeds for name in baselines]


Told = Callable[[Job, Trial], None]
"""Called, in the main thread, when a trial has ended or is found to have been made before."""


class Running:
    """The trials of a plan, made side by side; what was made before is not made again."""

    def __init__(self, experiment: Experiment, plan: Plan, folder: Path) -> None:
        self.experiment = experiment
        self.plan = plan
        self.folder = folder
        self._task: Task = experiment.task(plan.paper)
        self._budget: Budget = experiment.budget(plan.paper)
        self._stop = Stop()
        self._made: dict[Job, Trial] = {}

    def run(self, workers: int, told: Told) -> dict[Job, Trial]:
        """All trials by job. Ctrl-C ends it; what was trained is kept for the next time."""
        compile_engine()
        waiting = jobs_of(self.plan)
        under_way: dict[Future[Trial], Job] = {}
        with ThreadPoolExecutor(workers) as pool:
            try:
                while waiting or under_way:
                    for job in self._ready(waiting)[: workers - len(under_way)]:
                        waiting.remove(job)
                        under_way[pool.submit(self._trial, job)] = job
                    # In short steps: an interrupt does not end a longer wait everywhere.
                    done, _ = wait(under_way, _LOOK_UP, FIRST_COMPLETED)
                    for future in done:
                        job = under_way.pop(future)
                        self._made[job] = future.result()
                        told(job, self._made[job])
            except BaseException:
                self._stop.set()
                raise
        return self._made

    def _ready(self, waiting: list[Job]) -> list[Job]:
        """Those whose needs have been made, in order."""
        return [job for job in waiting if all(need in self._made for need in self._needs(job))]

    def _needs(self, job: Job) -> list[Job]:
        """Trials that must be made before: what decides its time, or what it takes trainings of."""
        if job.weight is not None:
            return [Job("astar", job.seed)]
        near = [name for name in NEAR if name in self.plan.algorithms]
        return [Job(name, job.seed) for name in near] if job.algorithm in BASELINES else []

    def _trial(self, job: Job) -> Trial:
        place = self.folder / job.folder / TRIAL
        if place.is_file():
            return _read(place)
        place.parent.mkdir(parents=True, exist_ok=True)
        trial = self._classic(job) if job.algorithm in classic.NAMES else self._search(job)
        write_whole(place, json.dumps(trial.to_dict(), ensure_ascii=False))
        return trial

    def _classic(self, job: Job) -> Trial:
        return classic.classic_trial(
            job.algorithm, self.experiment, job.seed, self.experiment.class_weights
        )

    def _search(self, job: Job) -> Trial:
        result = learn(
            self._task,
            self.experiment.domain,
            self._algorithm(job),
            seed=job.seed,
            budget=self._budget,
            limits=Limits() if job.algorithm == "rnn" else Limits(engine_seconds=self._time(job)),
            constraints=self.experiment.constraints,
            weight=1.0 if job.weight is None else job.weight,
            single=not self.plan.paper,
            workers=1,
            progress=False,
            run=self.folder / job.folder,
            # What A* has trained with λ = 1 need not be trained again with another.
            cache=[
                self.folder / need.folder for need in self._needs(job) if job.weight is not None
            ],
            stop=self._stop,
        )
        result = self._final(job, result)
        if result.ended == "interrupted":
            raise KeyboardInterrupt
        trial, model = trial_of(job.algorithm, job.seed, result, self.experiment)
        if model is not None:
            model.save(self.folder / job.folder / MODEL)
        return trial

    def _final(self, job: Job, result: Result) -> Result:
        if self.plan.finals is None:
            return result
        return final(
            self._task,
            self.experiment.domain,
            result,
            self.plan.finals,
            seed=job.seed,
            budget=self._budget,
            workers=1,
            progress=False,
            run=self.folder / job.folder,
            stop=self._stop,
        )

    def _algorithm(self, job: Job) -> Algorithm:
        domain, paper = self.experiment.domain, self.plan.paper
        if job.weight is not None:
            return for_weights(domain, paper=paper)
        return algorithm(job.algorithm, domain, longer=self.experiment.longer, paper=paper)

    def _time(self, job: Job) -> float:
        """Processor seconds that a search has."""
        if job.weight is not None:
            return self.plan.seconds / 2
        return max(
            (self._made[need].seconds for need in self._needs(job)), default=self.plan.seconds
        )


def _read(path: Path) -> Trial:
    """A trial that was made before."""
    try:
        return Trial.from_dict(json.loads(path.read_text("utf-8")))
    except (ValueError, KeyError, TypeError) as problem:
        raise NearstarError(
            f"{path} is no trial that this nearstar wrote ({problem}); remove it to make it again"
        ) from None
