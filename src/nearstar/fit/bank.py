"""The language by default: programs over a bank of terms, of which each leaf reads a few."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from nearstar.data.cutting import in_windows
from nearstar.data.derived.bank import frame_terms, sequence_terms, windows
from nearstar.data.derived.extending import ends_with_features, features_at, with_features
from nearstar.data.format import DataFormat
from nearstar.data.sequences import Sequences
from nearstar.language.domain import Domain
from nearstar.language.grouping import by_stem
from nearstar.language.operators import HARD
from nearstar.training.sample import some_sequences

PRICE = 0.0015
"""Of a number to read: so much of F1 it has to bring."""
CHOICE = 0.005
"""Of an ``if`` where there are trees, beside its numbers: about what three more numbers cost."""
MOST_TERMS = 256
"""Terms that are kept, at most: those that tell classes apart best, each by itself."""
MOST_BYTES = 1 << 30
"""Of the training data with their terms: of longer data fewer terms are kept."""
_SCREENED = 20_000
"""Labelled elements, about, that this is judged on."""


@dataclass(frozen=True)
class Bank:
    """The terms of a data set, and how they are computed."""

    features: tuple[str, ...]
    derived: Mapping[str, str]
    base: tuple[str, ...]
    """The features that the data have."""
    ends: bool
    """Whether only the ends of sequences are looked at, which have a label each."""
    format: DataFormat
    classes: tuple[str, ...] = ()
    """The names of what is to be told apart."""
    trees: bool = False
    """Whether the search has leaves that name one."""

    @classmethod
    def of(
        cls,
        train: Sequences,
        derived: Mapping[str, str],
        format: DataFormat | None = None,
        *,
        causal: bool = False,
        trees: bool = False,
    ) -> Bank:
        """The bank for these training data; ``derived`` are features that they have already, and
        ``format`` says to which windows they are cut. With ``trees`` the search has leaves that
        name a class."""
        format = DataFormat() if format is None else format
        base = _varying(train)
        # A name with a quote in it cannot be written in an expression.
        able = [name for name in base if '"' not in name]
        if train.vectors:
            terms: list[str] = []
        elif train.per_frame:
            terms = frame_terms(able, windows(int(train.lengths.max())), causal=causal)
        else:
            terms = sequence_terms(able, format.window)
        ends = not (train.per_frame or train.vectors)
        texts = {**derived, **{name: name for name in terms if name not in base}}
        all_terms = tuple(dict.fromkeys((*(() if ends else base), *terms)))
        features = _screened(train, all_terms, texts, format if ends else None)
        # What others are computed from is among the features of a domain in any case.
        features = tuple(dict.fromkeys((*features, *derived)))
        kept = {name: text for name, text in texts.items() if name in features}
        several = len(set(train.class_names)) > 1
        classes = train.class_names if several else ()
        return cls(features, kept, base, ends, format, classes, trees and several)

    def computed(self, data: Sequences) -> Sequences:
        """The data with the terms, cut to windows; of sequences that have a label each, what they
        end with."""
        if self.ends:
            return ends_with_features(data, self.features, self.derived, self.format)
        return in_windows(with_features(data, self.features, self.derived), self.format)

    def domain(self) -> Domain:
        """Leaves of a few terms, in sums, products and choices; of frames, memory too."""
        places = {name: place for place, name in enumerate(self.features)}
        groups = {
            name: [places[self.base[column]] for column in columns]
            for name, columns in by_stem(self.base).items()
            if all(self.base[column] in places for column in columns)
        }
        return Domain.of_features(
            self.features,
            groups,
            self.derived,
            sequences=("map", "mapprefix"),
            summaries=("last",) if self.ends else ("memory",),
            vectors=("if", "add", "multiply", "Affine{*}", *(("class",) if self.trees else ())),
            classes=self.classes,
            costs={"if": CHOICE} if self.trees else {},
            price=PRICE,
            beta=HARD,
        )


def _varying(train: Sequences) -> tuple[str, ...]:
    """The features that are not the same everywhere, if there are any: the others tell nothing."""
    varies = train.frames.min(axis=0) < train.frames.max(axis=0)
    names = train.feature_names
    return tuple(name for name, varying in zip(names, varies, strict=True) if varying) or names


def _screened(
    train: Sequences,
    features: tuple[str, ...],
    derived: Mapping[str, str],
    ends: DataFormat | None,
) -> tuple[str, ...]:
    """The features, or those that are kept of many, in order; by the ends of sequences alone, if
    they are cut so."""
    rows = len(train.frames) if ends is None else len(train)
    most = max(min(MOST_TERMS, MOST_BYTES // (4 * rows)), 1)
    if len(features) <= most:
        return features
    from sklearn.feature_selection import f_classif

    sample = some_sequences(train, _SCREENED)
    codes = np.asarray(sample.labels)
    labelled = np.flatnonzero(codes >= 0)[:_SCREENED]
    if ends is None:
        values, told = features_at(sample, features, derived, labelled), codes[labelled]
    else:
        whole = ends_with_features(sample.subset(labelled), features, derived, ends)
        values, told = whole.frames, np.asarray(whole.labels)
    with np.errstate(divide="ignore", invalid="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # some may be constant there, which is a score of NaN
        scores, _ = f_classif(values.astype(np.float64), told)
    best = np.argsort(-np.nan_to_num(scores, nan=-1.0, posinf=np.inf), kind="stable")
    return tuple(features[place] for place in sorted(best[:most]))
