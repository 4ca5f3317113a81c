"""Searches of many tasks, contestants and seeds, side by side; their records in a file."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from search_tasks import TASKS

Search = Callable[[Any, str, int, float], Sequence[Any]]
"""What a contestant does on a task, with a seed, in so many seconds: the records of it."""


def options(about: str, tasks: list[str], seeds: int) -> argparse.ArgumentParser:
    """The options of every comparison."""
    parser = argparse.ArgumentParser(description=about.partition("\n")[0])
    parser.add_argument("--task", nargs="+", choices=list(TASKS), default=tasks)
    parser.add_argument("--seconds", type=float, default=60.0, help="of training, for each search")
    parser.add_argument("--seeds", type=int, default=seeds)
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--json", type=Path, help="write all runs there")
    parser.add_argument("--read", type=Path, nargs="+", help="print tables of these files instead")
    return parser


def compare(
    args: argparse.Namespace,
    names: Iterable[str],
    search: Search,
    line: Callable[[Any], str],
    print_tables: Callable[[list[dict[str, Any]]], None],
) -> None:
    """Run what the options say, or read it, and print its tables."""
    if args.read:
        print_tables([run for path in args.read for run in json.loads(path.read_text())["runs"]])
        return
    runs = []
    with ProcessPoolExecutor(args.jobs, mp_context=get_context("spawn")) as pool:
        # Those of one task and seed are close together in time: the machine may change.
        futures = [
            pool.submit(search, task, name, seed, args.seconds)
            for task in args.task
            for seed in range(args.seeds)
            for name in names
        ]
        for future in as_completed(futures):
            for run in future.result():
                runs.append(asdict(run))
                print(line(run), flush=True)
    if args.json:
        args.json.write_text(json.dumps({"seconds": args.seconds, "runs": runs}, indent=1))
    print_tables(runs)
