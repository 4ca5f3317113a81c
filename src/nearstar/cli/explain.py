"""``nearstar explain``: why a model says what it says, frame by frame."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from nearstar.cli import values
from nearstar.cli.folder import load_model
from nearstar.cli.options import Option, OptionGroup
from nearstar.cli.reading import COLUMNS, MEANING
from nearstar.cli.tables import write_table
from nearstar.cli.using import Use, read_for
from nearstar.data.windows import cut
from nearstar.errors import NearstarError
from nearstar.explain import explain as explained
from nearstar.explain import numbered
from nearstar.nearest import suggestion

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
OPTIONS = (EXPLAINING, COLUMNS, MEANING)


def explain(settings: dict[str, Any]) -> int:
    """``nearstar explain``."""
    import pandas as pd

    model = load_model(settings["model"])
    listing = numbered(model)  # a program that cannot be explained is found out now
    uses = read_for(model, settings["data"], settings, labelled=False)
    tables = [_table(_only(use, settings["only"])) for use in uses.values()]
    print(listing, file=sys.stderr)
    write_table(pd.concat(tables, ignore_index=True), settings["out"])
    return 0


def _only(use: Use, wanted: str | None) -> Use:
    if wanted is None:
        return use
    ids = [str(each) for each in use.recordings.ids]
    if wanted not in ids:
        raise NearstarError(f"there is no sequence {wanted!r}; {suggestion(wanted, ids)}")
    return replace(use, recordings=use.recordings.subset([ids.index(wanted)]))


def _table(use: Use) -> pd.DataFrame:
    """The explanation, with the names of sequences and frames as they stand in the data."""
    import pandas as pd

    sequences, window = use.recordings.sequences, use.format.window
    if window is None:
        table = explained(use.model, sequences)
    else:
        # Windows that just touch, so that each frame is explained once; where the last one of a
        # recording is moved back, by the last.
        windows = cut(sequences, window)
        _, from_end = np.unique(windows.frames[::-1], return_index=True)
        table = explained(use.model, windows.sequences).iloc[len(windows.frames) - 1 - from_end]
    values = table.drop(columns=["sequence", "frame"]).reset_index(drop=True)
    return pd.concat([pd.DataFrame(use.frame_places()), values], axis=1)
