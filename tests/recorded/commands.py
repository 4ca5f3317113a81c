"""The command line: what every command prints, writes and refuses."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import shlex
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from recorded.exact import digest, short
from recorded.material import sequences
from recorded.registry import Parts, case, family
from recorded.searching import without_times

import nearstar as ns
from nearstar.cli import main

ROLES = "--sequence video --frame frame --label does"
QUICK = "--trainings 12 --steps 24 --neural-steps 16 --restarts 1 --workers 1 --finalists 0"
COMMANDS = (
    *("fit", "resume", "watch", "show", "report", "simplify", "predict", "evaluate", "explain"),
    *("export", "domains", "reproduce", "demo"),
)


# Files to call it with


def mice(classes: tuple[Any, ...] = ("sit", "run"), seed: int = 0) -> pd.DataFrame:
    """Videos of mice that run where they are fast; the last label is clearly the rarest."""
    rng = np.random.default_rng(seed)
    videos, length = 16, 8
    n = videos * length
    speed = rng.normal(size=n).round(3)
    shares = np.cumsum(0.6 ** np.arange(len(classes)))
    edges = np.quantile(speed, shares[:-1] / shares[-1])
    return pd.DataFrame(
        {
            "video": np.repeat([f"v{i:02}" for i in range(videos)], length),
            "frame": np.tile(np.arange(length), videos),
            "animal": np.repeat([f"m{i % 4}" for i in range(videos)], length),
            "nose_x": rng.normal(size=n).round(3),
            "nose_y": rng.normal(size=n).round(3),
            "tail_x": rng.normal(size=n).round(3),
            "tail_y": rng.normal(size=n).round(3),
            "speed": (speed + rng.normal(0, 0.3, n)).round(3),
            "does": np.array(classes, object)[np.searchsorted(edges, speed)],
        }
    )


def trials() -> pd.DataFrame:
    """One label for each sequence."""
    table = mice()
    means = table.groupby("video")["speed"].transform("mean")
    return table.assign(does=np.where(means > means.quantile(0.6), "fast", "slow"))


def write_arrays(path: str, kind: str, classes: int) -> None:
    """An .npz file of padded sequences, or of vectors."""
    data = sequences(kind, classes, 40, n=24, rare=0.5)
    assert data.labels is not None
    if kind == "vectors":
        np.savez(path, X=data.frames, y=data.labels)
        return
    longest = int(data.lengths.max())
    X = np.zeros((len(data), longest, data.n_features), np.float32)
    y = np.full((len(data), longest), -1)
    for i, start in enumerate(data.offsets[:-1]):
        frames = data.sequence(i)
        X[i, : len(frames)] = frames
        if kind == "frames":
            y[i, : len(frames)] = data.labels[start : start + len(frames)]
    labels = y if kind == "frames" else data.labels
    np.savez(path, X=X, y=labels, lengths=data.lengths, class_names=np.array(data.class_names))


def model() -> ns.Model:
    """A model of the mice, made without training."""
    domain = ns.Domain.of_features(("nose_x", "nose_y", "speed"), {"speed": ["speed"]})
    format = ns.DataFormat(sequence="video", frame="frame", label="does", per="frame")
    return ns.Model.from_text(
        "map (fun x_t. if SpeedAffine[1; -.5](x_t) > 0 then SpeedAffine[1.23456; .01](x_t) "
        "else SpeedAffine[.5; -1](x_t)) x",
        domain,
        domain.signature(1, per_frame=True),
        ("sit", "run"),
        format=format,
    )


@contextlib.contextmanager
def workshop() -> Iterator[Path]:
    """A folder with data and a model, which is the working directory meanwhile."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            mice().to_csv("mice.csv", index=False)
            mice(("sit", "walk", "run")).to_csv("three.csv", index=False)
            trials().to_csv("trials.csv", index=False)
            mice(seed=1).to_csv("new.csv", index=False)
            model().save("model.json")
            yield Path(folder)
        finally:
            os.chdir(before)


# Calling it


