"""Writes the stored model of the format's present version, with what it answers.

Files of a version are never written again once it is released: they show that later versions of
the package open them. Run from the repository: ``python tests/models/make.py``.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from nearstar import Domain, Model, Sequences, function, sqrt
from nearstar.data.format import DataFormat
from nearstar.data.scale import Scale
from nearstar.language.expression import Expression, Features
from nearstar.language.networks import Units
from nearstar.language.operators import HARD
from nearstar.language.parameters import layout, unscaled
from nearstar.language.text import parse
from nearstar.model.file import VERSION
from nearstar.training.starting import initial

FOLDER = Path(__file__).parent
NAMES = ("0", "1.5", "süß")
TEXT = """
map (fun x_t. if GapAffine(x_t) > 0
              then louder(PositionAffine(x_t), ??) at x_t
              else {otherwise}) x
"""


@function("louder", takes=("out", "out"), prints="louder({0}, {1}) at {x}", cost=0.03)
def louder(x: Features, a: Expression, b: Expression) -> Expression:
    return a * sqrt(1 + x["speed(nose)"] ** 2) + b / (1 + abs(b))


def stored_model(version: int = VERSION) -> Model:
    """A model that has something of everything that a file of a version may hold."""
    # Classes are named where choices are hard.
    added = {"classes": NAMES, "beta": HARD} if version > 2 else {}
    otherwise = "class" if version > 2 else "add(PositionAffine(x_t), const)"
    domain = Domain.of_features(
        ["nose_x", "nose_y", "tail_x", "tail_y"],
        groups={"position": ["nose_*", "tail_*"], "gap": ["gap"]},
        derived={"gap": "distance(nose, tail)", "speed(nose)": "speed(nose)"},
        name="arena",
        aliases={"Distance": "gap"},
        costs={"add": 0.05},
        **added,
    ).with_functions(louder)
    text = TEXT.format(otherwise=otherwise)
    program = parse(text, domain, domain.signature(3, per_frame=True)).program
    random, units = np.random.default_rng(1), Units(4, 2)
    scale = Scale(random.normal(size=6), np.exp(random.normal(size=6)))
    blocks = layout(program, units)
    return Model(
        program,
        unscaled(blocks, initial(blocks, 1), scale),
        domain,
        NAMES,
        scale,
        units,
        offsets=None if version > 2 else np.array([0.0, 0.25, -0.125]),
        labels=(0, 1.5, "süß"),
        format=DataFormat(
            sequence="video", frame="frame", label="behaviour", unlabelled=("?", -1), window=100
        ),
        facts={
            "metrics": {"valid": {"f1": 0.75, "confusion": [[1, 2], [3, 4]]}},
            "provenance": {"seed": 0, "data": "mice.csv", "search": None},
        },
    )


def main() -> None:
    model = stored_model()
    model.save(FOLDER / f"version-{VERSION}.json")
    random = np.random.default_rng(2)
    inputs = [random.normal(size=(n, 6)).astype(np.float32) for n in (1, 5, 12)]
    data = Sequences.from_arrays(inputs)
    answers = {
        "inputs": [each.tolist() for each in inputs],
        "outputs": model.outputs(data).tolist(),
        "codes": model.predict(data).tolist(),
    }
    path = FOLDER / f"version-{VERSION}-answers.json"
    path.write_text(json.dumps(answers) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
