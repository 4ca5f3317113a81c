"""Programs as values: laws of walking and replacing, typing, equality."""

from __future__ import annotations

import copy
import os
import pickle
import subprocess
import sys
from itertools import pairwise, takewhile

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import USER_FUNCTIONS, domains, programs, rich_domain, signatures

from nearstar.language.domain import Domain
from nearstar.language.operators import (
    ADD,
    Affine,
    Constant,
    Fold,
    Input,
    Map,
    MapPrefix,
    Memory,
    Window,
)
from nearstar.language.program import (
    MAX_HEIGHT,
    Apply,
    Hole,
    Program,
    applied,
    begun,
    completes,
    first_hole,
    holes,
    is_begun,
    is_complete,
    node_at,
    open_up,
    replace,
    walk,
)
from nearstar.language.text import parse, to_text
from nearstar.language.types import Sequence, Signature, Vector
from nearstar.util.errors import ProgramError

RICH = rich_domain()


@st.composite
def sketches(draw: st.DrawFn, max_size: int = 12) -> tuple[Domain, Program]:
    """Programs of random domains, some places left open."""
    domain = draw(domains())
    grammar = domain.grammar(draw(signatures(domain)))
    return domain, draw(programs(grammar, max_size, holes=True))


@given(sketches())
def test_walking_visits_every_node_once_in_the_order_of_the_derivation(case) -> None:
    _, program = case
    visited = list(walk(program))
    paths = [path for path, _ in visited]
    assert paths == sorted(set(paths))  # depth first and leftmost is the order of the paths
    assert all(node_at(program, path) is node for path, node in visited)
    below = sum(len(node.arguments) for _, node in visited)
    assert paths[0] == () and len(paths) == 1 + below

    open_paths = [path for path, node in visited if isinstance(node, Hole)]
    inner_paths = [path for path, node in visited if isinstance(node, Apply)]
    assert (program.size, program.n_holes) == (len(inner_paths), len(open_paths))
    assert program.height == max((len(path) + 1 for path in inner_paths), default=0)
    assert first_hole(program) == min(open_paths, default=None)
    assert is_complete(program) == (not open_paths)
    assert holes(program) == [node_at(program, path) for path in open_paths]
    assert applied(program) == [node_at(program, path) for path in inner_paths]


@given(sketches())
def test_a_derivation_step_by_step(case) -> None:
    """From a single hole, each step expands the leftmost one, of which the last has a rule."""
    domain, program = case
    nodes = [node for _, node in walk(program)]
    before_a_hole = list(takewhile(lambda node: isinstance(node, Apply), nodes))
    assert is_begun(program) == (len(before_a_hole) == program.size)
    program = begun(program, len(before_a_hole))
    steps = [begun(program, rules) for rules in range(program.size + 1)]
    assert all(map(is_begun, steps))
    assert steps[0] == Hole(program.signature) and steps[-1] == program
    grammar = domain.grammar(program.signature)
    for before, after in pairwise(steps):
        if is_complete(program):
            assert after in grammar.expansions(before)
        assert completes(after, before) and after.size == before.size + 1


@given(sketches(), st.data())
def test_replacing(case, data: st.DataObject) -> None:
    _, program = case
    path, old = data.draw(st.sampled_from(list(walk(program))))
    assert replace(program, path, old) == program
    hole = Hole(old.signature)
    opened = replace(program, path, hole)
    assert node_at(opened, path) is hole
    assert opened.size == program.size - old.size
    assert opened.n_holes == program.n_holes - old.n_holes + 1
    assert replace(opened, path, old) == program
    for other, node in walk(program):
        beside = other[: len(path)] != path and path[: len(other)] != other
        if beside:
            assert node_at(opened, other) is node  # shared, not copied
    with pytest.raises(ProgramError, match="below a hole"):
        replace(opened, (*path, 0), hole)


@given(sketches(), st.data())
def test_ill_typed_programs_cannot_be_made(case, data: st.DataObject) -> None:
    _, program = case
    nodes = [(path, node) for path, node in walk(program) if path]
    if not nodes:
        return
    path, node = data.draw(st.sampled_from(nodes))
    other = data.draw(signatures(RICH))
    parent = node_at(program, path[:-1])
    assert isinstance(parent, Apply)
    if other != node.signature:
        with pytest.raises(ProgramError, match="takes arguments of the types"):
            replace(program, path, Hole(other))
    for wrong in (parent.arguments[1:], (*parent.arguments, node)):
        with pytest.raises(ProgramError, match="takes arguments of the types"):
            Apply(parent.operation, parent.signature, wrong)


KINDS = {
    "sequences": Signature(Sequence(4), Sequence(2)),
    "summaries": Signature(Sequence(4), Vector(2)),
    "vectors": Signature(Vector(4), Vector(2)),
    "in a fold": Signature(Vector(4), Vector(2), carried=2),
}


