"""Every form a comparison's message has, letter by letter, and the other media beside it."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import pytest
from rich.console import Console

import secant
from compare.kernels import normal
from secant import ComparedEntry, ComparedError, Comparison, ComparisonRow, Cost, Verdict
from secant._words.comparisons import (
    KERNEL_FACTOR,
    KERNEL_IS_NOT_FINITE,
    NO_DIGITS_LEFT,
    OTHER_SHAPE,
)
from secant._words.indices import Indices
from secant._words.places import ALL_AT

RIGHT = ComparisonRow(
    "out",
    Verdict.PASS,
    "bfloat16",
    1024,
    ComparedError(1.6e-3, 1.7e-3, 2.0),
    ComparedError(0.5, 1.0, 2.0),
    (ComparedEntry("[3, 17]", 0.5, 0.498, 0.5, 0.5),),
)
WRONG = ComparisonRow(
    "∂out / ∂x",
    Verdict.FAIL,
    "bfloat16",
    1024,
    ComparedError(0.21, 2.3e-3, 2.0),
    ComparedError(1234.0, 4.1, 3.1),
    (
        ComparedEntry("[0, 4]", -0.535156, 0.00700629, 0.00714111, 1234.0),
        ComparedEntry("[2, 31]", 1.27344, 0.0234182, 0.0231934, 61.3),
    ),
    wrong=32,
    place=ALL_AT(where=(Indices("one", (2,), (1,)),)),
    reasons=(KERNEL_FACTOR(factor=2.0),),
)
BROKEN = ComparisonRow(
    "out",
    Verdict.FAIL,
    "float16",
    8,
    entries=(ComparedEntry("[5]", math.nan, 1.5, 1.5, math.nan),),
    wrong=3,
    reasons=(KERNEL_IS_NOT_FINITE(kernel=math.nan, where="[5]", truth=1.5, yardstick=1.5),),
)
DOUBTFUL = replace(
    RIGHT,
    verdict=Verdict.INCONCLUSIVE,
    norm=ComparedError(1.1, 0.9, 2.0),
    reasons=(NO_DIGITS_LEFT(share=0.9, dtype="bfloat16"),),
)


def comparison(*rows: ComparisonRow, notes: tuple[str, ...] = ()) -> Comparison:
    return Comparison(
        "fused",
        "plain",
        "bfloat16",
        2.0,
        rows,
        notes,
        Cost(3, 6, 0, 0.25, 0),
        1729,
        ("secant 0", "torch 0"),
        "secant.compare(fused, plain, x, seed=1729)",
    )


def shows(one: Comparison, text: str) -> None:
    """Compare with a picture whose indentation and outer newlines do not count."""
    lines = text.strip("\n").splitlines()
    indent = min(len(line) - len(line.lstrip()) for line in lines if line.strip())
    assert str(one) == "\n".join(line[indent:] for line in lines).rstrip()


def test_pass():
    shows(
        comparison(RIGHT, replace(RIGHT, what="∂out / ∂x", norm=ComparedError(2.3e-3, 5e-3, 2.0))),
        """
        PASS  output and gradient of `fused` against `plain`, bfloat16
                           error    yardstick  ratio      worst    yardstick  ratio     at
          PASS  out        1.6e-03  1.7e-03    0.94 of 2  0.5 ulp  1 ulp      0.5 of 2  [3, 17]
          PASS  ∂out / ∂x  2.3e-03  5.0e-03    0.46 of 2  0.5 ulp  1 ulp      0.5 of 2  [3, 17]
          cost  3 evaluations, 6 pulls, 0.25 s            seed 1729
        """,
    )


def test_pass_with_a_modelled_yardstick_and_a_note():
    shows(
        comparison(replace(RIGHT, is_modelled=True), notes=("why it is modelled",)),
        """
        PASS  output of `fused` against `plain`, bfloat16
                     error    yardstick  ratio      worst    yardstick  ratio     at
          PASS  out  1.6e-03  ~1.7e-03   0.94 of 2  0.5 ulp  ~1 ulp     0.5 of 2  [3, 17]
          note  why it is modelled
          cost  3 evaluations, 6 pulls, 0.25 s            seed 1729
        """,
    )


def test_fail_shows_the_gravest_first_then_its_worst_entries_where_why_and_what_to_run():
    shows(
        comparison(RIGHT, WRONG, notes=("something else",)),
        """
        FAIL  output and gradient of `fused` against `plain`, bfloat16
                           error    yardstick  ratio      worst      yardstick  ratio       at
          FAIL  ∂out / ∂x  2.1e-01  2.3e-03    91 of 2    1,234 ulp  4.1 ulp    301 of 3.1  [0, 4]
          PASS  out        1.6e-03  1.7e-03    0.94 of 2  0.5 ulp    1 ulp      0.5 of 2    [3, 17]
            entry    kernel     truth       yardstick   ulps
            [0, 4]   -0.535156  0.00700629  0.00714111  1,234
            [2, 31]  1.27344    0.0234182   0.0231934   61
          where   ∂out / ∂x, all at index 2 of dimension 1  (32 of 1,024 entries beyond the limit)
          likely  kernel = 2 × truth: a constant factor is wrong
          note    something else
          rerun   secant.compare(fused, plain, x, seed=1729)
        """,
    )


def test_fail_that_is_not_finite():
    shows(
        comparison(BROKEN),
        """
        FAIL  output of `fused` against `plain`, bfloat16
                     error  yardstick  ratio  worst  yardstick  ratio  at
          FAIL  out                                                    [5]
            entry  kernel  truth  yardstick  ulps
            [5]    nan     1.5    1.5
          where  out                                      (3 of 8 entries not finite)
          what   the kernel is nan in [5], the truth 1.5, the reference in the same dtype 1.5
          rerun  secant.compare(fused, plain, x, seed=1729)
        """,
    )


def test_fail_of_a_shape():
    shape = OTHER_SHAPE(kernel=(3,), reference=(4,))
    shows(
        comparison(ComparisonRow("out", Verdict.FAIL, reasons=(shape,))),
        """
        FAIL  output of `fused` against `plain`, bfloat16
                     error  yardstick  ratio  worst  yardstick  ratio  at
          FAIL  out
          what   out: the kernel's shape is [3], the reference's [4]
          rerun  secant.compare(fused, plain, x, seed=1729)
        """,
    )


def test_inconclusive():
    shows(
        comparison(DOUBTFUL),
        """
        INCONCLUSIVE  output of `fused` against `plain`, bfloat16
                             error    yardstick  ratio     worst    yardstick  ratio     at
          INCONCLUSIVE  out  1.1e+00  9.0e-01    1.2 of 2  0.5 ulp  1 ulp      0.5 of 2  [3, 17]
            entry    kernel  truth  yardstick  ulps
            [3, 17]  0.5     0.498  0.5        0.5
          what   out: rounding alone explains errors of 90% of the truth in bfloat16: no digits are left to compare
          next   choose inputs for which the reference keeps some digits, or a wider dtype
          rerun  secant.compare(fused, plain, x, seed=1729)
        """,  # noqa: E501 a picture of the message
    )


def test_at_most_ten_rows_are_shown():
    rows = [replace(RIGHT, what=f"out[{k}]") for k in range(12)]
    text = str(comparison(*rows))
    assert "out[9]" in text
    assert "out[10]" not in text
    assert "  more  2 more rows in .rows" in text


# -- the model -------------------------------------------------------------------------------------


def test_only_pass_is_true():
    assert comparison(RIGHT)
    assert not comparison(RIGHT, DOUBTFUL)
    assert not comparison(RIGHT, DOUBTFUL, WRONG)
    assert comparison(RIGHT, DOUBTFUL, WRONG).verdict is Verdict.FAIL


def test_the_worst_row_is_the_gravest_and_an_output_before_its_gradients():
    output = replace(WRONG, what="out", norm=ComparedError(0.1, 2.3e-3, 2.0))
    assert comparison(RIGHT, DOUBTFUL, WRONG).worst == WRONG
    assert comparison(RIGHT, WRONG, output).worst == output
    assert comparison(
        RIGHT, replace(RIGHT, what="∂out / ∂x", norm=ComparedError(3.0, 2.0, 2.0))
    ).worst.what == ("∂out / ∂x")
    assert comparison().worst is None


@pytest.mark.parametrize(
    ("row", "kind"),
    [(WRONG, secant.GradientMismatch), (DOUBTFUL, secant.GradientInconclusive)],
)
def test_raising_for_a_verdict_carries_the_comparison(row, kind):
    one = comparison(RIGHT, row)
    with pytest.raises(secant.GradientError) as caught:
        one.raise_for_verdict()
    assert type(caught.value) is kind
    assert caught.value.report is one
    assert str(caught.value) == f"\n{one}"
    assert comparison(RIGHT).raise_for_verdict() is None


def test_a_ratio_is_error_over_yardstick_and_nan_is_not_within():
    assert ComparedError(3.0, 2.0, 2.0).ratio == 1.5
    assert ComparedError(4.0, 2.0, 2.0).is_within
    assert not ComparedError(4.1, 2.0, 2.0).is_within
    assert not ComparedError(math.nan, 2.0, 2.0).is_within
    assert ComparedError(0.0, 0.0, 2.0).is_within
    assert not ComparedError(1.0, 0.0, 2.0).is_within


def test_the_error_of_an_entry_is_absolute():
    assert WRONG.entries[0].error == pytest.approx(0.54216229)


# -- other media -----------------------------------------------------------------------------------


def test_json_holds_everything_and_is_valid():
    one = comparison(RIGHT, WRONG, BROKEN, notes=("a note",))
    data = json.loads(one.to_json(), parse_constant=pytest.fail)
    assert (data["format"], data["verdict"], data["seed"]) == (3, "FAIL", 1729)
    assert [row["verdict"] for row in data["rows"]] == ["PASS", "FAIL", "FAIL"]
    assert data["rows"][1]["norm"] == {
        "error": 0.21,
        "yardstick": 2.3e-3,
        "limit": 2.0,
        "ratio": 0.21 / 2.3e-3,
    }
    assert data["rows"][2]["entries"][0]["kernel"] == "nan"
    assert data["rows"][2]["norm"] is None
    assert data["notes"] == ["a note"]
    assert data["cost"]["pulls"] == 6


def test_the_terminal_shows_what_the_text_does():
    one = comparison(RIGHT, WRONG)
    console = Console(width=140, color_system=None, force_terminal=False)
    with console.capture() as capture:
        console.print(one)
    shown = capture.get()
    for words in (
        "FAIL  output and gradient of `fused` against `plain`, bfloat16",
        "301 of 3.1",
        "[2, 31]",
        "kernel = 2 × truth: a constant factor is wrong",
        "secant.compare(fused, plain, x, seed=1729)",
    ):
        assert words in shown


def test_the_terminal_colours_the_verdict():
    console = Console(width=140, color_system="standard", force_terminal=True)
    with console.capture() as capture:
        console.print(comparison(RIGHT))
    assert "\x1b[1;32mPASS" in capture.get()


# -- real ones -------------------------------------------------------------------------------------


def test_a_real_failure_ends_with_the_command_that_repeats_it():
    def doubled(x, y):
        return 2 * x * y

    def plain(x, y):
        return x * y

    one = secant.compare(
        doubled, plain, normal(3, 3), normal(3, 3, seed=1), dtype="bfloat16", limit=3, seed=5
    )
    lines = str(one).splitlines()
    assert lines[0] == "FAIL  output and gradient of `doubled` against `plain`, bfloat16"
    assert lines[-1] == (
        '  rerun   secant.compare(doubled, plain, x, y, dtype="bfloat16", limit=3, seed=5)'
    )
    assert "  likely  kernel = 2 × truth: a constant factor is wrong" in lines


def test_a_real_comparison_names_versions_and_cost():
    one = secant.compare(lambda x: x * 2, lambda x: x + x, normal(3, 3))
    assert one.versions[0].startswith("secant ")
    assert one.versions[1].startswith("torch ")
    assert (one.cost.evaluations, one.cost.pulls, one.cost.pushes) == (3, 6, 0)
    assert one.name == "<lambda>"
