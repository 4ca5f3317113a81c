"""Costs that a domain sets for rules: by their names, or by a name and the kind of its type.

``if`` is what an ``if`` costs wherever it stands, and ``if: sequence -> vector`` what one costs
that makes a vector of a sequence; the latter comes first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any

from nearstar.language.operation import Operation
from nearstar.util.checks import is_number
from nearstar.util.errors import DomainError
from nearstar.util.nearest import suggestion

_KINDS: Mapping[str, str] = MappingProxyType(
    {
        "sequences": "sequence -> sequence",
        "summaries": "sequence -> vector",
        "vectors": "vector -> vector",
    }
)
"""How kinds of signatures are written in the keys of costs."""


def checked_costs(
    given: Mapping[str, Any], operation: Callable[[str], Operation | None], known: Iterable[str]
) -> dict[str, float]:
    """The costs by keys that are always written alike; DomainError for what is no rule or cost.

    ``operation`` is the operation of a name, if there is one; ``known`` are names to propose.
    """
    costs: dict[str, float] = {}
    for key, cost in given.items():
        name, colon, kind = str(key).partition(":")
        found = operation(name.strip())
        if found is None:
            raise DomainError(
                f"a cost is given for {key!r}, which is no rule; {suggestion(name.strip(), known)}"
            )
        # An alias stands for the group's own name.
        own = _key(found, _kind(str(key), found, kind)) if colon else found.name
        if not (is_number(cost) and cost >= 0):
            raise DomainError(f"the cost of {key} must be a number from 0, not {cost!r}")
        if own in costs:
            raise DomainError(f"the cost of {own} is given twice; leave one of them out")
        costs[own] = cost
    return costs


def cost_of(operation: Operation, kind: str, costs: Mapping[str, float], penalty: float) -> float:
    """What a rule costs at signatures of a kind: as set for it there, as set for it, or its own."""
    for key in (_key(operation, kind), operation.name):
        if key in costs:
            return costs[key]
    return penalty * operation.opens if operation.cost is None else operation.cost


def _key(operation: Operation, kind: str) -> str:
    return f"{operation.name}: {_KINDS[kind]}"


def _kind(key: str, operation: Operation, written: str) -> str:
    """The kind that is written: with either arrow, and spaces or none."""
    ends = " -> ".join(end.strip() for end in written.replace("→", "->").split("->"))
    for kind in operation.rules:
        if ends == _KINDS[kind]:
            return kind
    fitting = [_key(operation, kind) for kind in operation.rules]
    raise DomainError(
        f"a cost is given for {key!r}, but {operation.name} has no such type; "
        f"{suggestion(f'{operation.name}: {ends}', fitting)}"
    )
