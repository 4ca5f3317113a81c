"""Results are those that were recorded, to the last bit; and old files are still read."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from recorded import old_files
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


@pytest.mark.parametrize("name", old_files.MODELS)
def test_an_old_model_answers_as_it_did(name: str) -> None:
    expected = old_files.expected()["models"][name]
    assert not list(differences(expected, old_files.answers(name)))


@pytest.mark.parametrize("name", old_files.RUNS)
def test_an_old_run_goes_on(name: str, tmp_path: Path) -> None:
    shutil.copytree(old_files.FOLDER / name, tmp_path / name)
    expected = old_files.expected()["runs"][name]
    assert not list(differences(expected, old_files.gone_on_with(name, tmp_path / name)))
