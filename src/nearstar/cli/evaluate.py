"""``nearstar evaluate``: how good a model is on labelled data."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from nearstar.cli.folder import load_model
from nearstar.cli.model_settings import ModelDataSettings, changed_format
from nearstar.cli.show import scores_line
from nearstar.fit import converters as to
from nearstar.fit.options import option
from nearstar.fit.predictions import Predictions, read_for
from nearstar.fit.settings import FormatSettings
from nearstar.training.bouts import bout_scores


@dataclass(frozen=True, kw_only=True)
class Evaluate(ModelDataSettings):
    """Compare a model's labels with those in the data.

    Frame by frame, and bout by bout: a bout is a run of frames with one label.

    examples:
      nearstar evaluate mice-run test.csv
      nearstar evaluate mice-run test.csv --min-bout 5 --json
    """

    part: str | None = option(
        to.text, "train, valid or test (test, if there is one)", "PART", group="scoring"
    )
    min_bout: int = option(
        to.whole(1), "take shorter bouts into their neighbours", "FRAMES", default=1
    )
    overlap: float = option(
        to.number,
        "bouts match if they share this much of what they cover together (0.5)",
        "SHARE",
        default=0.5,
    )
    json: bool = option(to.switch, "print one JSON object", default=False)
    format: FormatSettings = changed_format("label", "per", "unlabelled")

    def __call__(self) -> int:
        model = load_model(self.model)
        parts = read_for(
            model,
            self.data,
            self.format,
            labelled=True,
            part=self.part,
            min_bout=self.min_bout,
        )
        name = "test" if "test" in parts else next(iter(parts))
        found = parts[name]
        scores = found.evaluate().to_dict(model.class_names)
        scores["part"] = name
        scores["elements"] = int((found.truth >= 0).sum())
        if found.per_frame:
            scores["bouts"] = bout_scores(
                found.truth,
                found.codes,
                found.recordings.sequences.offsets,
                len(model.class_names),
                self.overlap,
            ).to_dict(model.class_names)
        print(json.dumps(scores, ensure_ascii=False) if self.json else _readable(scores, found))
        return 0


def _readable(scores: dict[str, Any], found: Predictions) -> str:
    kind = "frames" if found.per_frame else "sequences"
    part = "" if scores["part"] == "all" else f" of the part {scores['part']}"
    lines = [f"{scores['elements']} labelled {kind}{part}: {scores_line(scores)}", ""]
    names = found.model.class_names
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
            own = bouts[name]
            line += f"  {own['true']:6d}  {own['predicted']:9d}  {own['f1']:7.3f}"
        lines.append(line)
    return "\n".join(lines)
