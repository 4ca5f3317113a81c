"""Writes reference.md, beside this file, from the docstrings and the commands.

python docs/make_reference.py
"""

from __future__ import annotations

import ast
import inspect
import re
import sys
import textwrap
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from itertools import pairwise
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import nearstar
from nearstar.cli.commands import COMMANDS
from nearstar.cli.parser import Command
from nearstar.fit.options import Option, flags_by_group, positionals

FILE = Path(__file__).with_name("reference.md")
WIDTH = 100

CHAPTERS = {
    "Learning": "ProgramClassifier learn final Finalists Task Budget Units Limits Constraints "
    "Result Candidate Evaluation TracePoint Audit Display train Trained Stop Stopped",
    "Searches": "AStar IDSBB Enumeration MonteCarlo MCTS Genetic RNN",
    "Models": "Model Metrics simplify Simplified harden Hardened",
    "Figures": "plot_front plot_history plot_ethogram plot_program",
    "Data": "Sequences Recordings Dataset DataFormat Scale read_file read_table tracking_table "
    "two_animals two_animals_split watch_exercises",
    "Domains and functions": "Domain Function function exp log maximum minimum mix relu sigmoid "
    "sqrt tanh",
    "Programs": "Program Apply Hole is_complete parse to_text canonical Grammar Rule Signature "
    "Sequence Vector",
    "Errors": "NearstarError DataError DomainError ProgramError TextError",
}
"""Every public name, in the order in which a reader wants to meet it."""


def reference() -> str:
    """The whole page."""
    chapters = {title: names.split() for title, names in CHAPTERS.items()}
    listed = [name for names in chapters.values() for name in names]
    if sorted(listed) != sorted(nearstar.__all__):
        odd = sorted(set(listed) ^ set(nearstar.__all__))
        raise SystemExit(f"CHAPTERS and nearstar.__all__ differ by {', '.join(odd)}")
    parts = [
        "# Reference",
        "Made from the docstrings and the commands by `python docs/make_reference.py`, not by\n"
        "hand. All names are in `nearstar`.",
        _contents(chapters),
    ]
    for title, names in chapters.items():
        parts.append(f"## {title}")
        parts += [text for name in names for text in _entry(name, getattr(nearstar, name))]
    parts.append("## The command line")
    parts.append("`nearstar COMMAND --help` prints the same.")
    parts += [text for command in COMMANDS for text in _command(command)]
    return "\n\n".join(parts) + "\n"


def _contents(chapters: dict[str, list[str]]) -> str:
    lines, seen = [], set[str]()
    for title, names in chapters.items():
        links = []
        for name in names:
            # A second heading that differs only in capitals gets a number on GitHub.
            anchor = name.lower() if name.lower() not in seen else f"{name.lower()}-1"
            seen.add(anchor)
            links.append(f"[{name}](#{anchor})")
        lines.append(_item(title, ", ".join(links)))
    commands = ", ".join(f"[{each.name}](#nearstar-{each.name})" for each in COMMANDS)
    return "\n".join([*lines, _item("The command line", commands)])


# Names


def _entry(name: str, value: Any) -> Iterator[str]:
    yield f"### {name}"
    if inspect.isclass(value):
        yield from _class(name, value)
    elif isinstance(value, FunctionType):
        yield _code(name + _signature(value))
        yield _markdown(inspect.getdoc(value) or "")
    else:
        yield _text_below(sys.modules["nearstar.language.program"], name)


def _class(name: str, value: type) -> Iterator[str]:
    own_init = "__init__" in vars(value)
    if is_dataclass(value) or own_init:
        arguments = _init(value) if is_dataclass(value) else _signature(value.__init__, bound=True)
        yield _code(name + arguments)
    yield _markdown(inspect.getdoc(value) or "")
    if is_dataclass(value):
        texts = _field_texts(value)
        described = [(each.name, texts.get(each.name, "")) for each in fields(value) if each.init]
        if any(text for _, text in described):
            yield "\n".join(_item(f"`{field}`", text) for field, text in described if text)
    if methods := _methods(value):
        yield "\n".join(_method(name, method, value) for method in methods)


