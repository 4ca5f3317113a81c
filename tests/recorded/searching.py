"""`learn`: every search with its settings, on every kind of data."""

from __future__ import annotations

import math
import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from recorded.exact import digest, short
from recorded.material import animals_task, rich_domain, signature, small_domain, task
from recorded.registry import Parts, case, family
from recorded.said import said

import nearstar as ns

BUDGET = ns.Budget(neural_steps=16, symbolic_steps=24, batch_size=8, learning_rate=0.05)
KINDS = ("frames", "sequences", "vectors")


# What is recorded of a result


def found(result: ns.Result) -> Parts:
    """All of a result but times."""
    each, best = result.evaluations, result.best
    parts: dict[str, Any] = {
        "best": None if best is None else ns.to_text(best.evaluation.program)[:100],
        "cost": None if best is None else best.evaluation.path_cost,
        "bound": [result.bound, result.gap],
        "ended": f"{result.ended}: {result.trained} trained in {result.rounds} rounds",
        "programs": short(ns.to_text(e.program) for e in each),
        "errors": short(e.error for e in each),
        "f": short(e.f for e in each),
        "steps": short([e.step, e.stages, e.cut, e.diverged] for e in each),
        "others": short(
            [e.index, e.parent, e.complete, e.answer, e.structural_cost, e.accuracy, e.f1]
            for e in each
        ),
        "trace": short([t.rounds, t.trained, t.best, t.bound] for t in result.trace),
        "front": short(front(result)),
        "audit": short([audit(result.audit), audit(result.pruned)]),
        "summary": digest(without_times(result.summary())),
    }
    if result.finals is not None:
        parts["finals"] = found(result.finals)
    return parts


def front(result: ns.Result) -> list[Any]:
    """The best programs at every price, with every digit."""
    return [
        [each.evaluation.structural_cost, each.evaluation.error, each.text(digits=None)]
        for each in result.front
    ]


def audit(measured: ns.Audit | None) -> list[Any] | None:
    """What an audit found."""
    if measured is None:
        return None
    return [
        *(measured.nodes, measured.violations, measured.largest, measured.mean),
        measured.correlation,
    ]


def without_times(text: str) -> str:
    """A text in which seconds are all the same."""
    return re.sub(r"\b\d[\d.,]* (s|min|h|seconds)\b", r"T \1", text)


def learned(
    data: ns.Task, domain: ns.Domain, algorithm: Any = None, trainings: int = 100, **more: Any
) -> ns.Result:
    """A quick search by one worker."""
    settings = {"budget": BUDGET, "weight": 0.5, "workers": 1, "progress": False, **more}
    limits = ns.Limits(trainings=trainings)
    return ns.learn(data, domain, algorithm, limits=limits, **settings)


# The settings of A* and IDS-BB

TREE: dict[str, dict[str, Any]] = {
    "default": {},
    "no margin": {"margin": 0.0},
    "eager": {"lazy": False},
    "no pathmax": {"pathmax": False},
    "no closing cost": {"closing_cost": False},
    "duplicates": {"deduplicate": False},
    "warm start": {"warm_start": True},
    "no early stop": {"early_stop": False},
    "warm start, no early stop": {"warm_start": True, "early_stop": False},
    "no correction": {"correction": 0.0},
    "great correction": {"correction": 3.0},
    "no exploration": {"exploration": 0},
    "exploration of two": {"exploration": 2},
    "exploration of one": {"exploration": 1},
    "width 1": {"width": 1},
    "width 9": {"width": 9},
    "other margin": {"margin": 0.2},
    "no drop": {"margin": math.inf},
    "frontier 4": {"frontier": 4},
    "frontier 12, no drop": {"frontier": 12, "margin": math.inf},
    "3 children": {"max_children": 3},
    "root": {"train_root": True},
    "eager, width 1, root": {"lazy": False, "width": 1, "train_root": True},
    "eager, warm start": {"lazy": False, "warm_start": True},
    "all off": {
        **{"lazy": False, "pathmax": False, "closing_cost": False, "deduplicate": False},
        **{"early_stop": False, "correction": 0.0, "exploration": 0, "width": 1},
    },
}
ASTAR = {
    **TREE,
    "persist": {"persist": True},
    "persist, frontier 5": {"persist": True, "frontier": 5},
    "persist, eager, width 2": {"persist": True, "lazy": False, "width": 2},
}
IDSBB = {
    **TREE,
    "initial depth 1": {"initial_depth": 1},
    "initial depth 3": {"initial_depth": 3},
    "depth bias below 1": {"depth_bias": 0.9},
    "depth bias above 1": {"depth_bias": 1.1, "initial_depth": 2},
    "multiplier below 1": {"multiplier": 0.9},
    "multiplier above 1": {"multiplier": 1.2},
    "dives unbounded": {"bound_dives": False, "multiplier": 0.9},
    "as published, but lazy": {
        **{"initial_depth": 3, "depth_bias": 0.95, "multiplier": 0.975, "frontier": 8},
    },
}


