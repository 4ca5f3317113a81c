"""`Model`: texts, predictions, explanations, exports, files, simpler models."""

from __future__ import annotations

import json
import tempfile
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from recorded.exact import digest, short
from recorded.material import other, rich_domain, sequences, signature, task
from recorded.registry import Parts, case, family
from recorded.said import said
from recorded.training import SEQUENCES, SUMMARIES, VECTORS

import nearstar as ns

TEXTS: dict[str, tuple[str, str]] = {
    **{f"vectors, {name}": ("vectors", text) for name, text in VECTORS.items()},
    **{f"sequences, {name}": ("sequences", text) for name, text in SUMMARIES.items()},
    **{f"frames, {name}": ("frames", text) for name, text in SEQUENCES.items()},
    "frames, windows": (
        "frames",
        "if SlidingWindowAverage4(Affine(x)) > 0 then mapprefix (fun p. CentredWindowMax5("
        "LeftAffine(p))) x else mapprefix (fun p. SlidingWindowMin3(Affine(p))) x",
    ),
    "frames, changes": ("frames", "mapprefix (fun p. CentredWindowChange7(LeftAffine(p))) x"),
}
COMPLETE = {name: each for name, each in TEXTS.items() if "??" not in each[1]}
EXPORTS = ("python", "onnx", "latex", "json")


@cache
def model_of(kind: str, text: str, classes: int = 2) -> ns.Model:
    """The program, trained a little; with offsets, which decide too."""
    domain = rich_domain(beta=2.0)
    data = task(kind, classes, 30, n=18)
    program = ns.parse(text, domain, signature(domain, kind, classes)).program
    budget = ns.Budget(2, 3, batch_size=6, units=ns.Units(6, 3))
    trained = ns.train(program, data, budget, seed=2)
    offsets = np.linspace(-0.2, 0.3, classes)
    return ns.Model.of(trained, domain, data.train.class_names, offsets=offsets)


# Using models


def used(kind: str, text: str) -> Parts:
    model, data = model_of(kind, text), other(kind)
    complete = ns.is_complete(model.program)
    parts: dict[str, Any] = {
        "text": model.text(3),
        "texts": [digest(model.text(each)) for each in (1, 2, 6, None)],
        "parameters": model.n_parameters,
        "scores": model.scores(data),
        "probabilities": model.probabilities(data),
        "predicted": model.predict(data),
    }
    if complete:
        parts |= {to: exported(model, to) for to in EXPORTS} | explained(model, data)
    return parts


def explained(model: ns.Model, data: ns.Sequences) -> dict[str, Any]:
    """The table of an explanation, and the listing of the program's parts."""
    table = model.explain(data)
    return {
        "explained": short(table.iloc[:, place].to_numpy() for place in range(table.shape[1])),
        "columns": short(table.columns),
        "listing": short([table.attrs["program"]]),
    }


def exported(model: ns.Model, to: str) -> str:
    """An export without the version of nearstar that wrote it."""
    content = model.export(to)
    plain = content.encode() if isinstance(content, str) else content
    plain = plain.replace(b"nearstar " + ns.__version__.encode(), b"nearstar VERSION")
    return f"{len(plain)} {digest(plain)}"


family(
    "model",
    used,
    TEXTS,
    quick=("vectors, min and max", "sequences, fold of an if", "frames, windows", "frames, hole"),
)


def python_export() -> Parts:
    """An export to read, and what it prints as a module."""
    model = model_of(*TEXTS["frames, map of an if"])
    text = str(model.export("latex"))
    return {"latex": text, "json": sorted(json.loads(str(model.export("json"))))}


case("model/exports to read", python_export)


