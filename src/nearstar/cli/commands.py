"""The commands of ``nearstar``, in the order of their help, and running one."""

from __future__ import annotations

from typing import Any

from nearstar.cli.config import read_config
from nearstar.cli.demo import Demo
from nearstar.cli.domains import Domains
from nearstar.cli.evaluate import Evaluate
from nearstar.cli.explain import Explain
from nearstar.cli.export import Export
from nearstar.cli.fit import Fit
from nearstar.cli.messages import MISUSED, tell
from nearstar.cli.parser import Command, Misuse, build
from nearstar.cli.predict import Predict
from nearstar.cli.report import Report
from nearstar.cli.reproduce import Reproduce
from nearstar.cli.resume import Resume
from nearstar.cli.show import Show
from nearstar.cli.simplify import Simplify
from nearstar.cli.watch import Watch
from nearstar.fit.options import changed, positionals, read_values
from nearstar.util.errors import NearstarError
from nearstar.util.version import __version__

COMMANDS = tuple(
    Command(kind.__name__.lower(), kind, configurable=kind is Fit)
    for kind in (
        *(Fit, Resume, Watch, Show, Report, Simplify, Predict, Evaluate),
        *(Explain, Export, Domains, Reproduce, Demo),
    )
)


def run(arguments: list[str]) -> int:
    """Run the command that the arguments name, and give its exit code."""
    for argument in arguments:
        if any("\ud800" <= sign <= "\udfff" for sign in argument):  # how Python marks such bytes
            raise NearstarError(f"{argument!r} is not text in UTF-8; rename the file")
    parser = build(COMMANDS, __version__)
    try:
        given: dict[str, Any] = vars(parser.parse_args(arguments))
    except Misuse as problem:
        return tell(str(problem), MISUSED)
    except SystemExit:  # after the help or the version
        return 0
    name = given.pop("command")
    if name is None:
        parser.print_help()
        return MISUSED
    command = next(each for each in COMMANDS if each.name == name)
    path, standing = given.pop("config", None), positionals(command.settings)
    config = read_config(path) if path else {}
    for each in standing:
        if not given[each.name]:
            del given[each.name]
    values = read_values(command.settings, config, given)
    for each in standing:
        if each.required and each.name not in values:
            misuse = f"{name} needs {each.name.upper()}\nTry: nearstar {name} --help"
            return tell(misuse, MISUSED)
    code: int = changed(command.settings(), values)()
    return code
