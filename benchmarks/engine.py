"""How fast the engine is: against eager PyTorch, alone, in two threads, on unequal lengths.

    python benchmarks/engine.py            a table (and --json for one object)
    python benchmarks/engine.py --plots out    how time grows, as SVG

Every ratio is taken within one run, its two sides interleaved, so that a busy machine slows both.
Times are the least of several rounds; ratios are medians over rounds.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median

import numpy as np
from candidates import CRIM13, TEXTS, batch, candidate, prepared
from threadpoolctl import threadpool_limits

from nearstar import Sequences, Units, parse

ROUNDS = 15
SECONDS = 0.02
"""Least time of one measurement."""


def timed(step: Callable[[int], None], n: int) -> float:
    """Seconds a step, over n steps."""
    began = time.perf_counter()
    step(n)
    return (time.perf_counter() - began) / n


def enough(step: Callable[[int], None], seconds: float) -> int:
    """How many steps take long enough to be timed."""
    step(3)
    return max(1, round(seconds / timed(step, 3)))


def interleaved(
    *steps: Callable[[int], None], rounds: int = ROUNDS, seconds: float = SECONDS
) -> list[list[float]]:
    """Seconds a step, of each in each round."""
    counts = [enough(step, seconds) for step in steps]
    return [[timed(step, n) for step, n in zip(steps, counts, strict=True)] for _ in range(rounds)]


def torch_steps(X: np.ndarray, y: np.ndarray) -> dict[str, Callable[[int], None]]:
    """The same candidates in torch, if it is installed."""
    try:
        from torch_candidates import candidates
    except ImportError:
        return {}

    def repeat(step: Callable[[], None]) -> Callable[[int], None]:
        def steps(n: int) -> None:
            for _ in range(n):
                step()

        return steps

    return {name: repeat(step) for name, step in candidates(X, y, y[:, 0].copy()).items()}


def peak_flops() -> float:
    """Floating-point operations a second of one core, in a large matrix product."""
    a = np.random.default_rng(0).normal(size=(1024, 1024)).astype(np.float32)
    with threadpool_limits(1):
        best = min(timed(lambda n: [a @ a for _ in range(n)], 3) for _ in range(5))
    return 2 * 1024**3 / best


def measure_candidates(names: str) -> dict[str, dict[str, float | None]]:
    X, y = batch()
    theirs = torch_steps(X, y)
    peak = peak_flops()
    results: dict[str, dict[str, float | None]] = {}
    for name in names:
        ours = candidate(name, X, y)
        rounds = interleaved(ours.step, *([theirs[name]] if theirs else []))
        ms = 1e3 * min(each[0] for each in rounds)
        results[name] = {
            "ms": ms,
            "torch_ms": 1e3 * min(each[1] for each in rounds) if theirs else None,
            "ratio": median(each[1] / each[0] for each in rounds) if theirs else None,
            "share_of_peak": ours.flops / (ms / 1e3) / peak,
        }
    return results


_FIRST = """
import time
began = time.perf_counter()
import nearstar as ns
imported = time.perf_counter()
task = ns.Task(ns.two_animals(60, 0))
ns.train(ns.Hole(task.signature()), task, ns.Budget(neural_steps=8))
print(imported - began, time.perf_counter() - began)
"""


def measure_start() -> tuple[float, float]:
    """Seconds that compiling everything takes, and of import and first training afterwards."""
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "NUMBA_CACHE_DIR": cache}
        times = []
        for _ in range(4):
            command = [sys.executable, "-c", _FIRST]
            run = subprocess.run(command, env=environment, capture_output=True, check=True)
            times.append(float(run.stdout.split()[1]))
    warm = min(times[1:])
    return times[0] - warm, warm


def measure_threads() -> float:
    """Wall time of two trainings in two threads, as a multiple of that of one."""
    X, y = batch()
    pair = [candidate("C", X, y) for _ in range(2)]
    with ThreadPoolExecutor(2) as pool:

        def both(n: int) -> None:
            list(pool.map(lambda each: each.step(n), pair))

        # Long enough that starting the second thread does not count.
        rounds = interleaved(pair[0].step, both, rounds=7, seconds=0.3)
    return median(two / one for one, two in rounds)


_MEMORY = """
import numpy as np
import nearstar as ns

def peak():
    for line in open("/proc/self/status"):
        if line.startswith("VmHWM"):
            return int(line.split()[1]) * 1024

