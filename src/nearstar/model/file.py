"""Files of models: one JSON table, written whole, and read without trusting any of it.

Nothing in a file is executed. Whatever is wrong with one is a NearstarError that names the file
and the key. A key may be added, or change its meaning, only with a new version of the format.
"""

from __future__ import annotations

import reprlib
import stat
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from nearstar.data.format import DataFormat
from nearstar.data.scale import Scale
from nearstar.language.domain import Domain
from nearstar.language.networks import Units
from nearstar.language.program import Program
from nearstar.language.text import parse, to_text
from nearstar.language.types import Signature
from nearstar.util.errors import NearstarError
from nearstar.util.nearest import suggestion
from nearstar.util.plain_json import from_json, to_json
from nearstar.util.version import __version__
from nearstar.util.whole_files import write_whole

if TYPE_CHECKING:
    from nearstar.model.model import Model

T = TypeVar("T")

FACTS = ("metrics", "provenance")
"""What is kept of how a model was made: how well it did, and where it comes from."""
FORMAT = "nearstar-model"
_KEYS = (
    *("format", "version", "nearstar", "program", "readable", "theta", "signature"),
    *("classes", "labels", "offsets", "scale", "units", "domain", "data_format", *FACTS),
)
_MOST_BYTES = 20_000_000
"""Room for a million parameters. Empty lists take 25 times the memory that they take in a file."""
_MOST_SIZE = 1_000_000
"""The largest size that a type in a model may have."""
_MOST_NAMES = 2_000
"""The longest list of groups, rules or functions; a domain may look for each among all others."""
_MOST_READING = 300_000_000
"""The largest product of a program's characters and its features: what laying it out may take."""
_LONGEST = 500
"""Characters of what an error tells about a file's contents."""
_DAMAGE = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""What reading may raise where a value is not what it is taken for; NearstarError is one."""


# Writing


def write(model: Model, path: str | Path) -> None:
    """Write a model, whole or not at all; the same model gives the same bytes."""
    try:
        text = _text_of(model)
        # What cannot be read back is not written.
        if _model_in(text, type(model)).program != model.program:
            raise NearstarError(f"the domain {model.domain.name} reads the program as another one")
        write_whole(path, text)
    except (OSError, ValueError) as problem:  # NearstarError, or a path that is none
        raise NearstarError(f"the model cannot be saved as {path}: {_told(problem)}") from problem


def _text_of(model: Model) -> str:
    contents = {
        "format": FORMAT,
        "version": VERSION,
        "nearstar": __version__,
        "program": to_text(model.program),
        "readable": model.text(),
        "theta": model.theta.tolist(),
        "signature": model.program.signature.to_dict(),
        "classes": list(model.class_names),
        "labels": list(model.labels),
        "offsets": None if model.offsets is None else model.offsets.tolist(),
        "scale": model.scale.to_dict(),
        "units": None if model.units is None else [model.units.most, model.units.least],
        "domain": model.domain.to_dict(),
        "data_format": None if model.format is None else model.format.to_dict(),
        **{key: model.facts.get(key) for key in FACTS},
    }
    lines = [f'"{key}": {to_json(value, f"{key!r}")}' for key, value in contents.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


# Reading


def read(path: str | Path, make: Callable[..., Model]) -> Model:
    """Read a model; ``make`` makes it of its fields."""
    try:
        return _model_in(_bytes_of(Path(path)), make)
    except FileNotFoundError:
        raise NearstarError(_missing(Path(path))) from None
    except (NearstarError, OSError) as problem:
        raise NearstarError(f"{path} cannot be opened as a model: {_told(problem)}") from None


def _bytes_of(path: Path) -> bytes:
    try:
        status = path.stat()
    except ValueError as problem:
        raise NearstarError(f"the path is none: {problem}") from None
    if not stat.S_ISREG(status.st_mode):  # reading a device or a pipe may never end
        kind = "a folder" if stat.S_ISDIR(status.st_mode) else "no ordinary file"
        raise NearstarError(f"it is {kind}")
    _check_length(status.st_size)
    with open(path, "rb") as file:
        return file.read(_MOST_BYTES + 1)


def _missing(path: Path) -> str:
    folder = path.parent
    if not folder.is_dir():
        return f"there is no file {path}, nor a folder {folder}"
    there = sorted(each.name for each in folder.iterdir() if each.suffix == ".json")
    return f"there is no file {path}" + (f"; {suggestion(path.name, there)}" if there else "")


def _check_length(n_bytes: int) -> None:
    if n_bytes > _MOST_BYTES:
        raise NearstarError(
            f"it has {n_bytes / 1e6:.0f} MB; models have at most {_MOST_BYTES / 1e6:.0f} MB"
        )


def _model_in(content: str | bytes, make: Callable[..., Model]) -> Model:
    data = _table_in(content)
    fields = READERS[data["version"]](data)
    try:
        return make(**fields)
    except _DAMAGE as problem:
        raise NearstarError(f"its parts do not fit each other: {_told(problem)}") from None


def _version_1(data: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a model in a file of version 1."""
    _check_keys(data, _KEYS)

    def read(key: str, reader: Callable[[Any], T]) -> T:
        """The value of a key; what is wrong about it is told with the key."""
        try:
            to_json(data[key], "values in a model")  # infinities and NaN end here
            return reader(data[key])
        except _DAMAGE as problem:
            raise NearstarError(f"{key!r} cannot be read: {_told(problem)}") from None

    read("nearstar", lambda value: _check(value, str, "the version that wrote it"))
    read("readable", lambda value: _check(value, str, "a program's text"))
    domain, signature = read("domain", _domain), read("signature", _signature)
    facts = {key: read(key, _or_none(_table)) for key in FACTS}
    return {
        "domain": domain,
        "program": read("program", lambda value: _program(value, domain, signature)),
        "class_names": read("classes", _names),
        "labels": read("labels", lambda value: tuple(_check(value, list, "a list of labels"))),
        "scale": read("scale", _scale),
        "units": read("units", _or_none(_units)),
        "theta": read("theta", _numbers),
        "offsets": read("offsets", _or_none(_numbers)),
        "format": read("data_format", _or_none(DataFormat.from_dict)),
        "facts": {key: value for key, value in facts.items() if value is not None},
    }


