"""Models: a trained program with all that is needed to use it, and to read it."""

from __future__ import annotations

import json
import os
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearstar.data.scale import Scale
from nearstar.data.sequences import Sequences, check_sequences
from nearstar.domain import Domain
from nearstar.engine import machine
from nearstar.engine.lower import lower
from nearstar.engine.packing import Blocks, pack
from nearstar.engine.session import Session
from nearstar.errors import DataError, NearstarError, ProgramError
from nearstar.interrupt import Stop, interruptible
from nearstar.metrics import Metrics
from nearstar.parameters import Theta, check, layout, rounded, scaled, size_of
from nearstar.program import Program, is_complete
from nearstar.relax import Units
from nearstar.text import parse, to_text
from nearstar.train import Trained
from nearstar.types import Sequence, Signature, Vector

_FORMAT = "nearstar-model-1"
_NOT_FINITE = (
    "the program's outputs are not finite on these data; are they in the units it was trained on?"
)
_DAMAGE = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""What reading the contents of a file may raise that are not those of a model."""


@dataclass(frozen=True, eq=False)
class Model:
    """A program with parameters: predicts, prints, saves.

    ``scale`` is that of the training data. Parameters are in the data's own units, so it does not
    change what the program means, only how sums are rounded.
    """

    program: Program
    theta: Theta
    domain: Domain
    class_names: tuple[str, ...]
    scale: Scale
    units: Units | None = None
    """Sizes of the networks in holes, if there are any."""

    def __post_init__(self) -> None:
        if not is_complete(self.program) and self.units is None:
            raise ProgramError("a program with holes needs the units of its networks to run")
        check(layout(self.program, self.units), self.theta)
        if self.scale.mean.shape != (self.program.signature.input.size,):
            raise ProgramError(
                f"the scale is of {len(self.scale.mean)} features, the program takes "
                f"{self.program.signature.input}"
            )
        outputs = self.program.signature.output.size
        n_classes = len(self.class_names)
        if n_classes < 2 or (outputs != n_classes and (outputs, n_classes) != (1, 2)):
            raise ProgramError(f"a program with {outputs} outputs cannot tell {n_classes} classes")

    @classmethod
    def of(cls, trained: Trained, domain: Domain, class_names: tuple[str, ...]) -> Model:
        """The model of a training's result."""
        units = None if is_complete(trained.program) else trained.units
        return cls(trained.program, trained.theta, domain, class_names, trained.scale, units)

    @classmethod
    def from_text(
        cls, text: str, domain: Domain, signature: Signature, class_names: tuple[str, ...]
    ) -> Model:
        """A model from a program's text with parameters."""
        parsed = parse(text, domain, signature)
        if parsed.theta is None:
            raise ProgramError(
                "the text has no parameters, such as [.5; -1] after a leaf's name: train it first"
            )
        scale = Scale.identity(len(domain.features))
        return cls(parsed.program, parsed.theta, domain, class_names, scale)

    def text(self, digits: int | None = 4) -> str:
        """The program with its parameters, rounded for reading; None: every digit."""
        if not is_complete(self.program):
            return to_text(self.program)
        if digits is None:
            return to_text(self.program, self.theta)
        theta = rounded(layout(self.program), self.theta, self.scale, digits)
        return to_text(self.program, theta)

    def outputs(self, data: Sequences) -> NDArray[np.float32]:
        """The program's outputs, a row for each frame or for each sequence of the data."""
        blocks = self._pack(data)
        stop = Stop()
        return interruptible(lambda: self._session(blocks, stop).predict(blocks), stop)

    def predict(self, data: Sequences) -> NDArray[np.int64]:
        """Class codes, for each frame or for each sequence of the data."""
        outputs = self.outputs(data)
        if not np.isfinite(outputs).all():
            raise NearstarError(_NOT_FINITE)
        if outputs.shape[1] == 1:
            return (outputs[:, 0] > 0).astype(np.int64)
        return np.asarray(np.argmax(outputs, axis=1), np.int64)

    def evaluate(self, data: Sequences) -> Metrics:
        """Scores on labelled data."""
        check_sequences(data, "the data")
        if data.labels is None or data.n_classes != len(self.class_names):
            given = "none" if data.labels is None else f"labels of {data.n_classes}"
            raise DataError(
                f"evaluating needs labels of {len(self.class_names)} classes; the data have {given}"
            )
        if data.per_frame != self.program.signature.maps_sequences and not data.vectors:
            raise DataError("the data are labelled per frame and the program is not, or vice versa")
        blocks, stop = self._pack(data), Stop()
        ended, confusion = interruptible(
            lambda: self._session(blocks, stop).judge(blocks, data.n_classes), stop
        )
        if ended == machine.DIVERGED:
            raise NearstarError(_NOT_FINITE)
        return Metrics.from_confusion(confusion)

    def _pack(self, data: Sequences) -> Blocks:
        check_sequences(data, "the data")
        signature = self.program.signature
        if data.n_features != signature.input.size or data.vectors != signature.maps_vectors:
            kind = "vectors" if data.vectors else "sequences"
            raise DataError(
                f"the program takes {signature.input}, the data are {kind} of {data.n_features} "
                "features"
            )
        return pack(data, self.scale)

    def _session(self, blocks: Blocks, stop: Stop) -> Session:
        code = lower(self.program, self.scale, self.units)
        theta = scaled(layout(self.program, self.units), self.theta, self.scale)
        return Session(code, theta, blocks, stop=stop.flag)

    # Files

    def save(self, path: str | Path) -> None:
        """Write the model as JSON, whole or not at all."""
        path = Path(path)
        signature = self.program.signature
        program = to_text(self.program)
        if parse(program, self.domain, signature).program != self.program:
            raise ProgramError(f"the domain {self.domain.name} reads the program as another one")
        data = {
            "format": _FORMAT,
            "program": program,
            "readable": self.text(),
            "theta": self.theta.tolist(),
            "signature": {
                "input": [type(signature.input).__name__, signature.input.size],
                "output": [type(signature.output).__name__, signature.output.size],
            },
            "class_names": list(self.class_names),
            "scale": self.scale.to_dict(),
            "units": None if self.units is None else [self.units.most, self.units.least],
            "domain": self.domain.to_dict(),
        }
        text = json.dumps(data, indent=1, ensure_ascii=False, allow_nan=False)
        temporary = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
        try:
            with open(temporary, "x", encoding="utf-8") as file:
                file.write(text + "\n")
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise

    @classmethod
    def load(cls, path: str | Path) -> Model:
        """Read a model; library functions of the user's come with it."""
        try:
            text = Path(path).read_text(encoding="utf-8")
            data = json.loads(text, parse_constant=_not_a_number)
        except (ValueError, RecursionError) as problem:
            raise NearstarError(f"{path} is not a saved model: {problem}") from None
        if not isinstance(data, dict) or data.get("format") != _FORMAT:
            raise NearstarError(f"{path} is not a saved model of the format {_FORMAT}")
        try:
            return cls._from_data(data)
        except _DAMAGE as problem:
            raise NearstarError(f"{path} is damaged: {problem!r}") from None

    @classmethod
    def _from_data(cls, data: dict[str, Any]) -> Model:
        domain = Domain.from_dict(data["domain"])
        signature = Signature(*(_type(data["signature"][end]) for end in ("input", "output")))
        units = None if data["units"] is None else Units(*data["units"])
        class_names = tuple(data["class_names"])
        if not all(isinstance(name, str) for name in class_names):
            raise TypeError(f"class names are {class_names}")
        return cls(
            parse(data["program"], domain, signature).program,
            np.array(data["theta"], np.float64),
            domain,
            class_names,
            Scale.from_dict(data["scale"]),
            units,
        )

    @property
    def n_parameters(self) -> int:
        return size_of(layout(self.program, self.units))


def _not_a_number(constant: str) -> Any:
    raise ValueError(f"{constant} is in it, which no model holds")


def _type(data: Any) -> Any:
    kind, size = data
    return {"Vector": Vector, "Sequence": Sequence}[kind](int(size))
