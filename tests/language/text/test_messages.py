"""What the parser says about typical mistakes, and where it points."""

from __future__ import annotations

import pytest
from strategies import rich_domain

from nearstar.language.domain import Domain
from nearstar.language.text import parse
from nearstar.language.text.tokens import pointing
from nearstar.util.errors import TextError

CRIM13 = Domain.built_in("crim13")
SNIFF = CRIM13.signature(1, per_frame=True)

# A mistake, with ⟦ before the place that the caret should be under, and parts of what is said.
MISTAKES = [
    ("⟦", ["the end of the text", "sequence → sequence", "map, mapprefix", "??"]),
    ("map⟦  ", ["expected '('", "map (fun x_t. …) x", "the end of the text"]),
    ("map (fun x_t. ⟦PostionAffine(x_t)) x", ["did you mean PositionAffine?", "vector → vector"]),
    ("map (fun x_t. ⟦positionaffine(x_t)) x", ["did you mean PositionAffine?"]),
    ("map (fun x_t. ⟦x_y) x", ["did you mean x_t?"]),
    ("map (fun x_t. ⟦map (fun y. ??) x_t) x", ["map gives a sequence", "if, add, multiply"]),
    ("map (fun x_t. ⟦fold (fun y. ??) c x_t) x", ["fold makes one vector of a sequence"]),
    (
        "mapprefix (fun x_t. ⟦AngleAffine(x_t)) x",
        ["is a function of vectors", "if, fold, memory, "],
    ),
    ("mapprefix (fun x_t. ⟦x_t) x", ["x_t is a sequence", "sequence → vector"]),
    ("map (fun x_t. ⟦x_t) x", ["x_t has 19 numbers", "of 1 number is expected"]),
    ("map (fun x_t. ⟦sel_position x_t) x", ["sel_position gives 4 numbers"]),
    ("map (fun x_t. AngleAffine(⟦x)) x", ["expected the variable x_t", "not the innermost"]),
    ("map (fun x_t. ⟦x) x", ["expected the variable x_t", "not the innermost"]),
    ("map (fun x_t. AngleAffine(⟦y)) x", ["expected the variable x_t", "found 'y'"]),
    ("map (fun x_t. ??) ⟦x_t", ["expected the variable x", "found 'x_t'"]),
    ("mapprefix (fun s. fold (fun e. ??) c ⟦x) x", ["expected the variable s"]),
    ("map (fun ⟦if. ??) x", ["variable's name", "'if' has another meaning"]),
    ("map (fun ⟦c. ??) x", ["variable's name"]),
    ("map (fun ⟦AngleAffine. ??) x", ["variable's name"]),
    ("map (fun ⟦SlidingWindowMax9999999. ??) x", ["variable's name"]),
    ("map (fun ⟦3. ??) x", ["variable's name", "found '3.'"]),
    ("map (fun x_t⟦ ??) x", ["expected '.'"]),
    ("map (fun x_t. if ?? > 0 ⟦the ?? else ??) x", ["expected 'then'", "if … > 0 then … else …"]),
    ("map (fun x_t. if ?? > ⟦1 then ?? else ??) x", ["expected '0'", "found '1'"]),
    ("map (fun x_t. add(??⟦ ??)) x", ["expected ','", "add(…, …)"]),
    ("map (fun x_t. add(??, (??⟦, ??)) x", ["expected ')'", "close the parenthesis"]),
    ("map (fun x_t. AngleAffine((x_t⟦, ??)) x", ["expected ')'", "close the parenthesis"]),
    ("map (fun x_t. ??⟦", ["expected ')'", "found the end of the text"]),
    ("map (fun x_t. ??) x⟦) x", ["the program ends before ')'"]),
    ("map (fun x_t. ⟦#) x", ["found '#'", "expected"]),
    ("map (fun x_t. ⟦?) x", ["found '?'", "?? for a hole"]),
    ("map (fun x_t. ⟦CentredWindowMax4(??)) x", ["odd size"]),
    ("map (fun x_t. ⟦SlidingWindowMax9999999(??)) x", ["size is from 1 to 1000000"]),
    ("mapprefix (fun s. fold (fun e. ??) ⟦s) x", ["expected 'c' or '0'", "fold (fun x_t. …) c s"]),
    ("map (fun x_t. DistAffine[1⟦](x_t)) x", ["expected ';'", "DistAffine[w1; b]", "found ']'"]),
    ("map (fun x_t. DistAffine[1⟦, 2; 3](x_t)) x", ["expected ';'", "found ','"]),
    ("map (fun x_t. DistAffine[1; 2⟦ | 3; 4](x_t)) x", ["expected ']'"]),
    ("map (fun x_t. Affine[1⟦; 2](x_t)) x", ["expected ','", "Affine[w1, …, w19; b]"]),
    ("map (fun x_t. const[⟦]) x", ["expected a finite number"]),
    ("map (fun x_t. const[⟦nan]) x", ["expected a finite number", "'nan'"]),
    ("map (fun x_t. const[-⟦inf]) x", ["expected a finite number", "'inf'"]),
    ("map (fun x_t. const[-⟦-1]) x", ["expected a finite number"]),
    ("map (fun x_t. const[⟦1e999]) x", ["too large"]),
    (
        "map (fun x_t. add(⟦const, const[1])) x",
        ["const has no parameters", "all leaves or in none"],
    ),
    ("map (fun x_t. add(const[1], ⟦const)) x", ["const has no parameters"]),
    ("map (fun x_t. add(⟦const, add(const, const[1]))) x", ["const has no parameters"]),
    ("map (fun x_t.\n\tadd(const,\n\t ⟦cnst)) x", ["line 3, column 3", "did you mean const?"]),
]


