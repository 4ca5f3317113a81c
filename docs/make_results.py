"""Puts studies of ``nearstar reproduce`` into docs/results, and their F1 into docs/RESULTS.md.

python docs/make_results.py reproduce-nba reproduce-rat-social …
"""

from __future__ import annotations

import csv
import re
import shutil
import sys
from pathlib import Path

DOCS = Path(__file__).parent
KEPT = ("results.md", "table.csv", "efficiency.svg", "lambda.svg")
SEARCHES = ("enumeration", "montecarlo", "mcts", "genetic", "idsbb", "astar", "astar-alone")

Rows = dict[str, dict[str, str]]


def keep(folder: Path) -> Rows:
    """Copy what is shown of a study; its table by algorithm."""
    target = DOCS / "results" / name_of(folder)
    target.mkdir(parents=True, exist_ok=True)
    for name in KEPT:
        (target / name).unlink(missing_ok=True)  # an earlier study may have had more
        if (folder / name).exists():
            shutil.copy(folder / name, target / name)
    with (folder / "table.csv").open(newline="", encoding="utf-8") as file:
        return {row["algorithm"]: row for row in csv.DictReader(file)}


def name_of(folder: Path) -> str:
    return folder.name.removeprefix("reproduce-")


def shown(row: dict[str, str] | None, best: bool) -> str:
    if row is None or not row["f1"]:
        return "–"
    text = f"{float(row['f1']):.3f} ± {float(row['f1_sd'] or 0):.3f}".replace("0.", ".")
    return f"**{text}**" if best else text


def table(studies: dict[str, Rows]) -> str:
    """F1 on the test data, an algorithm a row, a task a column; the best searches are bold."""
    algorithms = list(dict.fromkeys(name for rows in studies.values() for name in rows))
    names = {name: row["name"] for rows in studies.values() for name, row in rows.items()}
    heads = [f"[{task}](results/{task}/results.md)" for task in studies]
    lines = [f"| | {' | '.join(heads)} |", "|---" * (len(studies) + 1) + "|"]
    best = {task: max(f1_of(rows.get(name)) for name in SEARCHES) for task, rows in studies.items()}
    for algorithm in algorithms:
        own = {task: rows.get(algorithm) for task, rows in studies.items()}
        cells = (
            shown(row, algorithm in SEARCHES and f1_of(row) == best[task])
            for task, row in own.items()
        )
        lines.append(f"| {names[algorithm].replace('*', chr(92) + '*')} | {' | '.join(cells)} |")
    return "\n".join(lines)


def f1_of(row: dict[str, str] | None) -> float:
    """As it is shown; 0 where there is none."""
    return 0.0 if row is None else round(float(row["f1"] or 0), 3)


def main() -> None:
    studies = {name_of(Path(each)): keep(Path(each)) for each in sys.argv[1:]}
    page = DOCS / "RESULTS.md"
    text = page.read_text(encoding="utf-8")
    block = f"<!-- F1 -->\n{table(studies)}\n<!-- -->"
    page.write_text(re.sub(r"<!-- F1 -->.*?<!-- -->", lambda _: block, text, flags=re.S), "utf-8")


if __name__ == "__main__":
    main()
