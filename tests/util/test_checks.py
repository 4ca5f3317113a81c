"""Fields of settings, checked by what they must be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from nearstar.util.checks import check_fields
from nearstar.util.errors import NearstarError


@dataclass(frozen=True)
class Settings:
    steps: Any = 3
    limit: Any = None
    seed: Any = 0
    rate: Any = 0.5
    margin: Any = 0.0
    lazy: Any = True

    def check(self, called: str = "{}") -> None:
        check_fields(
            self,
            called,
            whole=("steps", "limit"),
            whole_from_0=("seed",),
            positive=("rate",),
            from_0=("margin",),
            switch=("lazy",),
        )


def test_what_is_right_passes() -> None:
    Settings().check()
    Settings(limit=1, rate=2, margin=1e9, lazy=False).check()


@pytest.mark.parametrize(
    ("wrong", "problem"),
    [
        ({"steps": 0}, "steps must be a whole number from 1, not 0"),
        ({"steps": True}, "steps must be a whole number from 1, not True"),
        ({"steps": None}, "steps must be a whole number from 1, not None"),
        ({"limit": 2.5}, "limit must be a whole number from 1, not 2.5"),
        ({"seed": -1}, "seed must be a whole number from 0, not -1"),
        ({"rate": 0}, "rate must be above 0, not 0"),
        ({"margin": float("nan")}, "margin must be a number from 0, not nan"),
        ({"lazy": 1}, "lazy is True or False, not 1"),
    ],
)
def test_what_is_wrong_is_said(wrong: dict[str, Any], problem: str) -> None:
    with pytest.raises(NearstarError, match=f"^{problem}$"):
        Settings(**wrong).check()
    with pytest.raises(NearstarError, match=f"^the limit of {problem}$"):
        Settings(**wrong).check("the limit of {}")
