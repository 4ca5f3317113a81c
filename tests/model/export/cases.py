"""Models with data to run them on: random ones, and a list that has every construct in it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import naive
import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray
from strategies import domains, programs, rich_domain, signatures

from nearstar import Domain, Model, Scale, Sequences, parse
from nearstar.language.deciding import classes_named, with_names
from nearstar.language.expression import primitive
from nearstar.language.function import Function, record
from nearstar.language.operators import HARD, Affine
from nearstar.language.parameters import layout, unscaled
from nearstar.language.primitives import PRIMITIVES
from nearstar.language.program import Apply, Program
from nearstar.language.reductions import REDUCTIONS
from nearstar.language.shortening import as_printed
from nearstar.language.thresholds import with_thresholds
from nearstar.training.starting import initial


@dataclass(frozen=True)
class Case:
    """A model with parameters that nobody trained, and data in units of their own."""

    model: Model
    data: Sequences

    @property
    def inputs(self) -> list[NDArray[np.float32]]:
        """What the program takes, one at a time: sequences, or all vectors at once."""
        if self.data.vectors:
            return [self.data.frames]
        return [self.data.sequence(i) for i in range(len(self.data))]

    def expected(self) -> tuple[NDArray[np.float64], float]:
        """Outputs by the naive interpreter, in the order of the data, and the peak on the way."""
        program, theta = self.model.program, self.model.theta
        sequences = self.data.frames if self.data.vectors else self.inputs
        results = [naive.run(program, theta, sequence) for sequence in sequences]
        values = np.concatenate([np.atleast_2d(result.value) for result in results])
        return values, max(result.peak for result in results)


def case_of(
    domain: Domain,
    program: Program,
    random: np.random.Generator,
    lengths: list[int],
    *,
    offset: float = 0.0,
    **more: object,
) -> Case:
    """The case that a generator of random numbers decides."""
    n, outputs = len(domain.features), program.signature.output.size
    scale = Scale(offset + random.normal(size=n), np.exp(random.normal(size=n)))
    blocks = layout(program)
    theta = unscaled(blocks, initial(blocks, int(random.integers(1000))), scale)
    theta = with_names(program, theta)
    names = classes_named(program) or tuple(f"class {k}" for k in range(max(outputs, 2)))
    model = Model(program, theta, domain, names, scale, **more)  # type: ignore[arg-type]
    X = [scale.mean + scale.std * random.normal(size=(length, n)) for length in lengths]
    vectors = program.signature.maps_vectors
    return Case(model, Sequences.from_arrays(np.concatenate(X) if vectors else X))


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Complete programs of every type; sometimes with offsets."""
    domain = draw(domains())
    signature = draw(signatures(domain))
    program = draw(programs(domain.grammar(signature), 10))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    lengths = draw(st.lists(st.integers(1, 12), min_size=1, max_size=4))
    shifted = draw(st.booleans()) and not classes_named(program)
    offsets = random.normal(size=signature.output.size) if shifted else None
    return case_of(domain, program, random, lengths, offsets=offsets)


