"""Settings are checked by the types of their fields."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import pytest

from nearstar.util.checks import check_settings
from nearstar.util.errors import NearstarError


@dataclass
class Own:
    many: int = 1
    few: int = field(default=0, metadata={"least": 0})
    some: int | None = None
    wide: float = 0.0
    far: float = field(default=0.0, metadata={"infinite": True})
    rate: float | None = field(default=None, metadata={"positive": True})
    share: float = field(default=0.5, metadata={"most": 1})
    on: bool = True
    name: str = "anything"

    def __post_init__(self) -> None:
        check_settings(self)


def test_what_fits_is_taken() -> None:
    Own(many=3, few=0, some=2, wide=1.5, far=math.inf, rate=0.1, share=1, on=False, name="")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"many": 0}, "many must be a whole number from 1, not 0"),
        ({"many": True}, "many must be a whole number from 1, not True"),
        ({"many": None}, "many must be a whole number from 1, not None"),
        ({"few": -1}, "few must be a whole number from 0, not -1"),
        ({"some": 0}, "some must be a whole number from 1, not 0"),
        ({"wide": -1}, "wide must be a number from 0, not -1"),
        ({"wide": math.inf}, "wide must be a number from 0, not inf"),
        ({"far": math.nan}, "far must be a number from 0, not nan"),
        ({"rate": 0}, "rate must be above 0, not 0"),
        ({"share": 1.5}, "share must be a number from 0 to 1, not 1.5"),
        ({"on": 1}, "on is True or False, not 1"),
    ],
)
def test_what_does_not_fit_is_told(given: dict[str, Any], message: str) -> None:
    with pytest.raises(NearstarError, match=f"^{message}$"):
        Own(**given)
