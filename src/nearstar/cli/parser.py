"""The parser of the command line: commands, their help with examples, and kind errors."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn

from nearstar.cli.options import OptionGroup, add_options
from nearstar.nearest import nearest

Settings = dict[str, Any]


@dataclass(frozen=True)
class Command:
    """One command of ``nearstar``."""

    name: str
    summary: str
    run: Callable[[Settings], int]
    """Takes the settings, gives the exit code."""
    places: tuple[tuple[str, str], ...] = ()
    """What stands without a flag, in order: name and help. An optional one ends with ``?``."""
    options: tuple[OptionGroup, ...] = ()
    examples: str = ""
    details: str = ""
    configurable: bool = False
    """Whether its flags can come from a config file."""


class Parser(argparse.ArgumentParser):
    """Proposes the nearest flag or command where one is unknown."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(
            allow_abbrev=False, formatter_class=argparse.RawDescriptionHelpFormatter, **settings
        )

    def error(self, message: str) -> NoReturn:
        unknown = re.search(r"unrecognized arguments: (--?[\w-]+)", message)
        flags = [flag for action in self._actions for flag in action.option_strings]
        if unknown and (close := nearest(unknown[1], flags)):
            message = f"unknown flag {unknown[1]}; did you mean {close}?"
        wrong = re.search(r"invalid choice: '([^']*)' \(choose from (.*)\)", message)
        if wrong:
            commands = re.findall(r"[\w-]+", wrong[2])
            close = nearest(wrong[1], commands)
            hint = f"did you mean {close}? " if close else ""
            message = f"unknown command {wrong[1]!r}; {hint}There are {', '.join(commands)}"
        self.exit(2, f"{self.prog}: {message}\nTry: {self.prog} --help\n")


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
        description = f"{command.summary}.\n{command.details}" if command.details else None
        examples = f"examples:\n{command.examples}" if command.examples else None
        places = "".join(f" {_shown(place)}" for place, _ in command.places)
        sub = choices.add_parser(
            command.name,
            usage=f"nearstar {command.name}{places} [flags]",
            description=description or f"{command.summary}.",
            epilog=examples,
        )
        for place, explained in command.places:
            optional = place.endswith("?")
            sub.add_argument(
                place.rstrip("?"),
                metavar=place.rstrip("?").upper(),
                help=explained,
                nargs="?" if optional or command.configurable else None,
            )
        if command.configurable:
            sub.add_argument(
                "--config", metavar="FILE", help="TOML file of settings named as the flags"
            )
        add_options(sub, command.options)
    return parser


def _shown(place: str) -> str:
    name = place.rstrip("?").upper()
    return f"[{name}]" if place.endswith("?") else name
