"""Texts, canonical forms, grammars, domains and functions."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from recorded.exact import digest, short
from recorded.material import functions, rich_domain, signature, small_domain
from recorded.registry import Parts, case, family
from recorded.said import said
from recorded.training import SEQUENCES, SUMMARIES, VECTORS

import nearstar as ns

# Random programs of small grammars

LAWS = ("if", "add", "multiply", "min", "max", "difference", "affine")
DOMAINS: dict[str, dict[str, Any]] = {
    "small": {},
    "laws": {"groups": {"a": [0], "b": [1, 2]}, "vectors": (*LAWS, "const")},
    "all features": {"vectors": ("add", "multiply", "Affine", "const")},
    "folds": {"sequences": ("mapprefix",), "summaries": ("fold", "if"), "accumulator": 2},
    "windows": {
        "sequences": ("mapprefix", "map", "if"),
        "summaries": ("SlidingWindowMax3", "CentredWindowAverage5", "SlidingWindowChange2", "if"),
        "vectors": ("min", "max", "if", "affine"),
        "groups": {"a": [0], "b": [1]},
    },
    "selections": {
        "groups": {"a": [0], "b": [1], "c": [2]},
        "vectors": ("add", "multiply", "difference", "sel", "const", "affine"),
    },
}


@cache
def domain_of(name: str) -> ns.Domain:
    if name == "small":
        return small_domain()
    if name == "rich":
        return rich_domain()
    return ns.Domain.of_size(3, **DOMAINS[name])


def random_program(
    grammar: ns.Grammar, most: int, rng: np.random.Generator, share: float
) -> ns.Program:
    """A program by random steps; some, by the share, stay partial."""
    program: ns.Program = ns.Hole(grammar.root)
    while not ns.is_complete(program):
        if rng.random() < share:
            break
        children = grammar.expansions(program, most)
        program = children[int(rng.integers(len(children)))]
    return program


def canonical(name: str, kind: str, outputs: int, share: float) -> Parts:
    domain = domain_of(name)
    grammar = domain.grammar(signature(domain, kind, outputs))
    rng = np.random.default_rng([len(name), outputs])
    programs = [random_program(grammar, 12, rng, share) for _ in range(60)]
    forms = [ns.canonical(each, grammar) for each in programs]
    largest = max(programs, key=lambda each: each.size)
    return {
        "programs": short(ns.to_text(each) for each in programs),
        "forms": short(ns.to_text(each) for each in forms),
        "changed": sum(a != b for a, b in zip(programs, forms, strict=True)),
        "largest": ns.to_text(largest),
        "its form": ns.to_text(ns.canonical(largest, grammar)),
        "costs": short(
            [grammar.cost(a), grammar.cost(b)] for a, b in zip(programs, forms, strict=True)
        ),
        "closing": short([grammar.closing_cost(p), grammar.closing_rules(p)] for p in programs),
        "within": short(each in grammar for each in forms),
        "domain's costs": short(domain.cost(each) for each in programs),
    }


family(
    "canonical",
    canonical,
    {
        f"{name}, {kind}, {outputs}{', partial' if share else ''}": (name, kind, outputs, share)
        for name, kind, outputs in (
            *(("small", "frames", 1), ("small", "sequences", 3), ("laws", "vectors", 1)),
            *(("laws", "frames", 2), ("all features", "vectors", 2), ("folds", "sequences", 2)),
            *(("folds", "frames", 1), ("windows", "frames", 1), ("windows", "sequences", 2)),
            *(("selections", "vectors", 1), ("rich", "frames", 2), ("rich", "vectors", 2)),
        )
        for share in (0.0, 0.12)
    },
    quick=("laws, vectors, 1", "folds, sequences, 2, partial", "rich, frames, 2"),
)


def grammar(name: str, kind: str) -> Parts:
    """Rules with their costs, and the children of the root and of theirs."""
    domain = domain_of(name)
    found = domain.grammar(signature(domain, kind, 2))
    root: ns.Program = ns.Hole(found.root)
    children = found.expansions(root, 8)
    below = [each for child in children for each in found.expansions(child, 5)]
    return {
        "rules": short([rule.operation.name, rule.cost] for rule in found.all_rules),
        "first": [ns.to_text(each) for each in children],
        "second": short(ns.to_text(each) for each in below),
        "least": [found.closing_cost(root), found.closing_rules(root)],
        "contains": [root in found, children[0] in found],
        "without": said(lambda: found.without([rule.operation.name for rule in found.all_rules])),
    }


family(
    "grammar",
    grammar,
    {f"{n}, {k}": (n, k) for n in ("rich", "small", "folds") for k in ("frames", "sequences")},
    quick=("rich, frames",),
)


# Texts


def texts(kind: str, programs: dict[str, str]) -> Parts:
    """Programs printed, with and without parameters, and read again."""
    domain = rich_domain()
    type_ = signature(domain, kind, 2)
    parsed = [ns.parse(text, domain, type_).program for text in programs.values()]
    again = [ns.parse(ns.to_text(each), domain, type_).program for each in parsed]
    return {
        "texts": short(map(ns.to_text, parsed)),
        "same": parsed == again,
        "sizes": short([each.size, each.n_holes, each.height] for each in parsed),
        "costs": short(map(domain.cost, parsed)),
    }


family(
    "text",
    texts,
    {
        "vectors": ("vectors", VECTORS),
        "sequences": ("sequences", SUMMARIES),
        "frames": ("frames", SEQUENCES),
    },
    quick=("frames",),
)


def with_parameters(text: str, outputs: int) -> Parts:
    domain = rich_domain()
    parsed = ns.parse(text, domain, signature(domain, "frames", outputs))
    printed = ns.to_text(parsed.program, parsed.theta)
    return {"text": printed, "theta": parsed.theta, "bare": ns.to_text(parsed.program)}


family(
    "text/parameters",
    with_parameters,
    {
        "one output": ("map (fun t. LeftAffine[1, -2.50; +.5e-3](t)) x", 1),
        "two outputs": ("map (fun t. LeftAffine[1, 2; 3 | −4, 5.; 6](t)) x", 2),
        "fold": ("mapprefix (fun p. fold (fun t. FRAffine[1; 2; 3](t)) c p) x", 1),
        "fold of two": (
            "mapprefix (fun p. fold (fun t. FRAffine[1; 2, 3; 4 | 5; 6, 7; 8](t)) c p) x",
            2,
        ),
        "constants": ("map (fun t. add(const[1e-300, 1E30], ((const[0, -0]))))x", 2),
        "names": (
            "map (fun the_frame. if (LeftAffine[1,2;3]((the_frame))) > 0 then "
            "squares of the_frame else const[.1]) x",
            1,
        ),
    },
    quick=("fold of two",),
)

MISTAKES: dict[str, str] = {
    "nothing": "",
    "spaces": "   ",
    "a word": "hello",
    "a number": "42",
    "a sign": "#",
    "too much": "map (fun t. const) x x",
    "too much after a hole": "?? ??",
    "one question mark": "?",
    "map alone": "map",
    "map without parentheses": "map fun t. const x",
    "map without fun": "map (t. const) x",
    "map without variable": "map (fun . const) x",
    "map without dot": "map (fun t const) x",
    "map without body": "map (fun t. ) x",
    "map without end": "map (fun t. const",
    "map without x": "map (fun t. const)",
    "map of another variable": "map (fun t. const) y",
    "map of the inner variable": "map (fun t. const) t",
    "a reserved variable": "map (fun if. const) x",
    "a leaf as variable": "map (fun const. const) x",
    "a number as variable": "map (fun 1. const) x",
    "mapp": "mapp (fun t. const) x",
    "a vector as a sequence": "LeftAffine(x)",
    "a summary as a sequence": "fold (fun t. const) c x",
    "a sequence as a vector": "map (fun t. map (fun s. const) t) x",
    "a window under map": "map (fun t. SlidingWindowAverage3(const)) x",
    "an even centred window": "mapprefix (fun p. CentredWindowMax4(const)) x",
    "a window of 0": "mapprefix (fun p. SlidingWindowMax0(const)) x",
    "a huge window": "mapprefix (fun p. SlidingWindowMax9999999(const)) x",
    "an endless window": "mapprefix (fun p. SlidingWindowMax99999999(const)) x",
    "a mistyped window": "mapprefix (fun p. SlidingWindowAvrage3(const)) x",
    "a mistyped leaf": "map (fun t. LeftAfine(t)) x",
    "another case": "map (fun t. leftAffine(t)) x",
    "an unknown group": "map (fun t. UpAffine(t)) x",
    "a leaf of nothing": "map (fun t. LeftAffine) x",
    "a leaf of the outer variable": "map (fun t. LeftAffine(x)) x",
    "a leaf of an unknown variable": "map (fun t. LeftAffine(s)) x",
    "a leaf without end": "map (fun t. LeftAffine(t) x",
    "an if without then": "map (fun t. if const > 0 const else const) x",
    "an if without else": "map (fun t. if const > 0 then const) x",
    "an if above 1": "map (fun t. if const > 1 then const else const) x",
    "an if below 0": "map (fun t. if const < 0 then const else const) x",
    "add of one": "map (fun t. add(const)) x",
    "add of three": "map (fun t. add(const, const, const)) x",
    "add without parentheses": "map (fun t. add const, const) x",
    "an infix": "map (fun t. const + const) x",
    "a selection that is too large": "map (fun t. sel_left t) x",
    "an unknown selection": "map (fun t. sel_lft t) x",
    "the variable, too large": "map (fun t. t) x",
    "few weights": "map (fun t. LeftAffine[1; 2](t)) x",
    "many weights": "map (fun t. LeftAffine[1, 2, 3; 4](t)) x",
    "no bias": "map (fun t. LeftAffine[1, 2](t)) x",
    "no bracket": "map (fun t. LeftAffine[1, 2; 3(t)) x",
    "two outputs": "map (fun t. LeftAffine[1, 2; 3 | 1, 2; 3](t)) x",
    "a weight of letters": "map (fun t. LeftAffine[a, 2; 3](t)) x",
    "an infinite weight": "map (fun t. LeftAffine[1e999, 2; 3](t)) x",
    "a weight of two signs": "map (fun t. LeftAffine[--1, 2; 3](t)) x",
    "some without parameters": "map (fun t. add(LeftAffine[1, 2; 3](t), const)) x",
    "others without parameters": "map (fun t. add(const, LeftAffine[1, 2; 3](t))) x",
    "no weight of the accumulator": "mapprefix (fun p. fold (fun t. FRAffine[1; 2](t)) c p) x",
    "a fold without c": "mapprefix (fun p. fold (fun t. const) p) x",
    "a fold from 1": "mapprefix (fun p. fold (fun t. const) 1 p) x",
    "a fold of the outer variable": "mapprefix (fun p. fold (fun t. LeftAffine(p)) c p) x",
    "a function without its word": "map (fun t. ratio const, const) x",
    "a function half": "map (fun t. gap <const, const) x",
    "a function by its name": "map (fun t. manhattan(const, const)) x",
    "features of another variable": "map (fun t. squares of x) x",
    "a function that does not lift": "ratio map (fun t. const) x over map (fun t. const) x",
    "too many parentheses": "map (fun t. ((const)) x",
    "parentheses around nothing": "map (fun t. ()) x",
    "much too deep": "map (fun t. " + "add(const, " * 120 + "const" + ")" * 120 + ") x",
    "too many parentheses of one": "map (fun t. " + "(" * 300 + "const" + ")" * 300 + ") x",
    "a long name": "map (fun t. " + "Long" * 40 + "Affine(t)) x",
    "several lines": "map (fun t.\n  if const > 0\n  then LefftAffine(t)\n  else const) x",
    "letters of elsewhere": "map (fun t. Größe(t)) x",
    "tabs": "map\t(fun t.\tconts)\tx",
}


def mistaken(text: str) -> Parts:
    domain = rich_domain()
    return said(lambda: ns.parse(text, domain, signature(domain, "frames", 1)))


family(
    "text/mistakes",
    mistaken,
    {name: (text,) for name, text in MISTAKES.items()},
    quick=("nothing", "mapp", "few weights", "a window under map", "several lines"),
)


def wrong_arguments() -> Parts:
    domain: Any = rich_domain()
    one = signature(domain, "frames", 1)
    program = ns.parse("map (fun t. const) x", domain, one).program
    small: Any = small_domain()
    return {
        "text": said(lambda: ns.parse(3, domain, one)),  # type: ignore[arg-type]
        "domain": said(lambda: ns.parse("??", "crim13", one)),  # type: ignore[arg-type]
        "signature": said(lambda: ns.parse("??", domain, None)),  # type: ignore[arg-type]
        "few parameters": said(lambda: ns.to_text(program, np.zeros(0))),
        "another grammar": said(lambda: small.grammar(one).cost(program)),
        "other features": said(lambda: small.grammar(ns.Signature(ns.Sequence(3), ns.Sequence(1)))),
    }


case("text/wrong arguments", wrong_arguments)


# Domains


def described(name: str) -> Parts:
    domain = ns.Domain.built_in(name)
    outputs = {kind: domain.grammar(signature(domain, kind, 3)) for kind in ("frames", "vectors")}
    return {
        "all": digest(repr(sorted(domain.to_dict().items()))),
        "groups": short([group.name, group.title, list(group.columns)] for group in domain.groups),
        "paper": short(sorted(map(str, domain.paper.items()))),
        "rules": [len(each.all_rules) for each in outputs.values()],
        "features": short(domain.features),
        "published": [
            str(ns.AStar.paper(domain).frontier) if domain.paper else None,
            str(ns.Constraints.paper(domain)) if domain.paper else None,
        ],
    }


family(
    "domain",
    described,
    {name: (name,) for name in ("crim13", "fly", "basketball", "watch")},
    quick=("crim13",),
)

TOML: dict[str, str] = {
    "costs": "features = 4\npenalty = 0.1\nbeta = 3\naccumulator = 2\n[groups]\na = [0, 1]\n"
    "b = ['x*']\n[aliases]\nAs = 'a'\n[costs]\nif = 0.5\nAAffine = 0.25\nadd = 0",
    "costs by type": "features = 4\n[groups]\na = [0, 1]\n[aliases]\nAs = 'a'\n[costs]\nif = 0.5\n"
    "'if: sequence->vector' = 0.25\n'AsAffine: vector → vector' = 0.125",
    "derived": "features = ['n_x', 'n_y', 'm_x', 'm_y']\n[derived]\ngap = 'distance(n, m)'\n"
    "turn = 'change(heading(n, m))'",
    "no features": "name = 'a'",
    "unknown key": "feature = 3",
    "no TOML": "features = ",
    "unknown rule": "features = 3\n[rules]\nvectors = ['ad']",
    "a rule elsewhere": "features = 3\n[rules]\nvectors = ['fold', 'affine']",
    "unclosable": "features = 3\n[rules]\nvectors = ['add']",
    "an empty group": "features = 3\n[groups]\na = []",
    "a column too far": "features = 3\n[groups]\na = [3]",
    "a pattern of nothing": "features = 3\n[groups]\na = ['y*']",
    "an alias of nothing": "features = 3\n[aliases]\nA = 'b'",
    "a cost of nothing": "features = 3\n[costs]\niff = 1",
    "a cost at no type": "features = 3\n[costs]\n'map: vector -> vector' = 1",
    "a cost twice": "features = 3\n[costs]\n'if:vector->vector' = 1\n'if: vector -> vector' = 1",
    "a negative cost": "features = 3\n[costs]\nif = -1",
    "a negative penalty": "features = 3\npenalty = -1",
    "beta of 0": "features = 3\nbeta = 0",
    "features twice": "features = ['a', 'a']",
    "a wrong derived one": "features = ['n_x', 'n_y']\n[derived]\na = 'distance(n'",
}


def of_toml(text: str) -> Parts:
    """A domain and the cost of its rules, or what is wrong with it."""
    problem = said(lambda: ns.Domain.from_toml(text).grammar(_two_per_frame(text)))
    if problem["kind"] is not None:
        return problem
    domain = ns.Domain.from_toml(text)
    found = domain.grammar(_two_per_frame(text))
    return {
        "domain": digest(repr(domain.to_dict())),
        "rules": short([rule.operation.name, rule.cost] for rule in found.all_rules),
    }


def _two_per_frame(text: str) -> ns.Signature:
    return ns.Domain.from_toml(text).signature(2, per_frame=True)


family("domain/toml", of_toml, {n: (t,) for n, t in TOML.items()}, quick=("costs", "unclosable"))


def of_names() -> Parts:
    """Groups by names that are alike."""
    lists = {
        "points": ["nose1_x", "nose1_y", "nose2_x", "nose2_y", "speed", "tail_x"],
        "plain": ["x0", "x1", "x2"],
        "coordinates": ["x1", "y1", "x2", "y2", "vx1", "vy1"],
        "each": ["a", "b"],
        "many": [f"f{chr(97 + i // 5)}{chr(97 + i % 5)}q" for i in range(20)],
    }
    return {
        name: short([g.name, list(g.columns)] for g in ns.Domain.of_features(names).groups)
        for name, names in lists.items()
    }


case("domain/names", of_names)


# Functions


def declared() -> Parts:
    """The stored form of functions, and what they may be."""
    found = {each.name: each.to_dict() for each in functions()}
    again = {name: ns.Function.from_dict(each).to_dict() for name, each in found.items()}
    return {"same": again == found, **{n: digest(repr(each)) for n, each in found.items()}}


case("function/stored", declared, quick=True)


def _declare(name: str, meaning: Any, **how: Any) -> Any:
    return lambda: ns.function(name, **how)(meaning)


REFUSED: dict[str, Any] = {
    "a log of anything": _declare("f", lambda a: ns.log(a), takes=("out",)),
    "a division by anything": _declare("f", lambda a, b: a / b, takes=("out", "out")),
    "a name of signs": _declare("f-1", lambda a: a, takes=(1,)),
    "too few parameters": _declare("f", lambda a: a, takes=(1, 1)),
    "another size": _declare("f", lambda a: a, takes=(2,), gives=3),
    "a value": _declare("f", lambda a: 3, takes=(1,)),
    "a Python if": _declare("f", lambda a: a if a > 0 else -a, takes=(1,)),
    "an equality": _declare("f", lambda a: a == 1, takes=(1,)),
    "a component too far": _declare("f", lambda a: a[2], takes=(2,)),
    "a power of a half": _declare("f", lambda a: a**0.5, takes=(1,)),
    "an unknown law": _declare("f", lambda a, b: a, takes=(1, 1), gives=1, laws=("odd",)),
    "a law that is not kept": _declare(
        "f", lambda a, b: a - b, takes=("out", "out"), laws=("commutative",)
    ),
    "associativity that is not kept": _declare(
        "f", lambda a, b: a * b + 1, takes=("out", "out"), laws=("commutative", "associative")
    ),
    "features that lift": _declare("f", lambda x: x[0], takes=(), gives=1, lifts=True),
    "no word": _declare("f", lambda a: a, takes=(1,), prints="{0} f"),
    "an argument that is not printed": _declare("f", lambda a: a, takes=(1,), prints="f"),
    "a negative cost": _declare("f", lambda a: a, takes=(1,), cost=-1),
    "a size of 0": _declare("f", lambda a: a, takes=(0,)),
    "an unknown feature": lambda: ns.Domain.of_size(2).with_functions(
        ns.function("f", takes=(), gives=1)(lambda x: x["speed"])
    ),
}
family(
    "function/refused",
    lambda attempt: said(attempt),
    {n: (a,) for n, a in REFUSED.items()},
    quick=("a law that is not kept",),
)
