"""From settings and data to all that a fit needs, checked before any long work."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from nearstar.data.cutting import in_windows
from nearstar.data.format import DataFormat
from nearstar.data.labels import Label
from nearstar.data.recordings import Recordings
from nearstar.data.selecting import select
from nearstar.data.sequences import Sequences
from nearstar.fit.bank import Bank
from nearstar.fit.options import changed
from nearstar.fit.parts import Parts, file_parts
from nearstar.fit.resolve import read_budget, read_domain
from nearstar.fit.settings import FitSettings
from nearstar.language.domain import Domain
from nearstar.language.numbers import least_numbers
from nearstar.language.program import is_complete
from nearstar.language.text import parse
from nearstar.language.text.parsing import Parsed
from nearstar.search.rnn import RNN
from nearstar.training.budget import Budget
from nearstar.training.task import Task
from nearstar.util.errors import DataError, NearstarError, Setting
from nearstar.util.nearest import suggestion

_LONG, _WINDOW = 1000, 500
"""Frames of recordings that are cut by default, and of the windows that they are cut to."""


@dataclass(frozen=True, eq=False)
class Prepared:
    """Data, language, training and search of a fit."""

    settings: FitSettings
    parts: Parts
    task: Task
    domain: Domain
    budget: Budget
    format: DataFormat
    """How data are read, with what the training data have decided."""
    program: Parsed | None
    """The one to be trained; None: programs are searched for."""

    @property
    def labels(self) -> tuple[Label, ...]:
        """The classes as they stand in the data, by code."""
        return self.parts["train"].labels

    @property
    def test(self) -> Recordings | None:
        return self.parts.get("test")


def prepare(settings: FitSettings, parts: Parts) -> Prepared:
    """Cut the data as the settings say, or as is usual; find language, training and search."""
    settings.check()
    train, training = parts["train"], settings.training
    format = settings.format.format()
    window = format.window or usual_window(train.sequences)
    per = "frame" if train.sequences.per_frame else "sequence"
    format = replace(format, window=window, per=per)
    task, domain = _task(settings, parts, format)
    domain.grammar(task.signature())  # a language without programs is found out now
    budget = read_budget(
        task.train,
        train.labels,
        training.class_weight,
        training.budget,
        training.loss,
        **training.changes,
    )
    program = _program(settings, domain, task)
    if program is not None and program.theta is not None and training.restarts is None:
        budget = replace(budget, restarts=1)  # others would start from numbers of their own
    return Prepared(settings, parts, task, domain, budget, format, program)


def _task(settings: FitSettings, parts: Parts, format: DataFormat) -> tuple[Task, Domain]:
    """What is to be learned, and the language of programs: with a bank of terms, or as is said."""
    given, derived = settings.language.vocabulary()
    groups = settings.language.group
    train, valid = (parts[name].sequences for name in ("train", "valid"))
    # A network makes its own of what it reads.
    if settings.language.has_bank and not isinstance(settings.algorithm, RNN):
        _check_bank(given, groups)
        language = settings.language
        bank = Bank.of(train, derived, format, causal=language.causal, trees=language.trees)
        cut, domain = bank.computed, bank.domain()
    else:
        cut, domain = partial(in_windows, format=format), read_domain(given, train, groups, derived)
    if (price := settings.language.price) is not None:
        domain = replace(domain, price=price)
    if (most := settings.language.terms) is not None:
        domain = _with_most_terms(domain, most)
    learned_from = cut(train)
    return Task(learned_from, learned_from if valid is train else cut(valid)), domain


def _with_most_terms(domain: Domain, most: int) -> Domain:
    """The domain with so many terms in a leaf at most; raises where no leaf chooses its terms."""
    if not domain.chooses_terms:
        raise NearstarError(
            Setting("terms", most),
            " is for leaves that choose their terms, and there are none; add ",
            Setting("bank", "terms"),
            ", or take a domain with Affine{*} among its rules for vectors",
        )
    return domain.with_most_terms(most)


def _check_bank(domain: Domain | None, groups: Mapping[str, Any] | None) -> None:
    """Raise where a bank of terms and something else that is said cannot both be."""
    for name, given in (("domain", domain), ("group", groups)):
        if given is not None:
            raise NearstarError(
                Setting("bank", "terms"),
                " makes a language of its own; leave ",
                Setting(name),
                " out, or the bank, and declare terms with ",
                Setting("derive"),
            )


def prepare_files(settings: FitSettings) -> Prepared:
    """All that a fit needs, with the data of files; texts say what groups and weights are of."""
    parts = file_parts(settings)
    train, training = parts["train"], settings.training
    names = train.sequences.feature_names
    texts = {
        "group": _named_groups(settings.language.group, names),
        "class_weight": _labelled_weights(training.class_weight, train.labels),
    }
    return prepare(changed(settings, texts), parts)


def _named_groups(
    given: Mapping[str, tuple[str, ...]] | None, features: tuple[str, ...]
) -> dict[str, tuple[str, ...]] | None:
    """Groups by the names of their features, which may be given by pattern or place, too."""
    if given is None:
        return None
    groups = {}
    for name, patterns in given.items():
        try:
            groups[name] = select(features, patterns, places=True)
        except DataError as problem:
            raise DataError(Setting("group"), f" {name}: ", *problem.args) from None
    return groups


def _labelled_weights(
    given: str | Mapping[str, float] | None, labels: tuple[Label, ...]
) -> str | dict[Label, float] | None:
    """Weights by label, from weights by the labels' text."""
    if given is None or isinstance(given, str):
        return given
    by_text = {str(label): label for label in labels}
    for name in given:
        if name not in by_text:
            raise NearstarError(
                Setting("class_weight"),
                f" names {name!r}, which is no label; {suggestion(name, by_text)}",
            )
    return {by_text[name]: weight for name, weight in given.items()}


def usual_window(data: Sequences) -> int | None:
    """Frames to cut recordings to, unless somebody says otherwise; None: they stay whole.

    Long recordings whose frames are labelled would be few examples, slow to learn from.
    """
    long = data.per_frame and data.lengths.max() > _LONG
    return _WINDOW if long else None


def _program(settings: FitSettings, domain: Domain, task: Task) -> Parsed | None:
    """The program to be trained, if one is given."""
    if settings.language.program is None:
        return None
    parsed = parse(settings.language.program, domain, task.signature())
    if not is_complete(parsed.program):
        raise NearstarError(
            Setting("program"), " has a hole, ??; ", Setting("sketch"), " finds what belongs there"
        )
    most, fewest = settings.language.numbers, least_numbers(parsed.program)
    if most is not None and fewest > most:
        raise NearstarError(
            Setting("numbers", most), f": the program was given; it has at least {fewest} numbers"
        )
    return parsed
