"""What was learned, in words: after a fit, and by ``nearstar show``."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nearstar.cli.folder import RESULT, load_model, stored_result
from nearstar.cli.model_settings import ModelSettings
from nearstar.fit import converters as to
from nearstar.fit.options import option
from nearstar.language.operators import HARD
from nearstar.language.program import columns_read, is_complete
from nearstar.language.text import in_lines
from nearstar.model.explain import blend_of, in_parts
from nearstar.model.explain.program_parts import parts_of
from nearstar.model.model import Model
from nearstar.model.simplify.hardening import chooses
from nearstar.run.results.summary import gap_by_heuristic, gap_with

_LONGEST = 500
"""Longer texts nobody can read."""


@dataclass(frozen=True, kw_only=True)
class Show(ModelSettings):
    """Print a learned program, what it reads and how good it is.

    examples:
      nearstar show mice-run
      nearstar show mice-run/front/1.json --digits 2
    """

    digits: int = option(
        to.whole(1, 17), "digits of the parameters (4)", "NUMBER", default=4, group="output"
    )
    json: bool = option(to.switch, "print one JSON object", default=False)

    def __call__(self) -> int:
        model = load_model(self.model)
        front = stored_result(Path(self.model) / RESULT, _front)
        if self.json:
            print(json.dumps({**described(model), "front": front}, ensure_ascii=False))
            return 0
        print(program_text(model, self.digits))
        print()
        print("\n".join(_facts(model)))
        if front:
            print("\n" + front_table(front))
        return 0


def _front(result: dict[str, Any]) -> list[dict[str, Any]]:
    """The programs that a run found, if they can be shown."""
    front: list[dict[str, Any]] = result["front"]
    front_table(front)
    return front


def program_text(model: Model, digits: int = 4) -> str:
    """The program with its parameters; where they would fill a page, as a list of its parts."""
    text = model.text(digits=digits)
    if not is_complete(model.program):
        return f"{text}\n(?? is a network, which has no text)"
    if len(text) <= _LONGEST:
        return model.text(digits=digits, lines=True)
    return f"{in_lines(model.program)}\n\n{in_parts(model, digits)}"


def described(model: Model) -> dict[str, Any]:
    """A model as plain data."""
    return {
        "program": model.text(),
        "classes": list(model.labels),
        "features": list(model.domain.features),
        "derived": dict(model.domain.derived),
        "per": "frame" if model.program.signature.maps_sequences else "sequence",
        "offsets": None if model.offsets is None else model.offsets.tolist(),
        **model.facts,
    }


def _meaning(model: Model) -> str:
    signature = model.program.signature
    each = "frame" if signature.maps_sequences else "row" if signature.maps_vectors else "sequence"
    told = f"tells, for each {each}: {', '.join(model.class_names)}"
    sign = f"; above 0 is {model.class_names[1]}" if signature.output.size == 1 else ""
    return told + sign


def _facts(model: Model) -> list[str]:
    read = [model.domain.features[column] for column in columns_read(model.program)]
    lines = [
        _meaning(model),
        f"reads: {', '.join(read)}",
        *(f"  {each}" for each in model.domain.definitions(read)),
    ]
    if len(read) < len(model.domain.features):
        lines.append(f"  of {len(model.domain.features)} features that it was learned with")
    if model.numbers is not None:
        lines.append(f"numbers to read: {model.numbers}")
    if model.domain.beta not in (1, HARD) and chooses(model.program):
        lines.append(f"each if is smooth, with β {model.domain.beta:g}: the larger, the harder")
    lines += _blends(model)
    if model.offsets is not None:
        digits = "+" if model.prints_as_is else "+.3g"
        shown = ", ".join(f"{offset:{digits}}" for offset in model.offsets)
        lines.append(f"added to the scores before deciding: {shown}")
    scores: Mapping[str, Any] = model.facts.get("metrics", {})
    lines += [f"{part}: {scores_line(found)}" for part, found in scores.items() if found]
    source: Mapping[str, Any] = model.facts.get("provenance", {})
    # Models of earlier versions do not say how far their gap can be trusted.
    if source.get("gap") is not None and "epsilon" in source:
        lines.append(f"search: {_gap(source['gap'], source['epsilon'])}")
    return lines


def _blends(model: Model) -> list[str]:
    """How far each smooth if chooses, where that is known."""
    if not is_complete(model.program):
        return []
    found = (blend_of(model, node) for node in parts_of(model).values())
    told = [blend.words for blend in found if blend is not None]
    if len(told) == 1:
        return [f"the if is {told[0]}"]
    return [f"if {place} of the text is {each}" for place, each in enumerate(told, 1)]


def _gap(gap: float, epsilon: float | None) -> str:
    if epsilon is None:
        return f"gap {gap:.4f}"
    further = f"; {gap_with(gap, epsilon)}" if epsilon else ""
    return gap_by_heuristic(gap) + further


def scores_line(scores: Mapping[str, Any]) -> str:
    """Accuracy and F1."""
    return (
        f"accuracy {scores['accuracy']:.3f}, F1 {scores['f1']:.3f} (macro {scores['f1_macro']:.3f})"
    )


def front_table(front: Sequence[Mapping[str, Any]]) -> str:
    """The best program at every price."""
    lines = ["the best program at every price:", "   cost  numbers  error     F1  model"]
    for each in front:
        numbers = "–" if each.get("numbers") is None else str(each["numbers"])  # an earlier version
        f1 = "    –" if each["f1"] is None else f"{each['f1']:5.3f}"
        lines.append(
            f"  {each['structural_cost']:5.3g}  {numbers:>7}  {each['error']:5.3f}  {f1}"
            f"  {each['model']}"
        )
    return "\n".join(lines)


def readable(model: Model, report: Mapping[str, Any], summary: str) -> str:
    """What a fit found, for a person."""
    sizes = report["sizes"]
    windowed = model.format is not None and model.format.window is not None
    lines = [summary, ""] if summary else []
    lines += [program_text(model), ""]
    lines.append(_meaning(model))
    lines.append(
        f"learned from {_pieces(sizes['train'], windowed)}, compared on {sizes['valid']}"
        + (f", tested on {_pieces(sizes['test'], False)}" if sizes["test"] else "")
    )
    if report["f1"] is not None:
        tuned = "" if model.offsets is None else ", with tuned thresholds"
        scores = f"accuracy {report['accuracy']:.3f}, F1 {report['f1']:.3f}"
        lines.append(f"validation{tuned}: {scores}")
    if "test" in report:
        lines.append(f"test: {scores_line(report['test'])}")
    lines.append(f"numbers to read: {report['numbers']}")
    lines += [f"note: {each}" for each in report["notes"]]
    if len(report["front"]) > 1:
        lines += ["", front_table(report["front"])]
    folder = Path(report["model"]).parent
    lines += ["", f"saved in {folder}; try: nearstar show {folder}"]
    lines += [further(folder, report["ended"])]
    return "\n".join(lines).rstrip()


def further(folder: Path, ended: str) -> str:
    """How to search on, where a search did not come to its end."""
    if ended in ("exhausted", "finished"):
        return ""
    limit = {"time": " --time 10m", "trainings": " --trainings 1000"}.get(ended, "")
    return f"to search on: nearstar resume {folder}{limit}"


def _pieces(count: int, windowed: bool) -> str:
    what = "window" if windowed else "sequence"
    return f"1 {what}" if count == 1 else f"{count} {what}s"