def _methods(value: type) -> list[str]:
    """Public methods and properties that nearstar defines, in the order of their source."""
    found: dict[str, None] = {}
    for each in value.__mro__:
        if each.__module__.startswith("nearstar"):
            members = (name for name, member in vars(each).items() if _is_method(member))
            found |= dict.fromkeys(name for name in members if not name.startswith("_"))
    return list(found)


def _is_method(member: object) -> bool:
    return isinstance(member, FunctionType | classmethod | staticmethod | property)


def _method(owner: str, name: str, value: type) -> str:
    member = inspect.getattr_static(value, name)
    doc = " ".join((inspect.getdoc(member) or "").split())
    if isinstance(member, property):
        return _item(f"`.{name}`", doc)
    plain = member if isinstance(member, FunctionType) else member.__func__
    bound = not isinstance(member, staticmethod)
    prefix = "." if isinstance(member, FunctionType) else f"{owner}."
    return _item(f"`{prefix}{name}{_signature(plain, bound=bound)}`", doc)


def _item(title: str, text: str) -> str:
    return _wrapped(f"- {title}: {' '.join(text.split())}" if text else f"- {title}")


def _wrapped(text: str) -> str:
    return textwrap.fill(
        text, WIDTH, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
    )


# Signatures, from the source: so that they are the same with every version of Python


def _signature(function: Any, *, bound: bool = False) -> str:
    tree = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    assert isinstance(tree, ast.FunctionDef)
    gives = "None" if tree.returns is None else ast.unparse(tree.returns)
    arguments = ", ".join(_arguments(tree.args)[1 if bound else 0 :])
    return f"({arguments})" + ("" if gives == "None" else f" -> {gives}")


def _arguments(given: ast.arguments) -> list[str]:
    plain = [*given.posonlyargs, *given.args]
    defaults = [None] * (len(plain) - len(given.defaults)) + given.defaults
    shown = [_argument(*each) for each in zip(plain, defaults, strict=True)]
    if given.vararg:
        shown.append(f"*{_argument(given.vararg)}")
    elif given.kwonlyargs:
        shown.append("*")
    shown += [_argument(*each) for each in zip(given.kwonlyargs, given.kw_defaults, strict=True)]
    return [*shown, f"**{_argument(given.kwarg)}"] if given.kwarg else shown


def _argument(given: ast.arg, default: ast.expr | None = None) -> str:
    kind = "" if given.annotation is None else f": {ast.unparse(given.annotation)}"
    return given.arg + kind + ("" if default is None else f" = {ast.unparse(default)}")


def _init(value: type) -> str:
    """The arguments of a dataclass."""
    sources = {name: node for each in reversed(value.__mro__) for name, node in _fields_in(each)}
    shown = []
    for each in fields(value):
        if each.init:
            node = sources[each.name]
            default = "" if node.value is None else f" = {_default(node.value, each.default)}"
            shown.append(f"{each.name}: {ast.unparse(node.annotation)}{default}")
    keyword_only = any(each.kw_only for each in fields(value))
    return f"({', '.join(['*', *shown] if keyword_only else shown)})"


def _default(node: ast.expr, value: object) -> str:
    match node:
        case ast.Subscript(value=ast.Name(id="USUAL")):
            return repr(value)
        case ast.Call(func=ast.Name(id="field"), keywords=keywords):
            made = {each.arg: ast.unparse(each.value) for each in keywords}
            if "default_factory" in made:
                factory = made["default_factory"]
                return "{}" if factory == "dict" else f"{factory}()"
            return made.get("default", "…")
    text = ast.unparse(node)
    return "…" if text.startswith("_") else text


def _fields_in(value: type) -> Iterator[tuple[str, ast.AnnAssign]]:
    if is_dataclass(value) and value.__module__.startswith("nearstar"):
        for node in _body(value):
            if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                yield node.target.id, node