def switched(search: Any, settings: dict[str, Any], kind: str, classes: int, seed: int) -> Parts:
    """A search that goes on for long enough for every switch to tell, thanks to a margin."""
    algorithm = search(**{"margin": 0.03 if kind == "frames" else 0.35, **settings})
    data = task(kind, classes, seed, n=36)
    settings = {"seed": seed, "weight": 0.1, "constraints": ns.Constraints(max_depth=8)}
    return found(learned(data, small_domain(), algorithm, trainings=150, **settings))


for _kind, _classes, _seed in (("frames", 2, 0), ("sequences", 3, 1)):
    family(
        f"learn/astar/{_kind}",
        switched,
        {name: (ns.AStar, each, _kind, _classes, _seed) for name, each in ASTAR.items()},
        quick=("default", "persist", "eager") if _kind == "frames" else ("warm start",),
    )
    family(
        f"learn/idsbb/{_kind}",
        switched,
        {name: (ns.IDSBB, each, _kind, _classes, _seed) for name, each in IDSBB.items()},
        quick=("default",) if _kind == "frames" else ("initial depth 3",),
    )


# The other searches

OTHERS: dict[str, Any] = {
    "enumeration": ns.Enumeration(),
    "enumeration, 15 programs": ns.Enumeration(max_programs=15, width=4),
    "enumeration, 4 rules": ns.Enumeration(max_depth=4, width=7),
    "enumeration, duplicates": ns.Enumeration(deduplicate=False, width=1),
    "montecarlo": ns.MonteCarlo(),
    "montecarlo, 5 samples": ns.MonteCarlo(samples=5),
    "montecarlo, duplicates": ns.MonteCarlo(samples=6, deduplicate=False),
    "mcts": ns.MCTS(),
    "mcts, 8 samples, width 3": ns.MCTS(samples=8, width=3),
    "mcts, exploration 0": ns.MCTS(samples=6, exploration=0.0),
    "mcts, no rollouts": ns.MCTS(samples=6, rollouts=False),
    "mcts, duplicates": ns.MCTS(samples=6, exploration=5.0, deduplicate=False),
    "genetic": ns.Genetic(),
    "genetic, small": ns.Genetic(population=5, select=2, generations=4),
    "genetic, all mutate": ns.Genetic(population=6, select=3, mutation=1.0, initial_depth=3),
    "genetic, 20 evaluations": ns.Genetic(population=6, evaluations=20, mutation=0.5),
    "genetic, no elitism": ns.Genetic(population=6, select=3, mutation=0.5, elitism=False),
    "genetic, duplicates": ns.Genetic(population=6, select=6, mutation=0.0, deduplicate=False),
    "rnn": ns.RNN(units=8, steps=24),
    "rnn, settings": ns.RNN(units=5, steps=48, learning_rate=0.01, batch_size=4, patience=2),
}


def by(search: Any, kind: str, classes: int) -> Parts:
    return found(learned(task(kind, classes, 2), small_domain(), search, seed=5))


for _kind, _classes in (("frames", 3), ("sequences", 2), ("vectors", 2)):
    family(
        f"learn/others/{_kind}",
        by,
        {name: (each, _kind, _classes) for name, each in OTHERS.items()},
        quick={
            "frames": ("enumeration", "rnn", "mcts, 8 samples, width 3"),
            "sequences": ("genetic, small", "montecarlo, 5 samples"),
            "vectors": ("mcts",),
        }[_kind],
    )


# The published settings


def published_task(name: str) -> tuple[ns.Task, ns.Domain]:
    domain = ns.Domain.built_in(name)
    if name == "crim13":
        return animals_task(), domain
    kind = "sequences" if name == "fly" else "frames"
    data = task(kind, 5, 4, n=18, features=len(domain.features))
    return data, domain


def published(name: str, search: Any, changes: dict[str, Any]) -> Parts:
    data, domain = published_task(name)
    budget = ns.Budget.paper(domain, len(data.train), neural_steps=8, symbolic_steps=16)
    sized = (len(data.train),) if search is ns.RNN else ()
    return found(
        learned(
            data,
            domain,
            search.paper(domain, *sized, **changes),
            trainings=80,
            budget=budget,
            constraints=ns.Constraints.paper(domain),
            single=False,
            weight=1.0,
        )
    )


