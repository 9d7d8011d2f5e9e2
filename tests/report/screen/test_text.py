"""Every form a message has, letter by letter, from reports made by hand."""

from __future__ import annotations

import pytest

from handmade import broken, doubtful, kept, reasons, report, right, wrong
from secant import Cost, Entry, Estimate, Finding, Verdict
from secant._words.causes import CUT, MISFIT, RAISED
from secant._words.slopes import CLAIM_IS_NOT_FINITE, NO_GRADIENT, WRONG_SLOPE


def shows(one, text):
    """Compare a report with a picture of it, whose indentation and outer newlines do not count."""
    lines = text.strip("\n").splitlines()
    indent = min(len(line) - len(line.lstrip()) for line in lines if line.strip())
    expected = "\n".join(line[indent:] for line in lines).rstrip()
    assert str(one) == expected


def test_pass():
    shows(
        report(right(), right("∂out[1] / ∂x1", resolution=2e-6), kept("linearity"), kept("layout")),
        """
        PASS  reverse-mode gradient of `two2three`
          checked     2 pairs of leaves
          laws        linearity, layout
          resolution  any single wrong entry above 2.0e-06 is caught
          cost        9 evaluations, 2 pulls, 0 pushes, 0.25 s  seed 1729
        """,
    )


def test_pass_of_one_pair_with_a_note_and_without_a_promise():
    shows(
        report(right(resolution=None, notes=reasons(note="the point lies on a kink"))),
        """
        PASS  reverse-mode gradient of `two2three`
          checked  1 pair of leaves
          note     the point lies on a kink
          cost     9 evaluations, 2 pulls, 0 pushes, 0.25 s  seed 1729
        """,
    )


def test_pass_of_a_single_evaluation_is_not_plural():
    one = report(right(), cost=Cost(1, 1, 1, 0.25, 0))
    assert "1 evaluation, 1 pull, 1 push, 0.25 s" in str(one)


def test_fail_with_one_entry():
    shows(
        report(wrong(), right()),
        """
        FAIL  reverse-mode gradient of `two2three`
          where     ∂out[1][0] / ∂x1[0]                   (1 of 20 entries wrong)
          claimed   -4.032
          measured  -3.84 ± 2e-12                         (9.6e+10 error bars apart)
          likely    claimed = 1.05 × measured in every probe: a constant factor is wrong
          right     ∂out[0] / ∂x1
          rerun     secant.check(two2three, x1, x2, probe="full", seed=1729)
        """,
    )


def test_fail_with_several_entries_is_a_table():
    shows(
        report(wrong(3)),
        """
        FAIL  reverse-mode gradient of `two2three`
          where     ∂out[1][0] / ∂x1[0]                   (3 of 20 entries wrong)
          claimed   -4.032
          measured  -3.84 ± 2e-12                         (9.6e+10 error bars apart)
          likely    claimed = 1.05 × measured in every probe: a constant factor is wrong
            entry                claimed  measured ± error
            ∂out[1][0] / ∂x1[0]  -4.032   -3.84 ± 2e-12
            ∂out[1][1] / ∂x1[1]  -5.032   -4.84 ± 2e-12
            ∂out[1][2] / ∂x1[2]  -6.032   -5.84 ± 2e-12
          rerun     secant.check(two2three, x1, x2, probe="full", seed=1729)
        """,
    )


def test_fail_with_many_entries_shows_ten_of_them():
    text = str(report(wrong(12)))
    assert "(12 of 20 entries wrong)" in text
    assert text.count("∂out[1][") == 1 + 10
    assert len(text.splitlines()) <= 24  # one screen


def test_fail_with_an_estimated_count_says_about():
    text = str(report(wrong(1500, wrong_is_estimate=True, total=9_000_000)))
    assert "(about 1,500 of 9,000,000 entries wrong)" in text


def test_fail_without_entries_shows_the_probe():
    shows(
        report(wrong(entries=(), wrong=None, reasons=(WRONG_SLOPE(),))),
        """
        FAIL  reverse-mode gradient of `two2three`
          where     ∂out[1] / ∂x1
          claimed   -4.032
          measured  -3.84 ± 2e-12                         (9.6e+10 error bars apart)
          rerun     secant.check(two2three, x1, x2, probe="full", seed=1729)
        """,
    )


def test_fail_of_a_claim_that_is_not_a_number():
    entry = Entry("⟨v, out⟩", "x[1]", float("nan"), Estimate(-0.5, 7e-11))
    shows(
        report(wrong(entries=(entry,), reasons=(CLAIM_IS_NOT_FINITE(),), total=3)),
        """
        FAIL  reverse-mode gradient of `two2three`
          where     ∂⟨v, out⟩ / ∂x[1]                     (1 of 3 entries wrong)
          claimed   nan
          measured  -0.5 ± 7e-11
          likely    a division by zero, 0·inf, or the root or logarithm of zero in the derivative
          rerun     secant.check(two2three, x1, x2, probe="full", seed=1729)
        """,
    )


