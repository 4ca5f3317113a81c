"""``nearstar predict``: a label for each frame, or for each sequence, as a table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from nearstar.cli.folder import load_model
from nearstar.cli.model_settings import ModelDataSettings, changed_format
from nearstar.cli.output import check_output, write_table
from nearstar.data.labels import Label
from nearstar.fit import converters as to
from nearstar.fit.options import option
from nearstar.fit.predictions import Predictions, read_for
from nearstar.fit.settings import FormatSettings
from nearstar.model.model import Model

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, kw_only=True)
class Predict(ModelDataSettings):
    """Label data with a model.

    One row for each frame, or for each sequence. Columns are those that the model was learned with,
    unless flags say otherwise.

    examples:
      nearstar predict mice-run new.csv --out labels.csv
      nearstar predict mice-run new.csv --probabilities --min-bout 5
    """

    # fmt: off
    out: str | None = option(
        to.text, "file to write, .csv or .parquet (standard output)", "FILE", group="predictions")
    probabilities: bool = option(to.switch, "a column for each label too", default=False)
    min_bout: int = option(
        to.whole(1), "take shorter bouts into their neighbours", "FRAMES", default=1)
    per: str | None = option(
        to.text, "of a model that labels windows: an answer for each frame, by the windows that it "
        "is in, or for each sequence, by all of its windows (sequence)",
        choices=("frame", "sequence"))
    part: str | None = option(to.text, "train, valid or test (all)", "PART")
    format: FormatSettings = changed_format()
    """Its ``per`` is the one above."""
    # fmt: on

    def __call__(self) -> int:
        import pandas as pd

        model = load_model(self.model)
        check_output(self.out, self.data)
        parts = read_for(
            model,
            self.data,
            self.format,
            labelled=False,
            part=self.part,
            min_bout=self.min_bout,
        )
        tables = {
            name: predicted(each, probabilities=self.probabilities) for name, each in parts.items()
        }
        if len(tables) > 1:
            for name, table in tables.items():
                table.insert(0, "part", name)
        whole = pd.concat(tables.values(), ignore_index=True)
        write_table(whole, self.out)
        return 0


def predicted(found: Predictions, *, probabilities: bool) -> pd.DataFrame:
    """Predictions with the names of their sequences and frames, in the order of the data's rows."""
    import pandas as pd

    rows = found.recordings.rows
    labels = np.array(_labels(found.model), dtype=object)
    table = pd.DataFrame(found.frame_places() if found.per_frame else found.names())
    table["prediction"] = labels[found.codes]
    if probabilities:
        for column, name in zip(found.probabilities.T, found.model.class_names, strict=True):
            table[f"p({name})"] = column.astype(np.float32)
    if found.per_frame and rows is not None:
        return table.iloc[np.argsort(rows, kind="stable")].reset_index(drop=True)
    return table


def _labels(model: Model) -> tuple[Label, ...]:
    """The labels as they stand in the data; a column of a table has one type of them."""
    kinds = {type(label) for label in model.labels}
    return model.labels if len(kinds) == 1 else model.class_names