VECTORS = (
    "Affine(x)",
    "LeftAffine(x)",
    "const",
    "sel_left x",
    "if FarRightAffine(x) > 0 then LeftAffine(x) else const",
    "add(multiply(LeftAffine(x), Affine(x)), difference(const, Affine(x)))",
    "min(max(LeftAffine(x), FarRightAffine(x)), const)",
    "ratio LeftAffine(x) over Affine(x)",
    "blend(LeftAffine(x), if gap <sel_left x, Affine(x)> > 0 then Affine(x) else const)",
    "if squares of x > 0 then Affine(x) else scaled(LeftAffine(x)) by x / 1",
)
"""vector → vector, of two outputs."""
SUMMARIES = (
    *(
        f"{where}Window{reduction}{size}({body})"
        for where, size in (("Sliding", 4), ("Centred", 5), ("Sliding", 1), ("Centred", 1))
        for reduction in REDUCTIONS
        for body in ("Affine(x)",)
    ),
    "SlidingWindowAverage10(if FarRightAffine(x) > 0 then sel_left x else const)",
    "CentredWindowMax3(scaled(LeftAffine(x)) by x / 1)",
    "fold (fun x_t. Affine(x_t)) c x",
    "fold (fun x_t. const) c x",
    "fold (fun x_t. if LeftAffine(x_t) > 0 then multiply(Affine(x_t), const) else Affine(x_t)) c x",
    "if fold (fun x_t. Affine(x_t)) c x > 0 then SlidingWindowMin3(Affine(x)) "
    "else CentredWindowAverage7(const)",
    "memory (fun x_t. Affine(x_t)) x",
    "memory (fun x_t. const) x",
    "memory (fun x_t. if squares of x_t > 0 then sel_left x_t else LeftAffine(x_t)) x",
    "if memory (fun x_t. Affine(x_t)) x > 0 then memory (fun x_t. multiply(Affine(x_t), const)) x "
    "else memory (fun x_t. sel_left x_t) x",
    "blend(SlidingWindowAverage3(const), fold (fun x_t. scaled(Affine(x_t)) by x_t / 1) c x)",
)
"""sequence → vector, of two outputs."""
SEQUENCES = (
    *(f"map (fun x_t. {text.replace('x)', 'x_t)')}) x" for text in VECTORS[:3]),
    "map (fun x_t. if squares of x_t > 0 then Affine(x_t) else sel_left x_t) x",
    *(f"mapprefix (fun x_t. {text}) x" for text in ("CentredWindowAverage5(const)",)),
    "if CentredWindowAverage5(Affine(x)) > 0 then map (fun x_t. Affine(x_t)) x "
    "else mapprefix (fun x_t. fold (fun x_i. Affine(x_i)) c x_t) x",
    "if memory (fun x_t. Affine(x_t)) x > 0 then map (fun x_t. Affine(x_t)) x "
    "else mapprefix (fun x_t. memory (fun x_i. Affine(x_i)) x_t) x",
    "blend(map (fun x_t. const) x, mapprefix (fun x_t. SlidingWindowChange3(Affine(x_t))) x)",
    "if fold (fun x_t. Affine(x_t)) c x > 0 then map (fun x_t. const) x "
    "else map (fun x_t. const) x",
)
"""sequence → sequence, of two outputs; with those below, every summary at every position."""


def every_construct(lengths: tuple[int, ...] = (1, 2, 7, 30)) -> list[Case]:
    """A case for every construct of the language, everywhere it may stand."""
    random = np.random.default_rng(0)
    found = []
    for accumulator in (0, 3):
        domain = rich_domain(accumulator)
        texts = [(text, domain.signature(2, per_frame=True)) for text in SEQUENCES]
        for text in SUMMARIES:
            texts.append((text, domain.signature(2, per_frame=False)))
            # Names of variables are free; what stood for the sequence stands for its prefix.
            texts.append((f"mapprefix (fun x. {text}) x", domain.signature(2, per_frame=True)))
        if not accumulator:
            vectors = domain.signature(2, per_frame=False, vectors=True)
            texts += [(text, vectors) for text in VECTORS]
            both = Domain.of_size(2, sequences=("x", "map"), vectors=("x", "affine", "add"))
            for signature in (
                both.signature(2, per_frame=True),
                both.signature(2, per_frame=False, vectors=True),
            ):
                program = parse("x", both, signature).program
                found.append(case_of(both, program, random, list(lengths)))
        for text, signature in texts:
            program = parse(text, domain, signature).program
            found.append(case_of(domain, program, random, list(lengths), offsets=[0.3, -0.2]))
    return found + hard_choices(lengths) + class_leaves(lengths)


HARD_CHOICES = (
    "if Affine{x0}(x) > 0 then LeftAffine(x) else const",
    "if Affine{x0, x1}(x) > 0 then if Affine{x1}(x) > 0 then const else Affine(x) else "
    "if Affine{x2}(x) > 0 then Affine{x2}(x) else const",
)
"""vector → vector, of two outputs; most conditions are thresholds."""


