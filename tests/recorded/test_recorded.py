"""Results are those that were recorded, to the last bit; and old model files are still read."""

from __future__ import annotations

import pytest
from recorded import old_models
from recorded.cases import CASES, RESULTS, differences, fingerprint, read
from recorded.registry import Case

RECORDED_WITH, STORED = read(RESULTS)
_OTHERS = {
    name: f"{was}, here {fingerprint().get(name)}"
    for name, was in RECORDED_WITH.items()
    if fingerprint().get(name) != was
}

pytestmark = pytest.mark.skipif(
    bool(_OTHERS),
    reason="bits are promised for the same versions on the same kind of processor alone; "
    f"results were recorded with {_OTHERS}",
)


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(each, id=each.id, marks=() if each.quick else pytest.mark.slow)
        for each in CASES.values()
    ],
)
def test_as_recorded(case: Case) -> None:
    assert not list(differences(STORED[case.id], case.run()))


def test_every_result_has_its_case() -> None:
    assert STORED.keys() == CASES.keys()


@pytest.mark.parametrize("name", old_models.EXPECTED)
def test_an_old_model_answers_as_it_did(name: str) -> None:
    assert not list(differences(old_models.EXPECTED[name], old_models.answers(name)))
