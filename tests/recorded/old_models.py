"""Model files in ``old/``, written by an earlier nearstar, and what they answered then.

They are never to be written again: what they are for is to be old.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from recorded.exact import exact

import nearstar as ns

FOLDER = Path(__file__).with_name("old")
EXPECTED: dict[str, Any] = json.loads((FOLDER / "expected.json").read_text("utf-8"))
"""What each model said about the inputs."""


def answers(name: str) -> dict[str, Any]:
    """What a stored model says about the inputs."""
    model = ns.Model.load(FOLDER / f"{name}.json")
    data = _inputs(vectors=model.program.signature.maps_vectors)
    outputs = model.outputs(data)
    return {
        "text": model.text(),
        "bits": exact(outputs),
        "outputs": outputs.tolist(),
        "predicted": model.predict(data).tolist(),
    }


def _inputs(*, vectors: bool) -> ns.Sequences:
    with np.load(FOLDER / "inputs.npz") as stored:
        if vectors:
            return ns.Sequences.from_arrays(stored["vectors"])
        return ns.Sequences.from_arrays(np.split(stored["frames"], stored["starts"]))
