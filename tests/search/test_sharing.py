"""Sources share the time by what they have brought, and none is left without."""

from __future__ import annotations

from small_grammars import A

from nearstar.language.operators import Select
from nearstar.language.program import Apply
from nearstar.language.types import Signature, Vector
from nearstar.search.protocol import Node, Score
from nearstar.search.sharing import Sharing

LEAF = Node(Apply(Select(A), Signature(Vector(1), Vector(1))), None, g=0.0)
CHEAP, DEAR = Score(0.5, stages=(0.5,)), Score(0.5, stages=(0.5,) * 4)


def turns(sharing: Sharing, scores: dict[str, Score], gains: dict[str, float], n: int) -> list[str]:
    taken = []
    for _ in range(n):
        source = sharing.next(scores)
        sharing.take(source)
        sharing.charge(source, LEAF, scores[source])
        sharing.gain(source, gains.get(source, 0.0))
        sharing.end_round()
        taken.append(source)
    return taken


def test_where_nothing_is_brought_all_cost_the_same() -> None:
    """What costs fifteen times as much has as many turns fewer."""
    taken = turns(Sharing(), {"cheap": CHEAP, "dear": DEAR}, {}, 1000)
    assert 10 < taken.count("cheap") / taken.count("dear") < 20


def test_what_brings_something_has_more_turns_and_the_others_some() -> None:
    taken = turns(Sharing(), {"good": DEAR, "idle": DEAR}, {"good": 0.05}, 1000)
    assert 2 < taken.count("good") / taken.count("idle") < 8


def test_what_was_brought_long_ago_is_forgotten() -> None:
    sharing, scores = Sharing(), {"once": DEAR, "never": DEAR}
    turns(sharing, scores, {"once": 0.05}, 100)
    turns(sharing, scores, {}, 1000)
    taken = turns(sharing, scores, {}, 200)
    assert abs(taken.count("once") - taken.count("never")) < 20
