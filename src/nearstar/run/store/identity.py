"""What decides a run, as plain data: so that it can be told whether two are the same."""

from __future__ import annotations

import dataclasses
import math
import reprlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from nearstar.language.domain import Domain
from nearstar.language.program import Apply, Hole
from nearstar.language.text import to_text
from nearstar.run.trainer import Trainer
from nearstar.search.protocol import Algorithm
from nearstar.training.train import TRAINING_VERSION
from nearstar.util.errors import NearstarError

_LANGUAGE = ("features", "groups", "beta", "accumulator", "functions")
"""Keys of a domain that decide what a program's text means."""
_CHOICE = ("rules", "costs", "penalty", "price")
"""Keys of a domain that decide which programs there are, and what they cost."""


@dataclass(frozen=True)
class Identity:
    """All that decides what a run finds, besides its limits."""

    training: Mapping[str, Any]
    """What decides a training: runs with the same can share trainings."""
    search: Mapping[str, Any]
    """What decides which programs are asked for."""

    @classmethod
    def of(
        cls, trainer: Trainer, domain: Domain, algorithm: Algorithm, **settings: Any
    ) -> Identity:
        task, table = trainer.task, domain.to_dict()
        table["functions"] = {each["name"]: each for each in table["functions"]}
        training = {
            "training version": TRAINING_VERSION,
            "training data": task.train.fingerprint(),
            "validation data": task.valid.fingerprint(),
            "standardised": task.standardised,
            "seed": trainer.seed,
            "budget": trainer.budget,
            **{key: table[key] for key in _LANGUAGE},
        }
        search = {"search": algorithm, **settings, **{key: table[key] for key in _CHOICE}}
        return cls(plain_data(training), plain_data(search))

    @classmethod
    def in_header(cls, header: Mapping[str, Any]) -> Identity:
        """That of the run of a journal."""
        return cls(header["training"], header["search"])

    @property
    def seed(self) -> int:
        return int(self.training["seed"])

    @property
    def header(self) -> dict[str, Any]:
        """What the header of a journal says of it."""
        return {"training": self.training, "search": self.search}

    def check_same(self, earlier: Identity, name: str, anew: str) -> None:
        """Raise unless the run of this name, begun earlier, is this one.

        The error names all differences, and how to begin ``anew``.
        """
        changes = changes_in(
            {**earlier.training, **earlier.search}, {**self.training, **self.search}
        )
        if changes:
            raise NearstarError(
                f"{name} was begun with other data or settings: {'; '.join(changes)}. Give the "
                f"same again to go on with it, or {anew} for a new run"
            )

    def check_shares(self, other: Identity, where: str) -> None:
        """Raise unless programs are trained in the other run as in this one."""
        if changes := changes_in(other.training, self.training):
            raise NearstarError(
                f"the answers of {where} cannot be used, since programs were trained otherwise "
                f"there: {'; '.join(changes)}"
            )


def plain_data(value: Any) -> Any:
    """The value in tables, lists, texts and numbers, as JSON has them."""
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            return value if math.isfinite(value) else str(value)
        case Mapping():
            return {str(key): plain_data(each) for key, each in value.items()}
        case list() | tuple():
            return [plain_data(each) for each in value]
        case Apply() | Hole():
            return to_text(value)
    # A dataclass of ours, or a search of the user's own.
    fields = dataclasses.fields(value) if dataclasses.is_dataclass(value) else None
    names = vars(value) if fields is None else [field.name for field in fields]
    own = {name: plain_data(getattr(value, name)) for name in names}
    return {"kind": type(value).__qualname__, **own}


def changes_in(before: Any, now: Any, name: str = "") -> list[str]:
    """What differs between plain data, in words."""
    if before == now:
        return []
    if isinstance(before, dict) and isinstance(now, dict):
        if before.get("kind") != now.get("kind"):
            return [f"{name} was {before.get('kind')}, and is {now.get('kind')} now"]
        return [
            change
            for key in dict.fromkeys([*before, *now])
            for change in changes_in(
                before.get(key), now.get(key), f"{name}.{key}" if name else key
            )
        ]
    if name.endswith(" data"):
        return [f"the {name} are not the same"]
    return [f"{name} was {reprlib.repr(before)}, and is {reprlib.repr(now)} now"]
