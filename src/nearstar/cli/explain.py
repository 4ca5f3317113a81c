"""``nearstar explain``: why a model says what it says, frame by frame."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from nearstar.cli import values
from nearstar.cli.folder import load_model
from nearstar.cli.options import Option, OptionGroup
from nearstar.cli.output import write_table
from nearstar.cli.reading import UNLABELLED_DATA
from nearstar.cli.using import Use, read_for
from nearstar.model.explain import explain as explained
from nearstar.model.explain import numbered
from nearstar.util.errors import NearstarError
from nearstar.util.nearest import suggestion

if TYPE_CHECKING:
    import pandas as pd

EXPLAINING = OptionGroup(
    "explanation",
    (
        Option("only", values.text, "the sequence to explain (all)", "ID"),
        Option("out", values.text, "file to write, .csv or .parquet (standard output)", "FILE"),
        Option("part", values.text, "train, valid or test (all)", "PART"),
    ),
)
OPTIONS = (EXPLAINING, UNLABELLED_DATA)


def explain(settings: dict[str, Any]) -> int:
    """``nearstar explain``."""
    import pandas as pd

    model = load_model(settings["model"])
    listing = numbered(model)  # a program that cannot be explained is found out now
    uses = read_for(model, settings["data"], settings, labelled=False)
    tables = [_table(use) for use in _only(list(uses.values()), settings["only"])]
    print(listing, file=sys.stderr)
    write_table(pd.concat(tables, ignore_index=True), settings["out"])
    return 0


def _only(uses: list[Use], wanted: str | None) -> list[Use]:
    """Those of the sequence that is wanted, in whatever part it is."""
    if wanted is None:
        return uses
    ids = [[str(each) for each in use.recordings.ids] for use in uses]
    found = [
        replace(use, recordings=use.recordings.subset([own.index(wanted)]))
        for use, own in zip(uses, ids, strict=True)
        if wanted in own
    ]
    if not found:
        known = dict.fromkeys(each for own in ids for each in own)
        raise NearstarError(f"there is no sequence {wanted!r}; {suggestion(wanted, known)}")
    return found


def _table(use: Use) -> pd.DataFrame:
    """The explanation, with the names of sequences and frames as they stand in the data."""
    import pandas as pd

    model = replace(use.model, format=use.format)
    table = explained(model, use.recordings.sequences)
    values = table.drop(columns=["sequence", "frame"]).reset_index(drop=True)
    return pd.concat([pd.DataFrame(use.frame_places()), values], axis=1)
