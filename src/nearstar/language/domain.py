"""Domains: the features of a field, their groups and the rules in use, as data."""

from __future__ import annotations

import fnmatch
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from importlib import resources
from pathlib import Path
from typing import Any

from nearstar.data.conversion import plain_names
from nearstar.data.derived import read_derived
from nearstar.language.costs import checked_costs, cost_of
from nearstar.language.feature_names import read_names
from nearstar.language.function import Function
from nearstar.language.grammar import Grammar, Rule
from nearstar.language.grouping import by_stem
from nearstar.language.numbers import least_numbers
from nearstar.language.operation import Operation
from nearstar.language.operators import (
    BUILT_IN,
    Affine,
    Constant,
    Fold,
    Group,
    Input,
    Map,
    MapPrefix,
    Memory,
    Select,
    Terms,
    Window,
    if_then_else,
)
from nearstar.language.program import Program, applied
from nearstar.language.types import Sequence, Signature, Vector
from nearstar.util.checks import is_number
from nearstar.util.errors import DomainError
from nearstar.util.nearest import suggestion

_BUILT_IN = resources.files("nearstar.language") / "domains"
_RULES = {
    "sequences": ("map", "mapprefix", "if"),
    "summaries": (
        "fold",
        "SlidingWindowAverage5",
        "SlidingWindowAverage10",
        "CentredWindowAverage5",
        "CentredWindowAverage11",
        "if",
    ),
    "vectors": ("if", "add", "multiply", "affine"),
}
"""The rules of the paper's domains, for domains that do not name their own."""
_STAR = re.compile(r"(?P<leaf>\w+)\{\*(?P<most>[1-9][0-9]*)?\}")
"""The name of a leaf that chooses its terms."""


