"""Draws pictures/program.svg: a learned program, and how it reads one video.

python docs/make_picture.py          (needs matplotlib: pip install nearstar[bench])
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import nearstar as ns

FILE = Path(__file__).parent / "pictures" / "program.svg"
SEED, VIDEO = 1, "video65"
"""A video of another simulation than the one that is learned from; about as well read as most."""
DERIVED = (
    "gap = distance(mouse1_body, mouse2_body)",
    "closing = change(distance(mouse1_body, mouse2_body))",
    "look1 = angle(mouse1_nose, mouse1_body, mouse2_body)",
    "look2 = angle(mouse2_nose, mouse2_body, mouse1_body)",
)

INK, GREY, FAINT = "#1f2933", "#616e7c", "#9aa5b1"
FAR, NEAR, SNIFF = "#2f6fb3", "#c26a1b", "#3c8c5a"
plt.rcParams |= {
    "font.size": 9,
    "text.color": INK,
    "axes.edgecolor": FAINT,
    "axes.labelcolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "svg.hashsalt": "nearstar",  # so that the same picture is the same file
}


def learned(table: pd.DataFrame) -> ns.ProgramClassifier:
    """The program of the README's first tour."""
    classifier = ns.ProgramClassifier(
        sequence="video",
        frame="frame",
        label="behavior",
        derive=DERIVED,
        trainings=2000,
        random_state=0,
    )
    return classifier.fit(table)


def draw() -> None:
    classifier = learned(ns.tracking_table())
    print(classifier.program_)
    new = ns.tracking_table(seed=SEED)
    print(f"accuracy on new videos: {classifier.score(new):.3f}")
    video = new[new["video"] == VIDEO].reset_index(drop=True)
    print(f"on this one: {classifier.score(video):.3f}")
    why = classifier.explain(video)
    parts = {title.split(" ", 1)[1]: why[title] for title in why.columns if title[0].isdigit()}
    read = ns.read_table(video, ns.DataFormat(sequence="video", frame="frame"), derived=DERIVED)
    columns = dict(zip(read.sequences.feature_names, read.sequences.frames.T, strict=True))

    figure = plt.figure(figsize=(9.6, 4.8))
    grid = figure.add_gridspec(
        5, 1, left=0.45, right=0.99, top=0.93, bottom=0.1, hspace=0.28,
        height_ratios=[3, 3, 3, 3, 1.7],
    )  # fmt: skip
    axes = [figure.add_subplot(each) for each in grid]
    draw_program(figure, classifier.model_)
    far = (parts["if: branch"] == "then").to_numpy()
    draw_features(axes, columns, parts)
    annotated, predicted = video["behavior"] == "sniff", why["prediction"] == "sniff"
    draw_answers(axes[-1], predicted.to_numpy(), annotated.to_numpy())
    for axis in axes:
        axis.set_xlim(-0.5, len(video) - 0.5)
        axis.tick_params(length=2, labelbottom=axis is axes[-1])
    for axis in axes[:-1]:
        shade(axis, far)
    name_branches(axes[0], far)
    axes[0].set_title("a new video", loc="left", weight="bold", fontsize=9)
    axes[-1].set_xlabel("frame", labelpad=1)
    FILE.parent.mkdir(exist_ok=True)
    figure.savefig(FILE, facecolor="white", metadata={"Date": None})


def draw_program(figure: Any, model: ns.Model) -> None:
    """The program as a person would write it down, with what was learned and what it means."""
    leaves = leaf_numbers(model)
    gap, gap_bias = leaves["gap"]
    closing, closing_bias = leaves["closing"]
    look1, look2, look_bias = leaves["look"]
    figure.text(0.015, 0.955, "the learned program", fontsize=9, weight="bold", va="center")
    code = [
        (0.86, 0, INK, "score ="),
        (0.775, 1, INK, f"if {gap:.2f}·gap {gap_bias:+.2f} > 0"),
        (0.64, 1, FAR, "then"),
        (0.57, 2, FAR, f"{closing:.2f}·closing {closing_bias:+.2f}"),
        (0.435, 1, NEAR, "else"),
        (0.365, 2, NEAR, f"{look1:.2f}·look1 {look2:+.2f}·look2 {look_bias:+.2f}"),
        (0.17, 0, SNIFF, "sniff where the score is above 0"),
    ]
    meaning = [
        (0.72, 1, f"more than {-gap_bias / gap:.0f} cm apart?"),
        (0.515, 2, f"does the gap shrink by over {closing_bias / closing:.1f} cm a frame?"),
        (0.31, 2, "does mouse 1 look at mouse 2, which looks away?"),
    ]
    for y, indent, colour, text in code:
        place = {"x": 0.015 + 0.02 * indent, "y": y, "va": "center"}
        figure.text(s=minus(text), color=colour, family="monospace", fontsize=10, **place)
    for y, indent, text in meaning:
        place = {"x": 0.015 + 0.02 * indent, "y": y, "va": "center"}
        figure.text(s=minus(text), color=GREY, fontsize=8.5, **place)


