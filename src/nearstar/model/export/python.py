"""A model as a Python module that needs only NumPy, written to be read."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import TYPE_CHECKING

from nearstar.language.program import columns_read
from nearstar.model.explain.program_parts import parts_of
from nearstar.model.export.python_body import Body
from nearstar.model.export.python_expression import WIDTH, listed, quoted
from nearstar.model.export.python_features import features_function
from nearstar.model.export.python_helpers import HELPERS, feature_helpers, needed
from nearstar.model.export.python_main import main_functions, role_constants
from nearstar.util.version import __version__

if TYPE_CHECKING:
    from nearstar.model.model import Model


def to_python(model: Model) -> str:
    """The source of a module that predicts as the model does, and runs on a CSV file.

    It takes only those features that the program reads, where ONNX and JSON keep all of the
    domain, and it makes derived ones itself.
    """
    nodes = parts_of(model)
    read = [model.domain.features[column] for column in columns_read(model.program)]
    features = tuple(read) or model.domain.features  # all, if it reads none, to count rows
    reading = [features_function(model.domain, features), *main_functions(model)]
    reading_helpers = needed(feature_helpers(model), reading)
    body = Body(nodes, model.domain.features, taken=reading_helpers)
    scores = _scores(model, body)
    deciding = [*body.definitions, *scores, _probabilities(model), _predict(model)]
    deciding_helpers = needed(HELPERS, deciding)
    # The program comes first: it is what people look for.
    parts = [*deciding_helpers.values(), *deciding, *reading_helpers.values(), *reading]
    return "\n".join(
        [
            _docstring(model),
            "",
            "import csv",
            "import sys",
            "",
            "import numpy as np",
            "",
            *_names(model, features),
            *_learned(body.constants),
            *(f"\n\n{part}" for part in parts),
            "",
            "",
            'if __name__ == "__main__":',
            "    main()",
            "",
        ]
    )


def _docstring(model: Model) -> str:
    """The module's docstring: whatever stands in names, it cannot end it."""
    signature = model.program.signature
    labels = ", ".join(map(repr, model.labels))
    if signature.maps_vectors:
        rows, gives = "example", "each example"
    else:
        rows = "frame of one sequence"
        gives = "each frame" if signature.maps_sequences else "the sequence"
    paragraphs = [
        f"Tells {labels} apart, by a program that nearstar {__version__} learned:",
        _wrapped(model.text(), "    "),
        _wrapped(
            f"predict(x) gives a label for {gives}, probabilities(x) the probability of each "
            f"class, scores(x) the program's own outputs. x is an array with a row for each {rows} "
            "and a column for each of FEATURES, which the program reads; features(table) makes it "
            "from the columns of a table."
        ),
        _wrapped(
            "As a script it prints the labels for a CSV file whose first line names its columns. "
            "Needs only NumPy."
        ),
    ]
    text = "\n\n".join(paragraphs).replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    return f'"""{text}\n"""'


def _names(model: Model, features: tuple[str, ...]) -> Iterator[str]:
    yield f"CLASSES = {listed([quoted(label) for label in model.labels])}"
    yield f"FEATURES = {listed([quoted(name) for name in features])}"
    yield "COLUMN = {name: column for column, name in enumerate(FEATURES)}"
    yield ""
    yield from role_constants(model)
    if window := _window(model):
        yield "# Frames of a window, and from the start of one to that of the next."
        yield f"WINDOW, HOP = {window[0]}, {window[1]}"
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
        WIDTH,
        initial_indent=indent,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _scores(model: Model, body: Body) -> list[str]:
    signature = model.program.signature
    one = signature.output.size == 1
    about = "One score, above 0 for the second class" if one else "A score for each class"
    rows = "" if signature.summarises else "; a row for each row of x"
    lines = [f"    {line}" for line in body.scores()]
    if not _window(model):
        return ["\n".join(["def scores(x):", f'    """{about}{rows}."""', _CHECKED, *lines])]
    alone = "\n".join(["def window_scores(x):", f'    """{about}, in one window."""', *lines])
    mean = _MEAN_OF_WINDOWS if signature.summarises else _MEAN_OF_FRAMES
    return [alone, _WINDOW_STARTS, mean.format(about=about, outputs=signature.output.size)]


def _window(model: Model) -> tuple[int, int] | None:
    """Frames of a window and from one to the next, if the model sees windows."""
    format = model.format
    if format is None or format.window is None or model.program.signature.maps_vectors:
        return None
    return format.window, format.hop or format.window


_CHECKED = "    x = checked(x)"
_WINDOW_STARTS = '''\
def window_starts(n):
    """Where windows of n frames start; the last one ends with the sequence."""
    last = max(n - WINDOW, 0)
    return [*range(0, last, HOP), last]'''
_MEAN_OF_FRAMES = '''\
def scores(x):
    """{about}; a row for each row of x, the mean over the windows that it is in."""
    x = checked(x)
    total, windows = np.zeros((len(x), {outputs})), np.zeros((len(x), 1))
    for start in window_starts(len(x)):
        frames = slice(start, start + WINDOW)
        total[frames] += window_scores(x[frames])
        windows[frames] += 1
    return total / windows'''
_MEAN_OF_WINDOWS = '''\
def scores(x):
    """{about}, the mean over all windows."""
    x = checked(x)
    starts = window_starts(len(x))
    return np.mean([window_scores(x[start : start + WINDOW]) for start in starts], axis=0)'''


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
