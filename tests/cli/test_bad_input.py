"""Bad inputs: each gets one message that helps, nothing is left behind, nothing is trained."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli.bad_input import CASES, Case, run, workshop

from nearstar.fit import fit
from nearstar.run import trainer


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name.replace(" ", "-"))
def test_one_message_that_helps(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    def trained(*_: object, **__: object) -> None:
        pytest.fail("something was trained")

    monkeypatch.setattr(trainer, "train", trained)
    monkeypatch.setattr(fit, "train", trained)
    with workshop() as folder:
        case.make()
        before = contents(folder)
        code, printed, said = run(case)
        assert contents(folder) == before
    assert code == case.code
    if case.words:
        assert not printed
        assert said.startswith("nearstar: ") and said.count("nearstar: ") == 1
        assert "Traceback" not in said
    for word in case.words:
        assert word in said


def test_there_are_many_and_each_is_another() -> None:
    assert len({case.name for case in CASES}) == len(CASES) >= 100


def contents(folder: Path) -> dict[str, bytes | None]:
    """All that is in a folder, by path."""
    paths = sorted(folder.rglob("*"))
    return {str(path): path.read_bytes() if path.is_file() else None for path in paths}
