"""Options: declared once, and at the same time flags, keys of config files and their help."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from nearstar.cli import values
from nearstar.util.errors import NearstarError
from nearstar.util.nearest import suggestion


@dataclass(frozen=True)
class Option:
    """One setting of a command: ``max_depth`` is ``--max-depth`` and the key ``max_depth``."""

    name: str
    kind: Callable[[Any], Any]
    help: str
    shown: str = ""
    """Its value in the help, such as SECONDS."""
    default: Any = None
    choices: tuple[str, ...] = ()
    many: bool = False
    """Whether it may be given several times; its value is then a list, or a table."""

    @property
    def flag(self) -> str:
        return "--" + self.name.replace("_", "-")

    def read(self, value: Any) -> Any:
        """The value of a flag or of a key in a config file; the error names the option."""
        if self.many:
            several = value if isinstance(value, list) else [value]
            return self._join([self._converted(each) for each in several])
        return self._converted(value)

    def _converted(self, value: Any) -> Any:
        try:
            result = self.kind(value)
        except NearstarError as problem:
            raise NearstarError(f"{self.flag}: {problem}") from None
        if self.choices and result not in self.choices:
            raise NearstarError(
                f"{self.flag} cannot be {value!r}; {suggestion(str(value), self.choices)}"
            )
        return result

    def _join(self, given: list[Any]) -> Any:
        """Several values in one."""
        if not given:
            return self.default
        if isinstance(given[0], dict):
            return {name: value for each in given for name, value in each.items()}
        return given


@dataclass(frozen=True)
class OptionGroup:
    """Options that belong together, under a title in the help."""

    title: str
    options: tuple[Option, ...]


def add_options(parser: argparse.ArgumentParser, groups: Iterable[OptionGroup]) -> None:
    """Make flags of the options. They stay text until a config file has been read too."""
    for group in groups:
        section = parser.add_argument_group(group.title)
        for option in group.options:
            settings: dict[str, Any] = {"help": option.help, "default": argparse.SUPPRESS}
            if option.kind is values.switch:
                settings["action"] = "store_true"
            else:
                settings["metavar"] = option.shown or "|".join(option.choices) or "TEXT"
                settings["action"] = "append" if option.many else "store"
            section.add_argument(option.flag, dest=option.name, **settings)


def settle(
    groups: Iterable[OptionGroup], given: Mapping[str, Any], config: Mapping[str, Any]
) -> dict[str, Any]:
    """The value of every option: from its flag, else from the config file, else its default."""
    options = {option.name: option for group in groups for option in group.options}
    settled = {name: option.default for name, option in options.items()}
    for source in (config, given):
        for name, value in source.items():
            if name in options:
                settled[name] = options[name].read(value)
    return settled
