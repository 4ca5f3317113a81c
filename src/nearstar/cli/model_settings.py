"""Settings that commands share which use a model, and data with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from nearstar.fit.options import argument, section
from nearstar.fit.settings import FILES, FormatSettings


@dataclass(frozen=True, kw_only=True)
class ModelSettings:
    """What commands can be told that use a model."""

    model: str = argument("a model.json, or the folder of a fit")


@dataclass(frozen=True, kw_only=True)
class ModelDataSettings(ModelSettings):
    """What commands can be told that use a model on data."""

    data: str = argument(FILES)


def changed_format(*more: str) -> Any:
    """A section of how data are read; ``more`` than what data without labels need."""
    common = ("sequence", "frame", "parts", "features", "missing", "window", "hop")
    title = "the data, where they differ from those the model was learned from"
    return section(FormatSettings, title, (*common, *more))
