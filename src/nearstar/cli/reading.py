"""Options that say how data files are read, and reading them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from nearstar.cli import values
from nearstar.cli.options import Option, OptionGroup
from nearstar.data.format import DataFormat

# fmt: off
COLUMNS = OptionGroup(
    "columns of a table",
    (
        Option("sequence", values.text,
               "names the sequence (video, game, trial) of each row; without it all rows are one",
               "COLUMN"),
        Option("frame", values.text, "frame numbers; without it rows are in order", "COLUMN"),
        Option("label", values.text, "labels; an empty cell means unlabelled", "COLUMN"),
        Option("split_by", values.text,
               "animals, games or subjects: none stands both in training and in validation",
               "COLUMN"),
        Option("parts", values.text, "says train, valid or test", "COLUMN"),
        Option("features", values.names,
               "names or patterns with commas between, such as 'nose_*,speed'; for arrays also "
               "places, such as 0-18 (all columns of numbers that have no other role)", "NAMES"),
    ),
)

MEANING = OptionGroup(
    "what is in the data",
    (
        Option("per", values.text,
               "whether a label is of a frame or of a whole sequence (of a sequence, if it never "
               "changes within one)", choices=("frame", "sequence")),
        Option("positive", values.label,
               "learn this label against all others", "LABEL"),
        Option("unlabelled", values.labels,
               "labels that mean none, with commas between, such as -1", "LABELS"),
        Option("missing", values.text, "what to do with missing values (error)",
               choices=("error", "interpolate")),
        Option("window", values.whole(1),
               "cut sequences into windows of so many frames (500, if frames have labels and "
               "sequences are longer than 1000)", "FRAMES"),
        Option("hop", values.whole(1),
               "frames from the start of a window to that of the next (no overlap)", "FRAMES"),
    ),
)
# fmt: on


def _of_model(*names: str) -> OptionGroup:
    known = {option.name: option for option in (*COLUMNS.options, *MEANING.options)}
    options = tuple(known[name] for name in names)
    return OptionGroup("the data, where they differ from those the model was learned from", options)


UNLABELLED_DATA = _of_model("sequence", "frame", "parts", "features", "missing", "window", "hop")
LABELLED_DATA = _of_model(
    *("sequence", "frame", "label", "parts", "features"),
    *("per", "unlabelled", "missing", "window", "hop"),
)

_ROLES = {"split_by": "group", "parts": "part"}
"""Options whose name in DataFormat is another."""


def data_format(settings: Mapping[str, Any]) -> DataFormat:
    """How data are read, by the settings of a command."""
    return changed(DataFormat(), settings)


def changed(format: DataFormat, settings: Mapping[str, Any]) -> DataFormat:
    """The format with what the command line says otherwise."""
    given = {
        _ROLES.get(option.name, option.name): settings[option.name]
        for option in (*COLUMNS.options, *MEANING.options)
        if settings.get(option.name) is not None
    }
    return replace(format, **given)
