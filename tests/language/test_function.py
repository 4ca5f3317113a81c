"""Library functions: declared once, then tried, trained, printed, saved and loaded."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import USER_FUNCTIONS

import nearstar
from nearstar import (
    Apply,
    Budget,
    Domain,
    DomainError,
    Function,
    Model,
    Sequences,
    Task,
    exp,
    function,
    log,
    maximum,
    mix,
    parse,
    sqrt,
    tanh,
    to_text,
    train,
    two_animals,
)
from nearstar.data import Scale
from nearstar.engine.declaring import probe
from nearstar.engine.lowering import lower
from nearstar.language.expression import MAX_HEIGHT, Expression, from_data, to_data
from nearstar.language.function import record
from nearstar.language.operators import BUILT_IN, Constant, If, if_then_else
from nearstar.language.operators.functions import Sum
from nearstar.language.types import Signature, Vector

# In use


def closing_speed(x: Any, a: Expression) -> Expression:
    return a * maximum(-x["distance_change"], 0) / (1 + x[4] ** 2)


def gap(a: Expression, b: Expression) -> Expression:
    return sqrt((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2)


def test_a_declared_function_is_a_rule_like_any_other(tmp_path: Path) -> None:
    speed = function("closing_speed", takes=("out",), prints="closing {0} at {x}")(closing_speed)
    distance = function("gap", takes=(2, 2), gives=1, cost=0.5)(gap)
    domain = Domain.built_in("crim13").with_functions(speed, distance)
    data = two_animals(20, length=(20, 30))
    task = Task(data)
    grammar = domain.grammar(task.signature())
    text = (
        "map (fun x_t. add(closing DistanceAffine(x_t) at x_t, "
        "gap(PositionAffine(x_t), VelocityAffine(x_t)))) x"
    )
    program = parse(text, domain, task.signature()).program
    assert to_text(program) == text and program in grammar
    assert grammar.cost(program) == pytest.approx(0.01 + 0.02 + 0.01 + 0.5)

    trained = train(program, task, Budget(symbolic_steps=40))
    assert not trained.diverged and trained.losses[-1] < trained.losses[0]
    model = Model.of(trained, domain, data.class_names)
    again = parse(model.text(digits=None), domain, task.signature())
    assert again.program == program and again.theta.tobytes() == trained.theta.tobytes()

    # A fresh process has the file alone; what the functions mean comes with it.
    model.save(tmp_path / "model.json")
    np.save(tmp_path / "frames.npy", data.frames)
    script = (
        "import sys, numpy as np, nearstar\n"
        "model = nearstar.Model.load('model.json')\n"
        "frames = np.load('frames.npy')\n"
        "data = nearstar.Sequences.from_arrays([frames])\n"
        "np.save('outputs.npy', model.outputs(data))\n"
        "print(model.text())\n"
    )
    # It knows nearstar, wherever that is, and none of the tests.
    environment = {**os.environ, "PYTHONPATH": str(Path(nearstar.__file__).parents[1])}
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=tmp_path,
        env={**environment, "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == model.text() + "\n"
    outputs = model.outputs(Sequences.from_arrays([data.frames]))
    assert np.load(tmp_path / "outputs.npy").tobytes() == outputs.tobytes()


@pytest.mark.parametrize(
    "each",
    [*BUILT_IN, if_then_else(1.0), if_then_else(50.0), *USER_FUNCTIONS],
    ids=lambda each: each.name,
)
def test_functions_that_pass(each: Function) -> None:
    probe(each)
    stored = Function.from_dict(json.loads(json.dumps(each.to_dict())))
    assert stored.to_dict() == each.to_dict()
    assert stored == each or isinstance(each, Sum | If)  # which are more than what is stored


def test_guards_and_saturation_pass() -> None:
    for meaning in (
        lambda a: log(maximum(a, 1e-6)),
        lambda a: 1 / (abs(a) + 1e-6),
        lambda a: exp(a),
        lambda a: sqrt(a),
        lambda a: mix(a > 0, a, -a),
        lambda x: x["speed"] / (1 + x[3] ** 2),
    ):
        takes = () if "x" in meaning.__code__.co_varnames else ("out",)
        assert function("f", takes=takes)(meaning).name == "f"


# Refused


OUT, PAIR = ("out",), ("out", "out")
REFUSED: dict[str, tuple[Any, dict[str, Any], str]] = {
    "log": (lambda a: log(a), {}, r"f has a value that is not finite at arguments \[.*guard it"),
    "division by zero": (lambda a: 1 / a, {}, "a value that is not finite at arguments .0.0, 0.0"),
    "division by 0": (lambda a: a / 0, {}, "a value that is not finite"),
    "overflow": (lambda a: a**16, {}, "a value that is not finite"),
    "gradient": (lambda a: tanh(1 / a), {}, "a gradient that is not finite"),
    "features": (
        lambda x: x["speed"] / x[1],
        {"takes": (), "gives": 1},
        "at these features, features {.*'column 1': .*'speed': .*}; guard",
    ),
    "if": (lambda a: a if a > 0 else -a, {}, r"Python's if.*write mix\(a > b"),
    "and": (lambda a: a and 1, {}, "Python's if, and, or"),
    "==": (lambda a: a if a == 0 else -a, {}, "== and != cannot look at its values"),
    "!=": (lambda a: a * 2 if a != 1.5 else a, {}, "== and != cannot look at its values"),
    "a number": (lambda a: 3.0, {}, "f must return an expression, not 3.0"),
    "nothing": (lambda a: None, {}, "f must return an expression, not None"),
    "a list": (lambda a: [a, a], {"takes": (1,), "gives": 2}, "f must return an expression"),
    "a string": (lambda a: a + "1", {}, "expected an expression or a number, not '1'"),
    "a truth": (lambda a: a + True, {}, "expected an expression or a number, not True"),
    "infinity": (lambda a: a * float("inf"), {}, "0 or from 1e-38 to 3e38, not inf"),
    "a huge number": (lambda a: a * 10**400, {}, "0 or from 1e-38 to 3e38"),
    "a tiny number": (lambda a: a / 1e-300, {}, "0 or from 1e-38 to 3e38, not 1e-300"),
    "power": (lambda a: a**0.5, {}, "whole numbers from 1 to 16, not 0.5"),
    "sizes": (lambda a, b: a + b, {"takes": (2, 3), "gives": 2}, "add of sizes 2, 3"),
    "out and 2": (lambda a, b: a * b, {"takes": ("out", 2)}, "multiply of sizes out, 2"),
    "result": (
        lambda a: a,
        {"takes": (2,), "gives": 3},
        "returns size 2, but is declared to give 3",
    ),
    "result of out": (lambda a: a, {"gives": 2}, "returns size out, but is declared to give 2"),
    "component": (lambda a: a[2], {"takes": (2,), "gives": 1}, "no component 2 .* of size 2"),
    "slice": (lambda a: a[0:1], {"takes": (2,), "gives": 1}, "no component slice"),
    "component of out": (lambda a: a[0], {}, "no component 0 in an expression of size out"),
    "components of out": (lambda a: sum(a), {}, "no fixed number of components"),
    "size 0": (lambda a: a, {"takes": (0,)}, "whole number from 1 or 'out', not 0"),
    "size in": (lambda a: a[0], {"takes": ("in",)}, "whole number from 1 or 'out', not 'in'"),
    "size True": (lambda a: a, {"gives": True}, "whole number from 1 or 'out', not True"),
    "no list of sizes": (lambda a: a, {"takes": 1}, r"takes is a list of sizes, such as \(1"),
    "too few": (lambda a: a, {"takes": PAIR}, "take 2 arguments, but its Python function cannot"),
    "x": (lambda x, y: y, {"takes": PAIR}, "a first parameter named x is the input"),
    "feature -1": (lambda x: x[-1], {"takes": (), "gives": 1}, "count from 0: -1"),
    "feature 1.5": (lambda x: x[1.5], {"takes": (), "gives": 1}, "an index or a name, not 1.5"),
    "name": (lambda a: a, {"name": "a b"}, "letters, digits and _, not 'a b'"),
    "no name": (lambda a: a, {"name": ""}, "letters, digits and _, not ''"),
    "keyword": (lambda a: a, {"name": "map"}, "'map' is a word of the language"),
    "cost": (lambda a: a, {"cost": -1}, "a cost is a number from 0, not -1"),
    "no cost": (lambda a: a, {"cost": "1"}, "a cost is a number from 0, not '1'"),
    "infinite cost": (lambda a: a, {"cost": float("inf")}, "a cost is a number from 0, not inf"),
    "template": (lambda a: a, {"prints": "f"}, "the places of its arguments"),
    "lifted": (lambda x, a: a * x[0], {"lifts": True}, "reads features, so it cannot stand"),
    "law": (
        lambda a, b: a + b,
        {"takes": PAIR, "laws": ("idempotent",)},
        "unknown law 'idempotent'",
    ),
    "law of one": (lambda a: a, {"laws": ("commutative",)}, "laws are for functions of two"),
    "law of three": (
        lambda a, b: a[0] + b[0],
        {"takes": (2, 2), "gives": 1, "laws": ("commutative",)},
        "laws are for functions of two arguments of the result's size",
    ),
    "not commutative": (
        lambda a, b: a - b,
        {"takes": PAIR, "laws": ("commutative",)},
        r"f is declared commutative, but gives \[",
    ),
    "not associative": (
        lambda a, b: (a + b) / 2,
        {"takes": PAIR, "laws": ("commutative", "associative")},
        "f is declared associative, but gives",
    ),
    "associative alone": (
        lambda a, b: a + b,
        {"takes": PAIR, "laws": ("associative",)},
        "an associative function must be commutative too",
    ),
}


@pytest.mark.parametrize(("meaning", "declared", "problem"), REFUSED.values(), ids=list(REFUSED))
def test_refused(meaning: Any, declared: dict[str, Any], problem: str) -> None:
    declared = {"name": "f", "takes": OUT, **declared}
    with pytest.raises(DomainError, match=problem):
        function(**declared)(meaning)


def test_expressions_that_would_explode() -> None:
    def doubled(a: Expression) -> Expression:
        for _ in range(60):
            a = (a + a)[0]
        return a

    with pytest.raises(DomainError, match="at most 2000 parts"):
        record(doubled, "f", takes=(1,), gives=1)

    def chained(a: Expression, times: int) -> Expression:
        for _ in range(times):
            a = abs(a)
        return a

    with pytest.raises(DomainError, match="at most 100 levels high"):
        record(lambda a: chained(a, MAX_HEIGHT), "f", takes=(1,), gives=1)
    # The highest that there may be can be run and stored.
    highest = function("f", takes=(1,), gives=1)(lambda a: chained(a, MAX_HEIGHT - 1))
    assert Function.from_dict(json.loads(json.dumps(highest.to_dict()))) == highest


# Stored


@pytest.mark.parametrize(
    "meaning",
    [
        ["feature", -1, 1, []],
        ["feature", True, 1, []],
        ["feature", 1.5, 1, []],
        ["argument", 2, "out", []],
        ["argument", -1, "out", []],
        ["argument", 0, 1, []],
        ["argument", 0, 3, []],
        ["literal", float("nan"), 1, []],
        ["literal", "1", 1, []],
        ["component", 0, 1, [["argument", 0, "out", []]]],
        ["component", 0, 1, []],
        ["add", None, "out", [["argument", 0, "out", []]]],
        ["sin", None, "out", [["argument", 0, "out", []]]],
        ["add", None, "out", 3],
        ["add"],
        [],
        None,
        "a + b",
    ],
    ids=str,
)
def test_stored_meanings_that_nothing_could_run(meaning: Any) -> None:
    stored = record(lambda a, b: a + b, "f", takes=("out", "out")).to_dict()
    with pytest.raises(DomainError):
        Function.from_dict({**stored, "meaning": meaning})


def test_stored_expressions_of_any_depth_are_refused_in_time() -> None:
    data: list[Any] = ["literal", 1.0, 1, []]
    for _ in range(100_000):
        data = ["absolute", None, 1, [data]]
    with pytest.raises(DomainError, match="levels high"):
        from_data(data)


def test_sizes_of_stored_expressions_are_worked_out_again() -> None:
    total = record(lambda a: a[0] + a[1] * 2, "f", takes=(2,), gives=1).meaning

    def wrong(data: list[Any]) -> list[Any]:
        kind, value, size, operands = data
        return [kind, value, size if kind == "argument" else 7, [wrong(each) for each in operands]]

    assert from_data(wrong(to_data(total))) == total


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-2, 4)
    | st.floats()
    | st.sampled_from(("out", "f", "add", "commutative", "argument", "feature", "", "{0}")),
    lambda inner: st.lists(inner, max_size=4),
    max_leaves=4,
)


@settings(max_examples=300)
@given(st.sampled_from((*BUILT_IN, *USER_FUNCTIONS)), st.data())
def test_damaged_functions_are_refused_or_work(each: Function, data: st.DataObject) -> None:
    stored = json.loads(json.dumps(each.to_dict()))
    at: Any = stored
    while True:  # walk down to some value and write another one there, or none
        key = data.draw(st.sampled_from(sorted(at) if isinstance(at, dict) else range(len(at))))
        if isinstance(at[key], list) and at[key] and data.draw(st.integers(0, 3)):
            at = at[key]
        else:
            break
    if data.draw(st.booleans()):
        del at[key]
    else:
        at[key] = data.draw(VALUES)
    try:
        found = Function.from_dict(stored)
    except DomainError:
        return
    assert Function.from_dict(found.to_dict()) == found
    bound = found.bind([f"x{index}" for index in range(10)])
    out = 2 if bound.gives == "out" else bound.gives
    signature = Signature(Vector(10), Vector(out))
    arguments = bound.arguments(signature)
    assert arguments is not None
    program = Apply(bound, signature, tuple(Apply(Constant(), each) for each in arguments))
    assert lower(program, Scale.identity(10)).n_features == 10


@pytest.mark.parametrize("stored", [None, 3, "f", [], {}])
def test_no_stored_function_at_all(stored: Any) -> None:
    with pytest.raises(DomainError, match=re.compile("stored function")):
        Function.from_dict(stored)
