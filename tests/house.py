"""The figures of the house: ``python tests/house.py src`` prints those of a source tree.

Files and lines, names at the top, knots of imports, and files that ask for the class of an
operator. It reads the source and imports nothing, so that older trees can be measured too.
"""

from __future__ import annotations

import argparse
import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

OPERATORS = frozenset(
    [
        "Map",
        "MapPrefix",
        "Fold",
        "Window",
        "If",
        "Function",
        "Affine",
        "Select",
        "Constant",
        "Input",
    ]
)
"""Classes of operators, in this tree and in older ones."""


@dataclass(frozen=True)
class Import:
    """One module that another imports."""

    name: str
    """What is imported: a module of ours, if it is one, or else as it is written."""
    inner: bool
    """Whether it stands in a function."""
    line: int


@dataclass(frozen=True, eq=False)
class Module:
    """A file of a package."""

    name: str
    path: Path

    @cached_property
    def text(self) -> str:
        return self.path.read_text("utf-8")

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text)

    @property
    def room(self) -> str:
        """The name at the top of the package that it is in, or is; "" for the package itself."""
        return f"{self.name}.".split(".")[1]

    @property
    def dispatches(self) -> bool:
        """Whether it asks for the class of an operator, by isinstance, ``type`` or ``match``."""
        return any(set(map(_last, _asked(node))) & OPERATORS for node in ast.walk(self.tree))


def modules_of(root: Path, package: str = "nearstar") -> dict[str, Module]:
    """The modules of a package in a source tree, by name."""
    found = {}
    for path in sorted((root / package).rglob("*.py")):
        parts = path.relative_to(root).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        found[name] = Module(name, path)
    return found


def imports_of(module: Module, modules: Mapping[str, Module]) -> list[Import]:
    """All that a module imports, except for types alone."""
    found = []
    for node, inner in _import_nodes(module.tree, False):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            base = _absolute(node, module)
            names = [
                full if (full := f"{base}.{alias.name}") in modules else base
                for alias in node.names
            ]
        found += [Import(name, inner, node.lineno) for name in dict.fromkeys(names)]
    return found


def _import_nodes(node: ast.AST, inner: bool) -> Iterator[tuple[ast.Import | ast.ImportFrom, bool]]:
    if isinstance(node, ast.Import | ast.ImportFrom):
        yield node, inner
    if isinstance(node, ast.If) and _last(node.test) == "TYPE_CHECKING":
        children: Iterable[ast.AST] = node.orelse
    else:
        children = ast.iter_child_nodes(node)
    inner = inner or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
    for child in children:
        yield from _import_nodes(child, inner)


def _absolute(node: ast.ImportFrom, module: Module) -> str:
    if not node.level:
        return node.module or ""
    above = module.name.split(".")
    above = above[: len(above) - node.level + (module.path.name == "__init__.py")]
    return ".".join([*above, *([node.module] if node.module else [])])


def graph_of(modules: Mapping[str, Module], *, inner: bool) -> dict[str, set[str]]:
    """Which of the modules each one imports, with those in functions or without them."""
    return {
        name: {
            each.name
            for each in imports_of(module, modules)
            if each.name in modules and each.name != name and (inner or not each.inner)
        }
        for name, module in modules.items()
    }


def knots(graph: Mapping[str, set[str]]) -> list[list[str]]:
    """Modules that import each other in a circle, largest knots first."""
    reached = {name: _reached(name, graph) for name in graph}
    found = {
        tuple(sorted(other for other in reached[name] if name in reached[other]))
        for name in graph
        if name in reached[name]
    }
    return sorted(map(list, found), key=lambda knot: (-len(knot), knot))


def _reached(name: str, graph: Mapping[str, set[str]]) -> set[str]:
    """All that a module imports by any way; itself too, if it is on a circle."""
    seen: set[str] = set()
    waiting = list(graph[name])
    while waiting:
        if (each := waiting.pop()) not in seen:
            seen.add(each)
            waiting += graph[each]
    return seen


def names_at_top(root: Path, package: str = "nearstar") -> list[str]:
    """Modules and folders at the top of a package, besides its own page and its mark of types."""
    beside = ("__init__.py", "py.typed", "__pycache__")
    return sorted(path.name for path in (root / package).iterdir() if path.name not in beside)


def _asked(node: ast.AST) -> list[ast.expr]:
    """The classes that something is compared with."""
    match node:
        case ast.Call(func=ast.Name(id="isinstance" | "issubclass"), args=[_, kinds]):
            return [each for each in ast.walk(kinds) if isinstance(each, ast.expr)]
        case ast.MatchClass(cls=kind):
            return [kind]
        case ast.Compare(left=ast.Call(func=ast.Name(id="type")), comparators=kinds):
            return kinds
    return []


def _last(node: ast.expr) -> str:
    """The last name of a dotted one."""
    return node.id if isinstance(node, ast.Name) else getattr(node, "attr", "")


def figures(root: Path) -> dict[str, object]:
    """All figures by what they are called."""
    modules = modules_of(root)
    dispatching = [name for name, module in modules.items() if module.dispatches]
    largest = {
        inner: max(map(len, knots(graph_of(modules, inner=inner))), default=1)
        for inner in (False, True)
    }
    in_functions = [
        each for module in modules.values() for each in imports_of(module, modules) if each.inner
    ]
    return {
        "files": len(modules),
        "lines": sum(module.text.count("\n") for module in modules.values()),
        "names at the top": len(names_at_top(root)),
        "largest knot of imports": largest[False],
        "largest knot, imports in functions too": largest[True],
        "imports in functions": len(in_functions),
        "files that dispatch on operators": len(dispatching),
        "which": ", ".join(each.removeprefix("nearstar.") for each in dispatching),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", type=Path, nargs="+", help="folders with the package in them")
    for root in parser.parse_args().root:
        print(root)
        for name, value in figures(root).items():
            print(f"  {name:40} {value}")


if __name__ == "__main__":
    main()
