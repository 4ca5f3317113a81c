"""The table that explains predictions, a row for each frame."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from nearstar.data.cutting import cut
from nearstar.data.sequences import Sequences
from nearstar.model.explain.listing import numbered
from nearstar.model.explain.program_parts import Array, Part, parts_of
from nearstar.model.explain.values import PartValue, values_of
from nearstar.training.decision import decide

if TYPE_CHECKING:
    import pandas as pd

    from nearstar.model.model import Model

_OWN = ("base", "accumulator")
"""Parts of an affine leaf's value that are not a feature's."""


def explain(model: Model, data: Sequences) -> pd.DataFrame:
    """Why the model predicts what it does: a row for each frame, a column for each part.

    ``sequence`` and ``frame`` say where the row is, ``prediction`` is its label. Then come the
    parts of the program, numbered as in ``numbered(model)``, which is ``attrs["program"]``:

    - ``3 DistanceAffine`` is a value; with several outputs ``3 Affine [sniff]``, or ``[0]`` where
      they are not the classes;
    - where a part is the name of a class, and nothing else, ``4 class`` is that name;
    - ``2 if: gate`` is how far the condition holds, from 0 to 1, and ``2 if: branch`` the branch
      that has the greater part: then, else;
    - ``3 DistanceAffine: distance`` is what a feature contributes, compared with its mean in the
      training data: weight · (x − mean). Below a window x is the window's average (maximum, …).
      ``3 DistanceAffine: base`` is the value at the mean and, inside a fold,
      ``3 DistanceAffine: accumulator`` what the accumulator contributes. They add up to the value.

    Inside a fold a row shows the step of that frame. Where a program gives one answer for a
    sequence, the row of a frame shows what it would say if the sequence ended there: the last row
    is the answer. What a sequence → sequence ``if`` asks of the whole sequence is the same in all
    of its rows. A model that was trained on windows is explained on windows that just touch.
    Values are in double precision, where ``model.outputs`` are in single.
    """
    data = model.fitting(data)
    window = None if model.format is None else model.format.window
    if window is None or data.lengths.max() <= window:
        return _explained(model, data)
    windows = cut(data, window)
    # Where the last window of a recording is moved back, it explains all that it covers.
    _, from_end = np.unique(windows.frames[::-1], return_index=True)
    table = _explained(model, windows.sequences).iloc[len(windows.frames) - 1 - from_end]
    return table.reset_index(drop=True).assign(**_places(data))


def _places(data: Sequences) -> dict[str, NDArray[np.int64]]:
    return {
        "sequence": np.repeat(np.arange(len(data)), data.lengths),
        "frame": np.arange(len(data.frames)) - np.repeat(data.offsets[:-1], data.lengths),
    }


def _explained(model: Model, data: Sequences) -> pd.DataFrame:
    import pandas as pd

    nodes = parts_of(model)
    predicted = model.predict(data)
    parts = values_of(nodes, data)
    codes = _codes(model, parts[()].value, data, predicted)
    columns: dict[str, object] = {
        **_places(data),
        "prediction": [model.labels[code] for code in codes],
    }
    for path, node in nodes.items():
        title = f"{node.number} {node.operation.name}"
        if node.names:
            columns[title] = [model.class_names[code] for code in decide(parts[path].value)]
        else:
            for name, values in _values(node, parts[path], model.domain.features):
                for suffix, column in zip(_suffixes(node, model), values.T, strict=True):
                    columns[title + name + suffix] = column
        if (beta := node.temperature) is not None:
            condition = parts[node.arguments[0]].value[:, 0]
            hard = node.operation.is_hard
            columns[f"{title}: gate"] = 1.0 * (condition > 0) if hard else expit(beta * condition)
            columns[f"{title}: branch"] = np.where(condition > 0, "then", "else")
    table = pd.DataFrame(columns)
    table.attrs["program"] = numbered(model)
    return table


def _codes(
    model: Model, values: Array, data: Sequences, predicted: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The class of each row; where the model itself has an answer, it is that one."""
    if not model.program.signature.summarises:
        return predicted
    codes = decide(values, model.offsets)
    codes[data.offsets[1:] - 1] = predicted
    return codes


def _values(node: Part, part: PartValue, features: tuple[str, ...]) -> Iterator[tuple[str, Array]]:
    """The columns of a node, each with as many outputs as the node has."""
    yield "", part.value
    leaf = node.leaf
    if leaf is None or part.features is None or part.accumulator is None:
        return
    yield ": base", np.broadcast_to(leaf.bias + leaf.mean @ leaf.weights, part.value.shape)
    for index, column in enumerate(leaf.columns):
        deviation = part.features[:, [index]] - leaf.mean[index]
        yield f": {_quoted(features[column])}", deviation * leaf.weights[index]
    if node.signature.carried:
        yield ": accumulator", part.accumulator @ leaf.accumulator


def _quoted(feature: str) -> str:
    """A feature's name, in quotes where it could be taken for something else."""
    return repr(feature) if feature in _OWN or feature[:1] in ("'", '"') else feature


def _suffixes(node: Part, model: Model) -> list[str]:
    """What tells the outputs of a node apart."""
    if node.outputs == 1:
        return [""]
    names = model.class_names
    told_apart = names if len(set(names)) == len(names) else ()
    return [f" [{name}]" for name in node.called(told_apart)]
