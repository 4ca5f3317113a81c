"""Flags, keys of config files and defaults are the same settings."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from cli.calling import nearstar
from hypothesis import given, settings
from hypothesis import strategies as st

from nearstar.cli import fit_options, values
from nearstar.cli.commands import COMMANDS
from nearstar.cli.config import read_config, write_config
from nearstar.cli.options import Option, settle
from nearstar.cli.parser import Command, build
from nearstar.util.errors import NearstarError

FIT = COMMANDS[0]
PARSER = build(COMMANDS, "0")
OPTIONS = [option for group in fit_options.OPTIONS for option in group.options]
TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1).filter(
    lambda text: text.strip() == text and not text.startswith("-")
)
WORD = st.text("abcäß_*", min_size=1)


def texts_of(option: Option) -> st.SearchStrategy[str]:
    """What may stand after a flag."""
    if option.choices:
        return st.sampled_from(option.choices)
    known: dict[Any, st.SearchStrategy[str]] = {
        values.duration: st.integers(1, 99).map("{}m".format),
        values.number: st.floats(0, 9).map(str),
        values.positive: st.floats(0.1, 9).map(str),
        values.not_negative: st.floats(0, 9).map(str),
        values.units: st.tuples(st.integers(1, 9), st.integers(1, 9)).map("{0[0]},{0[1]}".format),
        values.names: st.lists(WORD, min_size=1).map(",".join),
        values.label: st.integers(0, 9).map(str) | WORD,
        values.labels: st.lists(WORD | st.integers(0, 9).map(str), min_size=1).map(",".join),
        values.class_weight: st.just("balanced") | WORD.map("{}=2.5".format),
        values.text: TEXT,
    }
    if option.name == "group":
        return st.tuples(WORD, WORD).map("{0[0]}={0[1]}".format)
    if option.kind in known:
        return known[option.kind]
    return st.integers(1, 99).map(str)  # whole numbers from some least one


def from_flags(flags: list[str]) -> dict[str, Any]:
    return settle(FIT.options, vars(PARSER.parse_args(["fit", "data.csv", *flags])), {})


@pytest.mark.parametrize("option", OPTIONS, ids=lambda option: option.name)
@settings(max_examples=20)
@given(data=st.data())
def test_a_flag_and_a_key_say_the_same(option: Option, data: st.DataObject) -> None:
    if option.kind is values.switch:
        flags, value, written = [option.flag], True, "true"
    else:
        text = data.draw(texts_of(option))
        flags, value, written = [f"{option.flag}={text}"], text, None
    settled = from_flags(flags)
    assert settled == settle(FIT.options, {}, {option.name: value})
    # What is written into a config file gives the same again, whatever the types in there.
    kept = tomllib.loads(write_config(settled))
    assert settle(FIT.options, {}, kept) == settled
    assert written is None or f"{option.name} = {written}" in write_config(settled)
    others = {name: each for name, each in settled.items() if name != option.name}
    assert others == {each.name: each.default for each in OPTIONS if each.name != option.name}


@given(st.lists(st.tuples(WORD, WORD), min_size=2, max_size=4, unique_by=lambda each: each[0]))
def test_flags_that_may_be_repeated(groups: list[tuple[str, str]]) -> None:
    settled = from_flags([f"--group={name}={features}" for name, features in groups])
    assert settled["group"] == {name: (features,) for name, features in groups}
    texts = [features for _, features in groups]
    assert from_flags([f"--derive={text}" for text in texts])["derive"] == texts
    assert settle(FIT.options, {}, {"derive": texts[0]})["derive"] == texts[:1]
    assert settle(FIT.options, {}, {"derive": []})["derive"] == []


def test_flags_come_before_the_config_file_and_that_before_defaults() -> None:
    settled = settle(FIT.options, {"seed": "3"}, {"seed": 4, "weight": 2})
    assert (settled["seed"], settled["weight"], settled["search"]) == (3, 2.0, "astar")


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_help_names_every_flag_and_place_and_shows_examples(command: Command) -> None:
    text = nearstar(command.name, "--help")
    for group in command.options:
        assert f"{group.title}:" in text
        for option in group.options:
            assert f"  {option.flag}" in text
    for place in command.places:
        assert place.name.upper() in text
    assert "examples:" in text and f"  nearstar {command.name}" in text
    assert ("--config" in text) == command.configurable
    assert f"  {command.name}" in nearstar("--help")


def test_a_config_file_in_full(tmp_path: Path) -> None:
    path = tmp_path / "größe.toml"
    path.write_text("max-depth = 6\nforbid = 'if'\n[group]\np = ['*_x']\n", "utf-8")
    assert read_config(path, FIT.keys) == {
        "max_depth": 6,
        "forbid": "if",
        "group": {"p": ["*_x"]},
    }
    path.write_text("max-depth = 6\nmax_depth = 7\n", "utf-8")
    with pytest.raises(NearstarError, match="max_depth is there twice"):
        read_config(path, FIT.keys)
    path.write_bytes(b"\xff")
    with pytest.raises(NearstarError, match="UTF-8"):
        read_config(path, FIT.keys)


PLAIN = st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False) | st.text()


@given(
    st.dictionaries(
        st.text("abc_", min_size=1), PLAIN | st.lists(PLAIN) | st.dictionaries(st.text(), PLAIN)
    )
)
def test_written_settings_are_read_back(written: dict[str, Any]) -> None:
    assert tomllib.loads(write_config(written)) == written
