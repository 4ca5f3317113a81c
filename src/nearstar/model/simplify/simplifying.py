"""Fewer and shorter numbers in a program, as long as its validation F1 stays."""

from __future__ import annotations

from dataclasses import dataclass, replace

from nearstar.data.scale import Scale
from nearstar.data.sequences import Sequences
from nearstar.language.deciding import names_class, with_names
from nearstar.language.parameters import MOST_DIGITS, Block, layout
from nearstar.language.program import is_complete
from nearstar.model.model import Model
from nearstar.model.simplify.fewer_terms import with_fewer_terms
from nearstar.model.simplify.judging import SIMPLIFIED, judging, noted
from nearstar.model.simplify.rounding import digits_of, rounded_further, rounded_together
from nearstar.model.simplify.sparsity import Keeps, pruned
from nearstar.training.metrics import Metrics
from nearstar.util.checks import check_number
from nearstar.util.errors import NearstarError, ProgramError


@dataclass(frozen=True, eq=False)
class Simplified:
    """A model with fewer and shorter numbers, and what that has cost."""

    model: Model
    """Its parameters are the short numbers themselves: ``model.text(digits=None)`` prints them."""
    before: Metrics
    after: Metrics
    weights_before: int
    """Parameters other than 0, biases among them."""
    weights_after: int
    digits: int
    """Significant digits of the weights, at most. A bias may have more where features are far from
    0: digits count that matter beside what the weights give."""

    def __str__(self) -> str:
        return (
            f"{self.weights_after} of {self.weights_before} weights, with up to {self.digits} "
            f"digits; F1 {self.before.f1:.3f} before, {self.after.f1:.3f} after\n{self.model}"
        )


def simplify(
    model: Model,
    valid: Sequences,
    *,
    train: Sequences | None = None,
    loss: float = 0.0,
    digits: int | None = None,
) -> Simplified:
    """Take from a program terms, weights and digits, while F1 on the validation data stays.

    ``loss`` is how much of F1 may be lost: on all of the data, and in each eighth of its sequences
    too, so that little goes by chance. With ``train``, data to train on, leaves give up terms one
    after the other, and what is left is trained on each time: of these programs the one with the
    fewest terms is taken. Then weights become 0, those of least influence first, by how much their
    features vary, and the others are rounded, to ``digits``; None: as few as will do. Half of the
    loss is for removing, so that some is left for rounding. The same arguments give the same model.
    """
    _check(model, loss, digits)
    before, given = model.evaluate(valid), model
    reached = judging(model, valid)(model.theta)
    if train is not None:
        model = with_fewer_terms(model, train, valid, reached - loss / 2)
    # Of the data that decide: a model's own scale may be that of no data at all.
    scale, blocks = Scale.of(model.fitting(valid)), _numbered(model)
    f1 = judging(model, valid)

    def keeping(lost: float) -> Keeps:
        return lambda theta: bool((f1(theta) >= reached - lost).all())

    few = with_names(model.program, model.theta)
    # What costs nothing goes first: else it may be kept for what has gone in its place.
    for lost in sorted({0.0, loss / 2}):
        few = pruned(blocks, few, scale, keeping(lost))
    choices = range(1, MOST_DIGITS + 1) if digits is None else (digits,)
    found = rounded_together(blocks, few, scale, keeping(loss), choices)
    if found is None and digits is not None:
        raise NearstarError(
            f"with numbers of {digits} digit{'s' * (digits > 1)}, F1 would fall by more than "
            f"{loss:g}, on all of the data or in a part; give more digits, or a larger loss"
        )
    short, most = found or (few, MOST_DIGITS)
    short = rounded_further(blocks, short, scale, keeping(loss))
    return _simplified(given, replace(model, theta=short), valid, before, loss, most)


def _numbered(model: Model) -> tuple[Block, ...]:
    """The blocks of parameters without leaves that name a class: they have no numbers."""
    blocks = layout(model.program)
    return tuple(block for block in blocks if not names_class(model.program, block.path))


def _simplified(
    model: Model, simple: Model, valid: Sequences, before: Metrics, loss: float, most: int
) -> Simplified:
    after = simple.evaluate(valid)
    weights_before, weights_after = (int((m.theta != 0).sum()) for m in (model, simple))
    digits = max((min(digits_of(value), most) for value in simple.theta), default=0)
    how = {
        "loss": float(loss),
        "f1_before": before.f1,
        "weights_before": weights_before,
        "weights_after": weights_after,
        "digits": digits,
    }
    simple = noted(simple, SIMPLIFIED, how, after, valid)
    return Simplified(simple, before, after, weights_before, weights_after, digits)


def _check(model: Model, loss: float, digits: int | None) -> None:
    if not isinstance(model, Model):
        raise NearstarError(f"a Model is simplified, not a {type(model).__name__}")
    if not is_complete(model.program):
        raise ProgramError(
            "the program has holes: their networks have no text that could be simpler; give a "
            "complete program"
        )
    check_number("loss", loss, 0)
    if loss >= 1:
        raise NearstarError(f"loss is how much of F1 may be lost, below 1, not {loss!r}")
    if digits is not None and (type(digits) is not int or not 1 <= digits <= MOST_DIGITS):
        raise NearstarError(f"digits must be from 1 to {MOST_DIGITS}, or None, not {digits!r}")