def hard_choices(lengths: tuple[int, ...]) -> list[Case]:
    """Cases of hard ifs: of frames, below windows, in folds and of vectors."""
    random, domain = np.random.default_rng(1), replace(rich_domain(0), beta=HARD)
    frames, summaries = (domain.signature(2, per_frame=each) for each in (True, False))
    vectors = domain.signature(2, per_frame=False, vectors=True)
    found = []
    for text in HARD_CHOICES:
        for whole, signature in (
            (f"map (fun t. {text.replace('(x)', '(t)')}) x", frames),
            (f"SlidingWindowAverage3({text})", summaries),
            (f"mapprefix (fun x. CentredWindowMax3({text})) x", frames),
            (f"fold (fun t. {text.replace('(x)', '(t)')}) c x", summaries),
            (text, vectors),
        ):
            case = case_of(domain, parse(whole, domain, signature).program, random, list(lengths))
            theta = with_thresholds(case.model.program, case.model.theta)
            found.append(Case(replace(case.model, theta=theta), case.data))
    return found


NAMES = ("other", "if", 'the "third" # 100 %%\n')
"""Of classes."""
CLASS_LEAVES = (
    "class",
    "if Affine{x0}(x) > 0 then class else if Affine{x0, x1}(x) > 0 then class else class",
    "if if Affine{x2}(x) > 0 then Affine(x) else const > 0 then class else if Affine{x1}(x) > 0 "
    "then add(Affine(x), const) else class",
)
"""vector → vector, of any outputs."""


def class_leaves(lengths: tuple[int, ...]) -> list[Case]:
    """Cases of leaves that name classes: of 2, by one output or two, and of 3."""
    random, found = np.random.default_rng(2), []
    rich = replace(rich_domain(0), beta=HARD)
    for names, outputs in ((NAMES[:2], 1), (NAMES[1:], 2), (NAMES, 3)):
        domain = replace(rich, classes=names)
        frames, one = (domain.signature(outputs, per_frame=each) for each in (True, False))
        vectors = domain.signature(outputs, per_frame=False, vectors=True)
        for text in CLASS_LEAVES:
            mapped = text.replace("(x)", "(t)")
            asks = "memory (fun t. Affine(t)) x"
            for whole, signature in (
                (f"map (fun t. {mapped}) x", frames),
                (f"if {asks} > 0 then map (fun t. {mapped}) x else map (fun t. class) x", frames),
                (f"mapprefix (fun x. last (fun t. {mapped}) x) x", frames),
                (f"last (fun t. {mapped}) x", one),
                (text, vectors),
            ):
                program = parse(whole, domain, signature).program
                case = case_of(domain, program, random, list(lengths))
                theta = as_printed(program, case.model.theta)
                found.append(Case(replace(case.model, theta=theta), case.data))
    return found


def every_primitive() -> list[Case]:
    """A function of each primitive, and one that has nothing but numbers in it."""
    meanings = {
        1: lambda name: lambda a: primitive(name, abs(a) + 0.1 if name == "log" else a),
        2: lambda name: lambda a, b: primitive(name, a, 2 + abs(b) if name == "divide" else b),
        3: lambda name: lambda a, b, c: primitive(name, a, b, c),
    }
    found = [
        of_function(record(meanings[arity](name), f"the_{name}", takes=("out",) * arity))
        for name, arity in ((each.name, each.arity) for each in PRIMITIVES.values())
    ]
    found.append(of_function(record(lambda: primitive("sqrt", 2.0), "root_two", takes=())))
    found.append(of_function(record(lambda x: x["x1"] - 1, "one_for_all", takes=())))
    return found


def of_function(function: Function) -> Case:
    """A case whose program is one function, of two outputs, on affine leaves."""
    domain = Domain.of_size(3).with_functions(function)
    signature = domain.signature(2, per_frame=False, vectors=True)
    (bound,) = domain.functions
    leaf = Apply(Affine(), signature)
    program = Apply(bound, signature, (leaf,) * len(function.takes))
    return case_of(domain, program, np.random.default_rng(0), [20])
