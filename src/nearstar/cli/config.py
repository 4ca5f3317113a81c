"""Config files: TOML with the same names and values as the flags."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from nearstar.fit.options import options_of
from nearstar.fit.settings import FitSettings
from nearstar.util.errors import NearstarError
from nearstar.util.nearest import suggestion


def read_config(path: str | Path) -> dict[str, Any]:
    """The settings of a fit in a file; names may be written with dashes or underscores."""
    try:
        data = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as problem:
        raise NearstarError(f"the config file {path} cannot be read: {problem.strerror}") from None
    except UnicodeDecodeError:
        raise NearstarError(f"the config file {path} is not text in UTF-8") from None
    except tomllib.TOMLDecodeError as problem:
        raise NearstarError(f"the config file {path} is not valid TOML: {problem}") from None
    known = [each.name for each in options_of(FitSettings)]
    settings: dict[str, Any] = {}
    for key, value in data.items():
        name = key.replace("-", "_")
        if name not in known:
            raise NearstarError(f"{path}: unknown setting {key!r}; {suggestion(name, known)}")
        if name in settings:
            raise NearstarError(f"{path}: {name} is there twice, with _ and with -; keep one")
        settings[name] = value
    return settings


def write_config(settings: Mapping[str, Any]) -> str:
    """TOML text of settings: what a later run needs to be the same."""
    lines = [f"{name} = {_toml(value)}" for name, value in settings.items() if value is not None]
    return "\n".join(lines) + "\n"


def _toml(value: Any) -> str:
    match value:
        case float():
            return repr(value)
        case dict():
            pairs = (f"{_toml(name)} = {_toml(each)}" for name, each in value.items())
            return "{ " + ", ".join(pairs) + " }"
        case list() | tuple():
            return "[" + ", ".join(map(_toml, value)) + "]"
    # As in JSON, which leaves but one sign as it is that TOML does not.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
