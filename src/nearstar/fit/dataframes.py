"""What a search found and how it went, as tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from nearstar.fit.examples import Examples
from nearstar.model.explain import explain
from nearstar.model.model import Model
from nearstar.run.results.front import model_rows
from nearstar.run.results.result import Result, gap_at

if TYPE_CHECKING:
    import pandas as pd


_COLUMNS = {
    "cost": "structural_cost",
    "depth": "size",
    "numbers": "numbers",
    "f1": "f1",
    "accuracy": "accuracy",
    "score": "path_cost",
    "chosen": "chosen",
    "program": "text",
}
"""The columns of the front, and what they are in its rows."""


def front_table(models: Sequence[Model], chosen: int) -> pd.DataFrame:
    """The best program at every price, simplest first; ``chosen`` is the one that predicts."""
    import pandas as pd

    rows = model_rows(models, chosen)
    return pd.DataFrame(
        {column: [getattr(row, name) for row in rows] for column, name in _COLUMNS.items()}
    )


def history_table(result: Result) -> pd.DataFrame:
    """What was known when: a row for each round of the search and for each new best program."""
    import pandas as pd

    least = result.incumbent
    points = [{**asdict(each), "gap": gap_at(each, least)} for each in result.trace]
    return pd.DataFrame(points)


def explanation(model: Model, examples: Examples, index: pd.Index | None) -> pd.DataFrame:
    """The table of `explain`; of a table, with its sequences, frame numbers and index."""
    explained = explain(model, examples.sequences)
    recordings = examples.recordings
    if index is None:
        return explained
    explained["sequence"] = [recordings.ids[i] for i in explained["sequence"]]
    if recordings.frames is not None:
        explained["frame"] = recordings.frames
    return explained.set_axis(index[recordings.rows])