READERS = {1: _version_1, 2: _version_1, 3: _version_1}
"""What reads each version of the format: a file is forever. In version 2 a domain may have a price
of numbers, leaves may have terms to choose, and there is memory of a half-life; in version 3 it may
have classes, which leaves name."""
VERSION = max(READERS)
"""The version that is written."""


def _or_none(reader: Callable[[Any], T]) -> Callable[[Any], T | None]:
    return lambda value: None if value is None else reader(value)


def _table(value: Any) -> dict[str, Any]:
    table: dict[str, Any] = _check(value, dict, "a table")
    return table


def _names(value: Any) -> tuple[str, ...]:
    return tuple(_check(each, str, "a name") for each in _check(value, list, "names"))


def _table_in(content: str | bytes) -> dict[str, Any]:
    """The file's table, known to be of a version that can be read."""
    data = from_json(_decoded(content), "it is not JSON")
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise NearstarError(f"it is not a JSON table with the 'format' {FORMAT!r}")
    version = data.get("version")
    if type(version) is not int or version < 1:
        raise NearstarError(f"its 'version' is {reprlib.repr(version)}, not a number from 1")
    if version > VERSION:
        raise NearstarError(
            f"its 'version' is {reprlib.repr(version)}, made by a newer nearstar; this one, "
            f"{__version__}, reads up to version {VERSION}: upgrade nearstar"
        )
    return data


def _check_keys(data: Mapping[str, Any], keys: tuple[str, ...]) -> None:
    if missing := [key for key in keys if key not in data]:
        raise NearstarError(f"it lacks {', '.join(map(repr, missing))}")
    if unknown := [key for key in data if key not in keys]:
        raise NearstarError(f"{unknown[0]!r} is no key of a model; {suggestion(unknown[0], keys)}")