PUBLISHED: dict[str, tuple[Any, dict[str, Any]]] = {
    "astar": (ns.AStar, {}),
    "idsbb": (ns.IDSBB, {}),
    "enumeration": (ns.Enumeration, {}),
    "montecarlo": (ns.MonteCarlo, {"samples": 6}),
    "mcts": (ns.MCTS, {"samples": 6}),
    "genetic": (ns.Genetic, {}),
    "rnn": (ns.RNN, {"steps": 16}),
}
for _name in ("crim13", "fly", "basketball"):
    family(
        f"learn/paper/{_name}",
        published,
        {search: (_name, *each) for search, each in PUBLISHED.items()},
        quick={"crim13": ("astar",), "basketball": ("idsbb",)}.get(_name, ()),
    )


# Kinds of data and of outputs


def of_kind(search: Any, kind: str, classes: int, more: dict[str, Any]) -> Parts:
    data = task(kind, classes, 6, unlabelled=0.1, rare=0.7)
    return found(learned(data, rich_domain(), search, trainings=60, seed=1, **more))


_KINDS: dict[str, tuple[Any, ...]] = {
    f"{kind}, {classes} classes, {type(search).__name__}": (search, kind, classes, {})
    for kind in KINDS
    for classes in (2, 3, 5)
    for search in (ns.AStar(persist=True), ns.IDSBB(), ns.Genetic(population=8))
}
_KINDS |= {
    f"{kind}, 2 outputs, {type(search).__name__}": (search, kind, 2, {"single": False})
    for kind in KINDS
    for search in (ns.AStar(persist=True), ns.MCTS(samples=8), ns.RNN(units=4, steps=16))
}
family(
    "learn/kinds", of_kind, _KINDS, quick=("vectors, 5 classes, AStar", "frames, 2 outputs, RNN")
)


# Constraints, weights, starts, budgets

CONSTRAINTS: dict[str, ns.Constraints] = {
    "4 rules": ns.Constraints(max_depth=4),
    "3 levels": ns.Constraints(max_height=3),
    "no if": ns.Constraints(forbid=("if",)),
    "no map, no add": ns.Constraints(forbid=("map", "add")),
    "a fold": ns.Constraints(require=("fold",), max_depth=6),
    "an affine leaf of the right, and an if": ns.Constraints(require=("RightAffine", "if")),
    "few leaves": ns.Constraints(limit={"affine": 2, "if": 1}),
    "all": ns.Constraints(7, 5, forbid=("multiply",), require=("mapprefix",), limit={"add": 0}),
}
SEARCHES: dict[str, Any] = {
    "astar": ns.AStar(persist=True),
    "idsbb": ns.IDSBB(),
    "enumeration": ns.Enumeration(),
    "genetic": ns.Genetic(population=8),
    "mcts": ns.MCTS(samples=8),
    "montecarlo": ns.MonteCarlo(samples=8),
}


def constrained(search: str, demands: ns.Constraints) -> Parts:
    data = task("frames", 2, 3)
    return found(learned(data, small_domain(), SEARCHES[search], trainings=60, constraints=demands))


_SOME = {
    f"{name}, {search}": (search, each)
    for name, each in CONSTRAINTS.items()
    for search in ("astar", "genetic")
}
_SOME |= {
    f"all, {search}": (search, CONSTRAINTS["all"])
    for search in ("idsbb", "enumeration", "mcts", "montecarlo")
}
family("learn/constraints", constrained, _SOME, quick=("a fold, astar", "all, mcts"))


def weighed(search: str, weight: float) -> Parts:
    return found(learned(task("frames", 3, 3), small_domain(), SEARCHES[search], weight=weight))


family(
    "learn/weight",
    weighed,
    {f"{weight:g}, {search}": (search, weight) for weight in (0, 2.5) for search in SEARCHES},
    quick=("0, astar",),
)

IF = "map (fun x_t. if {} > 0 then {} else {}) x"
STARTS: dict[str, str] = {
    "sketch": IF.format("LeftAffine(x_t)", "??", "??"),
    "sketch of a fold": "mapprefix (fun p. fold (fun t. add(LeftAffine(t), ??)) c p) x",
    "complete": IF.format("LeftAffine(x_t)", "RightAffine(x_t)", "LeftAffine(x_t)"),
    "with parameters": IF.format(
        "LeftAffine[1, 0.5; -1](x_t)",
        "RightAffine[0.25, -2; 1](x_t)",
        "LeftAffine[0, 1e-3; 2](x_t)",
    ),
}