def of_classes(kind: str, classes: int) -> Parts:
    """Models of three and five classes, with labels of their own and a format."""
    data = task(kind, classes, 31)
    domain = rich_domain()
    body = {"vectors": "{}", "sequences": "SlidingWindowMax3({})", "frames": "map (fun x. {}) x"}
    text = body[kind].format("if FarRightAffine(x) > 0 then LeftAffine(x) else add(const, const)")
    program = ns.parse(text, domain, signature(domain, kind, classes)).program
    trained = ns.train(program, data, ns.Budget(2, 3, batch_size=6), seed=2)
    format = ns.DataFormat(sequence="video", frame="t", label="does", window=4, hop=2)
    model = ns.Model.of(
        trained,
        domain,
        data.train.class_names,
        labels=tuple(range(10, 10 + classes)),
        format=format if kind != "vectors" else None,
        facts={"provenance": {"seed": 2}},
    )
    return {
        "evaluated": model.evaluate(data.valid).to_dict(model.class_names)["confusion"],
        "scores": model.scores(other(kind)),
        "outputs": model.outputs(other(kind)),
        "file": stored(model),
        **{to: exported(model, to) for to in EXPORTS},
        **explained(model, other(kind)),
    }


family(
    "model/classes",
    of_classes,
    {f"{k}, {c}": (k, c) for k in ("frames", "sequences", "vectors") for c in (3, 5)},
    quick=("frames, 3",),
)


# Files


