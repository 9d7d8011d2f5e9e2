"""The corpora behind the trust benchmark: their truth is right, and what is planted is planted."""

from __future__ import annotations

import json
import math
import re
from dataclasses import asdict
from pathlib import Path

import pytest
import torch

import secant
from _answers import Answer, ask
from _case import Case
from _cases import CASES
from _casts import INNER, MIXED
from _growing import SIZES, Growing
from _inexact import Inexact, shape_of
from _inexact_solvers import SOLVERS
from _program_steps import without_casts
from _program_text import NAMES, Line, Program, planted
from _program_truth import changed, gap_of, truth_of
from _programs import draw_program
from _trust_parts import PARTS, answers_to, names_of, show
from _trust_tables import false_verdicts, promises, tables
from _units import InUnits
from _wrong_rules import MISTAKES, ruled
from trust import CALIBRATION_SEEDS, TABLE_SEED, Run, merged, refuse_calibration, told
from wrong.spoiling import Entry, with_error

SEED = 4242
FEW = range(12)


def program(
    *expressions: str, leaf: str = "numbers(1, (3,))", dtype: str = "float64", outputs: int = 1
) -> Program:
    """A program of one leaf, written down, that returns its last lines."""
    lines = tuple(Line(f"a{place}", one) for place, one in enumerate(expressions))
    returned = tuple(one.name for one in lines[-outputs:])
    return Program("written", dtype, (("x0", f"x0 = {leaf}"),), (), lines, returned)


@pytest.mark.parametrize("index", FEW)
def test_a_program_is_the_same_whenever_it_is_drawn(index: int) -> None:
    assert draw_program(SEED, index).text() == draw_program(SEED, index).text()


@pytest.mark.parametrize("index", FEW)
def test_the_text_of_a_program_computes_what_the_program_computes(index: int) -> None:
    one = draw_program(SEED, index)
    names = dict(NAMES)
    exec(one.text(), names)
    inputs = [names[name] for name, _ in one.leaves]
    told, own = names["program"](*inputs), one.function(*one.inputs)
    for mine, theirs in zip(as_tuple(told), as_tuple(own), strict=True):
        assert torch.equal(mine, theirs)


def as_tuple(values: torch.Tensor | tuple[torch.Tensor, ...]) -> tuple[torch.Tensor, ...]:
    return values if isinstance(values, tuple) else (values,)


def test_programs_have_every_depth_and_dtype_and_up_to_three_leaves() -> None:
    drawn = [draw_program(SEED, index) for index in range(150)]
    assert {len(one.lines) for one in drawn} >= set(range(1, 11))
    assert {one.dtype for one in drawn} == {
        "float64",
        "float32",
        "bfloat16",
        "float16",
        "complex128",
    }
    assert {len(one.leaves) for one in drawn} == {1, 2, 3}
    assert {len(one.outputs) for one in drawn} == {1, 2}
    assert any("= 0" in one.text() for one in drawn)
    assert any(without_casts(one.body()) != one.body() for one in drawn)


@pytest.mark.parametrize(
    ("label", "one"),
    [
        ("right", program("torch.sin(x0)")),
        ("right", program("x0 * 1e+12", "torch.sin(a0)", leaf="numbers(1, (3,), 1e-12)")),
        ("kink", program("x0.abs()", leaf="torch.zeros(3).double()")),
        ("kink", program("torch.maximum(x0, 0.5 * x0)", leaf="torch.zeros(3).double()")),
        ("tie", program("torch.relu(x0) - torch.relu(-x0)", leaf="torch.zeros(3).double()")),
        ("tie", program("torch.hypot(x0, x0)", leaf="torch.zeros(3).double()")),
        ("faint", program("torch.softmax(x0, -1)", "a0.sum()")),
        ("faint", program("torch.exp(x0 * x0)", leaf="numbers(1, (3,), 1e-12)")),
        ("faint", program("torch.exp(x0 * x0)", "torch.log(a0)", leaf="numbers(1, (3,), 1e-12)")),
        (
            "rounded",
            program("x0 * 1e-4", "a0 * a0", leaf="numbers(1, (3,)).half()", dtype="float16"),
        ),
    ],
)
def test_a_label_says_what_is_true(label: str, one: Program) -> None:
    assert truth_of(one).label == label


