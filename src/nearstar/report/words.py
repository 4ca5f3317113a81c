"""A model's program as lines for reading: every part, and what it does in plain words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from nearstar.language.deciding import classes_named, names_all
from nearstar.language.program import Path, columns_read
from nearstar.language.shortening import DIGITS
from nearstar.language.text import to_text
from nearstar.language.view import view_at, walk_with_views
from nearstar.model.explain.gates import blend_of
from nearstar.model.explain.listing import heading
from nearstar.model.explain.program_parts import Part, parts_of
from nearstar.model.model import Model
from nearstar.report.conditions import Condition, condition_of
from nearstar.report.digits import shown, significant

_LISTED = 6
"""Most features that a line names."""
_LONGEST = 200
"""Characters of a text that can be read at a glance."""
_BRANCHES = ("condition", "then", "else")


@dataclass(frozen=True, eq=False)
class Line:
    """A part of a program. Its parameters are rounded for reading, in the data's own units."""

    node: Part
    role: str
    """What it is of the ``if`` that it is an argument of: condition, then or else."""
    heading: str
    words: str
    """What it does, for those that say so in words; of an ``if``, when the first branch counts."""
    condition: Condition | None
    """What an ``if`` asks."""


def lines_of(model: Model) -> dict[Path, Line]:
    """The lines of a model's program by path, in the order and with the numbers of `numbered`."""
    exact, rounded = parts_of(model), parts_of(model, DIGITS)
    lines = {}
    for path, node in rounded.items():
        asks = node.temperature is not None
        condition = condition_of(node, exact, rounded, model) if asks else None
        named = asks or node.learned is not None or node.says is not None
        lines[path] = Line(
            node,
            _role(path, rounded),
            node.operation.name if named else heading(node),
            _asked(node, condition, model) if condition else _words(node, model),
            condition,
        )
    return lines


def _asked(node: Part, condition: Condition, model: Model) -> str:
    blend = blend_of(model, node)
    return f"if {condition.words}" + (f"; {blend.words}" if blend else "")


def short_text(model: Model) -> str:
    """The program's text, with its parameters where they leave it readable."""
    text = model.text()
    return text if len(text) <= _LONGEST else to_text(model.program)


def _role(path: Path, nodes: Mapping[Path, Part]) -> str:
    branches = path and nodes[path[:-1]].temperature is not None
    return _BRANCHES[path[-1]] if branches else ""


def _words(node: Part, model: Model) -> str:
    if node.says is not None:
        return f"says {node.says}"
    view = view_at(model.program, (*node.arguments, node.path)[0])
    columns = dict.fromkeys(node.operation.columns(node.signature))
    names = [model.domain.features[column] for column in columns]
    more = len(names) - _LISTED
    features = ", ".join(names[:_LISTED]) + (f" and {more} more" if more > 0 else "")
    words = node.operation.words(node.program, features, view)
    if node.half_life is None:
        return words
    return f"{words}: it keeps half after {shown(node.half_life)} frames"


def notes_of(model: Model) -> list[str]:
    """What a reader has to know of all the lines: how a class is decided on, what an if means."""
    notes = [_decision(model)]
    if model.offsets is not None:
        notes.append(
            "That was tuned on the validation data after training: scores are with it, costs and "
            "errors of the search without."
        )
    nodes = parts_of(model).values()
    if classes_named(model.program) and not names_all(model.program):
        notes.append("Where the name of a class stands, that is the answer.")
    betas = {node.temperature for node in nodes if node.temperature is not None}
    if any(node.operation.is_hard for node in nodes):
        notes.append("An if is a choice: then where the words hold, else where they do not.")
    elif betas:
        times = "" if betas == {1.0} else f"{' or '.join(map(shown, sorted(betas)))} · "
        notes.append(
            "An if is smooth: it mixes then and else. The share of then is "
            f"sigmoid({times}condition): above one half where the words hold, else below."
        )
    if any(view.reduction is not None for _, _, view in walk_with_views(model.program)):
        notes.append("Windows are cut off at the ends of a sequence.")
    read = [model.domain.features[column] for column in columns_read(model.program)]
    return notes + model.domain.definitions(read)


def _decision(model: Model) -> str:
    signature, names = model.program.signature, model.class_names
    each = "frame" if signature.maps_sequences else "row" if signature.maps_vectors else "sequence"
    if names_all(model.program):
        return f"For each {each}: the class whose name it comes to."
    offsets = [] if model.offsets is None else model.offsets.tolist()
    if not model.prints_as_is:
        offsets = list(map(significant, offsets))
    if signature.output.size == 1:
        least = shown(-offsets[0] + 0.0 if offsets else 0.0)
        return f"For each {each}: {names[1]} where the output is above {least}, else {names[0]}."
    added = ", ".join(f"{shown(o)} to {name}" for o, name in zip(offsets, names, strict=False))
    after = f", after adding {added}" if added else ""
    return f"For each {each}: the class whose output is the largest{after}."