def call(command: str) -> tuple[int, str, str]:
    """The exit code, what is printed, and what is said on standard error."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), _plain_terminal():
        code = main(shlex.split(command))
    return code, scrubbed(out.getvalue()), scrubbed(err.getvalue())


@contextlib.contextmanager
def _plain_terminal() -> Iterator[None]:
    """Help is wrapped to the width of the terminal, which must not tell."""
    before = {name: os.environ.get(name) for name in ("COLUMNS", "NO_COLOR")}
    os.environ.update(COLUMNS="80", NO_COLOR="1")
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value


def scrubbed(text: str) -> str:
    """Without folders, times and versions."""
    text = text.replace(os.getcwd(), "DIR").replace(ns.__version__, "VERSION")
    text = re.sub(r'"seconds": [\d.e-]+', '"seconds": 0', text)
    return without_times(text)


def recorded(name: str, command: str) -> dict[str, Any]:
    """What a command did, as parts of a case."""
    code, out, err = call(command)
    return {f"{name}code": code, f"{name}out": out, f"{name}err": err}


# fit


def fitted(command: str, prepare: Callable[[], object] = lambda: None) -> Parts:
    """The report of a fit, and the files of its folder."""
    with workshop():
        prepare()
        code, out, err = call(f"fit {QUICK} {command} --out run --json")
        if code:
            return {"code": code, "out": out, "err": err}
        report = json.loads(out)
        names = ("program", "path_cost", "f1", "gap", "ended", "trained", "classes", "sizes")
        return {
            **{name: report.get(name) for name in names},
            "report": short([report]),
            "front": [each["structural_cost"] for each in report["front"]],
            "files": folder(Path("run")),
            "shown": digest(call("show run")[1]),
        }


def folder(run: Path) -> dict[str, str]:
    """The models and settings of a run; its journal has times."""
    names = ["model.json", "settings.toml"]
    files = {name: digest(scrubbed((run / name).read_text("utf-8"))) for name in names}
    front = sorted(run.glob("front/*.json"))
    return {**files, "front": short(scrubbed(each.read_text("utf-8")) for each in front)}


MICE = f"mice.csv {ROLES}"
_DERIVE = "--derive 'gap = distance(nose, tail)' --derive 'speed(nose)'"
_IF = "map (fun t. if SpeedAffine(t) > 0 then NoseAffine(t) else TailAffine(t)) x"
FITS: dict[str, tuple[Any, ...]] = {
    **{
        f"csv, {each}": (f"{MICE} --search {each}",)
        for each in (*("astar", "idsbb", "enumeration", "montecarlo", "mcts", "genetic", "rnn"),)
    },
    **{f"three, {each}": (f"three.csv {ROLES} --search {each}",) for each in ("astar", "genetic")},
    "trials": (f"trials.csv {ROLES}",),
    "trials, idsbb": (f"trials.csv {ROLES} --search idsbb --weight 0.1",),
    "trials per frame": (f"trials.csv {ROLES} --per frame",),
    "split by animal": (f"{MICE} --split-by animal --seed 3",),
    "positive": (f"three.csv {ROLES} --positive walk",),
    "derived": (f"{MICE} {_DERIVE} --features 'nose_*,speed'",),
    "groups": (f"{MICE} --group 'place=nose_*,tail_*' --group 'v=speed' --weight 0.2",),
    "windows": (f"{MICE} --window 4 --hop 2",),
    "constraints": (f"{MICE} --max-depth 5 --forbid fold,add --require if",),
    "sketch": (f"{MICE} --sketch 'map (fun t. if SpeedAffine(t) > 0 then ?? else ??) x'",),
    "program": (f"{MICE} --program '{_IF}'",),
    "program with numbers": (f"{MICE} --program 'map (fun t. SpeedAffine[1; -.25](t)) x'",),
    "class weights": (f"{MICE} --class-weight sit=1,run=3",),
    "balanced": (f"three.csv {ROLES} --class-weight balanced",),
    "cross-entropy": (f"{MICE} --loss cross-entropy --learning-rate 0.1 --batch-size 5",),
    "thresholds": (f"{MICE} --threshold tuned",),
    "audit": (f"{MICE} --audit 3 --search idsbb",),
    "finalists": (f"{MICE} --finalists 2",),
    "workers": (f"{MICE} --workers 2 --seed 1",),
    "units": (f"{MICE} --units 7,3 --weight 0",),
    "test": (f"{MICE} --test new.csv --validation 0.5",),
    "validation file": (f"{MICE} --validation new.csv",),
    "restarts": (f"{MICE} --restarts 2",),
    "npz frames": ("data.npz", lambda: write_arrays("data.npz", "frames", 2)),
    "npz frames of 3": ("data.npz", lambda: write_arrays("data.npz", "frames", 3)),
    "npz sequences": ("data.npz", lambda: write_arrays("data.npz", "sequences", 3)),
    "npz vectors": ("data.npz", lambda: write_arrays("data.npz", "vectors", 2)),
}
family(
    "cli/fit",
    fitted,
    FITS,
    quick=(
        "csv, astar",
        "three, genetic",
        "trials",
        "derived",
        "npz sequences",
        "audit",
        "program",
    ),
)


def printed_fit() -> Parts:
    """What a fit prints for people; and a config file."""
    with workshop():
        first = recorded("", f"fit {MICE} {QUICK} --quiet --out run")
        again = recorded("config ", "fit --config run/settings.toml --out other --quiet")
        return {**first, **again, "taken": call(f"fit {MICE} {QUICK} --out run")[2]}


case("cli/fit printed", printed_fit)


def resumed(search: str, more: str) -> Parts:
    """A run that goes on, and the same without a stop."""
    with workshop():
        call(f"fit {MICE} {QUICK} {more} --search {search} --out run --json")
        code, out, err = call("resume run --trainings 25 --json")
        report = json.loads(out)
        return {
            "code": code,
            "err": err,
            "program": report["program"],
            "trained": report["trained"],
            "report": short([report]),
            "files": folder(Path("run")),
        }


family(
    "cli/resume",
    resumed,
    {
        "astar": ("astar", ""),
        "idsbb": ("idsbb", "--weight 0.1"),
        "genetic": ("genetic", ""),
        "mcts": ("mcts", ""),
        "finalists": ("astar", "--finalists 2"),
        "audit": ("astar", "--audit 2"),
    },
    quick=("astar",),
)


def cached() -> Parts:
    with workshop():
        call(f"fit {MICE} {QUICK} --out run --json")
        return recorded("", f"fit {MICE} {QUICK} --weight 0.1 --cache run --out other --json")


case("cli/cache", cached)


# Using a model


def used(command: str) -> Parts:
    """A command with the model of the mice; of files that it writes, their digest."""
    with workshop():
        before = {path.name for path in Path().iterdir()}
        parts = recorded("", command)
        new = sorted(path for path in Path().iterdir() if path.name not in before)
        files = {path.name: _digest_of(path) for path in new if path.is_file()}
    return {**parts, **({"files": files} if files else {})}


def _digest_of(path: Path) -> str:
    content = path.read_bytes().replace(ns.__version__.encode(), b"VERSION")
    return f"{len(content)} {digest(content)}"


USES = {
    "show": "show model.json",
    "show, 2 digits": "show model.json --digits 2",
    "predict": "predict model.json new.csv",
    "predict, probabilities": "predict model.json new.csv --probabilities --out labels.csv",
    "predict, bouts": "predict model.json new.csv --min-bout 3",
    "predict, windows": "predict model.json new.csv --window 3 --hop 1 --out labels.csv",
    "evaluate": "evaluate model.json new.csv",
    "evaluate, bouts": "evaluate model.json new.csv --min-bout 2 --overlap 0.3",
    "evaluate, json": "evaluate model.json new.csv --json",
    "explain": "explain model.json new.csv",
    "explain one": "explain model.json new.csv --only v03 --out why.csv",
    "export, python": "export model.json --to python",
    "export, python file": "export model.json --to python --out mice.py",
    "export, onnx": "export model.json --to onnx --out mice.onnx",
    "export, latex": "export model.json --to latex",
    "export, json": "export model.json --to json",
    "simplify": "simplify model.json new.csv",
    "simplify, loss": "simplify model.json new.csv --loss 0.05 --out simple.json --json",
    "simplify, harden": "simplify model.json new.csv --harden --digits 2 --loss 0.1",
    "simplify, beta": "simplify model.json new.csv --beta 20 --json",
    "domains": "domains",
    "domains, crim13": "domains crim13",
    "domains, fly": "domains fly",
    "domains, toml": "domains basketball --toml",
    "reproduce": "reproduce",
    "report": "report model.json --test new.csv --out page.html",
    "demo table": "demo --table example.csv",
    "version": "--version",
    "nothing": "",
}
family(
    "cli",
    used,
    {name: (command,) for name, command in USES.items()},
    quick=(
        "show",
        "predict",
        "evaluate, bouts",
        "explain",
        "export, python",
        "simplify, loss",
        "domains",
    ),
)


def of_a_run() -> Parts:
    """Commands that take the folder of a run."""
    with workshop():
        call(f"fit {MICE} {QUICK} --weight 0.05 --out run --json")
        commands = {
            "show": "show run",
            "front": "show run/front/1.json",
            "predict": "predict run new.csv",
            "evaluate": "evaluate run new.csv",
            "explain": "explain run new.csv --only v01",
            "simplify": "simplify run --loss 0.02 --json",
            "latex": "export run --to latex",
        }
        return {name: digest(str(call(command))) for name, command in commands.items()}


case("cli/run", of_a_run, quick=True)


# Help and mistakes


def helped(command: str) -> Parts:
    return recorded("", f"{command} --help")


family(
    "cli/help", helped, {name or "all": (name,) for name in ("", *COMMANDS)}, quick=("all", "fit")
)

_FIT = f"fit {MICE} --trainings 3"
WRONG = {
    "no such file": "fit mouse.csv --label does",
    "no such folder": "fit nowhere/mice.csv --label does",
    "another ending": "fit model.json --label does",
    "mistyped label": f"{_FIT} --label dose",
    "mistyped sequence": f"{_FIT} --sequence vidoe",
    "mistyped feature": f"{_FIT} --features spede",
    "a text as feature": f"{_FIT} --features animal",
    "two roles": f"{_FIT} --split-by video",
    "no label": "fit mice.csv --sequence video",
    "parts of another kind": f"{_FIT} --parts animal",
    "positive": f"{_FIT} --positive runs",
    "class weight": f"{_FIT} --class-weight runs=3",
    "a weight of letters": f"{_FIT} --class-weight run=lots",
    "loss": f"{_FIT} --loss f2",
    "f1 of three": f"fit three.csv {ROLES} --trainings 3 --loss f1",
    "per sequence": f"{_FIT} --per sequence",
    "domain": f"{_FIT} --domain crim14",
    "domain of others": f"{_FIT} --domain crim13",
    "forbidden": f"{_FIT} --forbid iff",
    "required": f"{_FIT} --require foldd",
    "nothing left": f"{_FIT} --forbid map,mapprefix",
    "depth": f"{_FIT} --max-depth 1",
    "group": f"{_FIT} --group speed",
    "group of nothing": f"{_FIT} --group 'a=up*'",
    "derived syntax": f"{_FIT} --derive 'distance(nose, '",
    "derived function": f"{_FIT} --derive 'sped(nose)'",
    "derived point": f"{_FIT} --derive 'speed(noes)'",
    "derived name": f"{_FIT} --derive 'speed = speed(nose)'",
    "sketch": f"{_FIT} --sketch 'map (fun t. ??'",
    "program with a hole": f"{_FIT} --program 'map (fun t. ??) x'",
    "both": f"{_FIT} --program '??' --sketch '??'",
    "unknown leaf": f"{_FIT} --program 'map (fun t. SpedAffine(t)) x'",
    "unknown command": "fti mice.csv",
    "unknown flag": f"{_FIT} --tiem 5",
    "flag without value": f"{_FIT} --time",
    "too much": f"{_FIT} speed",
    "no data": "fit --label does",
    "no model": "predict",
    "time": f"{_FIT} --time soon",
    "no time": f"{_FIT} --time 0",
    "no trainings": f"{_FIT} --trainings 0",
    "seed": f"{_FIT} --seed -1",
    "weight": f"{_FIT} --weight nan",
    "hop": f"{_FIT} --hop 2",
    "units": f"{_FIT} --units 8",
    "search": f"{_FIT} --search atsar",
    "missing": f"{_FIT} --missing guess",
    "validation": f"{_FIT} --validation 1.5",
    "config": f"{_FIT} --config my.toml",
    "out": f"{_FIT} --out mice.csv",
    "predictions elsewhere": "predict model.json mice.csv --out a.xls",
    "predictions over data": "predict model.json mice.csv --out mice.csv",
    "mistyped model": "show modle.json",
    "no model at all": "show mice.csv",
    "only": "explain model.json mice.csv --only v9",
    "bouts": "predict model.json mice.csv --min-bout 0",
    "overlap": "evaluate model.json mice.csv --overlap 0",
    "export": "export model.json --to pyton",
    "onnx on the screen": "export model.json --to onnx",
    "simplify alone": "simplify model.json",
    "simplify at any price": "simplify model.json mice.csv --loss 1",
    "resume nothing": "resume nowhere",
    "resume a file": "resume mice.csv",
    "domain to show": "domains fyl",
    "task": "reproduce nbaa",
}


def wrong(command: str) -> Parts:
    with workshop():
        code, _, err = call(command)
    return {"code": code, "err": err}


family(
    "cli/wrong",
    wrong,
    {name: (command,) for name, command in WRONG.items()},
    quick=("mistyped label", "unknown flag", "sketch", "domain"),
)