def minus(text: str) -> str:
    """With signs between terms as in print."""
    return text.replace(" +", " + ").replace(" -", " − ").replace("-", "−")


def leaf_numbers(model: ns.Model) -> dict[str, tuple[float, ...]]:
    """Weights and bias of each leaf, by the name of its group."""
    found = re.findall(r"(\w+)Affine\[([^\]]*)\]", model.text())
    return {
        name.lower(): tuple(float(each) for each in re.split("[,;]", numbers))
        for name, numbers in found
    }


def draw_features(axes: list[Any], columns: dict[str, Any], parts: dict[str, Any]) -> None:
    """What the program reads, and its score."""
    frames = np.arange(len(columns["gap"]))
    axes[0].plot(frames, columns["gap"], color=INK, lw=1.2)
    axes[0].set_ylim(0, columns["gap"].max() * 1.25)
    label(axes[0], "gap (cm)")
    axes[1].plot(frames, columns["closing"], color=FAR, lw=1.2)
    label(axes[1], "closing\n(cm a frame)")
    axes[2].plot(frames, columns["look1"], color=NEAR, lw=1.2, label="look1")
    axes[2].plot(frames, columns["look2"], color=NEAR, lw=1.2, ls=(0, (2, 1.5)), label="look2")
    axes[2].legend(loc="upper right", frameon=False, fontsize=7.5, ncols=2, borderpad=0)
    axes[2].set_ylim(0, 4.2)
    label(axes[2], "look (rad)")
    axes[3].plot(frames, parts["map"], color=INK, lw=1.2)
    axes[3].axhline(0, color=FAINT, lw=0.8)
    axes[3].fill_between(frames, 0, parts["map"].clip(lower=0), color=SNIFF, alpha=0.45, lw=0)
    label(axes[3], "score")


def label(axis: Any, text: str) -> None:
    axis.yaxis.set_label_coords(-0.065, 0.5)
    axis.set_ylabel(text, rotation=0, ha="right", va="center", fontsize=8.5)


def shade(axis: Any, far: Any) -> None:
    """Where the gate leads to one branch or the other."""
    for start, stop in runs(far):
        axis.axvspan(start - 0.5, stop - 0.5, color=FAR, alpha=0.09, lw=0)
    for start, stop in runs(~far):
        axis.axvspan(start - 0.5, stop - 0.5, color=NEAR, alpha=0.11, lw=0)


def name_branches(axis: Any, far: Any) -> None:
    """Which branch a shade stands for, once each."""
    for flags, name, colour in ((far, "then", FAR), (~far, "else", NEAR)):
        start, stop = max(runs(flags), key=lambda run: run[1] - run[0])
        place = {"x": (start + stop) / 2, "y": 0.98, "ha": "center", "va": "top"}
        style = {"color": colour, "family": "monospace", "fontsize": 8}
        axis.text(s=name, transform=axis.get_xaxis_transform(), **place, **style)


def draw_answers(axis: Any, predicted: Any, annotated: Any) -> None:
    """Where each of the two says sniff."""
    for row, answers in ((1, predicted), (0, annotated)):
        spans = [(start - 0.5, stop - start) for start, stop in runs(answers)]
        axis.broken_barh([(-0.5, len(answers))], (row + 0.1, 0.8), color="#e4e7eb", lw=0)
        axis.broken_barh(spans, (row + 0.1, 0.8), color=SNIFF, lw=0)
    axis.set_yticks([1.5, 0.5], ["predicted", "annotated"])
    axis.tick_params(axis="y", length=0)
    axis.spines["left"].set_visible(False)


def runs(flags: Any) -> list[tuple[int, int]]:
    """Starts and ends of the runs of frames that are so."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], flags.astype(int), [0]])))
    return list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))


if __name__ == "__main__":
    matplotlib.use("svg")
    draw()
