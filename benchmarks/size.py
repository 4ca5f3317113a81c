"""How a search grows with the data: time to a given path cost, from a thousand sequences on.

    python benchmarks/size.py --seconds 30 --seeds 3 --plot docs/pictures/size.svg

Two simulated animals and a rule of the language, in more and more sequences: the shape of CRIM13
has 12,404. A quarter as many more are to choose by, 1,000 others to test on. Times are of the
processor, for all trainings of a search together.
"""

from __future__ import annotations

import argparse
import math
import multiprocessing
import resource
from pathlib import Path
from statistics import median

import nearstar as ns

SIZES = (1000, 2000, 4000, 8000, 12_404)
GOAL = 0.19
"""A path cost that only the rule itself reaches; the best possible one is about .17."""


def run(size: int, seed: int, seconds: float) -> dict[str, float]:
    """What a search with the default settings does in so much time."""
    train, valid = ns.two_animals(size, seed=3 * seed), ns.two_animals(size // 4, seed=3 * seed + 1)
    domain = ns.Domain.built_in("crim13")
    result = ns.learn(
        ns.Task(train, valid),
        domain,
        ns.AStar(persist=True),
        seed=seed,
        budget=ns.Budget.for_size(size, loss="f1"),
        limits=ns.Limits(engine_seconds=seconds),
        constraints=ns.Constraints(max_depth=10),
        workers=1,
        progress=False,
    )
    assert result.best is not None
    reached = (p.engine_seconds for p in result.trace if p.best is not None and p.best <= GOAL)
    test = ns.two_animals(1000, seed=10_000)
    return {
        "size": size,
        "seed": seed,
        "seconds": next(reached, math.inf),
        "cost": result.best.evaluation.path_cost,
        "f1": result.model(domain, train.class_names).evaluate(test).f1,
        "trained": result.trained,
        "megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=30.0, help="of training, for each search")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--plot", type=Path, help="draw the times there")
    args = parser.parse_args()
    jobs = [(size, seed, args.seconds) for size in args.sizes for seed in range(args.seeds)]
    # A process each: the most memory that it ever had is that of one search.
    with multiprocessing.get_context("spawn").Pool(args.jobs, maxtasksperchild=1) as pool:
        runs = pool.starmap(run, jobs, chunksize=1)
    print(f"medians of {args.seeds}: engine seconds to a path cost of {GOAL}, and after", end=" ")
    print(f"{args.seconds:g} s\n sequences  seconds  path cost  test F1  trained  MB")
    for size in args.sizes:
        own = [each for each in runs if each["size"] == size]
        of = {name: median(each[name] for each in own) for name in own[0]}
        print(
            f"{size:>10}{of['seconds']:>9.1f}{of['cost']:>11.4f}{of['f1']:>9.3f}"
            f"{of['trained']:>9.0f}{of['megabytes']:>7.0f}"
        )
    if args.plot:
        _draw(runs, args.plot)


def _draw(runs: list[dict[str, float]], path: Path) -> None:
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot

    figure, axis = pyplot.subplots(figsize=(6, 3.5), layout="constrained")
    axis.plot([each["size"] for each in runs], [each["seconds"] for each in runs], "o", alpha=0.5)
    sizes = sorted({each["size"] for each in runs})
    middle = [median(e["seconds"] for e in runs if e["size"] == size) for size in sizes]
    axis.plot(sizes, middle)
    axis.set(xlabel="training sequences", ylabel=f"engine seconds to a path cost of {GOAL}")
    axis.set_ylim(0)
    axis.grid(alpha=0.3)
    figure.savefig(path, metadata={"Date": None})


if __name__ == "__main__":
    main()
