"""``nearstar report``: what was found, how good it is and how it was found, on one page."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from nearstar.cli.folder import load_model
from nearstar.cli.output import write_file
from nearstar.cli.run_contents import RunContents, contents_of
from nearstar.data.recordings import Recordings
from nearstar.fit import converters as to
from nearstar.fit.options import argument, option
from nearstar.fit.predictions import read_for
from nearstar.model.model import Model
from nearstar.report.html_page import render
from nearstar.report.page_data import make_page
from nearstar.util.errors import NearstarError


@dataclass(frozen=True, kw_only=True)
class Report:
    """Write a page to read in a browser: program, scores, labels over time, search.

    One HTML file that needs nothing else. The data are read again as the run's settings say; what was
    broken off is reported as far as it came.

    examples:
      nearstar report mice-run
      nearstar report mice-run --compare mice-rnn --only video3 --out mice.html
      nearstar report mice-run/front/1.json --test new.csv
    """  # noqa: E501

    # fmt: off
    run: str = argument("the folder of a fit, or a model.json")
    out: str | None = option(
        to.text, "file to write (report.html in the folder of the run)", "FILE", group="report")
    only: tuple[str, ...] = option(
        to.text, "a sequence to show frame by frame; may be repeated (those of the test or "
        "validation data with most errors)", "ID", default=(), many=True)
    compare: tuple[str, ...] = option(
        to.text, "another run or model, such as one of --search rnn, to compare with on the same "
        "data; may be repeated", "MODEL", default=(), many=True)
    json: bool = option(to.switch, "print one JSON object", default=False)
    data: str | None = option(
        to.text, "where the data of the run are now, if they were moved", "FILE", group="data")
    test: str | None = option(
        to.text, "labelled data to test on, in place of those of the run", "FILE")
    # fmt: on

    def __call__(self) -> int:
        place, out = Path(self.run), self.out
        if out is not None and Path(out).suffix.lower() not in (".html", ".htm"):
            raise NearstarError(f"reports are written as .html, not as {out!r}")
        found = _contents(place, self.data)
        parts = {**found.parts, **_test(found.model, self.test)}
        page = make_page(
            found.model,
            place.resolve().name,
            parts=parts,
            front=found.front,
            history=found.history,
            others=_others(self.compare, parts),
            only=self.only,
            notes=found.notes,
        )
        content = render(page).encode()
        path = out or str(place / "report.html" if place.is_dir() else Path("report.html"))
        write_file(path, content)
        if self.json:
            told = {"report": path, "bytes": len(content), "notes": page["notes"]}
            print(json.dumps(told, ensure_ascii=False))
        else:
            notes = [f"note: {note}" for note in page["notes"]]
            print("\n".join([*notes, f"wrote {path}, {len(content) / 1e6:.2g} MB"]))
        return 0


def _contents(place: Path, data: str | None) -> RunContents:
    """What is to be reported of: a run, or a model by itself."""
    if place.is_dir():
        return contents_of(place, data)
    if not place.exists():
        raise NearstarError(f"there is no {place}; give the folder of a fit, or a model.json")
    if data is not None:
        raise NearstarError(
            f"--data says where the data of a run are, but {place} is no folder of one; give "
            "labelled data to test a model on with --test"
        )
    return RunContents(load_model(str(place)))


def _test(model: Model | None, data: str | None) -> dict[str, Recordings]:
    """The test data of a file: its part of this name, or all of it."""
    if data is None or model is None:
        return {}
    parts = read_for(model, data, labelled=True)
    name = "test" if "test" in parts else next(iter(parts))
    return {"test": parts[name].recordings}


def _others(paths: Sequence[str], parts: Mapping[str, Recordings]) -> dict[str, Model]:
    """Models to compare with, by the names of their runs; by their paths where these clash."""
    if paths and not parts:
        raise NearstarError("--compare needs data to compare on; give them with --data or --test")
    names = [Path(path).resolve().name for path in paths]
    clash = len({*names}) < len(names)
    return {
        path if clash else name: load_model(path) for name, path in zip(names, paths, strict=True)
    }
