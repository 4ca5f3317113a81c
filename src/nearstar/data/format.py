"""How files and tables become sequences: the roles of columns, and what is done with them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from nearstar.data.labels import Label, as_python
from nearstar.util.checks import check_settings
from nearstar.util.errors import DataError
from nearstar.util.nearest import suggestion

_COLUMNS = ("sequence", "frame", "label", "group", "part")
_MISSING = ("error", "interpolate")
_PER = ("frame", "sequence")


@dataclass(frozen=True)
class DataFormat:
    """Which column is what, and how values and labels are read."""

    sequence: str | None = None
    """The column that says which sequence a row belongs to; None: all rows are one sequence."""
    frame: str | None = None
    """The column of frame numbers; None: rows are in order."""
    label: str | None = None
    group: str | None = None
    """The column of what must stay together, such as the animal or the game."""
    part: str | None = None
    """The column that says train, valid or test."""
    features: tuple[str, ...] = ()
    """Names or patterns like ``nose_*``; in arrays also places, ``4`` or ``0-18``. Empty: all."""
    missing: str = "error"
    """What happens to missing values: ``error`` or ``interpolate``."""
    unlabelled: tuple[Label, ...] = ()
    """Labels that mean that there is none."""
    per: str | None = None
    """What a label belongs to: ``frame`` or ``sequence``; None: the data decide."""
    positive: Label | None = None
    """The class to tell from all others, where only this one matters."""
    window: int | None = None
    """Frames of the pieces that recordings are cut to; None: they stay whole."""
    hop: int | None = None
    """Frames from the start of one window to that of the next; None: as long as a window."""

    def __post_init__(self) -> None:
        for role, column in self.roles.items():
            if not isinstance(column, str):
                raise DataError(f"{role} is the name of a column, not {column!r}")
        for column in self.roles.values():
            roles = [role for role in self.roles if getattr(self, role) == column]
            if len(roles) > 1:
                raise DataError(
                    f"the column {column!r} is given as {' and as '.join(roles)}; expected a "
                    "column of its own for each"
                )
        object.__setattr__(self, "features", _tuple("features", self.features))
        for name in self.features:
            if not isinstance(name, str):
                raise DataError(f"features are names or patterns, not {name!r}")
        _check_choice("missing", self.missing, _MISSING)
        if self.per is not None:
            _check_choice("per", self.per, _PER)
        labels = tuple(_label("unlabelled", each) for each in _tuple("unlabelled", self.unlabelled))
        object.__setattr__(self, "unlabelled", labels)
        if self.positive is not None:
            object.__setattr__(self, "positive", _label("positive", self.positive))
        check_settings(self)
        if self.hop is not None and (self.window is None or self.hop > self.window):
            raise DataError(
                f"hop is {self.hop} and window {self.window}; expected a window, and a hop that is "
                "not longer, so that every frame is in a window"
            )

    @property
    def roles(self) -> dict[str, str]:
        """The columns that have a role, by role."""
        return {role: getattr(self, role) for role in _COLUMNS if getattr(self, role) is not None}

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON."""
        plain = asdict(self)
        return {key: list(v) if isinstance(v, tuple) else v for key, v in plain.items()}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> DataFormat:
        """From plain JSON; keys that are left out take their defaults."""
        if not isinstance(data, Mapping):
            raise DataError(f"a data format is a table of settings, not {data!r}")
        known = [each.name for each in fields(cls)]
        for key in data:
            if key not in known:
                raise DataError(f"unknown key {key!r} of a data format; {suggestion(key, known)}")
        return cls(**data)


def _check_choice(name: str, value: object, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise DataError(f"{name} is {value!r}; {suggestion(str(value), choices)}")


def _tuple(name: str, values: Any) -> tuple[Any, ...]:
    if not isinstance(values, list | tuple):
        raise DataError(f"{name} are a list, not {values!r}; write [{values!r}] for one")
    return tuple(values)


def _label(name: str, label: Any) -> Label:
    plain: Label = as_python(label)
    finite = not isinstance(plain, float) or math.isfinite(plain)
    if not isinstance(plain, str | int | float | bool) or not finite:
        raise DataError(f"{name}: a label is a text, a number or a boolean, not {label!r}")
    return plain