LEAKY = "torch.where({0} > 0, {0}, 0.25 * {0})"  # torch's slope at 0 is 1/4
LESS_THAN_ITS_TERMS = 'F.gelu(x0, approximate="tanh") - 0.5 * x0'


@pytest.mark.parametrize(
    ("label", "one"),
    [
        (
            "tie",  # -x/4 on both sides, where torch's choices make 1/16 of it; a kink beside it
            program(
                LEAKY.format("x0"),
                "100 * a0",
                LEAKY.format("-a0"),
                leaf="torch.zeros(1).double()",
                outputs=2,
            ),
        ),
        (
            "rounded",  # a slope of 1e-6 from 1/2 + 1e-6 in single precision; 1/2 beside it
            program(
                "F.gelu(x0)",
                LESS_THAN_ITS_TERMS,
                leaf="numbers(1, (3,), 1e-6).float()",
                dtype="float32",
                outputs=2,
            ),
        ),
    ],
)
def test_a_label_is_about_every_output_by_itself(label: str, one: Program) -> None:
    assert truth_of(one).label == label


def test_what_moves_where_all_is_zero_has_no_size_to_be_small_beside() -> None:
    """A rounding of larger numbers, 1e-28 of them, is then as good as any other slope."""
    assert gap_of(lambda step: 1e-28 * step, 0.0, 0.0) == math.inf
    assert gap_of(lambda step: 1.0 + 1e-28 * step, 0.0, 1.0) < 1e-20
    assert gap_of(lambda step: 0.0, 0.0, 0.0) == 0.0


def test_a_program_without_its_casts_is_what_the_truth_is_read_from() -> None:
    one = program("torch.sin(x0)", "a0.to(torch.float16).to(a0.dtype)")
    assert truth_of(one).label == "right"
    assert one.precision == torch.finfo(torch.float16).eps
    assert torch.equal(one.wide_function(*one.inputs), torch.sin(one.inputs[0]))


@pytest.mark.parametrize("mistake", [one for one in MISTAKES if one != "none"])
def test_every_mistake_changes_some_gradient(mistake: str) -> None:
    suitable = program(
        "torch.softmax(x0, -1) * torch.linspace(1, 2, 3, dtype=x0.dtype)",
        leaf="numbers(1, (3, 3)) * torch.tensor([1.0, 1e-5, 1.0]).double()",
    )
    assert changed(suitable, planted(suitable, mistake)) > 1e-4


def test_a_rule_without_a_mistake_changes_nothing() -> None:
    drawn = [draw_program(SEED, index) for index in FEW]
    right = [one for one in drawn if truth_of(one).label == "right"]
    assert len(right) > 6
    assert max(changed(one, planted(one, "none")) for one in right) <= 1e-12


def test_a_dropped_term_is_the_jacobian_off_its_diagonal() -> None:
    x = torch.tensor([0.3, -1.2, 0.8], dtype=torch.float64)

    def softmax(a: torch.Tensor) -> torch.Tensor:
        return ruled("term dropped", 0, lambda b: torch.softmax(b, -1), a)

    y = torch.softmax(x, -1)
    claimed = torch.autograd.functional.jacobian(softmax, x)
    assert torch.allclose(claimed, torch.diag(y * (1 - y)))