@dataclass(frozen=True)
class Domain:
    """Features, groups and rules; with a task's signature it makes a grammar."""

    name: str
    features: tuple[str, ...]
    groups: tuple[Group, ...] = ()
    """A table of lists of columns will do: {"position": ["x*", 4]}."""
    aliases: Mapping[str, str] = field(default_factory=dict)
    """Other titles of groups in text: {"Dist": "distance"} reads DistAffine."""
    sequences: tuple[str, ...] = _RULES["sequences"]
    summaries: tuple[str, ...] = _RULES["summaries"]
    vectors: tuple[str, ...] = _RULES["vectors"]
    costs: Mapping[str, float] = field(default_factory=dict)
    """Costs of single rules by name, instead of penalty × holes opened: {"if": 0.05}. Or by name
    and kind of type, which comes first: {"if: sequence -> vector": 0.1}."""
    penalty: float = 0.01
    price: float = 0.0
    """What each number to read adds to the structural cost."""
    beta: float = 1.0
    """Temperature of the smooth ``if``."""
    accumulator: int = 0
    """Least size of a fold's accumulator; 0: the size of its output."""
    functions: tuple[Function, ...] = ()
    classes: tuple[str, ...] = ()
    """The names of what programs tell apart, by code: those that the leaf ``class`` may name."""
    derived: Mapping[str, str] = field(default_factory=dict)
    """Features computed from tracked points and columns: {"gap": "distance(nose, tail)"}.

    Those that `features` leaves out come after them.
    """
    paper: Mapping[str, Any] = field(default_factory=dict)
    """Settings of the published experiment on this domain, by name."""

    def __post_init__(self) -> None:
        for what in ("features", "classes", *_RULES):
            object.__setattr__(self, what, _names(getattr(self, what), what))
        object.__setattr__(self, "derived", _derived(self.derived))
        object.__setattr__(self, "features", _all_features(self.features, self.derived))
        if len(set(self.features)) != len(self.features) or not self.features:
            raise DomainError(f"domain {self.name}: feature names must be given, each once")
        if len(self.classes) == 1 or len(set(self.classes)) != len(self.classes):
            raise DomainError(
                f"domain {self.name}: classes are the names of two or more, each once, not "
                f"{list(self.classes)}"
            )
        if isinstance(self.groups, Mapping):
            listed = self.groups.items()
            groups = (Group(name, _columns(name, spec, self.features)) for name, spec in listed)
            object.__setattr__(self, "groups", tuple(groups))
        self._check_groups()
        if not (is_number(self.penalty) and self.penalty >= 0):
            raise DomainError(f"the penalty must be a number from 0, not {self.penalty!r}")
        if not (is_number(self.price) and self.price >= 0):
            raise DomainError(f"the price of a number must be from 0, not {self.price!r}")
        if not (is_number(self.beta) and self.beta > 0):
            raise DomainError(f"β must be a positive number, not {self.beta!r}")
        if not (type(self.accumulator) is int and self.accumulator >= 0):
            raise DomainError(f"accumulator is a whole number from 0, not {self.accumulator!r}")
        object.__setattr__(self, "functions", tuple(f.bind(self.features) for f in self.functions))
        costs = checked_costs(self.costs, self.operation, self._operations)
        object.__setattr__(self, "costs", costs)
        for kind in _RULES:
            for operation in self._operations_of(kind):
                if kind not in operation.rules:
                    raise DomainError(
                        f"domain {self.name}: {operation.name} can never stand among the rules "
                        f"for {kind}; see docs/domains.md for which go where"
                    )

    def _check_groups(self) -> None:
        for group in self.groups:
            _check_name(group.name)
            if not group.columns or len(set(group.columns)) != len(group.columns):
                raise DomainError(f"group {group.name}: columns must be given, each once")
            if not all(0 <= column < len(self.features) for column in group.columns):
                raise DomainError(
                    f"group {group.name}: columns {list(group.columns)} must be from 0 to "
                    f"{len(self.features) - 1}"
                )
        for alias, name in self.aliases.items():
            _check_name(alias)
            groups = [group.name for group in self.groups]
            if name not in groups:
                raise DomainError(
                    f"alias {alias} is for the unknown group {name!r}; {suggestion(name, groups)}"
                )

    # Making domains

    @classmethod
    def of_size(cls, n_features: int, **changes: Any) -> Domain:
        """A domain that knows only the number of features: one affine leaf, of all of them."""
        return cls("plain", plain_names(n_features), **changes)

    @classmethod
    def of_features(
        cls,
        names: Iterable[str],
        groups: Mapping[str, Iterable[int | str]] | None = None,
        derived: Mapping[str, str] | Iterable[str] | None = None,
        **changes: Any,
    ) -> Domain:
        """A domain of named features, and of features derived from them.

        `groups` lists the columns of each group by index, name or pattern. Without them, features
        that are called alike are a group: names are compared without numbers and coordinates at
        their end, so that nose1_x and nose2_y are ``nose``, and x1 and y1 ``position``. Where that
        gives less than 2 or more than 16 groups, each feature is its own; there are no groups if
        there are more than 16 features, or if they have no names but x0, x1, ….
        """
        texts = _derived(derived)
        features = _all_features(_names(tuple(names), "features"), texts)
        found = by_stem(features) if groups is None else groups
        given = {"name": "data", "features": features, "groups": found, "derived": texts}
        return cls(**{**given, **changes})

    @classmethod
    def built_in(cls, name: str) -> Domain:
        """One of the paper's domains, crim13, fly or basketball; or watch, of the example data."""
        return cls.from_toml(cls.built_in_text(name))

    @staticmethod
    def built_in_text(name: str) -> str:
        """The TOML file of a built-in domain."""
        known = Domain.built_in_names()
        if name not in known:
            raise DomainError(f"no built-in domain {name!r}; {suggestion(name, known)}")
        return (_BUILT_IN / f"{name}.toml").read_text(encoding="utf-8")

    @staticmethod
    def built_in_names() -> tuple[str, ...]:
        """The names of the built-in domains."""
        files = (file.name for file in _BUILT_IN.iterdir())
        return tuple(sorted(name.removesuffix(".toml") for name in files if ".toml" in name))

    @classmethod
    def load(cls, path: str | Path, functions: Iterable[Function] = ()) -> Domain:
        """A domain from a TOML file; ``functions`` are added to it before its rules are read."""
        try:
            text = Path(path).read_text(encoding="utf-8")
        except UnicodeDecodeError as problem:
            raise DomainError(f"{path} is not a text file in UTF-8: {problem}") from None
        return cls.from_toml(text, functions)

    @classmethod
    def from_toml(cls, text: str, functions: Iterable[Function] = ()) -> Domain:
        """A domain from TOML text (see docs/domains.md for its keys)."""
        try:
            data = tomllib.loads(text)
        except tomllib.TOMLDecodeError as problem:
            raise DomainError(f"the domain is not valid TOML: {problem}") from None
        return cls.from_dict(data, functions)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], functions: Iterable[Function] = ()) -> Domain:
        """A domain from the contents of its TOML file."""
        known = {each.name for each in fields(cls)} - set(_RULES) | {"rules"}
        if not isinstance(data, Mapping):
            raise DomainError(f"a domain is a table of {sorted(known)}, not {data!r}")
        for key in data:
            if key not in known:
                raise DomainError(
                    f"unknown key {key!r} of a domain; {suggestion(str(key), sorted(known))}"
                )
        tables = ("groups", "aliases", "costs", "derived", "paper")
        given: dict[str, Any] = {key: _table(data, key) for key in tables}
        if "features" not in data and not given["derived"]:
            raise DomainError("a domain needs 'features': a list of names, or their number")
        rules = {**_RULES, **_table(data, "rules")}
        if unknown := set(rules) - set(_RULES):
            raise DomainError(f"rules are for {sorted(_RULES)}, not for {sorted(unknown)}")
        stored = data.get("functions", [])
        if not isinstance(stored, list | tuple):
            raise DomainError(f"functions are a list of stored functions, not {stored!r}")
        given |= {
            key: data[key]
            for key in ("penalty", "price", "beta", "accumulator", "classes")
            if key in data
        }
        return cls(
            name=str(data.get("name", "unnamed")),
            features=_features(data.get("features", [])),
            functions=(*map(Function.from_dict, stored), *functions),
            **rules,
            **given,
        )

    def to_dict(self) -> dict[str, Any]:
        """The contents of the domain's TOML file, with its functions' definitions."""
        return {
            "name": self.name,
            "features": list(self.features),
            "groups": {group.name: list(group.columns) for group in self.groups},
            "aliases": dict(self.aliases),
            "rules": {kind: list(getattr(self, kind)) for kind in _RULES},
            "costs": dict(self.costs),
            "penalty": self.penalty,
            "price": self.price,
            "beta": self.beta,
            "accumulator": self.accumulator,
            "classes": list(self.classes),
            "functions": [function.to_dict() for function in self.functions],
            "derived": dict(self.derived),
            "paper": dict(self.paper),
        }

    def with_functions(self, *functions: Function) -> Domain:
        """The domain with more functions, in use wherever their types fit."""
        names = tuple(function.name for function in functions)
        lifted = tuple(function.name for function in functions if function.lifts)
        return replace(
            self,
            functions=(*self.functions, *functions),
            vectors=self.vectors + names,
            summaries=self.summaries + lifted,
            sequences=self.sequences + lifted,
        )

    @property
    def chooses_terms(self) -> bool:
        """Whether it has leaves whose terms are to be chosen."""
        return any(each.chooses_terms for each in self._operations_of("vectors"))

    def with_most_terms(self, most: int) -> Domain:
        """The domain with leaves that choose so many terms, at most, where they chose more."""

        def bounded(name: str) -> str:
            star = _STAR.match(name)  # a cost may be for a kind of type: what follows stays
            if star is None or (star["most"] and int(star["most"]) <= most):
                return name
            return f"{star['leaf']}{{*{most}}}{name[star.end() :]}"

        return replace(
            self,
            vectors=tuple(map(bounded, self.vectors)),
            costs={bounded(name): cost for name, cost in self.costs.items()},
        )

    def definitions(self, names: Iterable[str]) -> list[str]:
        """How those of these features are derived that are not called what they are."""
        known = self.derived
        return [f"{each} = {known[each]}" for each in names if known.get(each, each) != each]

    def published(self, *names: str) -> dict[str, Any]:
        """Settings of the published experiment on this domain, by name."""
        missing = [name for name in names if name not in self.paper]
        if missing:
            raise DomainError(
                f"no published {' and '.join(missing)} are known for the domain {self.name}"
            )
        return {name: self.paper[name] for name in names}

    # Operations by name

    @cached_property
    def _operations(self) -> dict[str, Operation]:
        operations: list[Operation] = [
            Map(),
            MapPrefix(),
            Fold(self.accumulator),
            Memory(),
            if_then_else(self.beta),
            *BUILT_IN,
            Affine(),
            *(Affine(group) for group in self.groups),
            *(Select(group) for group in self.groups),
            Constant(),
            Input(),
        ]
        if self.classes:
            operations.append(Constant(self.classes))
        table = {operation.name: operation for operation in operations}
        if len(table) < len(operations):
            raise DomainError(f"domain {self.name}: two groups would print the same")
        by_name = {group.name: group for group in self.groups}
        named: list[tuple[str, Operation]] = [(each.name, each) for each in self.functions]
        named += [(f"{alias}Affine", Affine(by_name[name])) for alias, name in self.aliases.items()]
        for name, operation in named:
            if name in table or name in ("affine", "sel", "class") or Window.named(name):
                raise DomainError(f"the name {name} is already taken; choose another one")
            table[name] = operation
        self.by_word()
        return table

    def by_word(self) -> dict[str, Function]:
        """The functions by the first word of their text; DomainError if two share one."""
        table: dict[str, Function] = {}
        for function in (if_then_else(self.beta), *BUILT_IN, *self.functions):
            word = function.form[0].text
            if word in table:
                raise DomainError(
                    f"the functions {table[word].name} and {function.name} both print {word!r} "
                    "first; give one of them another 'prints'"
                )
            table[word] = function
        for function in self.functions:
            if (word := function.form[0].text) in self.classes:
                raise DomainError(
                    f"the function {function.name} prints {word!r} first, which is the name of a "
                    "class; give it another 'prints'"
                )
        return table

    def operation(self, name: str) -> Operation | None:
        """The operation of this printed name (``x`` is the variable); windows of any size.

        DomainError for windows that cannot be, such as centred ones of an even size.
        """
        return Window.named(name) or self._few_terms(name) or self._operations.get(name)

    def _few_terms(self, name: str) -> Affine | None:
        """The leaf of features that are listed in braces: ``Affine{gap, speed}``; or, in place of
        a list, are to be chosen: ``Affine{*}``, ``PositionAffine{*3}``."""
        if star := _STAR.fullmatch(name):
            leaf = self._operations.get(star["leaf"])
            if not isinstance(leaf, Affine):
                leaves = [each for each in self._operations if each.endswith("Affine")]
                raise DomainError(
                    f"{name}: there is no leaf {star['leaf']}; {suggestion(star['leaf'], leaves)}"
                )
            return leaf.choosing(self.features, int(star["most"]) if star["most"] else None)
        if not name.startswith("Affine{"):
            return None
        names = read_names(name.removeprefix("Affine"))
        if names is None:
            raise DomainError(
                "a leaf of features is Affine{one, another}, or of at most three to be chosen "
                f"Affine{{*3}}, not {name!r}"
            )
        for each in names:
            if each not in self.features:
                known = suggestion(each, self.features)
                raise DomainError(f"{name}: there is no feature {each!r}; {known}")
        return Affine(Terms.of([names], self.features))

    def _expand(self, name: str) -> list[Operation]:
        """The operations that a rule name stands for: ``affine`` and ``sel`` are families."""
        if name == "affine":
            return [Affine(group) for group in self.groups] or [Affine()]
        if name == "sel":
            return [Select(group) for group in self.groups]
        operation = self.operation(name)
        if operation is None:
            # There are windows of any size: some will do to propose.
            if name == "class":
                raise DomainError(
                    f"domain {self.name}: the rule 'class' needs the names of the classes, "
                    'classes = ["one", "another"]'
                )
            known = dict.fromkeys(("affine", "sel", *self._operations, *_RULES["summaries"]))
            raise DomainError(
                f"domain {self.name}: unknown rule {name!r}; {suggestion(name, known)}"
            )
        return [operation]

    def _operations_of(self, kind: str) -> list[Operation]:
        """The operations in use as rules of a kind, each once, in order."""
        names: tuple[str, ...] = getattr(self, kind)
        return list(dict.fromkeys(each for name in names for each in self._expand(name)))

    # Grammars

    def signature(self, outputs: int, *, per_frame: bool, vectors: bool = False) -> Signature:
        """The type of a classifier with this many outputs, for labels per frame or per example."""
        if vectors:
            return Signature(Vector(len(self.features)), Vector(outputs))
        output = Sequence(outputs) if per_frame else Vector(outputs)
        return Signature(Sequence(len(self.features)), output)

    def grammar(self, root: Signature) -> Grammar:
        """The grammar of this domain for programs of a signature."""
        if root.input.size != len(self.features):
            raise DomainError(
                f"domain {self.name} has {len(self.features)} features, the task {root.input.size}"
            )
        sequences, summaries, vectors = (
            tuple(Rule(each, self._cost(each, kind)) for each in self._operations_of(kind))
            for kind in _RULES
        )
        return Grammar(root, sequences, summaries, vectors, self.price)

    def cost(self, program: Program) -> float:
        """Structural cost of a program, also of one that the rules in use would not make."""
        rules = sum(self._cost(node.operation, node.signature.kind) for node in applied(program))
        return rules + self.price * least_numbers(program) if self.price else rules

    def _cost(self, operation: Operation, kind: str) -> float:
        return cost_of(operation, kind, self.costs, self.penalty)


