"""The recorded set: results of nearstar that no change of its insides may change.

``python tests/recorded/cases.py --write FILE`` records all; ``--compare FILE`` runs all and lists
what is not as recorded; ``--only TEXT`` takes those whose id has the text in it, ``--quick`` the
quick ones. Bits are the same only with the same versions on the same kind of processor: the head
of the file says which.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
import time
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import llvmlite.binding as llvm
from recorded import commands, estimating, language, models, searching, training
from recorded.registry import CASES, Case

import nearstar as ns

RESULTS = Path(__file__).with_name("results.json")
FAMILIES = (searching, training, models, language, estimating, commands)
"""Importing them adds their cases."""
_PACKAGES = ("numpy", "numba", "llvmlite", "pandas", "scikit-learn", "onnx")


def fingerprint() -> dict[str, str]:
    """What the bits depend on, beside nearstar."""
    return {
        **{name: version(name) for name in _PACKAGES},
        "python": ".".join(platform.python_version_tuple()[:2]),
        "processor": llvm.get_host_cpu_name(),
    }


def read(path: Path) -> tuple[dict[str, str], dict[str, Any]]:
    """The head of a file of results, and the results by id."""
    stored = json.loads(path.read_text("utf-8"))
    return stored["fingerprint"], stored["results"]


def write(path: Path, results: dict[str, Any]) -> None:
    """One line for each case, so that a difference is one line of a diff."""
    lines = [f"{json.dumps(id)}: {_plain(results[id])}" for id in sorted(results)]
    head = f'{{"fingerprint": {_plain(fingerprint())},\n"results": {{\n'
    path.write_text(head + ",\n".join(lines) + "\n}}\n", "utf-8")


def differences(expected: Any, given: Any, place: str = "") -> Iterator[str]:
    """The parts that differ, one line each."""
    if isinstance(expected, dict) and isinstance(given, dict):
        for key in dict.fromkeys((*expected, *given)):
            inner = f"{place}.{key}" if place else key
            yield from differences(expected.get(key), given.get(key), inner)
    elif expected != given:
        yield f"{place}: {_plain(expected)} was recorded, now it is {_plain(given)}"


def attempt(case: Case) -> dict[str, Any]:
    """The case's parts; an error is a part too, so that the others still run."""
    try:
        return case.run()
    except Exception as problem:
        return {"raised": f"{type(problem).__name__}: {problem}"}


def _plain(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _record(path: Path, chosen: list[Case], slowest: int) -> int:
    results, times = {}, {}
    for each in chosen:
        began = time.perf_counter()
        results[each.id] = attempt(each)
        times[each.id] = time.perf_counter() - began
    failed = [id for id, parts in results.items() if "raised" in parts]
    for id in failed:
        print(f"{id}: {results[id]['raised']}", file=sys.stderr)
    for id in sorted(times, key=lambda id: -times[id])[:slowest]:
        print(f"{times[id]:7.2f} s  {id}")
    write(path, results)
    print(f"{len(results)} cases in {sum(times.values()):.1f} s, {path.stat().st_size} bytes")
    return 1 if failed else 0


def _compare(path: Path, chosen: list[Case], whole: bool) -> int:
    head, stored = read(path)
    if head != fingerprint():
        print(f"recorded with {head}, this is {fingerprint()}", file=sys.stderr)
    differing = 0
    for each in chosen:
        expected = stored.get(each.id, {"recorded": False})
        lines = list(differences(expected, attempt(each)))
        differing += bool(lines)
        for line in lines:
            print(f"{each.id}\n    {line}")
    gone = sorted(stored.keys() - CASES.keys()) if whole else []
    for id in gone:
        print(f"{id}\n    is recorded, and no case any more")
    print(f"{differing + len(gone)} of {len(chosen)} cases differ")
    return 1 if differing or gone else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", type=Path, metavar="FILE")
    parser.add_argument("--compare", type=Path, metavar="FILE")
    parser.add_argument("--only", default="", metavar="TEXT")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--slowest", type=int, default=0, metavar="N", help="print the slowest N")
    given = parser.parse_args()
    chosen = [c for c in CASES.values() if given.only in c.id and (c.quick or not given.quick)]
    print(f"nearstar of {ns.__file__}")
    if given.write is not None:
        return _record(given.write, chosen, given.slowest)
    if given.compare is not None:
        return _compare(given.compare, chosen, not given.only and not given.quick)
    parser.error("give --write FILE or --compare FILE")


if __name__ == "__main__":
    sys.exit(main())
