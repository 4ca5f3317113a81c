"""The language by default: programs over a bank of terms, of which each leaf reads a few."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from nearstar.data.derived.bank import frame_terms, sequence_terms, windows
from nearstar.data.derived.extending import with_features
from nearstar.data.sequences import Sequences
from nearstar.language.domain import Domain
from nearstar.language.grouping import by_stem
from nearstar.language.operators import HARD
from nearstar.training.sample import some_sequences

PRICE = 0.0015
"""Of a number to read: so much of F1 it has to bring."""
MOST_TERMS = 256
"""Terms that are kept, at most: those that tell classes apart best, each by itself."""
_SCREENED = 20_000
"""Labelled elements, about, that this is judged on."""


@dataclass(frozen=True)
class Bank:
    """The terms of a data set, and how they are computed."""

    features: tuple[str, ...]
    derived: Mapping[str, str]
    base: tuple[str, ...]
    """The features that the data have."""
    per_frame: bool
    vectors: bool

    @classmethod
    def of(cls, train: Sequences, derived: Mapping[str, str], *, causal: bool) -> Bank:
        """The bank for these training data; ``derived`` are features that they have already."""
        base = train.feature_names
        if train.vectors:
            terms: list[str] = []
        elif train.per_frame:
            terms = frame_terms(base, windows(int(train.lengths.max())), causal=causal)
        else:
            terms = sequence_terms(base)
        texts = {**derived, **{name: name for name in terms if name not in base}}
        own = base if train.per_frame or train.vectors else ()
        features = _screened(train, tuple(dict.fromkeys((*own, *terms))), texts)
        # What others are computed from is among the features of a domain in any case.
        features = tuple(dict.fromkeys((*features, *derived)))
        kept = {name: text for name, text in texts.items() if name in features}
        return cls(features, kept, base, train.per_frame, train.vectors)

    def computed(self, data: Sequences) -> Sequences:
        """The data with the terms; of sequences that have a label each, what they end with."""
        ends = not (self.per_frame or self.vectors)
        return with_features(data, self.features, self.derived, ends=ends)

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
            summaries=("memory",) if self.per_frame else ("SlidingWindowAverage1",),
            vectors=("if", "add", "multiply", "Affine{*}"),
            price=PRICE,
            beta=HARD,
        )


def _screened(
    train: Sequences, features: tuple[str, ...], derived: Mapping[str, str]
) -> tuple[str, ...]:
    """The features, or those that are kept of many, in order."""
    if len(features) <= MOST_TERMS:
        return features
    from sklearn.feature_selection import f_classif

    sample = some_sequences(train, _SCREENED)
    whole = with_features(sample, features, derived, ends=not (train.per_frame or train.vectors))
    codes = np.asarray(whole.labels)
    labelled = codes >= 0
    with np.errstate(divide="ignore", invalid="ignore"):
        scores, _ = f_classif(whole.frames[labelled].astype(np.float64), codes[labelled])
    best = np.argsort(-np.nan_to_num(scores, nan=-1.0, posinf=np.inf), kind="stable")
    return tuple(features[place] for place in sorted(best[:MOST_TERMS]))
