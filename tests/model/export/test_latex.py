"""LaTeX that is well formed, whatever the names are, and says what the program is."""

from __future__ import annotations

import re

from hypothesis import given, settings
from hypothesis import strategies as st
from model.export.cases import Case, cases, every_construct, every_primitive, of_function

from nearstar import Domain, Model
from nearstar.language.expression import MAX_HEIGHT, Expression, mix
from nearstar.language.function import record
from nearstar.language.operators import HARD
from nearstar.model.export import export

_TOKEN = re.compile(r"\\(?:begin|end)\{[a-z]+\*?\}|\\[A-Za-z]+|\\.|[{}$&#_^%~]|[^\\]", re.DOTALL)
_COMMANDS = {
    *("text", "operatorname", "left", "right", "mapsto", "quad", "frac", "sqrt", "cdot", "max"),
    *("min", "tanh", "sigma", "exp", "log", "arg", "iff", "textbackslash", "textasciicircum"),
    "textasciitilde",
}


def check_form(latex: str) -> None:
    """Braces, environments and \\left … \\right are nested properly; nothing else is special."""
    first, _, rest = latex.partition("\n")
    assert first == r"% Needs \usepackage{amsmath}."
    open_: list[str] = []
    columns = 0
    tokens = _TOKEN.findall(rest)
    assert "".join(tokens) == rest
    for before, token in zip(["", *tokens], tokens, strict=False):
        if token.startswith(r"\begin"):
            open_.append(token[6:])
            columns = 0 if token == r"\begin{align*}" else columns
        elif token.startswith(r"\end"):
            assert open_.pop() == token[4:]
        elif token in ("{", r"\left"):
            open_.append(token)
        elif token in ("}", r"\right"):
            assert open_.pop() == {"}": "{", r"\right": r"\left"}[token]
        elif token == "&":
            assert open_[-1] in ("{align*}", "{cases}")
            columns += open_[-1] == "{align*}"
        elif token == r"\\":
            assert open_[-1] in ("{align*}", "{cases}")
            assert open_[-1] == "{cases}" or columns == 1
            columns = columns if open_[-1] == "{cases}" else 0
        elif re.fullmatch(r"\\[A-Za-z]+", token):
            assert token[1:] in _COMMANDS
        else:
            assert token not in tuple("$#%~"), before
            assert token not in ("_", "^") or before != token
    assert open_ == [] and columns == 1


@settings(max_examples=60)
@given(cases())
def test_it_is_well_formed(case: Case) -> None:
    check_form(str(export(case.model, "latex")))


def test_every_construct() -> None:
    for case in [*every_construct(), *every_primitive()]:
        check_form(str(export(case.model, "latex")))


@settings(max_examples=60)
@given(
    st.lists(st.text(), min_size=2, max_size=2, unique=True),
    st.lists(st.text(), min_size=3, max_size=3),
)
def test_any_names_are_text(features: list[str], classes: list[str]) -> None:
    domain = Domain("odd", tuple(features))
    signature = domain.signature(3, per_frame=True)
    text = "map (fun x_t. Affine[1, 2; 4 | 0, 0; 0 | -1, -2; -3](x_t)) x"
    check_form(str(export(Model.from_text(text, domain, signature, tuple(classes)), "latex")))


def test_what_it_says() -> None:
    domain = Domain("arena", ("distance_mm", "100%"), beta=2.5)
    signature = domain.signature(1, per_frame=True)
    text = (
        "map (fun x_t. if Affine[.306, -2e-7; -2.78](x_t) > 0 then Affine[1, 2; 0](x_t) "
        "else Affine[-1, 0; 12345.678](x_t)) x"
    )
    latex = str(export(Model.from_text(text, domain, signature, ("no", "yes")), "latex"))
    for part in (
        r"\begin{cases} \operatorname{Affine}_{4}(x_t) & "
        r"\text{if } \operatorname{Affine}_{3}(x_t) > 0 \\ \operatorname{Affine}_{5}(x_t) &",
        r"\operatorname{Affine}_{3}(x) &= 0.306\,\text{distance\_mm} "
        r"- 2 \cdot 10^{-7}\,\text{100\%} - 2.78",
        r"\operatorname{Affine}_{5}(x) &= -1\,\text{distance\_mm} + 0\,\text{100\%} + 12350",
        r"\operatorname{program}(x) > 0 &\iff \text{yes}",
        r"g = \frac{1}{1 + e^{-2.5\,s}}",
    ):
        assert part in latex


def test_names_of_classes_are_text() -> None:
    names = ("no", "50 % {sure}")
    domain = Domain.of_features(("gap",), {}, classes=names, beta=HARD)
    signature = domain.signature(1, per_frame=False, vectors=True)
    text = 'if gap > 3 then "50 % {sure}" else '
    latex = str(export(Model.from_text(text + "no", domain, signature, names), "latex"))
    cases = r"\begin{cases} \text{50 \% \{sure\}} & \text{if } \text{gap} > 3 \\ "
    assert cases + r"\text{no} & \text{otherwise} \end{cases}" in latex
    assert "iff" not in latex and "arg" not in latex
    # Beside numbers, names have to be numbers, too.
    latex = str(export(Model.from_text(text + "(2·gap - 1)", domain, signature, names), "latex"))
    assert r"> 0 &\iff \text{50 \% \{sure\}}" in latex and r"\text{50 \% \{sure\}} &= 1" in latex


def test_memories_say_what_they_are() -> None:
    domain = Domain.of_size(1, summaries=("memory", "if"), vectors=("Affine",))
    body = "memory[{}] (fun x_t. Affine[1; 2](x_t)) x"
    text = f"if {body.format(3.5)} > 0 then {body.format(20)} else {body.format(1e6)}"
    signature = domain.signature(1, per_frame=False)
    latex = str(export(Model.from_text(text, domain, signature, ("no", "yes")), "latex"))
    check_form(latex)
    for part in (
        r"\operatorname{memory}_{2}\left(x_t \mapsto \operatorname{Affine}_{3}(x_t)\right)(x) > 0",
        r"\operatorname{memory}_{2}(f)(x) &= m_n, \quad m_1 = f(x_1), \quad "
        r"m_t = r\,m_{t-1} + (1 - r)\,f(x_t), \quad r = 2^{-1 / h}, \quad h = 3.5",
        r"\operatorname{memory}_{4}(f)(x) &=",
    ):
        assert part in latex


def test_a_function_that_mixes_in_every_level_stays_short() -> None:
    def deep(a: Expression) -> Expression:
        while a.height < MAX_HEIGHT:
            a = mix(a, 1.0, 0.0)
        return a

    latex = str(export(of_function(record(deep, "deep", takes=("out",))).model, "latex"))
    assert len(latex) < 10_000
    assert r"\operatorname{mix}(g, u, v) &= g\,u + (1 - g)\,v" in latex
