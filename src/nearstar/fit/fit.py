"""The fit itself: search, or train one program, choose, and make models of the best."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from nearstar.fit.predictions import Predictions
from nearstar.fit.prepare import Prepared
from nearstar.language.numbers import numbers_of
from nearstar.model.model import Model
from nearstar.run.finals import Finalists, final
from nearstar.run.learn import learn
from nearstar.run.limits import Limits
from nearstar.run.results.models import model_of
from nearstar.run.results.result import Result
from nearstar.run.store.trainings import RunMemory
from nearstar.training.train import Trained, train
from nearstar.util.errors import NearstarError, Setting

_FINALS_SHARE, _MOST_FOR_FINALS = 0.1, 30.0
"""The share of the time that finals have, and the most seconds of it."""
_LEAST_TIME = 0.01
"""Seconds that a run has at least: a limit is above 0."""

Run = str | Path | RunMemory | None
"""The folder or the memory of a search, if it has one."""


class NoProgramError(NearstarError):
    """A search that ended before any complete program was trained."""

    def __init__(self, result: Result) -> None:
        super().__init__(result.summary())
        self.result = result


@dataclass(frozen=True, eq=False)
class Fitted:
    """What a fit gave: the best program at every price, and how the search went."""

    models: tuple[Model, ...]
    """Simplest first, with their scores and where they come from."""
    best: int
    """The place of the chosen one."""
    how: Mapping[str, Any]
    """Plain data: gap, bound, measured ε, how it ended, programs trained, seconds."""
    result: Result | None = None
    """All that the search found; None where one program was trained."""

    @property
    def model(self) -> Model:
        """That of the chosen program."""
        return self.models[self.best]


def fit(prepared: Prepared, *, run: Run = None, progress: bool | None = None) -> Fitted:
    """Search for programs, or train the one that was given.

    ``run`` is the folder or the memory of the search, ``progress`` whether it is shown; see
    `learn`.
    """
    if prepared.program is not None:
        given, seed = prepared.program, prepared.settings.search.seed
        trained = train(given.program, prepared.task, prepared.budget, seed, start=given.theta)
        trained = _with_its_terms(prepared, trained)
        how: dict[str, Any] = dict.fromkeys(("gap", "bound", "epsilon"))
        how |= {"ended": "finished", "trained": 1, "seconds": round(trained.seconds, 3)}
        return Fitted((_model(prepared, trained, how),), 0, how)
    result = _search(prepared, run, progress)
    assert result.best is not None
    how = _described(result)
    models = tuple(_model(prepared, each.trained, how) for each in result.front)
    programs = [each.evaluation.program for each in result.front]
    return Fitted(models, programs.index(result.best.evaluation.program), how, result)


def _with_its_terms(prepared: Prepared, trained: Trained) -> Trained:
    """The best of what came of a program by choosing terms; itself, if it has none to choose.

    Raises where all that came of it has too many numbers.
    """
    weight = prepared.settings.search.weight
    most = prepared.settings.constraints.numbers
    chosen = [
        each for each in trained.chosen if most is None or (numbers_of(each.program) or 0) <= most
    ]
    if trained.chosen and not chosen:
        fewest = min(numbers_of(each.program) or 0 for each in trained.chosen)
        raise NearstarError(
            Setting("numbers", most), f": the program was given; it has at least {fewest} numbers"
        )
    cost = prepared.domain.cost
    return min(chosen, key=lambda each: weight * cost(each.program) + each.error, default=trained)


def _search(prepared: Prepared, run: Run, progress: bool | None) -> Result:
    """A search, and finals of its best programs, both within the time there is."""
    settings = prepared.settings
    limits = settings.search.limits
    finals_need = _finals_need(limits) if settings.search.finalists else 0.0
    training: dict[str, Any] = {
        "seed": settings.search.seed,
        "budget": prepared.budget,
        "progress": progress,
        **settings.machines.hired,
    }
    result = learn(
        prepared.task,
        prepared.domain,
        settings.algorithm,
        limits=_shorter(limits, finals_need),
        constraints=settings.constraints,
        weight=settings.search.weight,
        start=settings.language.sketch,
        run=run,
        cache=settings.machines.cache,
        audit_samples=settings.search.audit,
        **training,
    )
    if result.best is None:
        raise NoProgramError(result)
    if not settings.search.finalists:
        return result
    folder = None if isinstance(run, RunMemory) else run
    finalists = Finalists(settings.search.finalists)
    training["limits"] = _shorter(Limits(seconds=limits.seconds), result.seconds)
    return final(prepared.task, prepared.domain, result, finalists, run=folder, **training)


def _finals_need(limits: Limits) -> float:
    """Seconds of the time there is that are kept for finals."""
    return min(_FINALS_SHARE * (limits.seconds or 0.0), _MOST_FOR_FINALS)


def _shorter(limits: Limits, seconds: float) -> Limits:
    """The limits with so many seconds less, if they limit time; a little is always left."""
    if limits.seconds is None:
        return limits
    return replace(limits, seconds=max(limits.seconds - seconds, _LEAST_TIME))


def _described(result: Result) -> dict[str, Any]:
    """How a search went, as plain data."""
    how = {
        "gap": result.gap,
        # Above all numbers where nothing is left to explore: then the best cost is the least.
        "bound": None if result.bound == math.inf else result.bound,
        "epsilon": result.epsilon,
        "ended": result.ended,
        "trained": result.trained,
        "seconds": round(result.seconds, 3),
    }
    return how if result.finals is None else {**how, "finalists": result.finals.trained}


def _model(prepared: Prepared, trained: Trained, how: Mapping[str, Any]) -> Model:
    """The model of a program, with its scores on the test data."""
    settings, search = prepared.settings, prepared.settings.search.search
    name = search if isinstance(search, str) else type(search).__name__
    model = model_of(
        trained,
        prepared.task,
        prepared.domain,
        prepared.labels,
        prepared.format,
        tuned=settings.training.threshold == "tuned",
        provenance={
            **({"data": Path(settings.data).name} if settings.data else {}),
            "search": name if prepared.program is None else None,
            "seed": settings.search.seed,
            "weight": settings.search.weight,
            # Not the time it took: the same settings and data give the same file.
            **{name: value for name, value in how.items() if name != "seconds"},
        },
    )
    if prepared.test is None:
        return model
    tested = Predictions(model, prepared.test, prepared.format).evaluate()
    metrics = {**model.facts["metrics"], "test": tested.to_dict(model.class_names)}
    return replace(model, facts={**model.facts, "metrics": metrics})
