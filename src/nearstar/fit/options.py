"""Settings, declared once: fields of a dataclass, flags, keys of TOML files and their help."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cache
from typing import Any, TypeVar

from nearstar.fit.converters import text
from nearstar.util.errors import NearstarError
from nearstar.util.nearest import suggestion

S = TypeVar("S")


@dataclass(frozen=True)
class Option:
    """How a setting is given: ``max_depth`` is ``--max-depth`` and the key ``max_depth``."""

    kind: Callable[[Any], Any]
    """Makes its value of what is written; raises where that cannot be."""
    help: str
    shown: str = ""
    """Its value in the help, such as SECONDS."""
    default: Any = None
    choices: tuple[str, ...] = ()
    many: bool = False
    """Whether it may be given several times; its value is then a tuple, or a table."""
    positional: bool = False
    """Whether it stands without a flag, such as the data."""
    required: bool = False
    path: bool = False
    """Whether it may be the path of a file."""
    passing: bool = False
    """Whether nothing that is found depends on it."""
    keyword: str = ""
    """What a parameter of the estimator is called that says the same; empty: as the option."""
    usual: Any = None
    """The default of that parameter."""
    group: str = ""
    """The title that it stands under in the help."""
    name: str = ""

    @property
    def flag(self) -> str:
        return "--" + self.name.replace("_", "-")

    def read(self, value: Any) -> Any:
        """The value of a flag or of a key in a config file; the error names the option."""
        if not self.many:
            return self._converted(value)
        several = value if isinstance(value, list) else [value]
        given = [self._converted(each) for each in several]
        if given and isinstance(given[0], dict):
            return {name: value for each in given for name, value in each.items()}
        return tuple(given) or self.default

    def _converted(self, value: Any) -> Any:
        try:
            result = self.kind(value)
        except NearstarError as problem:
            where = () if self.positional else (f"{self.flag}: ",)
            raise NearstarError(*where, *problem.args) from None
        if self.choices and result not in self.choices:
            raise NearstarError(
                f"{self.flag} cannot be {value!r}; {suggestion(str(value), self.choices)}"
            )
        return result


def option(
    kind: Callable[[Any], Any], help: str, shown: str = "", *, default: Any = None, **more: Any
) -> Any:
    """A field that is an option. A ``group`` holds for those that follow it, too."""
    more = {"usual": default, **more}
    declared = Option(kind, help, shown, default, **more)
    return field(default=default, metadata={"option": declared})


def argument(help: str, *, optional: bool = False) -> Any:
    """A field whose value stands without a flag."""
    default = None if optional else ""
    return option(text, help, default=default, positional=True, required=not optional, path=True)


def section(kind: type, title: str = "", only: tuple[str, ...] = ()) -> Any:
    """A field that has settings of its own; with another title, or only some of its options."""
    return field(default_factory=kind, metadata={"section": (kind, title, only)})


@cache
def options_of(kind: type) -> tuple[Option, ...]:
    """The options of a class of settings and of its sections, in order."""
    found: list[Option] = []
    group = ""
    for each in fields(kind):
        if "section" in each.metadata:
            part, title, only = each.metadata["section"]
            found += [
                replace(inner, group=title or inner.group)
                for inner in options_of(part)
                if not only or inner.name in only
            ]
        elif own := each.metadata.get("option"):
            group = own.group or group
            found.append(replace(own, name=each.name, group=group))
    return tuple(found)


def flags_by_group(kind: type) -> dict[str, list[Option]]:
    """The options that have a flag, by the titles that they stand under."""
    groups: dict[str, list[Option]] = {}
    for each in options_of(kind):
        if not each.positional:
            groups.setdefault(each.group, []).append(each)
    return groups


def positionals(kind: type) -> list[Option]:
    """The options that stand without a flag."""
    return [each for each in options_of(kind) if each.positional]


def read_values(kind: type, *sources: Mapping[str, Any]) -> dict[str, Any]:
    """The values of options by name, from texts or what TOML has; later sources come first."""
    known = {each.name: each for each in options_of(kind)}
    found: dict[str, Any] = {}
    for source in sources:
        found |= {name: known[name].read(each) for name, each in source.items() if name in known}
    return found


def changed(settings: S, values: Mapping[str, Any]) -> S:
    """The settings with other values by name, in whatever section they are."""
    new = {}
    for each in fields(settings):  # type: ignore[arg-type]
        if "section" in each.metadata:
            new[each.name] = changed(getattr(settings, each.name), values)
        elif each.name in values:
            new[each.name] = values[each.name]
    return replace(settings, **new)  # type: ignore[type-var]


def values_of(settings: Any) -> dict[str, Any]:
    """The values of all options by name, those of the sections among them."""
    found: dict[str, Any] = {}
    for each in fields(settings):
        value = getattr(settings, each.name)
        if "section" in each.metadata:
            found |= values_of(value)
        elif "option" in each.metadata:
            found[each.name] = value
    return found
