"""The parser of the command line: commands, their help with examples, and kind errors."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from nearstar.cli.options import OptionGroup, add_options
from nearstar.util.nearest import nearest

Settings = dict[str, Any]


class Misuse(Exception):  # noqa: N818 (its message is what people read)
    """Arguments that no command takes."""


@dataclass(frozen=True)
class Place:
    """What stands without a flag, such as the data."""

    name: str
    help: str
    optional: bool = False

    @property
    def shown(self) -> str:
        return f"[{self.name.upper()}]" if self.optional else self.name.upper()


@dataclass(frozen=True)
class Command:
    """One command of ``nearstar``."""

    name: str
    summary: str
    run: Callable[[Settings], int]
    """Takes the settings, gives the exit code."""
    places: tuple[Place, ...] = ()
    options: tuple[OptionGroup, ...] = ()
    examples: str = ""
    details: str = ""
    configurable: bool = False
    """Whether its flags can come from a config file."""

    @property
    def keys(self) -> list[str]:
        """What can be set in a config file."""
        options = [option.name for group in self.options for option in group.options]
        return [*options, *(place.name for place in self.places)]


class Parser(argparse.ArgumentParser):
    """Proposes the nearest flag or command where one is unknown."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(
            allow_abbrev=False, formatter_class=argparse.RawDescriptionHelpFormatter, **settings
        )

    def parse_known_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: Any = None
    ) -> tuple[argparse.Namespace, list[str]]:
        found, unknown = super().parse_known_args(args, namespace)
        if unknown:  # told here, where a command's flags are known
            self.error(self._unknown(unknown[0].partition("=")[0]))
        return found, unknown

    def error(self, message: str) -> NoReturn:
        raise Misuse(f"{self._in_words(message)}\nTry: {self.prog} --help")

    def _unknown(self, word: str) -> str:
        if word[0] not in "-–—":
            return f"{word!r} is too much here; a value with spaces in it stands in quotes"
        flags = [flag for action in self._actions for flag in action.option_strings]
        close = nearest(word, flags)
        return f"unknown flag {word}" + (f"; did you mean {close}?" if close else "")

    def _in_words(self, message: str) -> str:
        """What argparse finds wrong, for people."""
        if match := re.search(r"argument (-\S+): expected one argument", message):
            return f"{match[1]} needs a value; one that begins with - is given as {match[1]}=-1"
        if match := re.search(r"arguments are required: (.*)", message):
            return f"{self.prog.split()[-1]} needs {match[1]}"
        if match := re.search(r"invalid choice: '([^']*)' \(choose from (.*)\)", message):
            commands = re.findall(r"[\w-]+", match[2])
            close = nearest(match[1], commands)
            hint = f"did you mean {close}? There" if close else "there"
            return f"unknown command {match[1]!r}; {hint} are {', '.join(commands)}"
        return message


def build(commands: tuple[Command, ...], version: str) -> Parser:
    """The parser of all commands."""
    width = max(len(command.name) for command in commands)
    listed = "\n".join(f"  {each.name:{width}}  {each.summary}" for each in commands)
    parser = Parser(
        prog="nearstar",
        usage="nearstar COMMAND …",
        description="Learn programs that classify sequences, and that people can read.\n\n"
        f"commands:\n{listed}",
        epilog="nearstar COMMAND --help explains a command, with examples.",
    )
    parser.add_argument("--version", action="version", version=f"nearstar {version}")
    choices = parser.add_subparsers(dest="command", metavar="COMMAND", help=argparse.SUPPRESS)
    for command in commands:
        _add(choices, command)
    return parser


def _add(choices: Any, command: Command) -> None:
    """A parser for one command."""
    prog = f"nearstar {command.name}"
    sub = choices.add_parser(
        command.name,
        prog=prog,
        usage=" ".join([prog, *(place.shown for place in command.places), "[flags]"]),
        description=f"{command.summary}.\n{command.details}".rstrip(),
        epilog=f"examples:\n{command.examples}",
    )
    for place in command.places:
        sub.add_argument(
            place.name,
            metavar=place.name.upper(),
            help=place.help,
            nargs="?" if place.optional or command.configurable else None,
        )
    if command.configurable:
        sub.add_argument(
            "--config", metavar="FILE", help="TOML file of settings named as the flags"
        )
    add_options(sub, command.options)