def pointed_at(message: str) -> tuple[int, int, str]:
    """Line and column as said, and the text that the caret stands under."""
    header, line, caret = message.split("\n")
    where = header.split(":")[0].replace(",", "").split()
    return int(where[1]), int(where[3]), line[caret.index("^") :]


@pytest.mark.parametrize(("marked", "said"), MISTAKES)
def test_mistakes(marked: str, said: list[str]) -> None:
    before, after = marked.split("⟦")
    with pytest.raises(TextError) as raised:
        parse(before + after, CRIM13, SNIFF)
    message = str(raised.value)
    assert all(part in message for part in said), message
    # A mark right after a token points at the next one, if there is one.
    if after.strip():
        before, after = before + after[: len(after) - len(after.lstrip())], after.lstrip()
    else:
        after = ""
    line, column, shown = pointed_at(message)
    assert line == before.count("\n") + 1
    assert column == len(before.rpartition("\n")[2]) + 1
    assert shown.rstrip() == after.split("\n")[0].rstrip()


def test_a_function_is_known_by_what_it_prints() -> None:
    domain = rich_domain()
    with pytest.raises(TextError, match="write gap <…, …> for it"):
        parse("map (fun x_t. manhattan(??, ??)) x", domain, domain.signature(1, per_frame=True))
    with pytest.raises(TextError, match="squares gives 1 number, but"):
        parse("map (fun x_t. squares of x_t) x", domain, domain.signature(2, per_frame=True))


def test_features_that_the_input_does_not_have() -> None:
    narrow = rich_domain(n_features=2).signature(1, per_frame=True)
    with pytest.raises(TextError, match="reads feature 3, counted from 0, of only 2"):
        parse("map (fun x_t. FarRightAffine(x_t)) x", rich_domain(), narrow)


def test_long_lines_are_cut_around_the_caret() -> None:
    text = "first\n" + "a" * 500 + "B" + "c" * 500 + "\nlast"
    line, column, shown = pointed_at(pointing(text, 506, "problem"))
    assert (line, column) == (2, 501)
    assert shown.startswith("Bccc")
    assert shown.endswith("…")
    assert max(map(len, pointing(text, 506, "problem").split("\n"))) < 110


def test_unprintable_characters_do_not_move_the_caret() -> None:
    assert pointed_at(pointing("\t\x1b[31m\ud800\rX", 8, "problem")) == (1, 9, "X")
