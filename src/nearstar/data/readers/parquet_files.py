"""Tables in .parquet files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from nearstar.data.readers.reader import Reader
from nearstar.util.errors import DataError

if TYPE_CHECKING:
    import pandas as pd


def read_parquet(path: Path) -> pd.DataFrame:
    """The table, with all its columns."""
    import pandas as pd

    try:
        import pyarrow  # type: ignore[import-untyped]
    except ImportError:
        raise DataError(
            f"{path}: reading Parquet files needs pyarrow; pip install nearstar[parquet]"
        ) from None
    try:
        return pd.read_parquet(path)
    except (pyarrow.ArrowException, ValueError) as problem:
        raise DataError(f"{path} cannot be read as a Parquet file: {problem}") from None


READERS = (Reader("Parquet", (".parquet",), "table", read_parquet),)
