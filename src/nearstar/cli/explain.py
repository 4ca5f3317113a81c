"""``nearstar explain``: why a model says what it says, frame by frame."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from nearstar.cli.folder import load_model
from nearstar.cli.model_settings import ModelDataSettings, changed_format
from nearstar.cli.output import check_output, write_table
from nearstar.fit.converters import text
from nearstar.fit.options import option
from nearstar.fit.predictions import Predictions, read_for
from nearstar.fit.settings import FormatSettings
from nearstar.model.explain import explain as explained
from nearstar.model.explain import numbered
from nearstar.util.errors import NearstarError
from nearstar.util.nearest import suggestion

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, kw_only=True)
class Explain(ModelDataSettings):
    """Show why: the value of each part of the program, for each frame.

    The program's parts are numbered on standard error; the table has columns for each.

    examples:
      nearstar explain mice-run new.csv --only video3 --out why.csv
    """

    only: str | None = option(text, "the sequence to explain (all)", "ID", group="explanation")
    out: str | None = option(text, "file to write, .csv or .parquet (standard output)", "FILE")
    part: str | None = option(text, "train, valid or test (all)", "PART")
    format: FormatSettings = changed_format()

    def __call__(self) -> int:
        import pandas as pd

        model = load_model(self.model)
        listing = numbered(model)  # a program that cannot be explained is found out now
        check_output(self.out, self.data)
        parts = read_for(model, self.data, self.format, labelled=False, part=self.part)
        tables = [_table(each) for each in _only(list(parts.values()), self.only)]
        print(listing, file=sys.stderr)
        write_table(pd.concat(tables, ignore_index=True), self.out)
        return 0


def _only(parts: list[Predictions], wanted: str | None) -> list[Predictions]:
    """Those of the sequence that is wanted, in whatever part it is."""
    if wanted is None:
        return parts
    ids = [[str(name) for name in each.recordings.ids] for each in parts]
    found = [
        replace(each, recordings=each.recordings.subset([own.index(wanted)]))
        for each, own in zip(parts, ids, strict=True)
        if wanted in own
    ]
    if not found:
        known = dict.fromkeys(each for own in ids for each in own)
        raise NearstarError(f"there is no sequence {wanted!r}; {suggestion(wanted, known)}")
    return found


def _table(part: Predictions) -> pd.DataFrame:
    """The explanation, with the names of sequences and frames as they stand in the data."""
    import pandas as pd

    model = replace(part.model, format=part.format)
    table = explained(model, part.recordings.sequences)
    values = table.drop(columns=["sequence", "frame"]).reset_index(drop=True)
    return pd.concat([pd.DataFrame(part.frame_places()), values], axis=1)
