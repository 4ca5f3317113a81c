"""``nearstar evaluate``: how good a model is on labelled data."""

from __future__ import annotations

import json
from typing import Any

from nearstar.cli import values
from nearstar.cli.folder import load_model
from nearstar.cli.options import Option, OptionGroup
from nearstar.cli.reading import LABELLED_DATA
from nearstar.cli.showing import scores_line
from nearstar.cli.using import Use, read_for
from nearstar.training.bouts import bout_scores

SCORING = OptionGroup(
    "scoring",
    (
        Option("part", values.text, "train, valid or test (test, if there is one)", "PART"),
        Option("min_bout", values.whole(1), "take shorter bouts into their neighbours", "FRAMES"),
        Option(
            "overlap",
            values.number,
            "bouts match if they share this much of what they cover together (0.5)",
            "SHARE",
            default=0.5,
        ),
        Option("json", values.switch, "print one JSON object", default=False),
    ),
)
OPTIONS = (SCORING, LABELLED_DATA)


def evaluate(settings: dict[str, Any]) -> int:
    """``nearstar evaluate``."""
    model = load_model(settings["model"])
    uses = read_for(model, settings["data"], settings, labelled=True)
    name = "test" if "test" in uses else next(iter(uses))
    use = uses[name]
    scores = use.evaluate().to_dict(model.class_names)
    scores["part"] = name
    scores["elements"] = int((use.truth >= 0).sum())
    if use.per_frame:
        scores["bouts"] = bout_scores(
            use.truth,
            use.predictions,
            use.recordings.sequences.offsets,
            len(model.class_names),
            settings["overlap"],
        ).to_dict(model.class_names)
    print(json.dumps(scores, ensure_ascii=False) if settings["json"] else _readable(scores, use))
    return 0


def _readable(scores: dict[str, Any], use: Use) -> str:
    kind = "frames" if use.per_frame else "sequences"
    part = "" if scores["part"] == "all" else f" of the part {scores['part']}"
    lines = [f"{scores['elements']} labelled {kind}{part}: {scores_line(scores)}", ""]
    names = use.model.class_names
    width = max(len("label"), *map(len, names))
    bouts = scores.get("bouts", {}).get("per_class", {})
    lines.append(
        f"{'label':{width}}  precision  recall     F1  {kind:>9}"
        + ("   bouts  predicted  bout F1" if bouts else "")
    )
    for name, each in scores["per_class"].items():
        line = (
            f"{name:{width}}  {each['precision']:9.3f}  {each['recall']:6.3f}  {each['f1']:5.3f}"
            f"  {each['support']:9d}"
        )
        if bouts:
            found = bouts[name]
            line += f"  {found['true']:6d}  {found['predicted']:9d}  {found['f1']:7.3f}"
        lines.append(line)
    return "\n".join(lines)
