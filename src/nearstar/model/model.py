"""Models: a trained program with all that is needed to use it, and to read it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from nearstar.data.conversion import unnamed
from nearstar.data.cutting import cut
from nearstar.data.derived.extending import with_features
from nearstar.data.files import read_file
from nearstar.data.format import DataFormat
from nearstar.data.labels import Label
from nearstar.data.recordings import Recordings
from nearstar.data.scale import Scale
from nearstar.data.sequences import Sequences, check_sequences
from nearstar.data.tables import read_table
from nearstar.engine.lowering import lower
from nearstar.engine.packing import Blocks, pack
from nearstar.engine.session import Session
from nearstar.language.deciding import classes_named
from nearstar.language.domain import Domain
from nearstar.language.networks import Units
from nearstar.language.numbers import numbers_of
from nearstar.language.operators import HARD, Last
from nearstar.language.parameters import Theta, layout, scaled, size_of
from nearstar.language.program import Apply, Program, is_complete
from nearstar.language.shortening import DIGITS, shortened
from nearstar.language.text import in_lines, parse, to_text
from nearstar.language.types import Signature
from nearstar.model import file
from nearstar.model.file import FACTS
from nearstar.training.decision import decide, probabilities
from nearstar.training.metrics import Metrics
from nearstar.training.train import Trained
from nearstar.util.errors import DataError, NearstarError, ProgramError
from nearstar.util.interrupt import Stop, interruptible
from nearstar.util.notebooks import ShownInNotebooks
from nearstar.util.plain_json import plain

if TYPE_CHECKING:
    import pandas as pd

_NOT_FINITE = (
    "the program's outputs are not finite on these data; are they in the units it was trained on?"
)


@dataclass(frozen=True, eq=False)
class Model(ShownInNotebooks):
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
    offsets: NDArray[np.float64] | None = None
    """Added to the outputs before a class is decided on, one for each; None: nothing is."""
    labels: tuple[Label, ...] = ()
    """The classes as they stand in the data, by code; without any, the class names."""
    format: DataFormat | None = None
    """How its data are read from files and tables."""
    facts: Mapping[str, Any] = field(default_factory=dict)
    """``metrics`` and ``provenance``: tables of plain JSON."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "class_names", tuple(self.class_names))
        self._check_program()
        object.__setattr__(self, "labels", _checked_labels(self.labels, self.class_names))
        if self.offsets is not None:
            outputs = self.program.signature.output.size
            object.__setattr__(self, "offsets", _checked_offsets(self.offsets, outputs))
        object.__setattr__(self, "facts", _checked_facts(self.facts))

    def _check_program(self) -> None:
        if not is_complete(self.program) and self.units is None:
            raise ProgramError("a program with holes needs the units of its networks to run")
        signature = self.program.signature
        if self.scale.mean.shape != (signature.input.size,):
            raise ProgramError(
                f"the scale is of {len(self.scale.mean)} features, the program takes "
                f"{signature.input}"
            )
        if len(self.domain.features) != signature.input.size:
            raise ProgramError(
                f"the domain {self.domain.name} has {len(self.domain.features)} features, the "
                f"program takes {signature.input}"
            )
        with np.errstate(over="ignore", invalid="ignore"):  # what overflows is refused
            scaled(layout(self.program, self.units), self.theta, self.scale)
        outputs, n_classes = signature.output.size, len(self.class_names)
        if n_classes < 2 or (outputs != n_classes and (outputs, n_classes) != (1, 2)):
            raise ProgramError(f"a program with {outputs} outputs cannot tell {n_classes} classes")
        named = classes_named(self.program)
        if named and named != self.class_names:
            raise ProgramError(
                f"the program names the classes {', '.join(named)}, the model "
                f"{', '.join(self.class_names)}; they have to be the same, in the same order"
            )
        if named and self.offsets is not None:
            raise ProgramError(
                "what is added to the outputs would change the classes that the program names; "
                "give no offsets"
            )

    @classmethod
    def of(
        cls, trained: Trained, domain: Domain, class_names: tuple[str, ...], **more: Any
    ) -> Model:
        """The model of a training's result; ``more`` are further fields of it.

        In a language with hard ifs its numbers are made short: those that are printed.
        """
        complete, theta = is_complete(trained.program), trained.theta
        if complete and _prints_as_is(domain):
            theta = shortened(trained.program, theta, trained.scale)
        units = None if complete else trained.units
        return cls(trained.program, theta, domain, class_names, trained.scale, units, **more)

    @classmethod
    def from_text(
        cls,
        text: str,
        domain: Domain,
        signature: Signature,
        class_names: tuple[str, ...],
        **more: Any,
    ) -> Model:
        """A model from a program's text with parameters; ``more`` are further fields of it."""
        parsed = parse(text, domain, signature)
        if parsed.theta is None:
            raise ProgramError(
                "the text has no parameters, such as [.5; -1] after a leaf's name: train it first"
            )
        scale = Scale.identity(len(domain.features))
        return cls(parsed.program, parsed.theta, domain, class_names, scale, **more)

    @property
    def prints_as_is(self) -> bool:
        """Whether its numbers are printed as they are: in a language with hard ifs they are."""
        return _prints_as_is(self.domain)

    def digits_shown(self, digits: int | None) -> int | None:
        """The digits that numbers are rounded to where so many are asked for; None: not at all."""
        return None if self.prints_as_is and digits is not None and digits >= DIGITS else digits

    def text(self, digits: int | None = DIGITS, *, lines: bool = False) -> str:
        """The program with its parameters, rounded for reading; None: every digit. With ``lines``,
        where it has several ifs, in lines of its own for each.

        In a language with hard ifs the parameters are short by themselves, and what is printed is
        what runs: only with fewer than 4 digits they are rounded.
        """
        digits = self.digits_shown(digits)
        return text_with(self.program, self.theta, self.scale, digits, lines=lines)

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"Model({self}; {', '.join(self.class_names)})"

    @property
    def n_parameters(self) -> int:
        return size_of(layout(self.program, self.units))

    @property
    def numbers(self) -> int | None:
        """Numbers that a person has to read: weights that are not 0, and biases; None with networks
        in it."""
        return numbers_of(self.program, self.theta)

    # Predictions

    def outputs(self, data: Sequences) -> NDArray[np.float32]:
        """The program's outputs on whole sequences, a row for each frame or for each sequence."""
        data = self.fitting(data)
        blocks, stop = pack(data, self.scale), Stop()
        return interruptible(lambda: self._session(blocks, stop).predict(blocks), stop)

    def predict(self, data: Sequences) -> NDArray[np.int64]:
        """Class codes, for each frame or for each sequence of the data."""
        return decide(self.scores(data))

    def scores(self, data: Sequences) -> NDArray[np.float64]:
        """What is decided by: the outputs with the offsets added.

        A model that was trained on windows sees windows here too: where they overlap, or where
        several are of one sequence that has one answer, the mean counts.
        """
        return self.scoring(data)(self.theta)

    def scoring(self, data: Sequences) -> Callable[[Theta], NDArray[np.float64]]:
        """What ``scores`` would be with other parameters; the data are made ready only once."""
        data = self.fitting(data)
        format, windows = self.format, None
        if format is not None and format.window is not None and data.lengths.max() > format.window:
            windows = cut(data, format.window, format.hop)
        blocks = pack(data if windows is None else windows.sequences, self.scale)
        stop = Stop()
        session = interruptible(lambda: self._session(blocks, stop), stop)
        laid_out = layout(self.program, self.units)

        def scores(theta: Theta) -> NDArray[np.float64]:
            with np.errstate(over="ignore", invalid="ignore"):  # what overflows is refused
                session.parameters[:] = scaled(laid_out, theta, self.scale)
            outputs = interruptible(lambda: session.predict(blocks), stop).astype(np.float64)
            if not np.isfinite(outputs).all():
                raise NearstarError(_NOT_FINITE)
            found = outputs if self.offsets is None else outputs + self.offsets
            if windows is None:
                return found
            per_frame = self.program.signature.maps_sequences
            return windows.stitch(found) if per_frame else windows.means(found)

        return scores

    def probabilities(self, data: Sequences) -> NDArray[np.float64]:
        """The probability of each class, a row for each frame or for each sequence of the data."""
        return probabilities(self.scores(data))

    def evaluate(self, data: Sequences) -> Metrics:
        """Scores on labelled data; what is not labelled does not count."""
        data = self.fitting(data)
        if data.labels is None or data.n_classes != len(self.class_names):
            given = "none" if data.labels is None else f"labels of {data.n_classes}"
            raise DataError(
                f"evaluating needs labels of {len(self.class_names)} classes; the data have {given}"
            )
        if data.class_names != self.class_names:
            raise DataError(
                f"the model tells {', '.join(self.class_names)}, but the data have the classes "
                f"{', '.join(data.class_names)}; if they mean the same, read the data with "
                "class_names=model.class_names"
            )
        if data.per_frame != self.program.signature.maps_sequences and not data.vectors:
            raise DataError("the data are labelled per frame and the program is not, or vice versa")
        return Metrics.from_codes(data.labels, self.predict(data), data.n_classes)

    def fitting(self, data: Sequences) -> Sequences:
        """The data with the features that the program takes: those derived of them are computed.

        Raises where they have not what it needs.
        """
        check_sequences(data, "the data")
        given, needed = set(data.feature_names), set(self.domain.features)
        if given != needed and needed <= given.union(self.domain.derived):
            data = with_features(data, self.domain.features, self.domain.derived)
        self._check_fits(data)
        return data

    def fingerprint_of(self, data: Sequences) -> str:
        """That of what the program sees of data: its features, and where these are of whole
        sequences and it looks at their ends alone, those."""
        data = self.fitting(data)
        root = self.program
        if isinstance(root, Apply) and isinstance(root.operation, Last):
            ends = np.arange(len(data) + 1)
            data = replace(data, frames=data.frames[data.offsets[1:] - 1], offsets=ends)
        return data.fingerprint()

    def _check_fits(self, data: Sequences) -> None:
        signature = self.program.signature
        if data.n_features != signature.input.size or data.vectors != signature.maps_vectors:
            kind = "vectors" if data.vectors else "sequences"
            raise DataError(
                f"the program takes {signature.input}, the data are {kind} of {data.n_features} "
                "features"
            )
        _check_same_features(self.domain.features, data.feature_names)

    def _session(self, blocks: Blocks, stop: Stop) -> Session:
        code = lower(self.program, self.scale, self.units)
        theta = scaled(layout(self.program, self.units), self.theta, self.scale)
        return Session(code, theta, blocks, stop=stop.flag)

    # Data

    def read(self, source: str | Path | pd.DataFrame, *, labelled: bool = False) -> Recordings:
        """A file or a table, read as the data were that the model was learned from.

        Its ``sequences`` are what the other methods take. ``labelled``: with the labels, which
        are not needed to predict. A file that has parts is for `nearstar.read_file`.
        """
        format = replace(self.format or DataFormat(), group=None, part=None)
        if not labelled:
            format = replace(format, label=None, positive=None)
        how: dict[str, Any] = {
            "features": self.domain.features,
            "derived": self.domain.derived,
            "labels": self.labels if labelled else None,
        }
        if not isinstance(source, str | Path):
            return read_table(source, format, **how)
        parts = read_file(source, format, **how).parts
        if len(parts) > 1:
            raise DataError(
                f"{source} has the parts {', '.join(parts)}; read it with nearstar.read_file, and "
                "take one of its parts"
            )
        return next(iter(parts.values()))

    # Elsewhere

    def explain(self, data: Sequences) -> pd.DataFrame:
        """Why: the value of every part of the program at each frame; see docs/guide.md.

        The parts are numbered as in ``attrs["program"]`` of the table.
        """
        from nearstar.model.explain import explain

        return explain(self, data)

    def export(self, to: str) -> str | bytes:
        """The program for other places: "python" (needs only NumPy), "onnx", "latex" or "json"."""
        from nearstar.model.export import export

        return export(self, to)

    def save(self, path: str | Path) -> None:
        """Write the model as JSON, whole or not at all."""
        file.write(self, path)

    @classmethod
    def load(cls, path: str | Path) -> Model:
        """Read a model; library functions of the user's come with it."""
        return file.read(path, cls)


