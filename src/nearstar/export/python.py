"""A model as a Python module that needs only NumPy, written to be read."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable

from nearstar.explain.nodes import nodes_of
from nearstar.export.python_body import Body
from nearstar.export.python_helpers import HELPERS
from nearstar.export.python_literals import listed, quoted
from nearstar.model import Model

_WIDTH = 96


def to_python(model: Model) -> str:
    """The source of a module that predicts as the model does, and runs on a CSV file."""
    body = Body(nodes_of(model), model.domain.features)
    scores = _scores(model, body)
    parts = [*body.definitions, scores, _probabilities(model), _predict(model), _MAIN]
    return "\n".join(
        [
            _docstring(model),
            "",
            "import csv",
            "import sys",
            "",
            "import numpy as np",
            "",
            *_names(model),
            *_learned(body.constants),
            *(f"\n\n{part}" for part in (*_needed(parts), *parts)),
            "",
            "",
            'if __name__ == "__main__":',
            "    main()",
            "",
        ]
    )


def _docstring(model: Model) -> str:
    """The module's docstring: whatever stands in names, it cannot end it."""
    signature, n = model.program.signature, len(model.domain.features)
    labels = ", ".join(map(repr, model.labels))
    if signature.maps_vectors:
        takes = f"an array with a row for each example and {n} columns"
        gives = "each example"
    else:
        takes = f"an array with a row for each frame of one sequence and {n} columns"
        gives = "each frame" if signature.maps_sequences else "the sequence"
    paragraphs = [
        f"Tells {labels} apart, by a program that nearstar {_version()} learned:",
        _wrapped(model.text(), "    "),
        _wrapped(
            f"x is {takes}, which are FEATURES in this order. "
            f"predict(x) gives a label for {gives}, probabilities(x) the probability of each "
            "class, scores(x) the program's own outputs. "
            "As a script it prints the labels for a CSV file that has the features among its "
            "columns. Needs only NumPy."
        ),
    ]
    if model.domain.derived:
        made = (f"    {quoted(name)}: {quoted(how)}" for name, how in model.domain.derived.items())
        paragraphs.append("\n".join(["Features made from others before they come here:", *made]))
    text = "\n\n".join(paragraphs).replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    return f'"""{text}\n"""'


def _version() -> str:
    from nearstar import __version__  # known once the package is there

    return __version__


def _names(model: Model) -> Iterable[str]:
    yield f"CLASSES = {listed([quoted(label) for label in model.labels])}"
    yield f"FEATURES = {listed([quoted(name) for name in model.domain.features])}"
    yield "COLUMN = {name: column for column, name in enumerate(FEATURES)}"
    if model.offsets is not None:
        yield ""
        yield "# Added to the scores before a class is decided on."
        yield f"OFFSETS = np.array({model.offsets.tolist()})"


def _learned(constants: list[str]) -> list[str]:
    about = "# What was learned: for each output, weights of features and a bias."
    return ["", about, *constants] if constants else []


def _wrapped(text: str, indent: str = "") -> str:
    return textwrap.fill(
        text,
        _WIDTH,
        initial_indent=indent,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _scores(model: Model, body: Body) -> str:
    signature = model.program.signature
    one = signature.output.size == 1
    about = "One score, above 0 for the second class" if one else "A score for each class"
    rows = "" if signature.summarises else "; a row for each row of x"
    lines = ["def scores(x):", f'    """{about}{rows}."""', "    x = checked(x)"]
    lines += [f"    {line}" for line in body.scores(model.program.signature)]
    return "\n".join(lines)


def _probabilities(model: Model) -> str:
    offsets = "" if model.offsets is None else " + OFFSETS"
    head = 'def probabilities(x):\n    """The probability of each class, in their order."""\n'
    if model.program.signature.output.size == 1:
        return head + (
            f"    second = sigmoid(scores(x){offsets})\n"
            "    return np.concatenate([1 - second, second], axis=-1)"
        )
    return head + (
        f"    logits = scores(x){offsets}\n"
        "    powers = np.exp(logits - logits.max(axis=-1, keepdims=True))\n"
        "    return powers / powers.sum(axis=-1, keepdims=True)"
    )


def _predict(model: Model) -> str:
    offsets = "" if model.offsets is None else " + OFFSETS"
    signature = model.program.signature
    about = "The label of the sequence." if signature.summarises else "A label for each row of x."
    if signature.output.size == 1:
        codes = f"(scores(x)[..., 0]{offsets and ' + OFFSETS[0]'} > 0).astype(int)"
    else:
        codes = f"np.argmax(scores(x){offsets}, axis=-1)"
    # NumPy would turn labels of several kinds into texts.
    kinds = {type(label) for label in model.labels}
    labels = "np.array(CLASSES)" if len(kinds) == 1 else "np.array(CLASSES, dtype=object)"
    return f'def predict(x):\n    """{about}"""\n    codes = {codes}\n    return {labels}[codes]'


def _needed(parts: Iterable[str]) -> list[str]:
    """The helper functions that parts of the module call, or that those call, in order."""
    text, names = "\n".join(parts), set[str]()
    while new := {name for name in HELPERS if f"{name}(" in text and name not in names}:
        names |= new
        text = "\n".join([text, *(HELPERS[name] for name in new)])
    return [HELPERS[name] for name in HELPERS if name in names]


_MAIN = '''\
def main():
    """Print the labels for a CSV file with the features among its columns."""
    if len(sys.argv) != 2:
        sys.exit(f"usage: python {sys.argv[0]} FILE.csv")
    with open(sys.argv[1], newline="", encoding="utf-8-sig") as file:
        header = next(csv.reader(file), [])
        for name in FEATURES:
            if name not in header:
                sys.exit(f"{sys.argv[1]} has no column {name!r}")
        columns = [header.index(name) for name in FEATURES]
        x = np.loadtxt(file, delimiter=",", quotechar='"', comments=None, usecols=columns, ndmin=2)
    for label in np.atleast_1d(predict(x)):
        print(label)'''
