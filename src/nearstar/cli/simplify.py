"""``nearstar simplify``: a found program with fewer and shorter numbers, and a hard ``if``."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nearstar.cli.folder import SETTINGS, load_model, stored_settings
from nearstar.cli.show import program_text
from nearstar.data.sequences import Sequences
from nearstar.fit import converters as to
from nearstar.fit.options import argument, option
from nearstar.fit.parts import file_parts
from nearstar.fit.predictions import read_for
from nearstar.language.parameters import MOST_DIGITS
from nearstar.model.model import Model
from nearstar.model.simplify import Hardened, Simplified, harden, simplify
from nearstar.model.simplify.judging import SIMPLIFIED
from nearstar.report.scores import as_scored
from nearstar.training.metrics import Metrics
from nearstar.util.errors import NearstarError

FILE = "simplified.json"


@dataclass(frozen=True, kw_only=True)
class Simplify:
    """Take from a program the terms, weights and digits that it does as well without.

    With the folder of a run there are its training data, to train on what is left of a program
    without some of its terms. The model is written to a file of its own; what is in the folder
    stays as it is.

    examples:
      nearstar simplify mice-run
      nearstar simplify mice-run --loss 0.005 --harden
      nearstar simplify mice-run/front/2.json valid.csv --digits 2 --out simple.json
    """

    # fmt: off
    run: str = argument("the folder of a fit, or a model.json")
    data: str | None = argument(
        "labelled data to judge by (the validation data of the run)", optional=True)
    loss: float = option(
        to.share, "how much of the validation F1 may be lost (0)", "SHARE", default=0.0,
        group="simplifying")
    digits: int | None = option(
        to.whole(1, MOST_DIGITS), "digits that weights may have (as few as will do)", "NUMBER")
    harden: bool = option(
        to.switch, "make every if hard first, with the least β, of those doubled, that decides as "
        "a hard if does", default=False)
    beta: float | None = option(to.positive, "the β to make every if hard with", "NUMBER")
    out: str | None = option(
        to.text, f"file to write ({FILE}, in the folder of the run)", "FILE", group="output")
    json: bool = option(to.switch, "print one JSON object", default=False)
    # fmt: on

    def __call__(self) -> int:
        place = Path(self.run)
        model = load_model(self.run)
        out = self.out or str(place / FILE if place.is_dir() else Path(FILE))
        _check_free(Path(out))
        valid, train = _validation(place, model, self.data), _training(place, model)
        hardened = None
        if self.harden or self.beta is not None:
            hardened = harden(model, valid, self.beta)
            model = hardened.model
        found = simplify(model, valid, train=train, loss=self.loss, digits=self.digits)
        found.model.save(out)
        if self.json:
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
        parts = read_for(model, data, labelled=True)
        if "valid" not in parts and len(parts) > 1:
            raise NearstarError(
                f"{data} has the parts {', '.join(parts)}; expected one called valid"
            )
        return parts.get("valid", next(iter(parts.values()))).recordings.sequences
    if not place.is_dir():
        raise NearstarError(
            f"{place} is a model alone; give labelled data to judge it by: nearstar simplify "
            f"{place} DATA"
        )
    settings = stored_settings(place)
    try:
        part = file_parts(settings)["valid"]
    except NearstarError as problem:
        raise NearstarError(
            "the validation data of the run cannot be read: ",
            *problem.args,
            f"; if they were moved, say where they are in {place / SETTINGS}, or give labelled "
            f"data after {place}",
        ) from None
    return as_scored(model, "validation", part)


def _training(place: Path, model: Model) -> Sequences | None:
    """The training data of a run, if they can be read."""
    if not place.is_dir():
        return None
    try:
        part = file_parts(stored_settings(place))["train"]
        return as_scored(model, "training", part)
    except NearstarError:
        return None


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
