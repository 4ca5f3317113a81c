"""Exported modules as anybody would use them: imported, or run as scripts."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType

from nearstar import Model
from nearstar.model.export import export


def module_of(model: Model, folder: Path) -> ModuleType:
    """The exported module, imported from a file as anybody would."""
    source = export(model, "python")
    assert isinstance(source, str)
    path = folder / "exported.py"
    path.write_text(source, encoding="utf-8")
    spec = importlib.util.spec_from_file_location("exported", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.dont_write_bytecode, before = True, sys.dont_write_bytecode
    try:
        spec.loader.exec_module(module)
    finally:
        sys.dont_write_bytecode = before
    return module


def run_script(path: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """What a module prints in its own folder, where nothing but NumPy can be imported."""
    blocked = "import sys; sys.modules['nearstar'] = sys.modules['pandas'] = None; "
    start = "import runpy; del sys.argv[0]; runpy.run_path(sys.argv[0], run_name='__main__')"
    return subprocess.run(
        [sys.executable, "-c", blocked + start, path.name, *arguments],
        cwd=path.parent,
        capture_output=True,
        text=True,
    )
