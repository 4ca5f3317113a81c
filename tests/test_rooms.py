"""The order of the rooms: imports point one way, in no circle, and at the top of their modules."""

from __future__ import annotations

from pathlib import Path

import pytest
from house import graph_of, imports_of, knots, modules_of, names_at_top

ROOT = Path(__file__).parents[1] / "src"
MODULES = modules_of(ROOT)

ROOMS = (
    *("util", "data", "language", "engine", "training", "model", "search"),
    *("run", "fit", "report", "reproduce", "estimator", "cli"),
)
"""From the ground up: each imports from itself and from those before it."""

PACKAGES = {
    "distributed": "an extra: nearstar[cluster]",
    "matplotlib": "an extra: nearstar[plots]",
    "onnx": "an extra: nearstar[onnx]",
    "pyarrow": "an extra: nearstar[parquet]",
    "pandas": "takes half a second, which commands that read no table need not wait",
    "rich": "a display is for terminals",
    "sklearn": "takes a second, which only baselines and class weights need",
}
"""Other packages that functions may import, and why."""

INNER = {
    ("cli.main", "cli.commands"): "Ctrl-C and errors are met from the first moment on",
    ("estimator", "report.html_page"): "a page needs jinja2, and a fit does not",
    ("estimator", "report.page_data"): "the same",
    ("model.model", "model.explain"): "few explain or export",
    ("model.model", "model.export"): "the same",
    ("run.workers.cluster", "importlib"): "runs on workers, which get the function alone",
    ("run.workers.cluster", "pickle"): "the same",
}
"""Modules of ours, or of Python's, that functions import, and why: (module, what it imports)."""

BY_NAME = {
    "": "names that few ask for: scikit-learn takes a second, and pages are for few",
    "data.readers": "one module for each format, found in its folder",
    "run.workers.cluster": "versions of packages",
    "util.notebooks": "what a notebook shows is made by the report, which needs jinja2",
}
"""Modules that import others by their names in a text, and why."""


def test_names_at_the_top() -> None:
    names = [name.removesuffix(".py") for name in names_at_top(ROOT)]
    assert sorted(names) == sorted(ROOMS)
    assert len(names) <= 13


def test_imports_point_to_rooms_before() -> None:
    upward = []
    for name, module in MODULES.items():
        # The page of public names is made of all rooms.
        known = ROOMS[: ROOMS.index(module.room) + 1] if module.room else ROOMS
        for each in imports_of(module, MODULES):
            room = f"{each.name}.".split(".")[1]
            if _is_ours(each.name) and room not in known:
                upward.append((_short(name), _short(each.name)))
    assert upward == []


@pytest.mark.parametrize("inner", [False, True], ids=["at the top", "in functions too"])
def test_no_circles(inner: bool) -> None:
    assert knots(graph_of(MODULES, inner=inner)) == []


def test_imports_in_functions_have_a_reason() -> None:
    packages, ours = set(), set()
    for name, module in MODULES.items():
        for each in (each for each in imports_of(module, MODULES) if each.inner):
            pair = _short(name), _short(each.name)
            where = f"{module.path}:{each.line} imports {each.name} in a function"
            if not _is_ours(each.name) and each.name.split(".")[0] in PACKAGES:
                packages.add(each.name.split(".")[0])
            elif pair in INNER:
                ours.add(pair)
            else:
                raise AssertionError(f"{where}: import it at the top, or say why here")
    assert packages == set(PACKAGES), "reasons for imports that are no longer there"
    assert ours == set(INNER), "reasons for imports that are no longer there"


def test_imports_by_name_have_a_reason() -> None:
    found = {
        _short(name)
        for name, module in MODULES.items()
        if "import_module" in module.path.read_text()
    }
    assert found == set(BY_NAME)


def _is_ours(name: str) -> bool:
    return name.split(".")[0] == "nearstar"


def _short(name: str) -> str:
    return name.removeprefix("nearstar").removeprefix(".")
