"""``nearstar predict``: a label for each frame, or for each sequence, as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from nearstar.cli import values
from nearstar.cli.folder import load_model
from nearstar.cli.options import Option, OptionGroup
from nearstar.cli.output import write_table
from nearstar.cli.reading import UNLABELLED_DATA
from nearstar.cli.using import Use, read_for
from nearstar.data.labels import Label
from nearstar.model.model import Model

if TYPE_CHECKING:
    import pandas as pd

PREDICTING = OptionGroup(
    "predictions",
    (
        Option("out", values.text, "file to write, .csv or .parquet (standard output)", "FILE"),
        Option("probabilities", values.switch, "a column for each label too", default=False),
        Option("min_bout", values.whole(1), "take shorter bouts into their neighbours", "FRAMES"),
        Option(
            "per",
            values.text,
            "of a model that labels windows: an answer for each frame, by the windows that it is "
            "in, or for each sequence, by all of its windows (sequence)",
            choices=("frame", "sequence"),
        ),
        Option("part", values.text, "train, valid or test (all)", "PART"),
    ),
)
OPTIONS = (PREDICTING, UNLABELLED_DATA)


def predict(settings: dict[str, Any]) -> int:
    """``nearstar predict``."""
    import pandas as pd

    model = load_model(settings["model"])
    uses = read_for(model, settings["data"], settings, labelled=False)
    tables = {
        name: predicted(use, probabilities=settings["probabilities"]) for name, use in uses.items()
    }
    if len(tables) > 1:
        for name, table in tables.items():
            table.insert(0, "part", name)
    whole = pd.concat(tables.values(), ignore_index=True)
    write_table(whole, settings["out"])
    return 0


def predicted(use: Use, *, probabilities: bool) -> pd.DataFrame:
    """Predictions with the names of their sequences and frames, in the order of the data's rows."""
    import pandas as pd

    rows = use.recordings.rows
    labels = np.array(_labels(use.model), dtype=object)
    table = pd.DataFrame(use.frame_places() if use.per_frame else use.names())
    table["prediction"] = labels[use.predictions]
    if probabilities:
        for column, name in zip(use.probabilities.T, use.model.class_names, strict=True):
            table[f"p({name})"] = column.astype(np.float32)
    if use.per_frame and rows is not None:
        return table.iloc[np.argsort(rows, kind="stable")].reset_index(drop=True)
    return table


def _labels(model: Model) -> tuple[Label, ...]:
    """The labels as they stand in the data; a column of a table has one type of them."""
    kinds = {type(label) for label in model.labels}
    return model.labels if len(kinds) == 1 else model.class_names