@pytest.mark.parametrize(
    ("operation", "kinds"),
    [
        (Map(), {"sequences"}),
        (MapPrefix(), {"sequences"}),
        (Fold(), {"summaries"}),
        (Memory(), {"summaries"}),
        (Window("Average", 5), {"summaries"}),
        (Affine(), {"vectors", "in a fold"}),
        (Constant(), {"vectors", "in a fold"}),
        (RICH.operation("sel_left"), {"vectors", "in a fold"}),
        (RICH.operation("sel_far_right"), set()),
        (Input(), set()),
        (ADD, {"vectors", "in a fold"}),
        (RICH.operation("if"), set(KINDS)),
        (RICH.operation("blend"), set(KINDS)),
        (RICH.operation("manhattan"), set()),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_where_operations_may_stand(operation, kinds: set[str]) -> None:
    for kind, signature in KINDS.items():
        if kind in kinds:
            assert is_complete(open_up(operation, signature)) == (
                operation.arguments(signature) == ()
            )
        else:
            for make in (open_up, Apply):
                with pytest.raises(ProgramError, match="cannot have the type"):
                    make(operation, signature)


def test_the_variable_is_itself_with_the_accumulator() -> None:
    for signature, fits in (
        (Signature(Sequence(3), Sequence(3)), True),
        (Signature(Vector(3), Vector(3)), True),
        (Signature(Sequence(3), Vector(3)), False),
        (Signature(Vector(3), Vector(3), carried=2), False),
        (Signature(Vector(3), Vector(5), carried=2), True),
    ):
        assert (Input().arguments(signature) == ()) == fits


def test_height_is_limited() -> None:
    signature = Signature(Vector(2), Vector(1))
    leaf = program = Apply(Affine(), signature)
    for _ in range(MAX_HEIGHT - 1):
        program = Apply(ADD, signature, (program, leaf))
    assert program.height == MAX_HEIGHT
    with pytest.raises(ProgramError, match="at most 100 levels"):
        Apply(ADD, signature, (leaf, program))


@given(sketches(max_size=3), st.data())
def test_equal_by_structure(case, data: st.DataObject) -> None:
    domain, program = case
    again = Domain.from_dict(domain.to_dict())  # its operations are equal, and other objects
    read = parse(to_text(program), again, program.signature).program
    assert read == program and hash(read) == hash(program)
    other = data.draw(programs(domain.grammar(program.signature), 3, holes=True))
    assert (other == program) == (to_text(other) == to_text(program))


@pytest.mark.slow
def test_programs_are_found_in_tables_of_another_process() -> None:
    grammar = RICH.grammar(Signature(Sequence(4), Sequence(2)))
    levels = [grammar.expansions(Hole(grammar.root))]
    for _ in range(2):
        levels.append([child for each in levels[-1] for child in grammar.expansions(each)])
    programs = [program for level in levels for program in level]
    costs = {program: grammar.cost(program) for program in programs}
    productions = {program.production for program in programs}
    assert {user.name for user in USER_FUNCTIONS} & {
        node.operation.name for program in programs for node in applied(program)
    }
    script = (
        "import pickle, sys\n"
        "grammar, costs, productions, programs = pickle.load(sys.stdin.buffer)\n"
        "assert {each.production for each in programs} == productions\n"
        "remade = [child for each in programs for child in grammar.expansions(each)]\n"
        "remade = [each for each in remade if each.size <= 3]\n"
        "assert all(costs[each] == grammar.cost(each) for each in programs + remade)\n"
        "pickle.dump((costs, remade), sys.stdout.buffer)\n"
    )
    for seed in ("1", "2"):  # one of them, at least, is not that of this process
        done = subprocess.run(
            [sys.executable, "-c", script],
            input=pickle.dumps((grammar, costs, productions, programs)),
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
        )
        assert not done.returncode, done.stderr.decode()
        back, remade = pickle.loads(done.stdout)
        assert back == costs and {*remade, *levels[0]} == set(programs)


def test_copies_of_the_highest_programs() -> None:
    signature = Signature(Vector(2), Vector(1))
    leaf = program = Apply(Affine(), signature)
    for _ in range(MAX_HEIGHT - 1):
        program = Apply(ADD, signature, (program, leaf))
    for made in (pickle.loads(pickle.dumps(program)), copy.deepcopy(program)):
        assert made == program and hash(made) == hash(program)


def test_another_type_or_temperature_is_another_program() -> None:
    narrow, wide = (Apply(Affine(), Signature(Vector(n), Vector(1))) for n in (2, 3))
    assert narrow != wide
    signature = Signature(Vector(2), Vector(1))
    mild, steep = (
        open_up(Domain.of_size(2, beta=beta).operation("if"), signature) for beta in (1.0, 2.0)
    )
    assert mild != steep


@pytest.mark.parametrize("outputs", [1, 2, 3])
@pytest.mark.parametrize("accumulator", [0, 1, 2, 3])
def test_an_accumulator_has_room_for_the_result(accumulator: int, outputs: int) -> None:
    size = max(accumulator, outputs)
    (body,) = Fold(accumulator).arguments(Signature(Sequence(4), Vector(outputs)))
    assert body == Signature(Vector(4), Vector(size), carried=size)


@given(sketches())
def test_folds_carry_their_accumulator_down(case) -> None:
    domain, program = case
    n_features = len(domain.features)
    for path, node in walk(program):
        above = [node_at(program, path[:end]) for end in range(len(path))]
        folds = [
            each for each in above if isinstance(each, Apply) and each.operation.name == "fold"
        ]
        expected = 0
        if folds:
            expected = max(domain.accumulator, folds[-1].signature.output.size)
            if above[-1] is folds[-1]:
                assert node.signature.output == Vector(expected)
        assert node.signature.carried == expected
        assert node.signature.input.size == n_features