def started(start: str, search: str) -> Parts:
    data = task("frames", 2, 7)
    return found(
        learned(data, small_domain(), SEARCHES[search], trainings=60, start=STARTS[start], seed=2)
    )


family(
    "learn/start",
    started,
    {f"{start}, {search}": (start, search) for start in STARTS for search in SEARCHES},
    quick=("sketch, astar", "with parameters, astar", "complete, genetic"),
)


def started_from_values() -> Parts:
    """A Program and a Model mean the same as their texts."""
    data, domain = task("frames", 2, 7), small_domain()
    text, type_ = STARTS["with parameters"], signature(domain, "frames", 1)
    program = ns.parse(text, domain, type_).program
    model = ns.Model.from_text(text, domain, type_, data.train.class_names)
    return {
        "program": found(learned(data, domain, start=program, trainings=15)),
        "model": found(learned(data, domain, start=model, trainings=15)),
    }


case("learn/start/values", started_from_values)

BUDGETS: dict[str, dict[str, Any]] = {
    "f1": {"loss": "f1"},
    "f1 and weights": {"loss": "f1", "class_weights": (1.0, 2.0)},
    "restarts": {"restarts": 3},
    "patience": {"patience": 1, "symbolic_steps": 64, "neural_steps": 48},
    "class weights": {"class_weights": (0.5, 3)},
    "a class of no weight": {"class_weights": (0.0, 1.0)},
    "last": {"select": "last"},
    "no reshuffling": {"reshuffle": False},
    "no clip": {"clip": None, "learning_rate": 0.5},
    "short clip": {"clip": 0.01},
    "batches of 1": {"batch_size": 1},
    "one batch": {"batch_size": 1000},
    "batch seed": {"batch_seed": 7},
    "folds as others": {"fold_rate": 1.0, "fold_memory": 0.0},
    "units": {"units": ns.Units(5, 2)},
    "diverging": {"learning_rate": 1e30, "clip": None},
}


def trained_with(changes: dict[str, Any]) -> Parts:
    given = {"neural_steps": 16, "symbolic_steps": 24, "batch_size": 6, **changes}
    data = task("frames", 2, 8, rare=0.5)
    settings = {"budget": ns.Budget(**given), "seed": 3}
    return found(learned(data, small_domain(), ns.AStar(persist=True), trainings=50, **settings))


family(
    "learn/budget",
    trained_with,
    {name: (each,) for name, each in BUDGETS.items()},
    quick=("f1", "restarts", "diverging"),
)


# Audits, finals, workers, rounds, folders


def audited(search: Any, samples: int) -> Parts:
    data = task("sequences", 3, 9)
    return found(learned(data, small_domain(), search, trainings=25, audit_samples=samples))


family(
    "learn/audit",
    audited,
    {
        "astar": (ns.AStar(), 4),
        "astar, eager": (ns.AStar(lazy=False), 30),
        "idsbb": (ns.IDSBB(width=2), 3),
        "enumeration": (ns.Enumeration(), 3),
    },
    quick=("astar",),
)


def finals(finalists: ns.Finalists, kind: str, more: dict[str, Any]) -> Parts:
    data, domain = task(kind, 2, 10), small_domain()
    result = learned(data, domain, ns.AStar(persist=True), trainings=20, seed=4, **more)
    return found(
        ns.final(data, domain, result, finalists, seed=4, budget=BUDGET, workers=1, progress=False)
    )


family(
    "learn/finals",
    finals,
    {
        "frames": (ns.Finalists(3, 2, 2), "frames", {}),
        "sequences": (ns.Finalists(), "sequences", {}),
        "two outputs": (ns.Finalists(2, 3, 1), "vectors", {"single": False}),
        "audited": (ns.Finalists(2, 2, 2), "frames", {"audit_samples": 3}),
    },
    quick=("frames",),
)


def with_two_workers(search: str) -> Parts:
    data = task("frames", 2, 0)
    return found(learned(data, small_domain(), SEARCHES[search], workers=2))


family(
    "learn/two workers",
    with_two_workers,
    {search: (search,) for search in SEARCHES},
    quick=("astar",),
)


def by_rounds(search: str, rounds: int) -> Parts:
    """A limit of rounds instead of trainings."""
    limits = ns.Limits(rounds=rounds)
    settings = {"budget": BUDGET, "workers": 1, "progress": False}
    data = task("vectors", 3, 1)
    return found(ns.learn(data, small_domain(), SEARCHES[search], limits=limits, **settings))