@pytest.mark.parametrize("size", [0.0, 1e-3])
def test_an_error_is_planted_in_one_entry_of_the_jacobian(size: float) -> None:
    x, y = torch.rand(3, dtype=torch.float64), torch.rand(2, dtype=torch.float64)

    def function(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return torch.sin(a) * b.sum(), b * a.mean()

    wrong = with_error(function, Entry(output=1, leaf=0, row=1, column=2), size)
    right, claimed = (torch.autograd.functional.jacobian(one, (x, y)) for one in (function, wrong))
    expected = torch.zeros(2, 3, dtype=torch.float64)
    expected[1, 2] = size
    assert torch.allclose(claimed[1][0] - right[1][0], expected, atol=1e-15)
    assert torch.equal(claimed[0][0], right[0][0])
    assert torch.equal(claimed[1][1], right[1][1])


@pytest.mark.parametrize("name", SOLVERS)
@pytest.mark.parametrize("tolerance", [1e-4, 1e-7])
def test_a_solver_stops_near_its_exact_value(name: str, tolerance: float) -> None:
    x = SOLVERS[name].point()
    value, _ = SOLVERS[name].solve(x, tolerance)
    assert (value - SOLVERS[name].exact(x)).abs().max() < 50 * tolerance


@pytest.mark.parametrize("name", SOLVERS)
def test_a_solvers_wrong_twins_are_wrong_by_more_than_their_tolerance(name: str) -> None:
    solver, x = SOLVERS[name], SOLVERS[name].point()
    exact = torch.autograd.functional.jacobian(solver.exact, x)
    for other in filter(None, (solver.missing, solver.transposed)):
        claimed = torch.autograd.functional.jacobian(other, x)
        assert torch.linalg.vector_norm(claimed - exact) > 0.1 * torch.linalg.vector_norm(exact)


@pytest.mark.parametrize(
    ("name", "tolerance", "shape"),
    [
        ("bisection", 1e-6, "rough"),
        ("table", 1e-5, "smooth, off"),
        ("power iteration", 1e-4, "rough"),
        ("fixed point, cut short", 1e-3, "smooth, off"),
        ("Newton", 1e-11, "smooth"),
        ("conjugate gradients", 1e-11, "smooth"),
    ],
)
def test_the_shape_of_an_inexact_function_is_found(name: str, tolerance: float, shape: str) -> None:
    assert shape_of(name, tolerance)[0] == shape


@pytest.mark.parametrize("seed", range(6))
def test_a_right_gradient_of_a_rough_solver_is_not_blamed(seed: int) -> None:
    """It jumps where three rungs of a coarse ladder and a fourth fit a smooth function."""
    solver = Inexact("conjugate gradients", 1e-3, "right")
    report = secant.check(solver, *solver.inputs, seed=seed, explain=False)
    assert report.verdict is not secant.Verdict.FAIL, str(report)


def test_other_units_change_no_digit() -> None:
    own, other = (InUnits("circuit", "float64", "right", k, m) for k, m in ((0, 0), (37, -53)))
    (x,), (y,) = own.inputs, other.inputs
    assert torch.equal(other(y), own(x) * 2.0**-53)
    before, after = (
        torch.autograd.grad(one(leaf).sum(), leaf)[0] for one, leaf in ((own, x), (other, y))
    )
    assert torch.equal(after, before * 2.0**-90)


def test_errors_grow_up_to_what_is_not_finite() -> None:
    assert list(SIZES[:-1]) == sorted(SIZES[:-1])
    assert math.isinf(SIZES[-2])
    assert math.isnan(SIZES[-1])
    one = Growing("softmax", "float64", "constant")
    (x,) = one.inputs
    gradients = [torch.autograd.grad(one.at(size)(x)[0, 0], x)[0] for size in (0.0, 1.0, 100.0)]
    first, second = (torch.linalg.vector_norm(other - gradients[0]) for other in gradients[1:])
    assert second > 50 * first > 0


def test_a_case_is_right_or_wrong_as_differences_say() -> None:
    named = re.compile("(scales|small.*float64)(?!.*offset)")
    asked = [one for one in CASES.values() if named.match(one.name)]
    assert len(asked) > 50
    assert [one.name for one in asked if (worst_gap(one) < 1e-4) != one.is_right] == []


def worst_gap(case: Case) -> float:
    """The largest gap between a column as claimed and its difference, as a share."""
    (leaf,) = case.inputs()
    claimed = torch.autograd.functional.jacobian(case.function, leaf).reshape(-1, leaf.numel())
    point = leaf.detach()
    gaps = []
    for column, size in enumerate(point.abs().tolist()):
        step = torch.zeros_like(point)
        step[column] = 1e-4 * size
        with torch.no_grad():
            ahead, behind = case.function(point + step), case.function(point - step)
        measured = ((ahead - behind) / (2 * step[column])).reshape(-1)
        gap = torch.linalg.vector_norm(claimed[:, column] - measured)
        gaps.append(float(gap / torch.linalg.vector_norm(measured)))
    return max(gaps)


def test_a_cast_is_right_where_the_gradient_is_that_without_it() -> None:
    asked = [one for one in CASES.values() if one.name.startswith("cast:")]
    assert len(asked) > 100
    assert [one.name for one in asked if (cast_gap(one) < 0.01) != one.is_right] == []


def cast_gap(case: Case) -> float:
    """The gap between a Jacobian as claimed and that of the function without its cast."""
    _, inner, mixed, _, _ = case.name.split(":")
    (leaf,) = case.inputs()
    claimed = torch.autograd.functional.jacobian(case.function, leaf)
    truth = torch.autograd.functional.jacobian(lambda x: MIXED[mixed](x, INNER[inner](x)), leaf)
    return float(torch.linalg.vector_norm(claimed - truth) / torch.linalg.vector_norm(truth))


def test_what_a_check_raises_is_an_outcome_with_its_place() -> None:
    def broken(x: torch.Tensor) -> torch.Tensor:
        raise ValueError("no such thing")

    leaf = torch.ones(2, dtype=torch.float64, requires_grad=True)
    refused = ask("casts:x", ("right",), "pass", broken, [leaf])
    assert (refused.verdict, refused.is_false) == ("refused", False)
    raised = ask("casts:x", ("right",), "pass", torch.sin, [leaf], seed=object())
    assert raised.verdict in ("refused", "raises")
    assert ask("casts:x", ("right",), "pass", torch.sin, [leaf]).verdict == "pass"


def test_false_is_the_opposite_verdict_an_exception_or_one_that_got_milder() -> None:
    def is_false(verdict: str, expected: str) -> bool:
        return Answer("programs:1:1", ("right",), verdict, expected).is_false

    assert is_false("fail", "pass")
    assert is_false("pass", "fail")
    assert is_false("raises", "any")
    assert is_false("pass", "graver")
    assert not any(is_false("inconclusive", expected) for expected in ("pass", "fail", "any"))


def test_tables_say_which_promise_is_not_kept() -> None:
    right = Answer("programs:9:1", ("right", "float64"), "pass", "pass", 1e-9, 1.0)
    missed = Answer("wrong:9:2", ("wrong", "float64"), "pass", "fail", 1e-9, 1.0)
    told = promises([right, missed])
    assert re.search(r"right programs that FAIL \| 1 \| 0 \| 0.05 % \|  \|", told)
    assert re.search(r"wrong programs that PASS \| 1 \| 1 \| 0.05 % \| above \|", told)
    assert "`wrong:9:2`" in false_verdicts([right, missed])
    assert len(tables([right, missed])) == 2


@pytest.mark.parametrize("part", PARTS)
def test_every_part_asks_and_shows_what_it_asked(part: str) -> None:
    name = names_of(part, range(1), SEED, is_quick=True)[0]
    answers = answers_to(name)
    assert all(answer.part == part for answer in answers)
    assert all(answer.verdict != "raises" for answer in answers)
    for answer in answers[:1]:
        assert show(answer.name)


def test_pieces_of_a_run_are_put_together_and_counted_once(tmp_path: Path) -> None:
    one = Answer("programs:9:1", ("right", "float64"), "pass", "pass", 1e-9, 1.0)
    other = Answer("growing:gelu:float64:factor:1", ("gelu", "float64"), "fail", "fail")
    pieces = [Run(9, 1, ("programs",), 2, 0.5, (one,)), Run(9, 1, ("growing",), 2, 0.7, (other,))]
    files = [tmp_path / "one.json", tmp_path / "other.json"]
    for file, piece in zip(files, pieces, strict=True):
        file.write_text(json.dumps(asdict(piece)))
    run = merged([*files, files[0]])
    assert run.answers == (one, other)
    assert run.parts == ("programs", "growing")
    assert "--only programs growing" in told(run, is_quick=False)


def test_the_table_is_not_made_of_programs_that_constants_were_chosen_on() -> None:
    refuse_calibration(TABLE_SEED)
    for seed in CALIBRATION_SEEDS:
        with pytest.raises(SystemExit, match="seed for the table"):
            refuse_calibration(seed)
