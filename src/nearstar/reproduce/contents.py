"""What is told of a study, section by section: once, for Markdown and for the page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from nearstar.reproduce.algorithms import ALONE, BASELINES, NEAR, called
from nearstar.reproduce.figures import EFFICIENCY, SWEEP
from nearstar.reproduce.study import Study, Trial
from nearstar.reproduce.study_tables import (
    guarantee_table,
    main_table,
    mean_f1,
    own_weights,
    stability_table,
    sweep_table,
)
from nearstar.reproduce.summaries import median_curve
from nearstar.reproduce.table import Table, decimals


@dataclass(frozen=True)
class Picture:
    """A figure, in a file of its own beside the Markdown."""

    file: str
    svg: str
    says: str
    """For those who do not see it."""


@dataclass(frozen=True)
class Programs:
    """The programs of several trials: what each is called, and its texts."""

    title: str
    found: tuple[tuple[str, tuple[str, ...]], ...]


Part = str | Mapping[str, str] | Table | Picture | Programs
"""A paragraph, a short list of what is called how, a table, a figure, or programs."""


@dataclass(frozen=True)
class Section:
    """Parts under one heading."""

    id: str
    title: str
    parts: tuple[Part, ...]


@dataclass(frozen=True)
class Contents:
    """All that is told of a study."""

    title: str
    subtitle: str
    sections: tuple[Section, ...]


def contents(study: Study, pictures: Mapping[str, str]) -> Contents:
    """What is told of a study, with these figures as SVG by their files."""
    settings = "the paper’s settings" if study.paper else "nearstar’s own settings"
    classes = ", ".join(study.classes)
    sections: dict[tuple[str, str], Iterable[Part]] = {
        ("made", "How it was made"): [study.made] if study.made else [],
        ("table", "Table 1"): _table(study),
        ("efficiency", "Efficiency"): _efficiency(study, pictures),
        ("lambda", "λ"): _sweep(study, pictures),
        ("programs", "Programs found"): _programs(study),
        ("guarantee", "Guarantee"): _guarantee(study),
        ("stability", "Stability"): _stability(study),
    }
    filled = ((names, tuple(parts)) for names, parts in sections.items())
    return Contents(
        study.title,
        f"Task {study.task}, with {settings}. Classes: {classes}.",
        tuple(Section(*names, parts) for names, parts in filled if parts),
    )


def comparison(study: Study) -> str | None:
    """NEAR's best search against the best of the others and the RNN; None without a result."""
    near = _best(study, NEAR)
    if near is None:
        return None
    name, own = near
    text = f"The best search of NEAR, {called(name)}, reaches F1 {decimals(own)} on the test data"
    than = []
    for among, what in ((BASELINES, "the best other search, "), (("rnn",), "the ")):
        if (best := _best(study, among)) is not None:
            other, score = best
            than.append(_against(own, score, what + called(other)))
    return f"{text}: {', and '.join(than)}." if than else f"{text}."


def _against(own: float, other: float, name: str) -> str:
    apart = decimals(abs(own - other))
    more = f"{apart} {'more' if own > other else 'less'} than" if apart != ".000" else "as much as"
    times = f", {decimals(own / other, 2)} times its F1" if other > 0 else ""
    return f"{more} {name} ({decimals(other)}){times}"


def _best(study: Study, among: tuple[str, ...]) -> tuple[str, float] | None:
    """The one of these algorithms with the highest mean F1 on the test data."""
    scores = {each: score for each in among if (score := mean_f1(study, each)) is not None}
    return max(scores.items(), key=lambda item: item[1]) if scores else None


