"""Every flag of ``fit`` reaches what it is about."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cli.calling import ROLES, nearstar, table, written

import nearstar.cli.fit as command
import nearstar.fit.fit as fitting
from nearstar.cli.notes import notes_of
from nearstar.data.files import read_file
from nearstar.data.sequences import Sequences
from nearstar.fit.options import options_of
from nearstar.fit.settings import FitSettings
from nearstar.search import IDSBB, RNN

Asked = dict[str, Any]
Check = Callable[[Asked], bool]
DOMAIN = 'name = "mine"\nfeatures = ["nose_x", "nose_y", "speed"]\n'


class Reached(BaseException):
    """The search would begin now."""


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., Asked]:
    """What a search, or a training, is asked with by a command."""
    monkeypatch.chdir(tmp_path)
    parts = np.repeat(["train", "train", "train", "valid", "test", "test"], 8)
    written(table(), Path("mice.csv"))
    written(table().sort_values("animal", kind="stable"), Path("sorted.csv"))
    written(table(6).assign(part=parts), Path("parts.csv"))
    written(table(5), Path("more.csv"))
    Path("mine.toml").write_text(DOMAIN, "utf-8")
    seen: Asked = {}
    prepare = command.prepare_files

    def keep(*arguments: Any) -> Any:
        seen["prepared"] = prepare(*arguments)
        seen["notes"] = notes_of(seen["prepared"])
        return seen["prepared"]

    def learn(task: Any, domain: Any, algorithm: Any, **more: Any) -> None:
        seen.update(task=task, domain=domain, algorithm=algorithm, **more)
        seen["folders"] = [path.name for path in tmp_path.iterdir() if path.is_dir()]
        raise Reached

    def train(program: Any, task: Any, budget: Any, seed: int, start: Any) -> None:
        seen.update(program=program, task=task, budget=budget, seed=seed, start=start)
        raise Reached

    monkeypatch.setattr(command, "prepare_files", keep)
    monkeypatch.setattr(fitting, "learn", learn)
    monkeypatch.setattr(fitting, "train", train)

    def ask(*arguments: object) -> Asked:
        with pytest.raises(Reached):
            nearstar("fit", *arguments)
        assert not [path for path in tmp_path.iterdir() if path.is_dir()], "a folder is left"
        return seen

    return ask


def form(**expected: Any) -> Check:
    """The data format has these values."""
    return lambda asked: all(
        getattr(asked["prepared"].format, name) == value for name, value in expected.items()
    )


def budget(**expected: Any) -> Check:
    return lambda asked: all(
        getattr(asked["budget"], name) == value for name, value in expected.items()
    )


def on_test(n_sequences: int) -> Check:
    return lambda asked: len(asked["prepared"].test or ()) == n_sequences


def given(**expected: Any) -> Check:
    """The search is started with these arguments."""
    return lambda asked: all(asked[name] == value for name, value in expected.items())


CHECKS: dict[str, tuple[str, Check]] = {
    "sequence": ("animal", lambda asked: len(asked["task"].train) == 3),
    "frame": ("frame", form(frame="frame")),
    "label": ("does", form(label="does")),
    "split_by": ("animal", form(group="animal")),
    "parts": ("part", on_test(2)),
    "features": ("nose_*,speed", form(features=("nose_*", "speed"))),
    "per": ("frame", form(per="frame")),
    "positive": ("sit", lambda asked: asked["prepared"].labels == ("not sit", "sit")),
    "unlabelled": ("?,-1", form(unlabelled=("?", -1))),
    "missing": ("interpolate", form(missing="interpolate")),
    "window": ("4", lambda asked: set(asked["task"].train.lengths) == {4}),
    "hop": ("2", lambda asked: len(asked["task"].valid) == 9),
    "domain": ("mine.toml", lambda asked: asked["domain"].name == "mine"),
    "group": (
        "all=nose_*,1-2",
        lambda asked: [(g.name, g.columns) for g in asked["domain"].groups] == [("all", (0, 1, 2))],
    ),
    "derive": (
        "fast = speed(nose)",
        lambda asked: (
            {"fast", "mean(fast, 5)"} <= {*asked["domain"].features}
            and asked["task"].train.feature_names == asked["domain"].features
        ),
    ),
    "bank": (
        "none",
        lambda asked: (
            "Affine{*}" not in asked["domain"].vectors
            and asked["task"].train.feature_names == ("nose_x", "nose_y", "speed")
        ),
    ),
    "causal": ("", lambda asked: "mean(speed, last 5)" in asked["domain"].features),
    "trees": ("", lambda asked: "class" in asked["domain"].vectors),
    "price": ("0.25", lambda asked: asked["domain"].price == 0.25),
    "numbers": ("12", lambda asked: asked["constraints"].numbers == 12),
    "terms": ("2", lambda asked: "Affine{*2}" in asked["domain"].vectors),
    "max_depth": ("4", lambda asked: asked["constraints"].max_depth == 4),
    "forbid": ("if,fold", lambda asked: asked["constraints"].forbid == ("if", "fold")),
    "require": ("map", lambda asked: asked["constraints"].require == ("map",)),
    "sketch": ("map (fun x_t. ??) x", given(start="map (fun x_t. ??) x")),
    "program": (
        "map (fun x_t. SpeedAffine[2; 3](x_t)) x",
        lambda asked: np.array_equal(asked["start"], [2, 3]),
    ),
    "search": ("idsbb", lambda asked: isinstance(asked["algorithm"], IDSBB)),
    "time": ("1m30s", lambda asked: asked["limits"].seconds == 81),  # finals have the rest
    "trainings": (
        "7",
        lambda asked: (asked["limits"].trainings, asked["limits"].seconds) == (7, None),
    ),
    "weight": ("0.5", given(weight=0.5)),
    "seed": ("9", given(seed=9)),
    "workers": ("3", given(workers=3)),
    "cluster": ("tcp://there:8786", given(cluster="tcp://there:8786")),
    "cache": ("other-run", given(cache=("other-run",))),
    "audit": ("4", given(audit_samples=4)),
    "finalists": ("4", lambda asked: True),  # see test_finalists
    "validation": ("0.5", lambda asked: len(asked["task"].valid) == 6),
    "test": ("more.csv", on_test(5)),
    "class_weight": ("run=3,sit=2", budget(class_weights=(2.0, 3.0))),
    "loss": ("cross-entropy", budget(loss="cross-entropy")),
    "threshold": ("tuned", lambda asked: True),  # see test_fit
    "steps": ("48", budget(symbolic_steps=48)),
    "neural_steps": ("40", budget(neural_steps=40)),
    "learning_rate": ("0.5", budget(learning_rate=0.5)),
    "batch_size": ("3", budget(batch_size=3)),
    "units": ("9,4", lambda asked: str(asked["budget"].units) == "Units(most=9, least=4)"),
    "restarts": ("2", budget(restarts=2)),
    "out": ("there-run", lambda asked: asked["folders"] == ["there-run"]),
    "json": ("", given(progress=False)),
    "quiet": ("", given(progress=False)),
}


NEEDED = ("frame", "label", "per", "threshold", "finalists")
"""Flags without which the data could not be read so, or that act later."""


def test_all_flags_are_here() -> None:
    names = [option.name for option in options_of(FitSettings) if not option.positional]
    assert set(CHECKS) == set(names)


@pytest.mark.parametrize("name", CHECKS)
def test_a_flag_has_its_effect(name: str, asked: Callable[..., Asked]) -> None:
    value, check = CHECKS[name]
    data: tuple[str, ...] = ("mice.csv", *ROLES)
    if name == "parts":
        data = ("parts.csv", *ROLES)
    elif name == "sequence":
        data = ("sorted.csv", "--label", "does")
    elif name == "terms":
        data = (*data, "--bank", "terms")
    elif name == "hop":
        data = (*data, "--window", "4")
    flag = "--" + name.replace("_", "-")
    assert name in NEEDED or not check(asked("mice.csv", *ROLES)), "it is so without"
    assert check(asked(*data, *([flag, value] if value else [flag])))


def test_a_network_takes_its_size_and_steps(asked: Callable[..., Asked]) -> None:
    seen = asked("mice.csv", *ROLES, "--search", "rnn", "--units", "7,5", "--neural-steps", "24")
    assert seen["algorithm"] == RNN(units=7, steps=24)
    assert asked("mice.csv", *ROLES, "--search", "rnn")["algorithm"] == RNN()


def test_a_minute_unless_something_is_said(asked: Callable[..., Asked]) -> None:
    assert asked("mice.csv", *ROLES)["limits"].seconds == 54  # finals have the rest
    alone = ("mice.csv", *ROLES, "--finalists", "0")
    assert asked(*alone)["limits"].seconds == 60
    limits = asked(*alone, "--time", "5s", "--trainings", "9")["limits"]
    assert (limits.seconds, limits.trainings) == (5, 9)


def test_nobody_is_on_both_sides(asked: Callable[..., Asked]) -> None:
    for seed in range(5):
        seen = asked("mice.csv", *ROLES, "--split-by", "animal", "--seed", seed, "--bank", "none")
        whole = read_file("mice.csv", seen["prepared"].format).parts["all"]
        owner = dict(zip(firsts(whole.sequences), whole.groups or (), strict=True))
        train, valid = seen["task"].train, seen["task"].valid
        sides = [{owner[first] for first in firsts(part)} for part in (train, valid)]
        assert [len(side) for side in sides] == [3, 1] and not sides[0] & sides[1]
        assert (len(train), len(valid)) == (9, 3)


def firsts(sequences: Sequences) -> list[tuple[float, ...]]:
    """The first frame of each sequence, by which it is known."""
    return [tuple(frame) for frame in sequences.frames[sequences.offsets[:-1]].tolist()]


@pytest.mark.parametrize("classes", [("b", "a"), (1, 0)])
def test_the_rarer_of_two_labels_is_the_positive_one(
    classes: tuple[Any, ...], asked: Callable[..., Asked]
) -> None:
    for several, rare in (classes, classes[::-1]):
        frame = table(8)
        frame["does"] = np.where(np.arange(len(frame)) % 8 < 6, several, rare)
        written(frame, Path("mice.csv"))
        assert asked("mice.csv", *ROLES)["prepared"].labels == (several, rare)


def test_validation_by_file_by_share_and_not_at_all(asked: Callable[..., Asked]) -> None:
    everything = asked("mice.csv", *ROLES, "--validation", "0")["task"]
    assert everything.train.fingerprint() == everything.valid.fingerprint()
    assert len(everything.train) == 12
    task = asked("mice.csv", *ROLES, "--validation", "more.csv")["task"]
    assert (len(task.train), len(task.valid)) == (12, 5)
    # A file beside one with parts takes the place of its part; of two, the one that is meant.
    own = ("parts.csv", *ROLES, "--parts", "part", "--validation")
    assert len(asked(*own, "more.csv")["task"].valid) == 5
    assert len(asked(*own, "parts.csv")["task"].valid) == 1


def test_a_column_that_counts_is_pointed_out(asked: Callable[..., Asked]) -> None:
    (note,) = asked("mice.csv", "--sequence", "video", "--label", "does")["notes"]
    assert "'frame'" in note and "--frame frame" in note
    assert asked("mice.csv", *ROLES)["notes"] == ()


def test_long_recordings_are_cut_unless_somebody_says_otherwise(
    asked: Callable[..., Asked],
) -> None:
    written(table(2, 1200), Path("long.csv"))
    seen = asked("long.csv", *ROLES)
    assert set(seen["task"].train.lengths) == {500} and seen["prepared"].format.window == 500
    assert "--window" in seen["notes"][0]
    seen = asked("long.csv", *ROLES, "--window", "1200")
    assert set(seen["task"].train.lengths) == {1200} and not seen["notes"]
