"""Library functions: one declaration gives typing, cost, text, values and gradients."""

from __future__ import annotations

import inspect
import math
import re
import reprlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeVar

from nearstar.language.expression import Expression, Features, Size, from_data, to_data
from nearstar.language.meaning import Occurrence, Site, value_of
from nearstar.language.operation import Operation, count
from nearstar.language.program import Apply
from nearstar.language.template import check_template
from nearstar.language.types import Signature, Vector
from nearstar.language.view import View
from nearstar.util.errors import DomainError
from nearstar.util.nearest import suggestion

Law = Literal["commutative", "associative"]
V = TypeVar("V")


@dataclass(frozen=True)
class Function(Operation):
    """A function of sub-expressions, and of the input's features.

    It stands where a vector → vector expression may; with ``lifts`` also where sequence → vector
    and sequence → sequence ones may. There its arguments of size "out" are of that type too, and
    arguments of a fixed size are computed from the whole sequence (sequence → vector).
    """

    name: str
    takes: tuple[Size, ...]
    gives: Size
    meaning: Expression
    prints: str
    cost: float | None = None
    """None: the grammar's penalty for each argument, as for the built-in rules."""
    lifts: bool = False
    laws: frozenset[Law] = frozenset()
    called: str = field(default="", compare=False)
    """What a person would call its value; its name, if nothing is said."""

    def __post_init__(self) -> None:
        name, meaning = self.name, self.meaning
        _check_head(name, self.takes, self.gives)
        cost = 0 if self.cost is None else self.cost
        if not (isinstance(cost, int | float) and math.isfinite(cost) and cost >= 0):
            raise DomainError(f"{name}: a cost is a number from 0, not {cost!r}")
        if meaning.size != self.gives and meaning.size != 1:
            raise DomainError(
                f"{name} returns size {meaning.size}, but is declared to give {self.gives}"
            )
        arguments = set(enumerate(self.takes))
        for leaf in _leaves(meaning, "argument"):
            if (leaf.value, leaf.size) not in arguments:
                raise DomainError(f"{name} reads an argument that it does not take: {leaf}")
        if self.lifts and _features(meaning):
            raise DomainError(f"{name} reads features, so it cannot stand for whole sequences")
        _check_laws(self)
        check_template(name, self.prints, len(self.takes))

    def __hash__(self) -> int:
        return hash((self.name, self.takes, self.gives, self.prints))

    def arguments(self, signature: Signature) -> tuple[Signature, ...] | None:
        out = signature.output.size
        if self.gives not in ("out", out):
            return None
        if not signature.maps_vectors and not self.lifts:
            return None
        if any(feature >= signature.input.size for feature in self.features()):
            return None
        return tuple(
            signature.giving(signature.output if size == "out" else Vector(size))
            for size in self.takes
        )

    def value(self, here: Occurrence, at: Site[V]) -> V:
        values = [
            at.broadcast(each, value_of(each, at.whole()))
            if here.signature.maps_sequences and each.signature.summarises
            else value_of(each, at)
            for each in here.arguments
        ]
        return at.function(here, self, values)

    @property
    def rules(self) -> tuple[str, ...]:  # type: ignore[override]
        """Kinds of holes that it may be a rule for."""
        return ("sequences", "summaries", "vectors") if self.lifts else ("vectors",)

    @property
    def opens(self) -> int:  # type: ignore[override]
        """Holes that it opens as a rule."""
        return len(self.takes)

    @property
    def noun(self) -> str:
        return self.called or self.name.lower()

    def misfit(self, signature: Signature) -> str:
        if not signature.maps_vectors and not self.lifts:
            return "is a function of vectors"
        columns = self.columns(signature)
        if columns and max(columns) >= signature.input.size:
            return super().misfit(signature)
        return f"gives {count(self.gives)}"

    def words(self, node: Apply, features: str, view: View) -> str:
        return f"reads {features}" if features else ""

    def columns(self, signature: Signature) -> tuple[int, ...]:
        return self.features()

    def features(self) -> tuple[int, ...]:
        """Columns of the input that the meaning reads."""
        features = _features(self.meaning)
        if any(isinstance(feature, str) for feature in features):
            raise DomainError(
                f"{self.name} reads features by name; use it with Domain.with_functions, which "
                "knows their columns"
            )
        return tuple(int(feature) for feature in features)

    def feature_names(self) -> tuple[str, ...]:
        """Names for the features that the meaning reads, enough to bind it to a domain alone."""
        features = _features(self.meaning)
        named = [feature for feature in features if isinstance(feature, str)]
        most = max((feature for feature in features if isinstance(feature, int)), default=-1)
        unnamed = (f"column {index}" for index in range(most + 1))
        return tuple(dict.fromkeys([*unnamed, *named]))

    def bind(self, names: Sequence[str]) -> Function:
        """The function with feature names resolved to columns."""
        if not _features(self.meaning):
            return self
        columns = {name: column for column, name in enumerate(names)}
        return replace(self, meaning=_bind(self.meaning, self.name, columns))

    def to_dict(self) -> dict[str, Any]:
        """Everything that defines the function, for files."""
        return {
            "name": self.name,
            "takes": list(self.takes),
            "gives": self.gives,
            "meaning": to_data(self.meaning),
            "prints": self.prints,
            "cost": self.cost,
            "lifts": self.lifts,
            "laws": sorted(self.laws),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Function:
        """The function that ``to_dict`` wrote."""
        try:
            return cls(
                name=str(data["name"]),
                takes=tuple(data["takes"]),
                gives=data["gives"],
                meaning=from_data(data["meaning"]),
                prints=str(data["prints"]),
                cost=data["cost"],
                lifts=bool(data["lifts"]),
                laws=frozenset(data["laws"]),
            )
        except KeyError as missing:
            raise DomainError(f"a stored function lacks {missing}") from None
        except TypeError as problem:
            raise DomainError(f"not a stored function ({problem}): {reprlib.repr(data)}") from None


def record(
    meaning: Callable[..., Expression],
    name: str,
    *,
    takes: Sequence[Size],
    gives: Size = "out",
    prints: str | None = None,
    cost: float | None = None,
    lifts: bool = False,
    laws: Sequence[Law] = (),
    called: str = "",
    made: type[Function] | None = None,
) -> Function:
    """Record what a Python function does as a library function, without trying it out."""
    _check_head(name, takes, gives)
    arguments = [Expression("argument", (), index, size) for index, size in enumerate(takes)]
    signature = inspect.signature(meaning)
    reads_input = next(iter(signature.parameters), None) == "x"
    given = (Features(), *arguments) if reads_input else tuple(arguments)
    try:
        signature.bind(*given)
    except TypeError as problem:
        raise DomainError(
            f"{name} is declared to take {len(takes)} arguments, but its Python function cannot: "
            f"{problem} (a first parameter named x is the input, and not one of them)"
        ) from None
    result = meaning(*given)
    if not isinstance(result, Expression):
        raise DomainError(f"{name} must return an expression, not {result!r}")
    if prints is None:
        slots = [f"{{{index}}}" for index in range(len(arguments))] or ["{x}"]
        prints = f"{name}({', '.join(slots)})"
    return (made or Function)(
        name, tuple(takes), gives, result, prints, cost, lifts, frozenset(laws), called
    )


def _check_head(name: str, takes: Sequence[Size], gives: Size) -> None:
    if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name):
        raise DomainError(f"a function's name is letters, digits and _, not {name!r}")
    if isinstance(takes, str) or not isinstance(takes, Sequence):
        raise DomainError(f"{name}: takes is a list of sizes, such as (1, 'out'), not {takes!r}")
    for size in (*takes, gives):
        if size != "out" and (isinstance(size, bool) or not isinstance(size, int) or size < 1):
            raise DomainError(f"{name}: a size is a whole number from 1 or 'out', not {size!r}")