def _table(study: Study) -> Iterator[Part]:
    yield main_table(study)
    if (text := comparison(study)) is not None:
        yield text
    notes = [
        "Accuracy and F1 are of the test data: means over the trials ± their standard deviation. "
        f"The interval is of the mean F1, by resampling {study.unit}s. Depth is the number of "
        "rules applied; path cost is λ × structural cost + 1 − F1 in validation. The highest F1 "
        "of the searches is bold."
    ]
    if ALONE in study.algorithms:
        notes.append(
            f"{called(ALONE)}, trains only what its heuristic leads to; {called('astar')} also "
            "trains small programs and variants of the best beside, where it finds nothing better."
        )
    if own_weights(study):
        notes.append(
            "F1 weights classes by how often each is the true one, that of the paper by how often "
            "each is predicted: published ones are to be compared with the latter."
        )
    if not all(trial.found for trial in study.trials):
        notes.append("Means of scores are of the trials that found a program.")
    yield " ".join(notes)


def _efficiency(study: Study, pictures: Mapping[str, str]) -> Iterator[Part]:
    there = study.searches
    drawn = [each for each in there if median_curve(study.of(each))[0]]
    missing = [called(each) for each in there if each not in drawn]
    if drawn:
        yield (
            "The path cost of the best program found so far against the processor time of all "
            "trainings: the median of the trials that have a program by then, of two of three "
            "their mean; drawn from when more than half have one to the end of the longest. A "
            "trial that has ended keeps its last value."
        )
    if EFFICIENCY in pictures:
        names = ", ".join(map(called, drawn))
        says = f"Step curves of the best path cost against processor time, for {names}."
        yield Picture(EFFICIENCY, pictures[EFFICIENCY], says)
    if missing:
        yield f"In half of the trials or more no program was found: {', '.join(missing)}."


def _sweep(study: Study, pictures: Mapping[str, str]) -> Iterator[Part]:
    if not study.sweep:
        return
    yield (
        "The larger λ, the more a rule costs beside what it gains, and the shorter the "
        "program. Means over the trials; in the figure, whiskers go from the least to the largest."
    )
    yield sweep_table(study)
    if SWEEP in pictures:
        says = "The depth of the programs found, and their F1 on the test data, against λ."
        yield Picture(SWEEP, pictures[SWEEP], says)


def _programs(study: Study) -> Iterator[Part]:
    listed = set()
    for algorithm in study.searches:
        trials = study.of(algorithm)
        listed |= {_shown(trial) for trial in trials}
        yield Programs(called(algorithm), tuple(map(_found, trials)))
    # λ = 1 may be a part of the sweep too.
    for weight, trials in study.by_weight.items():
        others = [trial for trial in trials if _shown(trial) not in listed]
        # Many programs, of which the shape tells: parameters are in the models.
        plain = [_found(replace(trial, learned=None)) for trial in others]
        if plain:
            yield Programs(f"λ = {weight:g}", tuple(plain))


def _shown(trial: Trial) -> tuple[object, ...]:
    return trial.algorithm, trial.seed, trial.weight, trial.learned or trial.program


def _found(trial: Trial) -> tuple[str, tuple[str, ...]]:
    name = f"Seed {trial.seed}"
    if trial.program is None:
        return f"{name}: no program was found", ()
    score = "" if trial.test is None else f": F1 {decimals(trial.test.f1)}"
    depth = "" if trial.depth is None else f", depth {trial.depth}"
    texts = (trial.program, trial.learned)
    return f"{name}{score}{depth}", tuple(text for text in texts if text is not None)


def _guarantee(study: Study) -> Iterator[Part]:
    if not study.searches:
        return
    yield guarantee_table(study)
    yield (
        "The gap is by how much the best path cost of a search may be above the least possible, if "
        "the heuristic never overestimates. ε is the most by which it was measured to, so that a "
        "gap is to be read with ε added; violations is the share of partial programs where it did, "
        "and the rank correlation tells how well it orders them by what completes them. Sampling "
        "knows no gap. A search is exhausted when nothing is left that it would explore, and "
        "finished when it came to its end without knowing a bound; "
        "otherwise what stopped it is named."
    )


def _stability(study: Study) -> Iterator[Part]:
    table = stability_table(study)
    if table.rows:
        yield table
        yield (
            "Programs are counted as the same if their canonical forms are. The overlap is, of two "
            "programs, the features that both read among those that either reads, in the mean over "
            "all pairs of trials."
        )
