"""A model's program as a JSON tree, for other tools."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from nearstar.language.function import Function
from nearstar.language.program import Path
from nearstar.language.types import Sequence, Signature, Vector
from nearstar.model.explain.program_parts import Part, parts_of

if TYPE_CHECKING:
    from nearstar.model.model import Model

FORMAT = "nearstar-program-1"


def to_json(model: Model) -> str:
    """The program with all that gives it meaning, as JSON text.

    ``program`` is its root. A node has its ``number``, ``operation``, ``type``, ``arguments``
    (nodes in turn) and ``parameters``: of an affine leaf ``weights`` (for each feature, a number
    for each output), ``bias`` and, inside folds, ``accumulator`` (a row for each of its
    components); of a memory its ``half_life`` in frames; of a leaf that names a class ``class``,
    beside the ``value`` for each output by which it is decided on.
    ``functions`` says what each function in use means: ``[kind, value, size, operands]``, where
    kind is a primitive, or an argument or a feature by number, a literal, or a component.
    """
    nodes = parts_of(model)
    functions = {
        node.operation.name: node.operation.to_dict()
        for node in nodes.values()
        if isinstance(node.operation, Function)
    }
    data = {
        "format": FORMAT,
        "text": model.text(None),
        "features": list(model.domain.features),
        "derived": dict(model.domain.derived),
        "classes": list(model.labels),
        "offsets": None if model.offsets is None else model.offsets.tolist(),
        "functions": functions,
        "program": _tree(nodes, (), model.domain.features),
    }
    return json.dumps(data, indent=1, allow_nan=False) + "\n"


def _tree(nodes: Mapping[Path, Part], path: Path, features: tuple[str, ...]) -> dict[str, Any]:
    node = nodes[path]
    return {
        "number": node.number,
        "operation": node.operation.name,
        "type": _type(node.signature),
        "parameters": _parameters(node, features),
        "arguments": [_tree(nodes, argument, features) for argument in node.arguments],
    }


def _type(signature: Signature) -> dict[str, Any]:
    def end(of: Vector | Sequence) -> dict[str, Any]:
        return {"kind": type(of).__name__.lower(), "size": of.size}

    return {
        "input": end(signature.input),
        "output": end(signature.output),
        "carried": signature.carried,
    }


def _parameters(node: Part, features: tuple[str, ...]) -> dict[str, Any]:
    signature, leaf = node.signature, node.leaf
    if node.half_life is not None:
        return {"half_life": node.half_life}
    if leaf is None:
        return node.operation.details(signature, features)
    if not leaf.columns:
        says = {} if node.says is None else {"class": node.says}
        return {"value": leaf.bias.tolist(), **says}
    names = [features[column] for column in leaf.columns]
    weights = dict(zip(names, leaf.weights.tolist(), strict=True))
    learned = {"weights": weights, "bias": leaf.bias.tolist()}
    if signature.carried:
        learned["accumulator"] = leaf.accumulator.tolist()
    return learned
