"""One declaration of a setting is its flag, its key and the parameter of the estimator."""

from __future__ import annotations

import inspect
import re
from collections.abc import Sequence
from dataclasses import fields
from typing import Any

import pytest

import nearstar as ns
from nearstar.estimator import ProgramClassifier
from nearstar.fit.estimator_settings import USUAL, read_parameters
from nearstar.fit.options import changed, options_of, read_values
from nearstar.fit.settings import FitSettings
from nearstar.run import Limits
from nearstar.search import RNN

OWN = {"budget", "constraints", "warm_start", "layout"}
"""Parameters for which there is no flag."""


def test_parameters_are_those_that_settings_have() -> None:
    parameters = {each.name: each.default for each in fields(ProgramClassifier)}
    assert set(parameters) - set(USUAL) == OWN
    assert {name: USUAL[name] for name in parameters if name not in OWN} == {
        name: each for name, each in parameters.items() if name not in OWN
    }
    signature = inspect.signature(ProgramClassifier.__init__).parameters
    assert {name: each.default for name, each in signature.items() if name != "self"} == parameters


def test_the_docstring_says_the_same_defaults() -> None:
    text = inspect.getdoc(ProgramClassifier) or ""
    text = text.partition("Parameters\n")[2].partition("Attributes\n")[0]
    told = {
        name: default
        for names, default in re.findall(r"^(\w[\w, ]*) : .*default=(.*)$", text, re.MULTILINE)
        for name in names.split(", ")
    }
    assert told == {
        each.name: f'"{each.default}"' if isinstance(each.default, str) else str(each.default)
        for each in fields(ProgramClassifier)
    }


def test_parameters_become_settings() -> None:
    given = ProgramClassifier(
        **{"group": "animal", "groups": {"a": [0]}, "start": "??", "time_limit": 5, "n_jobs": 2},
        **{"tune_threshold": True, "constraints": ns.Constraints(forbid=("if",)), "max_depth": 4},
    )
    settings = read_parameters(given.get_params())
    assert settings.format.format() == ns.DataFormat(group="animal")
    assert (settings.language.group, settings.language.sketch) == ({"a": [0]}, "??")
    assert settings.language.constraints == ns.Constraints(forbid=("if",), max_depth=4)
    assert settings.search.limits == Limits(seconds=5)
    assert (settings.machines.workers, settings.training.threshold) == (2, "tuned")
    assert read_parameters(ProgramClassifier().get_params()).search.limits == Limits(trainings=1000)
    assert FitSettings().search.limits == Limits(seconds=60)


@pytest.mark.parametrize(
    ("validation", "share"),
    [("0.25", 0.25), (0.5, 0.5), (0, 0.0), (None, None), ("more.csv", None), ("1.csv", None)],
)
def test_the_share_for_validation(validation: Any, share: float | None) -> None:
    training = FitSettings().training
    assert type(training)(validation=validation).share == share


def test_a_network_alone_has_its_size_from_the_training() -> None:
    settings = read(search="rnn", units="7,5", neural_steps="24")
    assert settings.algorithm == RNN(units=7, steps=24)
    assert read(search="rnn").algorithm == RNN()


def read(**texts: str) -> FitSettings:
    return changed(FitSettings(), read_values(FitSettings, texts))


def test_names_are_used_once() -> None:
    def twice(names: Sequence[str]) -> set[str]:
        return {name for name in names if names.count(name) > 1}

    options = options_of(FitSettings)
    assert not twice([each.name for each in options])
    assert not twice([each.keyword or each.name for each in options])