def _field_texts(value: type) -> dict[str, str]:
    """The strings below the fields of a dataclass and of those that it builds on."""
    texts: dict[str, str] = {}
    for each in reversed(value.__mro__):
        if is_dataclass(each) and each.__module__.startswith("nearstar"):
            texts |= _texts_below(_body(each))
    return texts


def _body(value: type) -> list[ast.stmt]:
    tree = ast.parse(textwrap.dedent(inspect.getsource(value))).body[0]
    assert isinstance(tree, ast.ClassDef)
    return tree.body


def _texts_below(statements: list[ast.stmt]) -> dict[str, str]:
    """The strings that stand right below an assignment, by the name assigned to."""
    texts = {}
    for node, below in pairwise(statements):
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        match targets, below:
            case [ast.Name(id=name)], ast.Expr(value=ast.Constant(value=str(text))):
                texts[name] = inspect.cleandoc(text)
    return texts


def _text_below(module: ModuleType, name: str) -> str:
    return _markdown(_texts_below(ast.parse(inspect.getsource(module)).body).get(name, ""))


def _code(text: str) -> str:
    if len(text) > WIDTH:
        head, arguments, tail = _split(text)
        text = "\n".join([f"{head}(", *(f"    {each}," for each in arguments), f"){tail}"])
    return f"```\n{text}\n```"


def _split(text: str) -> tuple[str, list[str], str]:
    """What stands before, between and after the outer parentheses; arguments one by one."""
    start, depth, begin = text.index("("), 0, text.index("(") + 1
    arguments = []
    for place in range(start, len(text)):
        depth += (text[place] in "([{") - (text[place] in ")]}")
        if (depth == 1 and text[place] == ",") or depth == 0:
            arguments.append(text[begin:place].strip())
            begin = place + 1
        if depth == 0:
            break
    return text[:start], arguments, text[begin:]


# Docstrings


def _markdown(doc: str) -> str:
    """A docstring as Markdown: sections of NumPy's style become lists."""
    lines, result, indented = doc.splitlines(), [], False
    for place, line in enumerate(lines):
        following = lines[place + 1] if place + 1 < len(lines) else ""
        if re.fullmatch(r"-{3,}", line):
            continue
        if re.fullmatch(r"-{3,}", following):
            result += [f"**{line}**", ""]
            indented = True
        elif indented and (match := re.fullmatch(r"([\w, ]+?)(?: : (.*))?", line)) and line:
            kind = f" ({match[2]})" if match[2] else ""
            names = ", ".join(f"`{name}`" for name in match[1].split(", "))
            result.append(f"- {names}{kind}")
        elif indented and line:
            result[-1] += f" {line.strip()}"
        else:
            result.append(line)
    return "\n".join(_wrapped(line) if len(line) > WIDTH else line for line in result)


# Commands


def _command(command: Command) -> Iterator[str]:
    yield f"### nearstar {command.name}"
    yield f"`{command.usage}`"
    summary, details, examples = command.help
    yield textwrap.fill(f"{summary}. {' '.join(details.split())}".strip(), WIDTH)
    rows = [(each.name.upper(), each.help) for each in positionals(command.settings)]
    if command.configurable:
        rows.append(("--config FILE", "TOML file of settings named as the flags"))
    if rows:
        yield "\n".join(_item(f"`{title}`", text) for title, text in rows)
    for title, options in flags_by_group(command.settings).items():
        yield "\n".join(
            [f"{title.capitalize()}:", ""]
            + [_item(f"`{_flag(option)}`", option.help) for option in options]
        )
    yield f"```\n{textwrap.dedent(examples)}\n```"


def _flag(option: Option) -> str:
    value = option.shown or "|".join(option.choices)
    return f"{option.flag} {value}".strip()


if __name__ == "__main__":
    FILE.write_text(reference(), encoding="utf-8")
