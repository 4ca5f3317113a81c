"""What decides a run: as older journals have it."""

from __future__ import annotations

import pytest

from nearstar.run.store.identity import Identity


@pytest.mark.parametrize(
    ("before", "now"),
    [
        (
            {"kind": "AStar", "haste": 0.5, "beside": 2, "width": 1},
            {"kind": "AStar", "correction": 0.5, "exploration": 2, "width": 1},
        ),
        ({"kind": "Listed", "programs": ["x"]}, {"kind": "FixedList", "programs": ["x"]}),
        ({"kind": "Own", "haste": 3}, {"kind": "Own", "haste": 3}),
    ],
)
def test_older_names_of_settings_are_read(
    before: dict[str, object], now: dict[str, object]
) -> None:
    header = {"training": {"seed": 0}, "search": {"search": before, "weight": 1.0}}
    assert Identity.in_header(header).search == {"search": now, "weight": 1.0}
