"""Pages to look at: their data, made up, in the form that ``render`` takes."""

from __future__ import annotations

import heapq
import itertools
import math
from html import escape
from random import Random
from typing import Any

HOSTILE = (
    "<script>window.pwned = 1</script>",
    '"><img src=x onerror="window.pwned = 2">',
    "</script><script>window.pwned = 3</script><!--",
    "\u202edesrever\u202c \u200fright",
    "javascript:window.pwned=4//{{ 7 * 7 }}${window.pwned = 5}",
    "long" * 200,
    "' \\ \u2028 \x7f &lt;b&gt; \U0001f400",
)
"""Names that a careless page would run, or break on."""
COMPLETE, DIVERGED, FAILED, AUDITED, PROBE = 1, 2, 4, 8, 16

_HOLE = "??"
_LEAVES = ("DistanceAffine", "AngleAffine", "SpeedAffine", "PositionAffine")


def small() -> dict[str, Any]:
    """A short run with everything on the page."""
    return page(search=astar(150), front=front(), **shown())


def large(nodes: int = 5000) -> dict[str, Any]:
    """A long run; its tree has nodes with more children than are shown at once."""
    return page(search=astar(nodes, leaves=150, seed=1), front=front(), **shown(sequences=6))


def flat(nodes: int = 3000) -> dict[str, Any]:
    """A search that has no tree: all its programs are complete, and roots."""
    return page(search=listed(nodes), front=front())


def empty() -> dict[str, Any]:
    """A run of which nothing is known yet but that it began."""
    search = astar(0)
    return page(
        search=search | {"ended": None, "summary": [], "best": None, "audit": None},
    )


def hostile() -> dict[str, Any]:
    """A small run in which every name, label and text is hostile."""
    names = itertools.cycle(HOSTILE)
    data = small()
    data["title"], data["subtitle"] = HOSTILE[0], HOSTILE[1]
    data["notes"] = [HOSTILE[2]]
    data["classes"] = [next(names) for _ in data["classes"]]
    data["program"] = _program(" ".join(HOSTILE))
    for part in data["scores"]["parts"]:
        for each in (*part["models"], *part["per_class"]):
            each["name"] = next(names)
    ethogram = data["ethogram"]
    ethogram["note"] = HOSTILE[1]
    for each in ethogram["parts"]:
        each["title"] = next(names)
    for each in ethogram["sequences"]:
        each["name"] = next(names)
    for each in data["front"]:
        each |= _program(next(names))
    search = data["search"]
    search["algorithm"], search["summary"] = HOSTILE[0], list(HOSTILE)
    search["audit"]["text"] = HOSTILE[1]
    search["nodes"]["text"] = [text.replace("x_t", next(names)) for text in search["nodes"]["text"]]
    return data


def page(**parts: Any) -> dict[str, Any]:
    """A page with only these parts."""
    return {
        "title": "animals-run",
        "subtitle": "astar, 200 programs trained in 61 s",
        "nearstar": "0.1.0",
        "live": None,
        "notes": [],
        "classes": ["other", "sniff", "chase"],
        "program": None,
        "scores": None,
        "ethogram": None,
        "front": None,
        "search": None,
    } | parts


def shown(sequences: int = 3) -> dict[str, Any]:
    """The program, its scores and its answers over time."""
    return {
        "program": _program(
            "map (fun x_t. if DistanceAffine[.3995; -3.683](x_t) > 0 then "
            "SpeedAffine[-3.569; -3.843](x_t) else AngleAffine[-2.8, 1.3; -1](x_t)) x"
        ),
        "scores": {"parts": [_scores(each) for each in ("training", "validation", "test")]},
        "ethogram": _ethogram(sequences),
    }


def front(axis: str = "cost") -> list[dict[str, Any]]:
    """Five programs; the fourth is the one chosen."""
    programs = [
        "map (fun x_t. DistanceAffine(x_t)) x",
        "map (fun x_t. add(DistanceAffine(x_t), AngleAffine(x_t))) x",
        "map (fun x_t. if DistanceAffine(x_t) > 0 then SpeedAffine(x_t) else AngleAffine(x_t)) x",
        "map (fun x_t. if DistanceAffine(x_t) > 0 then add(SpeedAffine(x_t), AngleAffine(x_t)) "
        "else AngleAffine(x_t)) x",
        "map (fun x_t. if DistanceAffine(x_t) > 0 then if SpeedAffine(x_t) > 0 then "
        "AngleAffine(x_t) else PositionAffine(x_t) else multiply(AngleAffine(x_t), "
        "SpeedAffine(x_t))) x",
    ]
    return [
        {
            "axis": axis,
            "cost": round(0.01 + 0.03 * i, 4),
            "numbers": 2 + i * i,
            "error": round(0.31 - 0.2 * math.sqrt(i / 5), 4),
            "f1": None if i == 0 else round(0.66 + 0.25 * math.sqrt(i / 5), 4),
            "accuracy": round(0.7 + 0.2 * math.sqrt(i / 5), 4),
            "size": 2 * i + 2,
            "chosen": i == 3,
            **_program(text),
        }
        for i, text in enumerate(programs)
    ]


