"""The parser of the command line: commands, their help with examples, and kind errors."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from dataclasses import dataclass
from inspect import cleandoc
from typing import Any, NoReturn

from nearstar.fit.converters import switch
from nearstar.fit.options import Option, flags_by_group, positionals
from nearstar.util.nearest import nearest


class Misuse(Exception):  # noqa: N818 (its message is what people read)
    """Arguments that no command takes."""


@dataclass(frozen=True)
class Command:
    """One command of ``nearstar``."""

    name: str
    settings: type
    """What it can be told: a dataclass of options, whose docstring is the help. Called, its values
    do what they say and give the exit code."""
    configurable: bool = False
    """Whether its flags can come from a config file."""

    @property
    def help(self) -> tuple[str, str, str]:
        """A sentence without its full stop, more about it, and examples."""
        text, _, examples = cleandoc(self.settings.__doc__ or "").partition("\n\nexamples:\n")
        summary, _, details = text.partition("\n\n")
        return summary.rstrip("."), details, examples

    @property
    def usage(self) -> str:
        shown = (
            each.name.upper() if each.required else f"[{each.name.upper()}]"
            for each in positionals(self.settings)
        )
        return " ".join(["nearstar", self.name, *shown, "[flags]"])


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
    listed = "\n".join(f"  {each.name:{width}}  {each.help[0]}" for each in commands)
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
    summary, details, examples = command.help
    sub = choices.add_parser(
        command.name,
        prog=f"nearstar {command.name}",
        usage=command.usage,
        description=f"{summary}.\n\n{details}".rstrip(),
        epilog=f"examples:\n{examples}",
    )
    for each in positionals(command.settings):
        sub.add_argument(
            each.name,
            metavar=each.name.upper(),
            help=each.help,
            nargs=None if each.required and not command.configurable else "?",
        )
    if command.configurable:
        sub.add_argument(
            "--config", metavar="FILE", help="TOML file of settings named as the flags"
        )
    for title, options in flags_by_group(command.settings).items():
        section = sub.add_argument_group(title)
        for option in options:
            section.add_argument(option.flag, dest=option.name, **_form(option))


def _form(option: Option) -> dict[str, Any]:
    """What argparse is to know of a flag. Values stay text until a config file has been read."""
    form: dict[str, Any] = {"help": option.help, "default": argparse.SUPPRESS}
    if option.kind is switch:
        return {**form, "action": "store_true"}
    metavar = option.shown or "|".join(option.choices) or "TEXT"
    return {**form, "metavar": metavar, "action": "append" if option.many else "store"}
