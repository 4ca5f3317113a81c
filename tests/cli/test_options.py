"""Flags, keys of config files and defaults are the same settings."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from cli.calling import nearstar
from hypothesis import given, settings
from hypothesis import strategies as st

from nearstar.cli.commands import COMMANDS
from nearstar.cli.config import read_config, write_config
from nearstar.cli.parser import Command, build
from nearstar.fit import converters
from nearstar.fit.options import (
    Option,
    changed,
    flags_by_group,
    options_of,
    positionals,
    read_values,
    values_of,
)
from nearstar.fit.settings import FitSettings
from nearstar.search import Constraints
from nearstar.util.errors import NearstarError

FIT = COMMANDS[0]
PARSER = build(COMMANDS, "0")
OPTIONS = [option for option in options_of(FitSettings) if not option.positional]
TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1).filter(
    lambda text: text.strip() == text and not text.startswith("-")
)
WORD = st.text("abcäß_*", min_size=1)


def texts_of(option: Option) -> st.SearchStrategy[str]:
    """What may stand after a flag."""
    if option.choices:
        return st.sampled_from(option.choices)
    known: dict[Any, st.SearchStrategy[str]] = {
        converters.duration: st.integers(1, 99).map("{}m".format),
        converters.number: st.floats(0, 9).map(str),
        converters.positive: st.floats(0.1, 9).map(str),
        converters.not_negative: st.floats(0, 9).map(str),
        converters.units: st.tuples(st.integers(1, 9), st.integers(1, 9)).map(
            "{0[0]},{0[1]}".format
        ),
        converters.names: st.lists(WORD, min_size=1).map(",".join),
        converters.label: st.integers(0, 9).map(str) | WORD,
        converters.labels: st.lists(WORD | st.integers(0, 9).map(str), min_size=1).map(",".join),
        converters.class_weight: st.just("balanced") | WORD.map("{}=2.5".format),
        converters.text: TEXT,
        converters.share_or_file: st.floats(0, 0.9).map(str) | WORD,
    }
    if option.name == "group":
        return st.tuples(WORD, WORD).map("{0[0]}={0[1]}".format)
    if option.kind in known:
        return known[option.kind]
    return st.integers(1, 99).map(str)  # whole numbers from some least one


def settle(*sources: Mapping[str, Any]) -> FitSettings:
    return changed(FitSettings(), read_values(FitSettings, *sources))


def from_flags(flags: list[str]) -> FitSettings:
    return settle(vars(PARSER.parse_args(["fit", "data.csv", *flags])))


@pytest.mark.parametrize("option", OPTIONS, ids=lambda option: option.name)
@settings(max_examples=20)
@given(data=st.data())
def test_a_flag_and_a_key_say_the_same(option: Option, data: st.DataObject) -> None:
    if option.kind is converters.switch:
        flags, value, written = [option.flag], True, "true"
    else:
        text = data.draw(texts_of(option))
        flags, value, written = [f"{option.flag}={text}"], text, None
    settled = from_flags(flags)
    assert settled == settle({option.name: value, "data": "data.csv"})
    # What is written into a config file gives the same again, whatever the types in there.
    plain = values_of(settled)
    kept = tomllib.loads(write_config(plain))
    assert settle(kept) == settled
    assert written is None or f"{option.name} = {written}" in write_config(plain)
    others = {name: each for name, each in plain.items() if name not in (option.name, "data")}
    assert others == {each.name: each.default for each in OPTIONS if each.name != option.name}


@given(st.lists(st.tuples(WORD, WORD), min_size=2, max_size=4, unique_by=lambda each: each[0]))
def test_flags_that_may_be_repeated(groups: list[tuple[str, str]]) -> None:
    settled = from_flags([f"--group={name}={features}" for name, features in groups])
    assert settled.language.group == {name: (features,) for name, features in groups}
    texts = [features for _, features in groups]
    assert from_flags([f"--derive={text}" for text in texts]).language.derive == (*texts,)
    assert settle({"derive": texts[0]}).language.derive == (texts[0],)
    assert settle({"derive": []}).language.derive == ()


def test_flags_come_before_the_config_file_and_that_before_defaults() -> None:
    settled = settle({"seed": 4, "weight": 2}, {"seed": "3"}).search
    assert (settled.seed, settled.weight, settled.search) == (3, 2.0, "astar")


def test_values_by_name_and_back() -> None:
    """In whatever section they are; what is no option stays as it is."""
    first = changed(FitSettings(), {"seed": 4, "label": "does", "rules": Constraints(max_depth=3)})
    assert (first.search.seed, first.format.label) == (4, "does")
    again = changed(first, {"label": "did"})
    assert values_of(again) == {**values_of(FitSettings()), "seed": 4, "label": "did"}
    assert again.language.constraints == Constraints(max_depth=3)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_help_names_every_flag_and_place_and_shows_examples(command: Command) -> None:
    text = nearstar(command.name, "--help")
    for title, options in flags_by_group(command.settings).items():
        assert f"{title}:" in text
        for option in options:
            assert f"  {option.flag}" in text
    for each in positionals(command.settings):
        assert each.name.upper() in text
    assert "examples:" in text and f"  nearstar {command.name}" in text
    assert ("--config" in text) == command.configurable
    assert f"  {command.name}" in nearstar("--help")


def test_a_config_file_in_full(tmp_path: Path) -> None:
    path = tmp_path / "größe.toml"
    path.write_text("max-depth = 6\nforbid = 'if'\n[group]\np = ['*_x']\n", "utf-8")
    assert read_config(path) == {
        "max_depth": 6,
        "forbid": "if",
        "group": {"p": ["*_x"]},
    }
    path.write_text("max-depth = 6\nmax_depth = 7\n", "utf-8")
    with pytest.raises(NearstarError, match="max_depth is there twice"):
        read_config(path)
    path.write_bytes(b"\xff")
    with pytest.raises(NearstarError, match="UTF-8"):
        read_config(path)


PLAIN = st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False) | st.text()


@given(
    st.dictionaries(
        st.text("abc_", min_size=1), PLAIN | st.lists(PLAIN) | st.dictionaries(st.text(), PLAIN)
    )
)
def test_written_settings_are_read_back(written: dict[str, Any]) -> None:
    assert tomllib.loads(write_config(written)) == written