def astar(n: int, *, leaves: int = 4, seed: int = 0) -> dict[str, Any]:
    """A search by A* that trained n programs, with errors drawn at random."""
    random = Random(seed)
    names = [*_LEAVES, *(f"Feature{i}Affine" for i in range(leaves - len(_LEAVES)))]
    expansions = [
        *(f"{name}(x_t)" for name in names),
        "if ?? > 0 then ?? else ??",
        "add(??, ??)",
        "multiply(??, ??)",
    ]
    nodes = _Nodes()
    best = math.inf
    frontier: list[tuple[float, int]] = []
    trace: list[list[Any]] = []
    if n:
        nodes.add("map (fun x_t. ??) x", -1, 0.0, 0.05)
        frontier.append((nodes.f[0], 0))
    while frontier and len(nodes) < n:
        f, parent = heapq.heappop(frontier)
        if f >= best:
            frontier = [(f, parent)]
            break
        text, cost = nodes.text[parent], nodes.cost[parent]
        for expansion in expansions[: n - len(nodes)]:
            child = text.replace(_HOLE, expansion, 1)
            added = 0.01 * (1 + expansion.count(_HOLE))
            # Networks in holes fit well; what takes their place does worse, the less there is.
            parts = text.count(_HOLE) + text.count("Affine")
            worse = 0.005 if _HOLE in expansion else random.uniform(0.1, 0.4) / parts**2
            error = nodes.error[parent] + worse
            kind = (0 if _HOLE in child else COMPLETE) | random.choices((0, DIVERGED), (99, 1))[0]
            at = nodes.add(child, parent, cost + added, error, kind)
            if kind & COMPLETE:
                best = min(best, nodes.f[at])
            elif nodes.f[at] < best:
                heapq.heappush(frontier, (nodes.f[at], at))
        reached = None if best == math.inf else best
        bound = frontier[0][0] if frontier else reached
        if reached is not None and bound is not None:
            bound = min(bound, reached)
        gap = None if reached is None or bound is None else round(reached - bound, 6)
        trace.append([round(len(nodes) * 0.31, 2), len(nodes), reached, bound, gap])
    return _search("AStar", nodes, trace, len(frontier))


def probed(n: int = 40, probes: int = 120) -> dict[str, Any]:
    """A run by A* that also trained probes, most of them better than all else."""
    search, random = astar(n), Random(4)
    nodes = search["nodes"]
    partial = [i for i in range(n) if not nodes["kind"][i] & COMPLETE]
    for _ in range(probes):
        above = random.choice(partial)
        error, diverged = round(random.uniform(0.0, 0.2), 6), random.random() < 0.05
        nodes["text"].append(nodes["text"][above].replace(_HOLE, "Affine(x_t)"))
        nodes["parent"].append(random.choice((-1, nodes["parent"][above])))
        nodes["cost"].append(nodes["cost"][above])
        nodes["error"].append(1.0 if diverged else error)
        nodes["f"].append(round(nodes["cost"][-1] + nodes["error"][-1] + 0.01, 6))
        nodes["kind"].append(PROBE | (DIVERGED if diverged else 0))
    return page(search=search | {"trained": n + probes}, front=front())


def listed(n: int) -> dict[str, Any]:
    """A search that trained n complete programs, one after another."""
    random = Random(2)
    nodes = _Nodes()
    trace = []
    best = math.inf
    for i in range(n):
        text = f"map (fun x_t. add(DistanceAffine(x_t), Feature{i}Affine(x_t))) x"
        kind = COMPLETE if i % 500 else COMPLETE | FAILED
        nodes.add(text, -1, 0.02, random.uniform(0.2, 0.5), kind)
        if nodes.path_cost(i) < best:
            best = nodes.path_cost(i)
            trace.append([round(i * 0.31, 2), i + 1, best, None, None])
    search = _search("Enumeration", nodes, trace, 0)
    return search | {"bound": None, "gap": None, "epsilon": None, "audit": None}


