"""One function for all formats."""

from __future__ import annotations

import json

import numpy as np
import pytest
from model.export.cases import every_construct

from nearstar import Domain, Hole, Model, NearstarError, Scale, Units
from nearstar.language.parameters import layout
from nearstar.model.export import FORMATS, export
from nearstar.training.starting import initial


def test_every_format_is_made_the_same_way_twice() -> None:
    for case in every_construct()[::10]:
        for to in FORMATS:
            assert export(case.model, to) == export(case.model, to)


def test_an_unknown_format() -> None:
    model = every_construct()[0].model
    with pytest.raises(NearstarError, match=r"cannot export to 'pyton'; did you mean 'python'\?"):
        export(model, "pyton")
    with pytest.raises(NearstarError, match="here are python, onnx, latex, json"):
        export(model, "zzz")


@pytest.mark.parametrize("to", FORMATS)
def test_programs_with_holes_are_refused(to: str) -> None:
    domain, units = Domain.of_size(2), Units(2, 2)
    hole = Hole(domain.signature(1, per_frame=True))
    theta = initial(layout(hole, units), 0).astype(np.float64)
    model = Model(hole, theta, domain, ("a", "b"), Scale.identity(2), units)
    with pytest.raises(NearstarError, match=r"has holes.* fill them in first"):
        export(model, to)


def test_json_is_json_and_python_is_text() -> None:
    model = every_construct()[0].model
    kinds = {to: type(export(model, to)) for to in FORMATS}
    assert kinds == {"python": str, "onnx": bytes, "latex": str, "json": str}
    assert json.loads(export(model, "json"))["format"] == "nearstar-program-1"