def _decoded(content: str | bytes) -> str:
    if isinstance(content, str):
        content = content.encode()
    _check_length(len(content))
    try:
        text = content.decode()
    except UnicodeDecodeError as problem:
        raise NearstarError(f"it is not text in UTF-8: {problem}") from None
    if text.startswith("\ufeff"):
        raise NearstarError("it begins with a byte order mark; store it as UTF-8 without one")
    return text


def _domain(value: Any) -> Domain:
    table = _check(value, dict, "a domain's table")
    # People may give a number of features and patterns of their names; here they take too long.
    _check(table.get("features"), list, "'features', a list of names")
    for columns in _check(table.get("groups"), dict, "'groups', a table").values():
        _numbers(columns)
    rules = _check(table.get("rules"), dict, "'rules', a table")
    listed = ("groups", "aliases", "costs", "functions", "classes", "derived", "paper")
    for several in (rules, *rules.values(), *(table.get(key) for key in listed)):
        if isinstance(several, list | dict) and len(several) > _MOST_NAMES:
            raise NearstarError(f"lists have up to {_MOST_NAMES} entries, one has {len(several)}")
    domain = Domain.from_dict(table)
    sizes = [size for each in domain.functions for size in (*each.takes, each.gives)]
    for size in (domain.accumulator, *sizes):
        if size != "out" and size > _MOST_SIZE:
            raise NearstarError(f"sizes are at most {_MOST_SIZE}, not {size}")
    return domain


def _signature(value: Any) -> Signature:
    ends = _pair(value, "input", "output")
    for end in ends.values():
        match end:
            case ["Vector" | "Sequence", int(size)] if size <= _MOST_SIZE:
                continue
        raise NearstarError(
            f"expected Vector or Sequence and a size up to {_MOST_SIZE}, not {reprlib.repr(end)}"
        )
    return Signature.from_dict(ends)


def _program(value: Any, domain: Domain, signature: Signature) -> Program:
    text = _check(value, str, "a program's text")
    if len(text) * signature.input.size > _MOST_READING:
        raise NearstarError(
            f"{len(text)} characters on {signature.input.size} features are too large a program"
        )
    return parse(text, domain, signature).program


def _scale(value: Any) -> Scale:
    table = _pair(value, "mean", "std")
    return Scale(_numbers(table["mean"]), _numbers(table["std"]))


def _pair(value: Any, first: str, second: str) -> dict[str, Any]:
    """A table of two keys."""
    table: dict[str, Any] = _check(value, dict, f"a table of {first} and {second}")
    if set(table) != {first, second}:
        raise NearstarError(f"expected {first} and {second}, not {reprlib.repr(list(table))}")
    return table


def _units(value: Any) -> Units:
    match value:
        case [int(most), int(least)] if type(most) is type(least) is int and most <= _MOST_SIZE:
            return Units(most, least)
    raise NearstarError(f"expected two sizes up to {_MOST_SIZE}, not {reprlib.repr(value)}")


def _numbers(value: Any) -> NDArray[np.float64]:
    numbers = _check(value, list, "a list of numbers")
    for number in numbers:
        if type(number) not in (int, float):
            raise NearstarError(f"expected numbers, not {reprlib.repr(number)}")
    return np.array(numbers, np.float64)


def _check(value: Any, kind: type, what: str) -> Any:
    if type(value) is not kind:
        raise NearstarError(f"expected {what}, not {reprlib.repr(value)}")
    return value


def _told(problem: BaseException) -> str:
    """A problem in words; those that were not meant for people say at least what they are."""
    if isinstance(problem, NearstarError):
        text = str(problem)
    elif isinstance(problem, OSError):
        text = problem.strerror or str(problem)
    else:
        text = f"{type(problem).__name__}: {problem}"
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
