"""What a person may demand of programs: how large, and which rules, how often."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from nearstar.language.deciding import decides, is_class, passed_on
from nearstar.language.domain import Domain
from nearstar.language.grammar import Grammar
from nearstar.language.numbers import is_threshold, least_numbers, open_thresholds
from nearstar.language.operation import Operation, count
from nearstar.language.program import Apply, Path, Program, applied, node_at, open_places
from nearstar.language.types import Signature
from nearstar.util.checks import check_settings, check_whole
from nearstar.util.errors import DomainError, NearstarError

FAMILIES = ("affine", "sel")
"""Names that stand for all leaves of their kind together."""


@dataclass(frozen=True)
class Constraints:
    """Limits on programs; rules are given by name, as ``if``, ``fold`` or ``DistanceAffine``.

    ``affine`` and ``sel`` stand for all leaves of their kind together: to require ``affine`` is to
    require any one of them, to limit it is to limit their number in all.
    """

    max_depth: int = 10
    """Most rules applied, the paper's depth of a program; those of a sketch count."""
    max_height: int | None = None
    """Most levels of the tree."""
    forbid: tuple[str, ...] = ()
    """Rules that may not be used."""
    require: tuple[str, ...] = ()
    """Rules that must be used."""
    limit: Mapping[str, int] = field(default_factory=dict, hash=False)
    """How often rules may be used, at most."""
    numbers: int | None = None
    """Most numbers to read; where terms are to be chosen, those of what comes of it."""

    def __post_init__(self) -> None:
        check_settings(self)
        for name in ("forbid", "require"):
            given = getattr(self, name)
            listed = isinstance(given, list | tuple | set | frozenset)
            if not listed or not all(isinstance(each, str) for each in given):
                raise NearstarError(f"{name} must be a list of names of rules, not {given!r}")
            object.__setattr__(self, name, tuple(given))
        if not isinstance(self.limit, Mapping) or not all(isinstance(n, str) for n in self.limit):
            raise NearstarError(
                f"limit must be a table of names of rules and numbers, not {self.limit!r}"
            )
        object.__setattr__(self, "limit", dict(self.limit))
        for name, most in self.limit.items():
            check_whole(f"the limit of {name}", most, least=0)

    @classmethod
    def paper(cls, domain: Domain, **changes: Any) -> Constraints:
        """The published settings for one of the paper's domains: the greatest depth."""
        return cls(**{**domain.published("max_depth"), **changes})

    def __str__(self) -> str:
        """What is demanded, for people."""
        demands = [f"at most {self.max_depth} rules"]
        if self.max_height is not None:
            demands.append(f"at most {self.max_height} levels")
        if self.numbers is not None:
            demands.append(f"at most {count(self.numbers)} to read")
        demands += [f"no {name}" for name in self.forbid]
        demands += [f"at least one {name}" for name in self.require]
        demands += [f"at most {most} {name}" for name, most in self.limit.items()]
        return ", ".join(demands)


def with_own_names(given: Constraints, domain: Domain) -> Constraints:
    """Constraints with the names that rules print with, where they were given by an alias."""

    def own(name: str) -> str:
        operation = None if name in FAMILIES else domain.operation(name)
        return name if operation is None else operation.name

    limit: dict[str, int] = {}
    for name, most in given.limit.items():
        limit[own(name)] = min(most, limit.get(own(name), most))
    forbid, require = tuple(map(own, given.forbid)), tuple(map(own, given.require))
    return replace(given, forbid=forbid, require=require, limit=limit)


@dataclass(frozen=True)
class Quota:
    """How often the rules of a set must and may be used, in all."""

    names: frozenset[str]
    least: int = 0
    most: int | None = None

    def count(self, program: Program) -> int:
        """How often a program uses them."""
        return sum(node.operation.name in self.names for node in applied(program))

    def leaves_same(self, one: Program, other: Program) -> bool:
        """Whether as much is left of it for the holes of both programs."""
        return self.count(one) == self.count(other)

    def of(self, operation: Operation, need: Need) -> int:
        """How often an operation uses them, in the place of a hole."""
        return int(operation.name in self.names)


@dataclass(frozen=True)
class NumbersQuota(Quota):
    """How many numbers to read there may be."""

    def count(self, program: Program) -> int:
        """Those that a program has, but for its holes."""
        # A condition that is a hole is no threshold yet.
        return least_numbers(program) + open_thresholds(program)

    def leaves_same(self, one: Program, other: Program) -> bool:
        same = open_thresholds(one) == open_thresholds(other)
        return same and self.count(one) == self.count(other)

    def of(self, operation: Operation, need: Need) -> int:
        """Those that an operation brings, in the place of a hole."""
        threshold = need.condition and is_threshold(operation, need.signature)
        return operation.numbers(need.signature) - threshold


class Need(NamedTuple):
    """A hole that is to be closed."""

    signature: Signature
    levels: int
    """Of a tree that fits in."""
    condition: bool
    """Whether it decides a hard ``if``: a threshold there is one number."""
    decides: bool
    """Whether it is the answer by itself: only there a leaf may name a class."""


