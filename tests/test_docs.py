"""Every example in README.md and docs/ runs, every link leads somewhere, the reference is current.

Examples run in order, in one namespace and one empty folder for each file, with `QUICKLY` in the
place of the limits that are written there.
"""

from __future__ import annotations

import importlib.util
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from nearstar import DataError, Domain, NearstarError
from nearstar.cli import main
from nearstar.cli.commands import COMMANDS
from nearstar.cli.config import read_config
from nearstar.fit.options import flags_by_group

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
NAMES = [str(page.relative_to(ROOT)) for page in PAGES]

QUICKLY = (
    (
        r"(nearstar reproduce .*)--time 2s --trials 2",
        r"\1--time .3s --algorithms astar,logistic --trials 1 --finalists 1 --weights=1",
    ),
    (r"(nearstar fit [^$]*?)--time \w+", r"\1--trainings 80 --finalists 0"),
    (r"--time \w+", "--trainings 80"),
    (r'\btime = "\w+"', "trainings = 80\nfinalists = 0"),
    (r"(ProgramClassifier\([^)]*?)\b(seconds|trainings)=\d+", r"\1trainings=20, finalists=0"),
    (r"\b(seconds|trainings)=\d+", "trainings=20"),
    (r"\bcv=\d", "cv=2"),
)
"""What a reader waits for is shortened here: patterns, and what is run in their place. In numbers
of trainings, so that the same is found on every machine."""

RUN = ("python", "console", "toml")
EXTRAS = ("seglearn", "onnx")
"""Packages that an example may need, and that need not be installed."""


@dataclass(frozen=True)
class Block:
    """A fenced block of a page."""

    page: str
    line: int
    language: str
    text: str

    @property
    def quick(self) -> str:
        text = self.text
        for pattern, short in QUICKLY:
            text = re.sub(pattern, short, text)
        return text

    @property
    def commands(self) -> list[str]:
        """The commands of a console block: lines after ``$``, with what ``\\`` continues them."""
        joined = re.sub(r"\\\n\s*", "", self.quick)
        return re.findall(r"^\$ (.*)$", joined, re.MULTILINE)


def blocks(page: Path) -> list[Block]:
    found, language, begun, lines = [], None, 0, list[str]()
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        fence = re.fullmatch(r"```(\w*)", line)
        if fence is None:
            lines.append(line)
        elif language is None:
            language, begun, lines = fence[1], number, []
        else:
            found.append(Block(page.name, begun, language, "\n".join(lines) + "\n"))
            language = None
    assert language is None, f"{page.name}: the block of line {begun} has no end"
    return found


LONG = (
    *("README.md", "docs/guide.md", "docs/runs.md"),
    *("docs/clusters.md", "docs/reproducing.md", "docs/search.md", "docs/seeing.md"),
)
"""Pages whose examples take long."""


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, id=name, marks=pytest.mark.slow if name in LONG else ())
        for page, name in zip(PAGES, NAMES, strict=True)
    ],
)
def test_examples_run(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, Any] = {"__name__": "__main__"}
    for block in blocks(page):
        if block.language == "python":
            run_python(block, namespace)
        elif block.language == "console":
            run_commands(block, capsys)
        elif block.language == "toml":
            load_toml(block)


def run_python(block: Block, namespace: dict[str, Any]) -> None:
    # Line numbers of the page, so that a traceback leads to the example.
    code = compile("\n" * block.line + block.quick, block.page, "exec")
    try:
        exec(code, namespace)
    except ModuleNotFoundError as problem:
        if problem.name not in EXTRAS:
            raise
        pytest.skip(f"{block.page}, line {block.line}, needs {problem.name}")
    except DataError as problem:
        if "pip install nearstar[" not in str(problem):
            raise
        pytest.skip(f"{block.page}, line {block.line}: {problem}")


def run_commands(block: Block, capsys: pytest.CaptureFixture[str]) -> None:
    assert block.commands, f"{block.page}, line {block.line}: no line begins with '$ '"
    for command in block.commands:
        program, *arguments = shlex.split(command)
        if program == "python":
            subprocess.run([sys.executable, *arguments], check=True, capture_output=True)
            continue
        assert program == "nearstar", f"{block.page}, line {block.line}: cannot run {program}"
        code = main(arguments)
        assert code == 0, f"{block.page}: {command}\n{capsys.readouterr().err}"


