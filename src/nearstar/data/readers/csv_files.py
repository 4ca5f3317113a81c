"""Tables in text files: .csv and .tsv."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nearstar.data.readers.reader import Reader, inner_ending, told_if_not_utf8
from nearstar.util.errors import DataError

if TYPE_CHECKING:
    import pandas as pd


def read_csv(
    path: Path,
    sequence: str | None = None,
    label: str | None = None,
    group: str | None = None,
    part: str | None = None,
) -> pd.DataFrame:
    """The table, with column names as they stand in it.

    In columns of texts that name sequences, labels, groups or parts only an empty field is
    missing: NA, None and nan are texts there, which may well be labels. Names of sequences and
    groups that begin with 0 are texts, too: 01 is not 1.
    """
    _check_separator(path, read_rows(path, header=None, nrows=1, dtype=str).iloc[0].tolist())
    check_header(path, first_rows(path).iloc[0].tolist())
    table = read_rows(path)
    named = [sequence, label, group, part]
    texts = [c for c in table.columns if c in named and not _has_numbers(table[c])]
    if texts:
        literal = read_rows(path, usecols=texts, keep_default_na=False, na_values=[""])
        table[texts] = literal[texts]
    for name in {sequence, group}.intersection(table.columns).difference(texts):
        literal = read_rows(path, usecols=[name], dtype=str)
        if literal[name].str.match("0[0-9]").any():
            table[name] = literal[name]
    return _without_index(table)


def check_header(path: Path, names: list[str]) -> None:
    given = [name for name in names if name]
    if len(set(given)) < len(given):
        twice = next(name for name in given if given.count(name) > 1)
        raise DataError(f"{path}: two columns are called {twice!r}; rename one of them")


def _check_separator(path: Path, names: list[str]) -> None:
    for sign, called in ((";", "semicolons"), ("\t", "tabs")):
        if len(names) == 1 and sign in str(names[0]):
            raise DataError(
                f"{path} has one column only, {names[0][:60]!r}: are there {called} between the "
                "fields? Write commas into .csv files and tabs into .tsv files"
            )


def _has_numbers(column: pd.Series) -> bool:
    return bool(column.dtype.kind in "biuf" and column.notna().any())


def _without_index(table: pd.DataFrame) -> pd.DataFrame:
    """The table without a first column that has no name and just counts the rows."""
    first = table.columns[0]
    counts = first == "Unnamed: 0" and table[first].dtype.kind == "i"
    if counts and (table[first].to_numpy() == table.index).all():
        return table.drop(columns=first)
    return table


def first_rows(path: Path) -> pd.DataFrame:
    """The first lines, as texts."""
    return read_rows(path, header=None, nrows=4, dtype=str, keep_default_na=False)


def read_rows(path: Path, **settings: Any) -> pd.DataFrame:
    """Rows of the file: fields have commas between them in .csv files, and tabs in others."""
    import pandas as pd

    separator = "," if inner_ending(path) == ".csv" else "\t"

    try:
        with told_if_not_utf8(path), warnings.catch_warnings():
            # Fields that no header names would be dropped with a mere warning.
            warnings.simplefilter("error", pd.errors.ParserWarning)
            return pd.read_csv(
                path, sep=separator, encoding="utf-8", index_col=False, low_memory=False, **settings
            )
    except pd.errors.EmptyDataError:
        raise DataError(f"{path} is empty; expected a line of column names, then rows") from None
    except (pd.errors.ParserError, pd.errors.ParserWarning) as problem:
        raise DataError(f"{path} cannot be read as a table: {str(problem).strip()}") from None


READERS = (
    Reader(
        "CSV",
        (".csv", ".tsv", ".txt"),
        "table",
        read_csv,
        options=("sequence", "label", "group", "part"),
        compressed=True,
    ),
)