def _check_laws(function: Function) -> None:
    name, laws = function.name, function.laws
    for law in laws:
        if law not in ("commutative", "associative"):
            raise DomainError(f"{name}: unknown law {law!r}: commutative or associative")
    if laws and function.takes != (function.gives, function.gives):
        raise DomainError(f"{name}: laws are for functions of two arguments of the result's size")
    if "associative" in laws and "commutative" not in laws:
        raise DomainError(f"{name}: an associative function must be commutative too")


def _features(expression: Expression) -> list[int | str]:
    values = [leaf.value for leaf in _leaves(expression, "feature")]
    return [value for value in values if isinstance(value, int | str)]


def _leaves(expression: Expression, kind: str) -> list[Expression]:
    if expression.kind == kind:
        return [expression]
    return [leaf for operand in expression.operands for leaf in _leaves(operand, kind)]


def _bind(expression: Expression, name: str, columns: Mapping[str, int]) -> Expression:
    if expression.kind == "feature":
        feature = expression.value
        if isinstance(feature, str) and feature not in columns:
            raise DomainError(
                f"{name} reads the feature {feature!r}, which the domain does not have; "
                f"{suggestion(feature, columns)}"
            )
        if isinstance(feature, int) and feature >= len(columns):
            raise DomainError(f"{name} reads feature {feature}, but there are {len(columns)}")
        return replace(expression, value=columns[feature] if isinstance(feature, str) else feature)
    return replace(
        expression,
        operands=tuple(_bind(operand, name, columns) for operand in expression.operands),
    )
