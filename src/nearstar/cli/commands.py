"""The commands of ``nearstar``, in the order of their help, and running one."""

from __future__ import annotations

from typing import Any

from nearstar.cli import (
    demo,
    domains,
    evaluate,
    explain,
    export,
    fit,
    predict,
    report,
    reproduce,
    resume,
    show,
    simplify,
    watch,
)
from nearstar.cli.config import read_config
from nearstar.cli.messages import MISUSED, tell
from nearstar.cli.parser import Command, Misuse, build
from nearstar.fit.options import changed, options_of, positionals, read_values
from nearstar.fit.settings import FitSettings
from nearstar.util.errors import NearstarError
from nearstar.util.version import __version__

COMMANDS = (
    Command("fit", fit.fit, FitSettings, configurable=True),
    Command("resume", resume.resume, resume.ResumeSettings),
    Command("watch", watch.watch, watch.WatchSettings),
    Command("show", show.show, show.ShowSettings),
    Command("report", report.report, report.ReportSettings),
    Command("simplify", simplify.simplified, simplify.SimplifySettings),
    Command("predict", predict.predict, predict.PredictSettings),
    Command("evaluate", evaluate.evaluate, evaluate.EvaluateSettings),
    Command("explain", explain.explain, explain.ExplainSettings),
    Command("export", export.export, export.ExportSettings),
    Command("domains", domains.domains, domains.DomainsSettings),
    Command("reproduce", reproduce.run, reproduce.ReproduceSettings),
    Command("demo", demo.demo, demo.DemoSettings),
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
    known = [each.name for each in options_of(command.settings)]
    config = read_config(path, known) if path else {}
    for each in standing:
        if not given[each.name]:
            del given[each.name]
    values = read_values(command.settings, config, given)
    for each in standing:
        if each.required and each.name not in values:
            misuse = f"{name} needs {each.name.upper()}\nTry: nearstar {name} --help"
            return tell(misuse, MISUSED)
    return command.run(changed(command.settings(), values))