def load_toml(block: Block) -> None:
    """A domain, or settings of a fit; a first line ``# name.toml`` makes it a file for later."""
    name = re.match(r"# (\S+\.toml)\n", block.text)
    path = Path(name[1] if name else "block.toml")
    path.write_text(block.quick, encoding="utf-8")
    if {"name", "features", "groups"} & set(tomllib.loads(block.text)):
        Domain.load(path)
    else:
        assert read_config(path)


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_no_example_is_left_out(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    languages = re.findall(r"^\s*```+ *([\w+-]+)", text, re.MULTILINE)
    assert set(languages) <= set(RUN), "blocks that are not run have no language"
    assert sum(block.language in RUN for block in blocks(page)) == len(languages)
    for block in blocks(page):
        if block.language == "":
            assert "import nearstar" not in block.text
            assert "$ nearstar" not in block.text


def test_searches_in_examples_are_shortened() -> None:
    """A limit written in another way would make the tests slow without anybody knowing why."""
    for page in PAGES:
        for block in blocks(page):
            if block.language not in RUN:
                continue
            assert not re.search(r"\b(time_limit|time|seconds)\s*=", block.quick)
            for classifier in re.findall(r"ProgramClassifier\(\s*\w.*?\)", block.quick, re.DOTALL):
                assert "trainings=20" in classifier
            for command in block.commands:
                searches = " fit " in command and "--program" not in command
                assert not searches or re.search("--trainings 80|--config", command), command


# Links


def anchors(page: Path) -> set[str]:
    """What GitHub calls the headings of a page."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    titles = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    found = list[str]()
    for title in titles:
        plain = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
        found.append(f"{plain}-{found.count(plain)}" if plain in found else plain)
    return set(found)


def links(page: Path) -> Iterator[str]:
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    text = re.sub(r"`[^`]*`", "", text)  # programs have brackets and parentheses, too
    yield from re.findall(r"\]\(([^)\s]+)\)", text)


PAGES_WITH_LINKS = [*PAGES, ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"]


@pytest.mark.parametrize("page", PAGES_WITH_LINKS, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for link in links(page):
        if re.match(r"\w+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.is_file(), f"{page.name}: there is no {link}"
        if anchor:
            assert anchor in anchors(target), f"{page.name}: no heading for {link}"


def test_files_named_in_the_docs_exist() -> None:
    """Paths in code quotes, such as `tests/run/test_hidden_rule.py`."""
    for page in PAGES_WITH_LINKS:
        for path in re.findall(
            r"`((?:docs|tests|benchmarks|src)/[\w/.-]+\.\w+)", page.read_text("utf-8")
        ):
            assert (ROOT / path).is_file(), f"{page.name} names {path}"


# Completeness


def test_readme_names_every_command() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for command in COMMANDS:
        assert f"nearstar {command.name}" in text


def test_readme_links_to_every_page() -> None:
    linked = {link.partition("#")[0] for link in links(ROOT / "README.md")}
    assert {f"docs/{page.name}" for page in PAGES[1:]} <= linked


def test_reference_is_up_to_date() -> None:
    written = (ROOT / "docs" / "reference.md").read_text(encoding="utf-8")
    assert load("make_reference").reference() == written, "run: python docs/make_reference.py"


def test_reference_has_every_name_flag_and_field() -> None:
    """The generator could lose some without the file being out of date."""
    import nearstar

    text = (ROOT / "docs" / "reference.md").read_text(encoding="utf-8")
    for name in nearstar.__all__:
        assert f"### {name}\n" in text
    for command in COMMANDS:
        section = text.partition(f"### nearstar {command.name}\n")[2].partition("\n### ")[0]
        for options in flags_by_group(command.settings).values():
            for option in options:
                assert f"- `{option.flag}" in section
    for parameter in nearstar.ProgramClassifier().get_params():
        assert f"`{parameter}`" in text
    assert "- `persist`: When nothing left can be better" in text  # a string below a field
    assert "- `correction`: How far h is corrected" in text  # one of a base class


def load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "docs" / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_failing_example_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The runner itself: what is wrong in a page must not pass."""
    monkeypatch.chdir(tmp_path)
    page = tmp_path / "page.md"
    page.write_text(
        "```python\nassert 1 == 2\n```\n\n```console\n$ nearstar show nothing.json\n```\n\n"
        '```toml\nname = "x"\nfeatures = 0\n```\n'
    )
    python, console, toml = blocks(page)
    with pytest.raises(AssertionError):
        run_python(python, {})
    with pytest.raises(AssertionError, match="nothing"):
        run_commands(console, capsys)
    with pytest.raises(NearstarError, match="features"):
        load_toml(toml)
