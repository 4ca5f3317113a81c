"""A program with fewer terms that was trained on without the others."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from nearstar.data.sequences import Sequences
from nearstar.language.shortening import as_printed
from nearstar.model.model import Model
from nearstar.model.reduced import reduced
from nearstar.model.simplify.judging import judging
from nearstar.training.budget import Budget
from nearstar.training.task import Task
from nearstar.training.train import train_on


def with_fewer_terms(
    model: Model, train: Sequences, valid: Sequences, least: NDArray[np.float64]
) -> Model:
    """The model with the fewest terms of those that have at least these scores, on all of the
    validation data and in each part; itself, if it has none to give up."""
    task = Task(model.fitting(train), model.fitting(valid))
    loss = {"loss": "f1"} if task.train.n_classes == 2 else {}
    budget = Budget.for_size(len(train), **loss)
    found = train_on(model.program, model.theta, model.domain.features, task, budget)
    for each in reversed(found[1:]):
        theta = as_printed(each.program, each.theta) if model.prints_as_is else each.theta
        fewer = replace(model, program=each.program, theta=theta)
        if (judging(fewer, valid)(fewer.theta) >= least).all():
            return _with_its_features(fewer, train, valid)
    return model


def _with_its_features(model: Model, train: Sequences, valid: Sequences) -> Model:
    """The model with no other features than it reads, where leaves choose them."""
    if not model.domain.chooses_terms:
        return model
    model = reduced(model)
    source = dict(model.facts.get("provenance", {}))
    if "fingerprints" in source:
        seen = {"train": model.fingerprint_of(train), "valid": model.fingerprint_of(valid)}
        source["fingerprints"] = seen
    return replace(model, facts={**model.facts, "provenance": source})