def _check_name(name: str) -> None:
    if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name):
        raise DomainError(f"a group's name or alias is letters, digits and _, not {name!r}")


def _table(data: Mapping[str, Any], key: str) -> dict[str, Any]:
    table = data.get(key, {})
    if not isinstance(table, Mapping):
        raise DomainError(f"{key} of a domain are a table, [{key}] in TOML, not {table!r}")
    return dict(table)


def _names(names: Any, what: str) -> tuple[str, ...]:
    if not isinstance(names, list | tuple) or not all(isinstance(name, str) for name in names):
        raise DomainError(f"{what} of a domain are a list of names, not {names!r}")
    return tuple(names)


def _features(spec: Any) -> tuple[str, ...]:
    if isinstance(spec, int) and not isinstance(spec, bool) and spec >= 1:
        return plain_names(spec)
    if isinstance(spec, list | tuple) and all(isinstance(name, str) for name in spec):
        return tuple(spec)
    raise DomainError(f"features are a list of names or a number from 1, not {spec!r}")


def _derived(given: Any) -> dict[str, str]:
    """Derived features as texts by name, their syntax checked."""
    return {name: each.text for name, each in read_derived(given).items()}


def _all_features(features: tuple[str, ...], derived: Mapping[str, str]) -> tuple[str, ...]:
    known = set(features)
    return (*features, *(name for name in derived if name not in known))


def _columns(group: str, spec: Any, features: tuple[str, ...]) -> tuple[int, ...]:
    """Columns of a group given as indices, or as names and patterns such as ``velocity*``."""
    if not isinstance(spec, list | tuple) or not spec:
        raise DomainError(f"group {group}: give a list of columns or name patterns, not {spec!r}")
    columns: list[int] = []
    for item in spec:
        if isinstance(item, int) and not isinstance(item, bool):
            columns.append(item)
            continue
        # A name may have signs of patterns in it: itself it always matches.
        found = [features.index(item)] if item in features else []
        found = found or [i for i, f in enumerate(features) if fnmatch.fnmatchcase(f, str(item))]
        if not found:
            raise DomainError(
                f"group {group}: no feature matches {item!r}; {suggestion(str(item), features)}"
            )
        columns.extend(column for column in found if column not in columns)
    return tuple(columns)