imported = peak()
X = np.empty((12404, 100, 19), np.float32)
random = np.random.default_rng(0)
for rows in np.array_split(X, 100):
    rows[:] = random.standard_normal(rows.shape, np.float32)
y = (X[..., 4] > 0).astype(np.int8)
data = ns.Sequences.from_arrays(X, y)
task = ns.Task(data, data.subset(range(100)))
ns.train(ns.Hole(task.signature()), task, ns.Budget(neural_steps=8))
print((peak() - imported) / X.nbytes)
"""


def measure_memory() -> float | None:
    """Peak memory of a training on 12,404 × 100 × 19, in sizes of that array, itself included.

    With the compiled engine in its cache, as after any earlier training. Linux only.
    """
    if not Path("/proc/self/status").exists():
        return None
    run = subprocess.run([sys.executable, "-c", _MEMORY], capture_output=True, check=True)
    return float(run.stdout)


def measure_lengths(bouts: Path | None) -> dict[str, float]:
    """Time on very unequal lengths, as a multiple of that of as many frames in equal lengths."""
    if bouts is not None:
        with np.load(bouts, allow_pickle=False) as file:
            X, lengths = file["X_train"][..., :19], file["lengths_train"]
        frames = [x[:n] for x, n in zip(X, lengths, strict=True)]
    else:
        random = np.random.default_rng(0)
        lengths = np.minimum(random.exponential(150, 2500).astype(int) + 1, 300)
        frames = [random.normal(size=(n, 19)).astype(np.float32) for n in lengths]
    labels = np.arange(len(frames)) % 2
    unequal = Sequences.from_arrays(frames, labels)
    mean = round(float(np.mean(lengths)))
    n_equal = round(len(unequal.frames) / mean)
    flat = np.resize(unequal.frames, (n_equal, mean, 19))
    equal = Sequences.from_arrays(flat, np.arange(n_equal) % 2)
    share = len(unequal.frames) / (n_equal * mean)
    result = {}
    for name, text in (("lstm", "??"), ("fold", TEXTS["F"])):
        program = parse(text, CRIM13, CRIM13.signature(2, per_frame=False)).program
        steps = [prepared(program, data, Units(15, 15), 50) for data in (unequal, equal)]
        rounds = interleaved(*(each.step for each in steps), rounds=7)
        result[name] = median(one / two for one, two in rounds) / share
    return result


def plot_growth(folder: Path) -> None:
    """Time of a pass over the data against sequences, length, features and program size, as SVG."""
    from growth import plot

    folder.mkdir(parents=True, exist_ok=True)
    print(f"wrote {plot(folder, interleaved)}", file=sys.stderr)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--only", default="ABCDEF", help="candidates to run, such as AC")
    parser.add_argument("--bouts", type=Path, help="an .npz with X_train and lengths_train")
    parser.add_argument("--plots", type=Path, help="also plot how time grows, into this folder")
    options = parser.parse_args()
    if unknown := set(options.only) - set(TEXTS):
        parser.error(f"no candidates {sorted(unknown)}; there are {', '.join(TEXTS)}")
    compile_s, warm_start_s = measure_start()
    report = {
        "candidates": measure_candidates(options.only),
        "compile_s": compile_s,
        "warm_start_s": warm_start_s,
        "two_threads": measure_threads(),
        "memory": measure_memory(),
        "unequal_lengths": measure_lengths(options.bouts),
    }
    if options.json:
        print(json.dumps(report))
    else:
        show(report)
    if options.plots:
        plot_growth(options.plots)


def show(report: dict) -> None:
    print("candidate     ms  of peak   torch ms   ratio")
    for name, row in report["candidates"].items():
        theirs = "        –       –"
        if row["ratio"] is not None:
            theirs = f"{row['torch_ms']:9.3f} {row['ratio']:6.1f}×"
        print(f"{name}        {row['ms']:7.4f}   {row['share_of_peak']:5.1%}  {theirs}")
    print(
        f"first compile {report['compile_s']:.1f} s, then {report['warm_start_s']:.2f} s to start"
    )
    print(f"two trainings in two threads: {report['two_threads']:.2f} × the time of one")
    if report["memory"] is not None:
        print(f"memory at 12,404 × 100 × 19: {report['memory']:.2f} × the data")
    for name, ratio in report["unequal_lengths"].items():
        print(f"unequal lengths, {name}: {ratio:.2f} × the time of equal ones")


if __name__ == "__main__":
    main()
