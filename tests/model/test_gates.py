"""The ranges of gates: how far a smooth ``if`` chooses, by what the model computes."""

from __future__ import annotations

import numpy as np
import pytest

import nearstar as ns
from nearstar.cli.show import _facts
from nearstar.language.operators import HARD
from nearstar.model.explain import blend_of, gates_of
from nearstar.model.explain.gates import Blend
from nearstar.model.explain.program_parts import parts_of
from nearstar.report.words import lines_of
from nearstar.run.results.models import model_of

CHOICE = "if Affine{a}[2; 1](x_t) > 0 then Affine{b}[1; 0](x_t) else Affine{b}[-1; 0](x_t)"


def data(n: int = 40, length: int = 12) -> ns.Sequences:
    frames = np.random.default_rng(0).normal(size=(n, length, 2))
    codes = np.where(frames[..., 0] > 0.3, frames[..., 1] > 0, frames[..., 1] < 0).astype(int)
    names = ("other", "it")
    return ns.Sequences.from_arrays(frames, codes, feature_names=("a", "b"), class_names=names)


def domain(beta: float) -> ns.Domain:
    return ns.Domain("d", ("a", "b"), vectors=("if", "Affine{a}", "Affine{b}"), beta=beta)


def fitted(beta: float) -> tuple[ns.Model, ns.Task]:
    task = ns.Task(data().subset(range(20)), data().subset(range(20, 40)))
    text = f"map (fun x_t. {CHOICE}) x"
    program = ns.parse(text, domain(beta), task.signature()).program
    trained = ns.train(program, task, ns.Budget(symbolic_steps=40))
    return model_of(trained, task, domain(beta), ("other", "it"), provenance={}), task


@pytest.mark.parametrize("beta", [1.0, 5.0])
def test_nine_of_ten_gates_are_in_the_range_that_is_told(beta: float) -> None:
    model, task = fitted(beta)
    (_, choice), *_ = [each for each in parts_of(model).items() if each[1].temperature]
    blend = blend_of(model, choice)
    assert blend is not None and blend.of == "frames"
    gates = model.explain(task.valid)["2 if: gate"]
    inside = ((gates >= blend.least - 0.001) & (gates <= blend.most + 0.001)).mean()
    assert inside > 0.87
    assert inside < 0.93 or (blend.least, blend.most) == (0, 1)  # as good as hard
    low, high = (f"{100 * each:.0f} %" for each in (blend.least, blend.most))
    told = f"a blend, not a choice: between {low} and {high} of the first on 9 of 10 frames"
    assert blend.words == told
    assert lines_of(model)[choice.path].words.endswith(f"; {told}")
    assert f"the if is {told}" in _facts(model)


def test_a_file_keeps_them_and_one_without_them_opens(tmp_path: object) -> None:
    model, task = fitted(1.0)
    model.save(f"{tmp_path}/model.json")
    again = ns.Model.load(f"{tmp_path}/model.json")
    assert again.facts == model.facts
    assert gates_of(again, task.valid) == again.facts["provenance"]["gates"]
    plain = ns.Model(model.program, model.theta, model.domain, model.class_names, model.scale)
    plain.save(f"{tmp_path}/plain.json")
    opened = ns.Model.load(f"{tmp_path}/plain.json")
    words = [line.words for line in lines_of(opened).values()]
    assert "blend" not in "".join([*_facts(opened), *words])


def test_hard_ifs_have_none_and_what_changes_them_changes_the_range() -> None:
    hard, _ = fitted(HARD)
    assert "gates" not in hard.facts["provenance"]
    assert "blend" not in "".join(_facts(hard))
    model, task = fitted(1.0)
    sharper = ns.harden(model, task.valid, beta=50.0).model
    assert sharper.facts["provenance"]["gates"] == gates_of(sharper, task.valid)
    assert sharper.facts["provenance"]["gates"] != model.facts["provenance"]["gates"]
    assert "gates" not in ns.harden(model, task.valid, beta=HARD).model.facts["provenance"]


def test_of_whole_sequences_it_is_the_gate_at_their_end() -> None:
    text = f"SlidingWindowAverage3({CHOICE.replace('x_t', 'x')})"
    own = domain(1.0)
    model = ns.Model.from_text(text, own, own.signature(1, per_frame=False), ("a", "b"))
    sequences = data()
    found = gates_of(model, sequences)
    table = model.explain(sequences)
    (name,) = [column for column in table.columns if column.endswith(": gate")]
    ends = table.groupby("sequence").tail(1)[name]
    assert found == {"2": np.quantile(ends, [0.05, 0.95]).round(3).tolist()}


@pytest.mark.parametrize(
    ("least", "most", "words"),
    [
        (0.12, 0.93, "a blend, not a choice: between 12 % and 93 % of the first on 9 of 10 rows"),
        (0.47, 0.471, "a blend, not a choice: 47 % of the first on 9 of 10 rows"),
        (0.998, 1.0, "as good as one of its branches: 100 % of the first on 9 of 10 rows"),
    ],
)
def test_in_words(least: float, most: float, words: str) -> None:
    assert Blend(least, most, "rows").words == words
