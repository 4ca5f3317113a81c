"""Where compiled code is kept."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from nearstar.engine.kernels import machine
from nearstar.util import compiled

SCRIPT = (
    "import nearstar as ns\n"
    "task = ns.Task(ns.two_animals(20, 0))\n"
    "ns.train(ns.Hole(task.signature()), task, ns.Budget(neural_steps=8))\n"
)


def test_without_a_place_to_keep_code_it_is_compiled_all_the_same(monkeypatch) -> None:
    def refusing(cache: bool = False, **options: object):
        if cache:
            raise RuntimeError("cannot cache function: no locator available")
        return lambda function: function

    monkeypatch.setattr(compiled, "njit", refusing)
    assert compiled.entry(len) is len


def test_any_change_of_the_engines_sources_compiles_it_anew(tmp_path: Path, monkeypatch) -> None:
    before = machine._digest()
    (tmp_path / "one.py").write_text("x = 1\n")
    monkeypatch.setattr(machine, "__file__", str(tmp_path / "machine.py"))
    first = machine._digest()
    (tmp_path / "one.py").write_text("x = 2\n")
    assert len({before, first, machine._digest()}) == 3


@pytest.mark.slow
def test_the_cache_is_used_by_the_next_process(tmp_path: Path) -> None:
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}

    def files() -> dict[Path, int]:
        return {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.nb*")}

    subprocess.run([sys.executable, "-c", SCRIPT], env=environment, check=True)
    first = files()
    subprocess.run([sys.executable, "-c", SCRIPT], env=environment, check=True)
    assert first and files() == first
