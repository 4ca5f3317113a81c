"""Templates of functions: those that can be read back, and what is wrong with the others."""

from __future__ import annotations

import re

import pytest

from nearstar.language.domain import Domain
from nearstar.language.function import record
from nearstar.language.operators import ADD
from nearstar.language.program import Apply
from nearstar.language.template import check_template, pieces
from nearstar.language.text import parse, to_text
from nearstar.util.errors import DomainError


@pytest.mark.parametrize(
    ("prints", "problem"),
    [
        ("", "begin with a word"),
        ("{0} plus {1}", "begin with a word"),
        ("({0}, {1})", "begin with a word"),
        ("0 {0} {1}", "begin with a word"),
        ("map {0} {1}", "word of the language"),
        ("x_t {0} {1}", "word of the language"),
        ("c({0}, {1})", "word of the language"),
        ("NewAffine({0}, {1})", "leaf or a window"),
        ("sel_new {0} {1}", "leaf or a window"),
        ("SlidingWindowSum3({0}, {1})", "leaf or a window"),
        ("f({0})", "each once and in this order: {0}, {1}"),
        ("f({1}, {0})", "in this order"),
        ("f({0}, {0}, {1})", "in this order"),
        ("f({0}, {1}, {2})", "in this order"),
        ("f({0}, {01})", "in this order"),
        ("f({x}, {0}, {1}, {x})", "once"),
        ("f {y} {0} {1}", "unknown place {y}"),
        ("f {w} {0} {1}", "unknown place {w}"),
        ("f{0} {1}", "space or a sign before {0}"),
        ("f {0}{1}", "space or a sign before {1}"),
        ("f {0}and {1}", "space or a sign before 'and'"),
        ("f {0} 1e5 {1}", "before 'e5'"),
        ("f {0}[{1}]", "the character '['"),
        ("f {0}. {1}", "the character '.'"),
        ("f {0} ? {1}", "the character '?'"),
        ("f { {0} {1}", "the character '{'"),
        ("f {0} \x1b {1}", "character"),
        ("f {0} ٣ {1}", "cannot have"),
    ],
)
def test_templates_that_text_could_not_be_read_by(prints: str, problem: str) -> None:
    with pytest.raises(DomainError, match=re.escape(problem)):
        check_template("f", prints, 2)


@pytest.mark.parametrize(
    "prints",
    [
        "f {0} {1}",
        "f({0},{1})",
        "f of {x} : {0} -> {1};",
        "f {0}|{1} 7",
        "f ( {0} ) ( {1} )",
        "f - {0} - 1 -{1}-",
        "f_über {0} ≥ {1}",
        "f\t{0}\n  then {1}",
        "f {0} map x_t {1} fun",
        "f ){0}( {1}",
    ],
)
def test_templates_in_use(prints: str) -> None:
    other = record(lambda a, b: a - b, "other", takes=("out", "out"), prints="other {0} 7 -{1} 7")
    function = record(lambda a, b: a + b, "f", takes=("out", "out"), prints=prints)
    domain = Domain.of_size(2).with_functions(function, other)
    signature = domain.signature(2, per_frame=False, vectors=True)
    for inner in ("const", "x", "??", "Affine(x)", "add(x, ??)", "other x 7 -x 7"):
        argument = parse(inner, domain, signature).program
        program = Apply(function, signature, (argument, argument))
        program = Apply(function, signature, (program, Apply(ADD, signature, (program, program))))
        assert parse(to_text(program), domain, signature).program == program


def test_white_space_is_one_space() -> None:
    assert pieces(" f \t{0}\n,{1} ") == pieces("f {0} ,{1}")


def test_first_words_are_distinct() -> None:
    domain = Domain.of_size(2)
    assert set(domain.by_word()) == {"if", "add", "multiply", "difference", "min", "max"}
    plus = record(lambda a, b: a + b, "plus", takes=("out", "out"), prints="add {0} to {1}")
    with pytest.raises(DomainError, match="add and plus both print 'add' first"):
        domain.with_functions(plus)
