"""Tables as the commands write them."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from nearstar.errors import NearstarError
from nearstar.whole_files import write_whole

if TYPE_CHECKING:
    import pandas as pd


def write_table(table: pd.DataFrame, path: str | None) -> None:
    """To a file by its suffix, .csv or .parquet; without one as CSV to standard output."""
    if path is None:
        sys.stdout.write(table.to_csv(index=False, lineterminator="\n"))
        return
    suffix = Path(path).suffix.lower()
    if suffix == ".csv":
        write_whole(path, table.to_csv(index=False, lineterminator="\n"))
    elif suffix == ".parquet":
        content = io.BytesIO()
        try:
            table.to_parquet(content, index=False)
        except ImportError:
            raise NearstarError(
                "writing Parquet needs pyarrow: pip install nearstar[parquet], or write a .csv"
            ) from None
        write_whole(path, content.getvalue())
    else:
        raise NearstarError(f"tables are written as .csv or .parquet, not {path!r}")