class _Nodes:
    """The columns of a table of nodes."""

    def __init__(self) -> None:
        self.text: list[str] = []
        self.parent: list[int] = []
        self.cost: list[float] = []
        self.error: list[float] = []
        self.f: list[float] = []
        self.kind: list[int] = []

    def __len__(self) -> int:
        return len(self.text)

    def add(self, text: str, parent: int, cost: float, error: float, kind: int = 0) -> int:
        """Append a node; its index."""
        self.text.append(text)
        self.parent.append(parent)
        self.cost.append(round(cost, 6))
        self.error.append(round(error, 6))
        self.f.append(round(cost + error, 6))
        self.kind.append(kind)
        return len(self) - 1

    def path_cost(self, i: int) -> float:
        return self.cost[i] + self.error[i]


def _search(algorithm: str, nodes: _Nodes, trace: list[Any], waiting: int) -> dict[str, Any]:
    complete = [i for i in range(len(nodes)) if nodes.kind[i] & COMPLETE]
    best = min(complete, key=nodes.path_cost, default=None)
    bound = trace[-1][3] if trace else None
    gap = None
    if best is not None and isinstance(bound, float):
        gap = max(round(nodes.path_cost(best) - bound, 6), 0.0)
    return {
        "run": f"{algorithm}-{len(nodes)}",
        "algorithm": algorithm,
        "weight": 1.0,
        "ended": "trainings",
        "summary": [f"{len(nodes)} programs were trained, then the limit was reached."],
        "seconds": trace[-1][0] if trace else 0.0,
        "trained": len(nodes),
        "rounds": len(trace),
        "waiting": waiting,
        "best": best,
        "front": _front(nodes, complete),
        "bound": bound,
        "gap": gap,
        "epsilon": 0.0213,
        "audit": {
            "nodes": 30,
            "violations": 0.1,
            "largest": 0.0213,
            "mean": 0.0011,
            "correlation": 0.83,
            "text": "f was above what was reached from 3 of 30 partial programs, at most by .0213.",
        },
        "trace": trace,
        "nodes": {
            name: getattr(nodes, name) for name in ("text", "parent", "cost", "error", "f", "kind")
        },
    }


def _front(nodes: _Nodes, complete: list[int]) -> list[int]:
    """Complete programs that none is better than in cost and error."""
    front: list[int] = []
    for i in sorted(complete, key=lambda i: (nodes.cost[i], nodes.error[i], i)):
        if not front or nodes.error[i] < nodes.error[front[-1]]:
            front.append(i)
    return front


def _program(text: str) -> dict[str, Any]:
    return {"html": f'<div class="program"><code>{escape(text)}</code></div>', "text": text}


def _scores(part: str) -> dict[str, Any]:
    confusion = [[520, 60, 20], [45, 300, 15], [12, 8, 220]]
    support = [sum(row) for row in confusion]
    return {
        "name": part,
        "elements": sum(support),
        "kind": "frames",
        "models": [
            {"name": name, "accuracy": accuracy, "f1": f1, "f1_macro": round(f1 - 0.02, 4)}
            for name, accuracy, f1 in (
                ("this program", 0.8667, 0.861),
                ("majority class", 0.5, 0.333),
                ("rnn-run", 0.9, 0.89),
            )
        ],
        "per_class": [
            {
                "name": name,
                "precision": round(row[i] / sum(each[i] for each in confusion), 4),
                "recall": round(row[i] / sum(row), 4),
                "f1": round(2 * row[i] / (sum(row) + sum(each[i] for each in confusion)), 4),
                "support": sum(row),
            }
            for i, (name, row) in enumerate(
                zip(("other", "sniff", "chase"), confusion, strict=True)
            )
        ],
        "confusion": confusion,
    }


def _ethogram(sequences: int, length: int = 300) -> dict[str, Any]:
    random = Random(3)
    parts = [
        {"title": "2 if: gate", "gate": True},
        {"title": "3 DistanceAffine", "gate": False},
        {"title": "4 SpeedAffine", "gate": False},
    ]
    return {
        "note": f"{sequences} of 40 sequences: the ones with most errors",
        "per": "frame",
        "parts": parts,
        "sequences": [
            {
                "name": f"video{n:02}",
                "part": "test",
                "length": length,
                "numbers": None,
                "first": 0,
                "true": [[0, 100], [1, 60], [-1, 40], [2, length - 200]],
                "predicted": [[0, 90], [1, 80], [0, 30], [2, length - 200]],
                "accuracy": round(random.uniform(0.6, 0.95), 3),
                "traces": [
                    [
                        float(f"{math.sin(t / (20 + 7 * row)) + random.gauss(0, 0.1):.4g}")
                        for t in range(length)
                    ]
                    for row in range(len(parts))
                ],
            }
            for n in range(sequences)
        ],
    }
