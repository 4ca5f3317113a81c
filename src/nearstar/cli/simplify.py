"""``nearstar simplify``: a found program with fewer and shorter numbers, and a hard ``if``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from nearstar.cli import values
from nearstar.cli.folder import SETTINGS, load_model
from nearstar.cli.options import Option, OptionGroup
from nearstar.cli.resume import stored_settings
from nearstar.cli.showing import program_text
from nearstar.cli.using import read_for
from nearstar.data.sequences import Sequences
from nearstar.fit.preparing import parts_of
from nearstar.language.parameters import MOST_DIGITS
from nearstar.model.model import Model
from nearstar.model.simplify import Hardened, Simplified, harden, simplify
from nearstar.model.simplify.judging import SIMPLIFIED
from nearstar.report.scores import as_scored
from nearstar.training.metrics import Metrics
from nearstar.util.errors import NearstarError

FILE = "simplified.json"

# fmt: off
OPTIONS = (
    OptionGroup(
        "simplifying",
        (
            Option("loss", values.share, "how much of the validation F1 may be lost (0)", "SHARE",
                   default=0.0),
            Option("digits", values.whole(1, MOST_DIGITS),
                   "digits that weights may have (as few as will do)", "NUMBER"),
            Option("harden", values.switch,
                   "make every if hard first, with the least β, of those doubled, that decides as "
                   "a hard if does", default=False),
            Option("beta", values.positive, "the β to make every if hard with", "NUMBER"),
        ),
    ),
    OptionGroup(
        "output",
        (
            Option("out", values.text, f"file to write ({FILE}, in the folder of the run)", "FILE"),
            Option("json", values.switch, "print one JSON object", default=False),
        ),
    ),
)
# fmt: on


def simplified(settings: dict[str, Any]) -> int:
    """``nearstar simplify``."""
    place = Path(settings["run"])
    model = load_model(settings["run"])
    out = settings["out"] or str(place / FILE if place.is_dir() else Path(FILE))
    _check_free(Path(out))
    valid = _validation(place, model, settings["data"])
    hardened = None
    if settings["harden"] or settings["beta"] is not None:
        hardened = harden(model, valid, settings["beta"])
        model = hardened.model
    found = simplify(model, valid, loss=settings["loss"], digits=settings["digits"])
    found.model.save(out)
    if settings["json"]:
        print(json.dumps(_described(found, hardened, out), ensure_ascii=False))
    else:
        print(_readable(found, hardened, out))
    return 0


def _check_free(out: Path) -> None:
    """Raise for a file that is not to be written; one that was simplified may be, anew."""
    if out.suffix.lower() != ".json":
        raise NearstarError(f"models are written as .json, not as {str(out)!r}")
    if not out.parent.is_dir():
        raise NearstarError(f"--out {out}: there is no folder {out.parent}")
    if not out.exists():
        return
    try:
        again = SIMPLIFIED in Model.load(out).facts.get("provenance", {})
    except NearstarError:
        again = False
    if not again:
        raise NearstarError(
            f"{out} is there already, and is no simplified model; give another name with --out"
        )


def _validation(place: Path, model: Model, data: str | None) -> Sequences:
    """The validation part of a data file, or all of it; without a file, that of the run."""
    if data is not None:
        uses = read_for(model, data, {"parts": None}, labelled=True)
        if "valid" not in uses and len(uses) > 1:
            raise NearstarError(
                f"{data} has the parts {', '.join(uses)}; expected one called valid"
            )
        return uses.get("valid", next(iter(uses.values()))).recordings.sequences
    if not place.is_dir():
        raise NearstarError(
            f"{place} is a model alone; give labelled data to judge it by: nearstar simplify "
            f"{place} DATA"
        )
    settings = stored_settings(place, SETTINGS)
    try:
        part = parts_of(settings["data"], settings)["valid"]
    except NearstarError as problem:
        raise NearstarError(
            f"the validation data of the run cannot be read: {problem}; if they were moved, say "
            f"where they are in {place / SETTINGS}, or give labelled data after {place}"
        ) from None
    return as_scored(model, "validation", part)


def _described(found: Simplified, hardened: Hardened | None, out: str) -> dict[str, Any]:
    """What was done, as plain data."""
    names = found.model.class_names
    before = found.before if hardened is None else hardened.before
    return {
        "model": out,
        "program": found.model.text(digits=None),
        "before": before.to_dict(names),
        "hardened": None if hardened is None else hardened.after.to_dict(names),
        "after": found.after.to_dict(names),
        "weights_before": found.weights_before,
        "weights_after": found.weights_after,
        "digits": found.digits,
        "beta": found.model.domain.beta,
    }


def _readable(found: Simplified, hardened: Hardened | None, out: str) -> str:
    rows = [("before", found.before)]
    if hardened is not None:
        rows = [("before", hardened.before), (f"hard, β {hardened.beta:g}", hardened.after)]
    rows.append(("simplified", found.after))
    width = max(len(name) for name, _ in rows)
    first = rows[0][1]
    return "\n".join(
        [
            program_text(found.model, MOST_DIGITS),
            "",
            f"{'':{width}}  accuracy     F1",
            *(f"{name:{width}}  {_scores(each, first)}" for name, each in rows),
            "",
            f"{found.weights_after} of {found.weights_before} weights are left, with up to "
            f"{found.digits} digits",
            f"wrote {out}",
        ]
    )


def _scores(metrics: Metrics, first: Metrics) -> str:
    lost = first.f1 - metrics.f1
    change = f"  ({abs(lost):.3f} {'lost' if lost > 0 else 'gained'})" if abs(lost) >= 5e-4 else ""
    return f"{metrics.accuracy:8.3f}  {metrics.f1:5.3f}{change}"
