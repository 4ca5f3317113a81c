"""A result in a few lines of plain text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nearstar.language.text import to_text
from nearstar.run.results.audit import Audit
from nearstar.run.results.evaluation import Evaluation
from nearstar.search.pruning import TOLERANCE

if TYPE_CHECKING:
    from nearstar.run.results.history import History
    from nearstar.run.results.result import Result


def summarise(result: Result) -> str:
    """What was found, how good it is, and why the run ended; or why nothing was found."""
    if result.best is None:
        lines = [_why_nothing(result)]
    else:
        best = result.best.evaluation
        lines = [to_text(best.program), _cost(best), say_gap(result)]
    if result.audit is not None:
        lines.append(f"audit: {say_excess(result.audit)}")
    lines += say_faults(result, result.pruned)
    if result.finals is not None:
        lines.append(_finals(result, result.finals))
    apart = ", finals apart" if result.finals is not None and result.ended == "time" else ""
    lines.append(f"{say_ended(result)}{apart}; {say_trained(result)} in {result.seconds:.1f} s")
    return "\n".join(lines)


def _cost(best: Evaluation) -> str:
    sum_of = f"{best.weight:g} × {best.structural_cost:.4g} for structure + {best.error:.4f} error"
    scores = (
        "the training diverged"
        if best.accuracy is None or best.f1 is None
        else f"accuracy {best.accuracy:.3f}, F1 {best.f1:.3f}"
    )
    return f"cost {best.path_cost:.4f} = {sum_of} ({scores})"


def say_gap(run: Result | History) -> str:
    """By how much the best that a search found may be above the least; finals are told apart."""
    before = "" if run.final_cost is None else "before the finals: "
    return before + _gap(run)


def _gap(run: Result | History) -> str:
    gap, epsilon = run.gap, run.epsilon
    if gap is None:
        return "gap unknown"
    # Where no partial program was trained, the bound is one of structural cost alone.
    guided = any(each.relaxed for each in run.evaluations)
    when, since = _settled(run) if guided and gap == 0 else ("", "")
    if epsilon:
        return f"{gap_by_heuristic(gap, when)}{since}; {gap_with(gap, epsilon)}"
    limit = "be better" if gap == 0 else f"cost less than {run.bound:.4f}"
    proviso = ", if the heuristic never overestimates" if guided else ""
    return f"gap {_number(gap)}{when}: nothing unexplored can {limit}{proviso}{since}"


def gap_by_heuristic(gap: float, when: str = "") -> str:
    """A gap, as long as the heuristic is believed."""
    return f"gap {_number(gap)} by the heuristic{when}"


def gap_with(gap: float, epsilon: float) -> str:
    """The same, if the heuristic overestimates by as much as was measured."""
    return f"{gap + epsilon:.4f} with the measured ε" + (f" of {epsilon:.4f}" if gap else "")


def _number(gap: float) -> str:
    return f"{gap:.4f}" if gap else "0"


def _settled(run: Result | History) -> tuple[str, str]:
    """When the gap was 0, and what came of going on all the same."""
    point, least = run.settled, run.incumbent
    if point is None or point.best is None or least is None:
        return "", ""
    better = point.best - least
    if better > TOLERANCE:
        since = f"; {better:.4f} better was found since"
    else:
        went_on = run.ended in ("time", "trainings", "rounds")
        since = "; nothing better was found since" if went_on else ""
    return f" after {say_time(point.seconds)}", since


def say_excess(audit: Audit) -> str:
    """What an audit found."""
    nodes = counted(audit.nodes, "node")
    if audit.violations == 0:
        text = f"the heuristic overestimated at none of the {nodes} compared"
    else:
        text = (
            f"the heuristic overestimated at {_share(audit.violations)} of {nodes}, by up "
            f"to {audit.largest:.4f}: programs that much below the gap's bound may exist"
        )
    if audit.correlation is None:
        return text
    return f"{text}; rank correlation with what was reached {audit.correlation:.2f}"


def say_faults(run: Result | History, pruned: Audit | None) -> list[str]:
    """What the audit by random completions found; and of programs that no worker could train, how
    many there are and why not the first of them."""
    lines = []
    if pruned is not None:
        lines.append(f"audit of what was left unfinished: {say_excess(pruned)}")
    if failures := [each.failure for each in run.evaluations if each.failure is not None]:
        lines.append(f"{counted(len(failures), 'program')} could not be trained: {failures[0]}")
    return lines


def _share(share: float) -> str:
    return f"{share:.0%}" if share >= 0.005 else f"{share:.1%}"


_ENDED = {
    "exhausted": "the search went through all that its settings allow",
    "finished": "the search came to its end",
    "interrupted": "interrupted",
}


def say_ended(run: Result | History) -> str:
    """Why a run ended."""
    return _ENDED.get(run.ended or "") or f"the {_limit(run)} was reached"


def _limit(run: Result | History) -> str:
    limits = run.limits
    if run.ended == "time":
        most = limits.engine_seconds
        if most is not None and run.engine_seconds >= most:
            return f"limit of {most:g} s of training"
        return f"limit of {limits.seconds:g} s"
    if run.ended == "trainings":
        return f"limit of {counted(limits.trainings, 'training')}"
    return f"limit of {counted(limits.rounds, 'round')}"


def say_trained(run: Result | History) -> str:
    """How many programs were trained, and how many of them but as probes."""
    probes = sum(each.kind == "probe" for each in run.evaluations)
    which = f", {probes} of them as probes," if probes else ""
    return f"{counted(run.trained, 'program')} trained{which}"


def say_time(seconds: float) -> str:
    """A time in the units that people would tell it in."""
    if seconds < 120:
        return f"{seconds:.3g} s"
    minutes = int(seconds // 60)
    if minutes < 120:
        return f"{minutes} min {int(seconds % 60)} s"
    return f"{minutes // 60} h {minutes % 60} min"


def counted(count: int | None, what: str) -> str:
    """So many of what there is a word for."""
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def _finals(result: Result, finals: Result) -> str:
    before = min(each.path_cost for each in result.evaluations if each.answer)
    better = result.final_cost is not None
    change = f"cost {before:.4f} before" if better else "none became better than the best was"
    again = "trained again, for longer or more often"
    return f"{again}: {counted(finals.trained, 'program')}, in {finals.seconds:.1f} s; {change}"


def _why_nothing(result: Result) -> str:
    if result.ended in ("exhausted", "finished"):
        return (
            "No complete program was trained: the search gave up all ways to one; give it a wider "
            "frontier, more children or looser constraints"
        )
    if result.ended == "interrupted":
        return "No complete program was trained before the run was interrupted; let it run longer"
    return (
        f"No complete program was found: the {_limit(result)} was reached before one was trained; "
        "allow more"
    )