family("learn/rounds", by_rounds, {f"{s}, 4": (s, 4) for s in SEARCHES})


def resumed(search: str) -> Parts:
    """A run in a folder that goes on, and another one that takes its trainings."""
    data, domain = task("frames", 2, 11), small_domain()
    settings = {"seed": 6, "audit_samples": 2}
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / "run"
        first = learned(data, domain, SEARCHES[search], 10, run=run, **settings)
        more = learned(data, domain, SEARCHES[search], 30, run=run, **settings)
        cached = learned(data, domain, ns.AStar(persist=True), 20, cache=[run], seed=6, weight=0.1)
    return {"first": found(first), "more": found(more), "cached": found(cached)}


family("learn/resumed", resumed, {s: (s,) for s in SEARCHES}, quick=("astar", "genetic"))


def of_animals(search: str, single: bool) -> Parts:
    train, valid, _ = ns.two_animals_split(2, sizes=(20, 8, 1))
    data, domain = ns.Task(train, valid), ns.Domain.built_in("crim13")
    return found(learned(data, domain, SEARCHES[search], 60, single=single, weight=1.0))


family(
    "learn/animals",
    of_animals,
    {f"{s}{', 2 outputs' * (not one)}": (s, one) for s in SEARCHES for one in (True, False)},
)


def unstandardised() -> Parts:
    given = animals_task()
    data = ns.Task(given.train, given.valid, standardise=False)
    return found(learned(data, ns.Domain.built_in("crim13"), trainings=25))


case("learn/animals/not standardised", unstandardised, quick=True)


def without_validation() -> Parts:
    data = ns.Task(task("frames", 2, 0).train)
    return found(learned(data, small_domain(), trainings=25))


case("learn/animals/no validation data", without_validation)


def printed() -> Parts:
    """Results as they are shown."""
    data, domain = task("frames", 3, 12), small_domain()
    result = learned(data, domain, trainings=30, weight=0.05)
    assert result.best is not None
    model = result.model(domain, data.train.class_names)
    return {
        "result": digest(without_times(str(result))),
        "front": str(result.front).splitlines(),
        "best": repr(result.best),
        "model": repr(model),
        "metrics": str(model.evaluate(data.valid)),
    }


case("learn/printed", printed, quick=True)


def refused(more: dict[str, Any]) -> Parts:
    """What is said of arguments that cannot be used."""
    return said(lambda: learned(task("frames", 2, 0), small_domain(), trainings=3, **more))


family(
    "learn/refused",
    refused,
    {
        "search": ({"algorithm": "astar"},),
        "search's class": ({"algorithm": ns.AStar},),
        "budget": ({"budget": 3},),
        "seed": ({"seed": -1},),
        "weight": ({"weight": -1.0},),
        "workers": ({"workers": 0},),
        "constraints": ({"constraints": "no if"},),
        "unknown rule": ({"constraints": ns.Constraints(forbid=("iff",))},),
        "no program": ({"constraints": ns.Constraints(max_depth=1)},),
        "start": ({"start": "map (fun t. UpAffine(t)) x"},),
        "start too large": ({"start": STARTS["complete"], "constraints": ns.Constraints(2)},),
        "start of a network": ({"algorithm": ns.RNN(), "start": STARTS["sketch"]},),
        "three weights": ({"budget": ns.Budget(class_weights=(1, 2, 3))},),
        "audit": ({"audit_samples": -1},),
        "run": ({"run": 3},),
    },
    quick=("no program",),
)


def wrong_settings() -> Parts:
    """What is said of settings that no search has."""
    attempts: dict[str, Callable[[], Any]] = {
        "width": lambda: ns.AStar(width=0),
        "correction": lambda: ns.AStar(correction=-1),
        "margin": lambda: ns.IDSBB(margin=-0.1),
        "lazy": lambda: ns.AStar(lazy="no"),
        "multiplier": lambda: ns.IDSBB(multiplier=0),
        "mutation": lambda: ns.Genetic(mutation=2),
        "paper": lambda: ns.AStar.paper(small_domain()),
        "steps": lambda: ns.Budget(symbolic_steps=0),
        "memory": lambda: ns.Budget(fold_memory=1.5),
        "loss": lambda: ns.Budget(loss="f2"),
        "units": lambda: ns.Units(2, 3),
        "limit": lambda: ns.Limits(trainings=0),
        "finalists": lambda: ns.Finalists(0),
        "depth": lambda: ns.Constraints(max_depth=0),
    }
    return {name: said(attempt)["said"] for name, attempt in attempts.items()}


case("learn/wrong settings", wrong_settings)