def test_fail_of_a_law():
    shows(
        report(right(), broken()),
        """
        FAIL  reverse-mode gradient of `two2three`
          where   gradient of x1
          what    pull(-8 v) differs from -8 pull(v) by 80.3% of its size
          broken  the linearity law
          likely  the backward is not linear in grad_output (an abs, relu, clamp, sign, square or constant)
          next    multiply by grad_output exactly once, whatever its sign or size
          rerun   secant.check(two2three, x1, x2, probe="full", seed=1729)
        """,  # noqa: E501 a picture of the message
    )


def test_fail_of_liveness():
    entry = Entry("out", "y[2]", 0.0, Estimate(0.75, 2e-11))
    cut = "claimed = 0 everywhere: the dependence is cut (a detach, or a missing gradient)"
    finding = Finding(
        Verdict.FAIL,
        "liveness",
        "reverse-mode gradient",
        "∂out / ∂y",
        (NO_GRADIENT(input="y", output="out"), CUT()),
        claimed=0.0,
        measured=Estimate(0.75, 2e-11),
        entries=(entry,),
        wrong=1,
        total=3,
    )
    shows(
        report(finding),
        f"""
        FAIL  reverse-mode gradient of `two2three`
          where     ∂out / ∂y[2]                          (1 of 3 entries wrong)
          what      y moves out but gets no gradient
          claimed   0
          measured  0.75 ± 2e-11                          (3.8e+10 error bars apart)
          likely    {cut}
          rerun     secant.check(two2three, x1, x2, probe="full", seed=1729)
        """,
    )


def test_fail_of_a_backward_that_raised():
    finding = Finding(
        Verdict.FAIL,
        "derivative",
        "reverse-mode gradient",
        "",
        (RAISED(error="the backward pass raised LookupError: lost"), MISFIT()),
    )
    shows(
        report(finding),
        """
        FAIL  reverse-mode gradient of `two2three`
          what    the backward pass raised LookupError: lost
          likely  the backward returns gradients that do not fit the inputs, in number or in shape
          rerun   secant.check(two2three, x1, x2, probe="full", seed=1729)
        """,
    )


def test_inconclusive_says_why():
    shows(
        report(doubtful(), right()),
        """
        INCONCLUSIVE  reverse-mode gradient of `two2three`
          where     ∂out / ∂x
          what      the error bar is 0.2 of the gradient's size at the best step (0.1): too wide to judge by
          claimed   4.9
          measured  4.5 ± 0.8                             (5.3e-01 error bars apart)
          next      float32 has too few digits here: try float64 inputs, or hold it against a trusted function with secant.compare
          rerun     secant.check(two2three, x1, x2, probe="full", seed=1729)
        """,  # noqa: E501 a picture of the message
    )


def test_inconclusive_without_a_measurement_says_why():
    shows(
        report(doubtful(measured=None)),
        """
        INCONCLUSIVE  reverse-mode gradient of `two2three`
          where    ∂out / ∂x
          what     the error bar is 0.2 of the gradient's size at the best step (0.1): too wide to judge by
          claimed  4.9
          next     float32 has too few digits here: try float64 inputs, or hold it against a trusted function with secant.compare
          rerun    secant.check(two2three, x1, x2, probe="full", seed=1729)
        """,  # noqa: E501 a picture of the message
    )


def test_fail_outweighs_inconclusive_and_laws_come_first():
    text = str(report(doubtful(), wrong(), broken(), right()))
    assert "INCONCLUSIVE" not in text
    assert text.count("FAIL  ") == 2
    assert text.index("linearity law") < text.index("claimed   -4.032")
    assert text.count("rerun") == 1
    assert text.splitlines()[-1].startswith("  rerun")


def test_more_than_three_findings_are_counted():
    text = str(report(*[wrong()] * 5))
    assert text.count("FAIL  ") == 3
    assert "  more      2 more findings of this kind in report.findings" in text


def test_one_more_finding_is_not_plural():
    assert "1 more finding of this kind" in str(report(*[wrong()] * 4))


@pytest.mark.parametrize("error", [0.0, float("inf"), float("nan")])
def test_bars_that_cannot_divide_are_not_divided_by(error):
    text = str(report(doubtful(measured=Estimate(4.5, error))))
    assert "error bars apart" not in text


def test_every_message_fits_on_one_screen():
    longest = report(*[wrong(12)] * 5, broken())
    assert len(str(longest).splitlines()) <= 60
    assert len(str(report(wrong(12))).splitlines()) <= 24