def _prints_as_is(domain: Domain) -> bool:
    return domain.beta >= HARD


def text_with(
    program: Program,
    theta: Theta,
    scale: Scale,
    digits: int | None = DIGITS,
    *,
    lines: bool = False,
) -> str:
    """A program's text with its parameters, rounded for reading; None: every digit.

    A program with holes prints without them: the networks in holes have no text.
    """
    written = in_lines if lines else to_text
    if not is_complete(program):
        return written(program)
    if digits is not None:
        theta = shortened(program, theta, scale, digits)
    return written(program, theta)


def _checked_labels(labels: Any, class_names: tuple[str, ...]) -> tuple[Label, ...]:
    """Labels as plain Python values, one for each class."""
    given = tuple(each.item() if isinstance(each, np.generic) else each for each in labels)
    given = given or class_names
    if len(given) != len(class_names):
        raise ProgramError(f"{len(given)} labels were given for {len(class_names)} classes")
    for label in given:
        finite = not isinstance(label, float) or np.isfinite(label)
        if not isinstance(label, str | int | float) or not finite:
            raise ProgramError(f"a label is a text, a finite number or a boolean, not {label!r}")
    return given


def _checked_offsets(offsets: Any, outputs: int) -> NDArray[np.float64]:
    own = np.array(offsets, np.float64)
    if own.shape != (outputs,) or not np.isfinite(own).all():
        raise ProgramError(
            f"offsets are finite numbers, one for each of {outputs} outputs, not {offsets!r}"
        )
    own.flags.writeable = False
    return own


def _checked_facts(facts: Mapping[str, Any]) -> dict[str, Any]:
    """A copy that is the same before and after a file."""
    for key, table in facts.items():
        if key not in FACTS or not isinstance(table, Mapping):
            raise NearstarError(f"facts are tables by the names of {FACTS}, not {key!r}: {table!r}")
    own: dict[str, Any] = plain(
        {key: facts[key] for key in FACTS if key in facts}, "the facts about a model"
    )
    return own


def _check_same_features(expected: tuple[str, ...], given: tuple[str, ...]) -> None:
    """Raise if the data have names of their own and they differ."""
    if given == expected or unnamed(given) or unnamed(expected):
        return
    index = next(i for i, pair in enumerate(zip(given, expected, strict=True)) if len({*pair}) > 1)
    raise DataError(
        f"feature {index} of the data is {given[index]!r}, where the model was trained on "
        f"{expected[index]!r}; give the features {', '.join(expected)}, in this order"
    )