def stored(model: ns.Model) -> str:
    """The bytes of a model's file, without the version that wrote it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.json"
        model.save(path)
        text = path.read_text("utf-8")
    text = text.replace(f'"nearstar": "{ns.__version__}"', '"nearstar": "VERSION"')
    return f"{len(text)} {digest(text)}"


def round_trip(kind: str, text: str) -> Parts:
    model = model_of(kind, text)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.json"
        model.save(path)
        again = ns.Model.load(path)
    data = other(kind)
    return {
        "file": stored(model),
        "same": stored(model) == stored(again) and model.text(None) == again.text(None),
        "scores": again.scores(data),
        "theta": again.theta,
        "domain": short([again.domain.to_dict()]),
    }


_STORED = ("frames, windows", "frames, holes in an if", "sequences, lifted functions")
family(
    "model/file",
    round_trip,
    {name: TEXTS[name] for name in (*_STORED, "vectors, mix and greater", "vectors, holes")},
    quick=("frames, windows",),
)


def damaged(changes: dict[str, Any]) -> Parts:
    """What is said of a file in which something is wrong."""
    model = model_of("frames", SEQUENCES["map"])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.json"
        model.save(path)
        content = {**json.loads(path.read_text("utf-8")), **changes}
        path.write_text(json.dumps({k: v for k, v in content.items() if v != "gone"}), "utf-8")
        problem = said(lambda: ns.Model.load(path))
    return {key: str(value).replace(folder, "DIR") for key, value in problem.items()}


family(
    "model/damaged",
    damaged,
    {
        "no program": ({"program": "gone"},),
        "no theta": ({"theta": "gone"},),
        "short theta": ({"theta": [1.0]},),
        "theta of texts": ({"theta": ["a"]},),
        "newer": ({"version": 1000},),
        "other format": ({"format": "other"},),
        "unreadable program": ({"program": "map (fun x. Afine(x)) x"},),
        "few classes": ({"classes": ["a"]},),
        "offsets": ({"offsets": [1.0]},),
        "scale": ({"scale": {"mean": [0.0], "std": [1.0]}},),
        "domain": ({"domain": {"name": "a"}},),
    },
)


def from_text() -> Parts:
    """A model without any training."""
    domain = rich_domain()
    text = (
        "map (fun t. if LeftAffine[1, 2; -.5](t) > 0 then const[1.25] else FRAffine[-3e-2; 1](t)) x"
    )
    model = ns.Model.from_text(text, domain, signature(domain, "frames", 1), ("no", "yes"))
    data = other("frames")
    bare = "map (fun t. LeftAffine(t)) x"
    one = signature(domain, "frames", 1)
    return {
        "text": model.text(None),
        "repr": repr(model),
        "scores": model.scores(data),
        "file": stored(model),
        "refused": said(lambda: ns.Model.from_text(bare, domain, one, ("no", "yes"))),
        "wrong data": said(lambda: model.predict(other("vectors"))),
        "wrong size": said(lambda: model.predict(other("frames", 3))),
        "no labels": said(lambda: model.evaluate(data)),
    }


case("model/from text", from_text, quick=True)


def rounded_texts() -> Parts:
    """Biases get the digits that they need beside features far from 0."""
    model = model_of("frames", SEQUENCES["map of all"])
    far = replace(model, scale=ns.Scale(np.full(4, 1e4), np.full(4, 1e-2)))
    return {str(digits): digest(model.text(digits) + far.text(digits)) for digits in range(1, 10)}


case("model/rounded texts", rounded_texts)


# Simpler and harder models


def simplified(kind: str, text: str, settings: dict[str, Any]) -> Parts:
    model, valid = model_of(kind, text), sequences(kind, 2, 32, n=30)
    found = ns.simplify(model, valid, **settings)
    return {
        "text": found.model.text(None),
        "theta": found.model.theta,
        "weights": [found.weights_before, found.weights_after, found.digits],
        "f1": [found.before.f1, found.after.f1],
        "file": stored(found.model),
    }


_IF = TEXTS["frames, if of sequences"]
family(
    "model/simplified",
    simplified,
    {
        "frames": (*_IF, {}),
        "frames, loss": (*_IF, {"loss": 0.05}),
        "frames, digits": (*_IF, {"loss": 0.3, "digits": 1}),
        "sequences": (*TEXTS["sequences, if of summaries"], {"loss": 0.02}),
        "fold": (*TEXTS["sequences, fold of a group"], {}),
        "vectors": (*TEXTS["vectors, arithmetic"], {"loss": 0.1}),
        "vectors, function": (*TEXTS["vectors, mix and greater"], {}),
    },
    quick=("frames, loss",),
)


def hardened(kind: str, text: str, beta: float | None) -> Parts:
    model, valid = model_of(kind, text), sequences(kind, 2, 33, n=30)
    found = ns.harden(model, valid, beta)
    simple = ns.simplify(found.model, valid, loss=0.05)
    return {
        "beta": found.beta,
        "f1": [found.before.f1, found.after.f1, simple.after.f1],
        "scores": found.model.scores(valid),
        "file": stored(found.model),
        "simplified": simple.model.text(None),
        "said": str(found),
    }


family(
    "model/hardened",
    hardened,
    {
        "frames": (*_IF, None),
        "frames, β 20": (*_IF, 20.0),
        "sequences": (*TEXTS["sequences, if of summaries"], None),
        "vectors": (*TEXTS["vectors, if in if"], None),
    },
    quick=("vectors",),
)


def tables() -> Parts:
    """A table and a file, read as a model says, in windows and with derived features."""
    table = ns.tracking_table(4, 5)
    domain = ns.Domain.of_features(
        ["mouse1_nose_x", "mouse1_nose_y"],
        derived=["gap = distance(mouse1_body, mouse2_body)", "speed(mouse1_nose)"],
    )
    format = ns.DataFormat(
        sequence="video", frame="frame", label="behavior", per="frame", window=20, hop=10
    )
    text = "map (fun t. GapAffine[-1; 8](t)) x"
    one = domain.signature(1, per_frame=True)
    model = ns.Model.from_text(text, domain, one, ("other", "sniff"), format=format)
    read = model.read(table, labelled=True)
    return {
        "groups": {group.name: list(group.columns) for group in domain.groups},
        "data": read.sequences.fingerprint(),
        "scores": model.scores(read.sequences),
        "metrics": model.evaluate(read.sequences).f1,
        "explained": explained(model, read.sequences),
        "python": exported(model, "python"),
        "file": stored(model),
    }


case("model/tables", tables, quick=True)