_Counts = tuple[int, ...]
_Needs = tuple[Need, ...]


class Closing:
    """Whether programs can still be completed within constraints: exactly, not optimistically.

    For holes of a signature, with so many rules and levels left, it knows the counts of each
    quota's rules that completions can have; only the most favourable ones are kept.
    """

    def __init__(
        self, grammar: Grammar, constraints: Constraints, families: Mapping[str, Iterable[str]] = {}
    ) -> None:
        self.grammar = grammar
        self.max_depth = constraints.max_depth
        self.max_height = constraints.max_height
        self.quotas = quotas_of(constraints, families)
        self._only_classes = _only_classes(grammar)
        self._known: dict[tuple[_Needs, int], frozenset[_Counts]] = {}

    @property
    def only_depth(self) -> bool:
        """Whether nothing is demanded but a number of rules, which the grammar knows."""
        return self.max_height is None and not self.quotas and not self._only_classes

    def can_close(self, program: Program) -> bool:
        """Whether some completion keeps all constraints; of a complete program: whether it does."""
        if self.only_depth:
            return program.size + self.grammar.closing_rules(program) <= self.max_depth
        rules = self.max_depth - program.size
        height = self.max_depth if self.max_height is None else self.max_height
        if rules < 0 or program.height > height:
            return False
        places = open_places(program)
        needs = tuple(
            Need(
                hole.signature,
                height - len(path),
                _is_condition(program, path),
                decides(program, path),
            )
            for path, hole in places
        )
        own = tuple(quota.count(program) for quota in self.quotas)
        return any(
            all(
                quota.least <= total and (quota.most is None or total <= quota.most)
                for quota, total in zip(self.quotas, _add(own, counts), strict=True)
            )
            for counts in self._completions(needs, rules)
        )

    def _completions(self, needs: _Needs, rules: int) -> frozenset[_Counts]:
        """Counts of ways to close all these holes with at most so many rules."""
        if not needs:
            return frozenset({(0,) * len(self.quotas)})
        if rules < len(needs):
            return frozenset()
        # No tree is higher than it has rules: more levels than that are no more freedom.
        needs = tuple(need._replace(levels=min(need.levels, rules)) for need in needs)
        key = (needs, rules)
        if key not in self._known:
            need, rest = needs[0], needs[1:]
            found: set[_Counts] = set()
            if rest:
                for first in range(1, rules - len(rest) + 1):
                    for one in self._completions(needs[:1], first):
                        for others in self._completions(rest, rules - first):
                            found.add(self._capped(_add(one, others)))
            elif need.levels >= 1:
                for rule in self.grammar.rules(need.signature):
                    if need.decides or not is_class(rule.operation):
                        own = tuple(quota.of(rule.operation, need) for quota in self.quotas)
                        for counts in self._completions(_below(rule.operation, need), rules - 1):
                            found.add(self._capped(_add(own, counts)))
            self._known[key] = frozenset(
                counts
                for counts in found
                if not any(other != counts and self._as_good(other, counts) for other in found)
            )
        return self._known[key]

    def _capped(self, counts: _Counts) -> _Counts:
        """More than enough is enough, and more than too many is too many."""
        return tuple(
            min(count, quota.least if quota.most is None else quota.most + 1)
            for quota, count in zip(self.quotas, counts, strict=True)
        )

    def _as_good(self, one: _Counts, other: _Counts) -> bool:
        return all(
            a >= b if quota.most is None else a <= b if quota.least == 0 else a == b
            for quota, a, b in zip(self.quotas, one, other, strict=True)
        )


def _below(operation: Operation, need: Need) -> _Needs:
    """What an operation needs that is put in the place of a hole."""
    arguments = operation.arguments(need.signature) or ()
    passed = passed_on(operation) if need.decides else ()
    return tuple(
        Need(argument, need.levels - 1, operation.is_hard and place == 0, place in passed)
        for place, argument in enumerate(arguments)
    )


def _only_classes(grammar: Grammar) -> bool:
    """Whether a leaf that names a class is all that programs can end with."""
    names = [each.operation.name for each in grammar.all_rules if is_class(each.operation)]
    try:
        grammar.without(names)
    except DomainError:
        return bool(names)
    return False


def _is_condition(program: Program, path: Path) -> bool:
    """Whether what stands there decides a hard ``if``."""
    if not path or path[-1] != 0:
        return False
    above = node_at(program, path[:-1])
    return isinstance(above, Apply) and above.operation.is_hard


def _add(one: _Counts, other: _Counts) -> _Counts:
    return tuple(a + b for a, b in zip(one, other, strict=True))


def quotas_of(
    constraints: Constraints, families: Mapping[str, Iterable[str]] = {}
) -> tuple[Quota, ...]:
    """The quotas that constraints set; ``families`` are names that stand for several rules."""
    names = dict.fromkeys((*constraints.require, *constraints.limit))
    most = constraints.numbers
    rules = tuple(
        Quota(
            frozenset(families.get(name, [name])),
            least=int(name in constraints.require),
            most=constraints.limit.get(name),
        )
        for name in names
    )
    return rules if most is None else (*rules, NumbersQuota(frozenset(), most=most))
