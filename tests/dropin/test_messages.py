"""A wrong entry's message opens with torch's phrase, which says where, and ends with our report."""

from __future__ import annotations

import re

import pytest
import torch

from dropin.promises import BOTH, FORWARD, failure, leaf, opening
from planted import planted, points, scaled_sine
from secant.torch import gradcheck

COMPLEX = torch.complex128
FORWARD_PHRASE = (
    "Jacobian computed with forward mode mismatch for output {} with respect to input {}"
)


def doubled_wrong_at(place: int, factor: float):
    """Return 2x with one entry of its diagonal too large, in both modes."""

    def wrong(saved, v):
        answer = 2 * v
        answer[place] = answer[place] * factor
        return answer

    return planted("OneEntryOff", lambda x: 2 * x, wrong, wrong)


def sine_of_parts(real: float, imaginary: float):
    """Return sin of complex numbers, wrong by one factor for each part of what is asked along."""

    def bent(v):
        return torch.complex(real * v.real, imaginary * v.imag)

    return planted(
        "Parts",
        torch.sin,
        lambda saved, v: bent(v) * saved[0].cos().conj(),
        lambda saved, u: bent(u) * saved[0].cos(),
    )


@BOTH
def test_the_mismatch_says_which_output_and_input(fast_mode):
    error = failure(scaled_sine(1.05), leaf(3), fast_mode=fast_mode)
    assert "Jacobian mismatch for output 0 with respect to input 0" in opening(error)
    assert "forward mode" not in opening(error)
    assert "While considering" not in str(error)


@BOTH
def test_a_wrong_tangent_says_that_it_is_forward_mode(fast_mode):
    wrong = planted(
        "Wrong",
        torch.sin,
        lambda saved, v: v * saved[0].cos(),
        lambda saved, u: 1.05 * u * saved[0].cos(),
    )
    assert gradcheck(wrong, leaf(3), fast_mode=fast_mode)
    for flags in (FORWARD, {"check_forward_ad": True}):
        error = failure(wrong, leaf(3), fast_mode=fast_mode, **flags)
        assert FORWARD_PHRASE.format(0, 0) in opening(error)


@BOTH
def test_what_is_not_differentiable_is_not_counted(fast_mode):
    def several(x, constant, number, y):
        return x * y, x.argsort(), x.sin() + constant * number * scaled_sine(1.05)(y), x.exp()

    inputs = (leaf(3), points(3, seed=1), 2.0, leaf(3, seed=2))
    error = failure(several, inputs, fast_mode=fast_mode)
    assert "Jacobian mismatch for output 1 with respect to input 1" in opening(error)
    error = failure(several, inputs, fast_mode=fast_mode, **FORWARD)
    assert FORWARD_PHRASE.format(1, 1) in opening(error)


@BOTH
@pytest.mark.parametrize("wrong", [0, 1, 2])
def test_the_wrong_one_of_three_inputs_is_named(wrong, fast_mode):
    def product(*factors):
        factors = list(factors)
        factors[wrong] = scaled_sine(1.05)(factors[wrong])
        return factors[0] * factors[1] * factors[2]

    inputs = tuple(leaf(4, seed=seed) for seed in range(3))
    error = failure(product, inputs, fast_mode=fast_mode)
    assert f"Jacobian mismatch for output 0 with respect to input {wrong}" in opening(error)


@BOTH
@pytest.mark.parametrize("wrong", [0, 1, 2])
def test_the_wrong_one_of_three_outputs_is_named(wrong, fast_mode):
    def several(x):
        outputs = [x.sin(), x.exp(), x * x]
        outputs[wrong] = scaled_sine(1.05)(x)
        return outputs

    error = failure(several, leaf(4), fast_mode=fast_mode)
    assert f"Jacobian mismatch for output {wrong} with respect to input 0" in opening(error)


@pytest.mark.thinned(keep=4)
@BOTH
@pytest.mark.parametrize("mode", [{}, FORWARD], ids=["reverse", "forward"])
@pytest.mark.parametrize("place", [0, 217, 299])
def test_one_wrong_entry_of_300_is_named_on_one_screen(place, mode, fast_mode):
    text = str(failure(doubled_wrong_at(place, 1.01), leaf(300), fast_mode=fast_mode, **mode))
    assert len(text.splitlines()) <= 25, text
    assert f"[{place}]" in text
    assert re.search(r"claimed\s+2\.02\b", text), text
    assert re.search(r"measured\s+2 ±", text), text


@BOTH
def test_a_wrong_entry_of_a_matrix_is_named_by_all_its_indices(fast_mode):
    def wrong(saved, v):
        answer = 2 * v
        answer[3, 4] = answer[3, 4] * 1.1
        return answer

    function = planted("OneEntryOff", lambda x: 2 * x, wrong)
    assert "[3, 4]" in str(failure(function, leaf(6, 7), fast_mode=fast_mode))


@BOTH
def test_the_report_in_the_message_is_the_one_carried(fast_mode):
    error = failure(scaled_sine(1.05), leaf(3), fast_mode=fast_mode)
    assert error.report.worst is not None
    assert error.report.worst.entries
    assert error.report.worst.entries[0].claimed / error.report.worst.entries[
        0
    ].measured.value == pytest.approx(1.05)
    assert "FAIL" in str(error)


@BOTH
@pytest.mark.parametrize(("factors", "part"), [((1.05, 1.0), "real"), ((1.0, 1.05), "imaginary")])
def test_complex_outputs_say_which_part_is_wrong(factors, part, fast_mode):
    error = failure(sine_of_parts(*factors), leaf(3, dtype=COMPLEX), fast_mode=fast_mode)
    prefix = f"While considering the {part} part of complex outputs only, "
    assert prefix + "Jacobian mismatch for output 0 with respect to input 0" in opening(error)


@BOTH
@pytest.mark.parametrize(("factors", "part"), [((1.05, 1.0), "real"), ((1.0, 1.05), "imaginary")])
def test_complex_inputs_say_which_part_is_wrong_in_forward_mode(factors, part, fast_mode):
    function, x = sine_of_parts(*factors), leaf(3, dtype=COMPLEX)
    error = failure(function, x, fast_mode=fast_mode, **FORWARD)
    prefix = f"While considering the {part} part of complex inputs only, "
    assert prefix + FORWARD_PHRASE.format(0, 0) in opening(error)


@BOTH
def test_a_forgotten_conjugate_is_a_complex_mismatch(fast_mode):
    forgotten = planted("Forgotten", torch.sin, lambda saved, v: v * saved[0].cos())
    error = failure(forgotten, leaf(3, dtype=COMPLEX), fast_mode=fast_mode)
    expected = r"While considering the (real|imaginary) part of complex outputs only, "
    assert re.search(expected + "Jacobian mismatch for output 0", opening(error))


@BOTH
def test_real_outputs_of_complex_inputs_have_no_parts(fast_mode):
    wrong = planted(
        "Square",
        lambda z: z.real**2 + z.imag**2,
        lambda saved, v: 2.1 * v * saved[0],
    )
    error = failure(wrong, leaf(3, dtype=COMPLEX), fast_mode=fast_mode)
    assert "Jacobian mismatch for output 0 with respect to input 0" in opening(error)
    assert "While considering" not in str(error)


@BOTH
def test_real_inputs_of_complex_outputs_have_no_parts_in_forward_mode(fast_mode):
    wrong = scaled_sine(1.05)
    function = lambda x: torch.complex(x, wrong(x))  # noqa: E731
    error = failure(function, leaf(3), fast_mode=fast_mode, **FORWARD)
    assert FORWARD_PHRASE.format(0, 0) in opening(error)
    assert "While considering" not in str(error)


@BOTH
@pytest.mark.parametrize(
    ("function", "inputs"),
    [
        (torch.sin, leaf(3, dtype=COMPLEX)),
        (torch.abs, leaf(3, dtype=COMPLEX)),
        (lambda x: torch.complex(x, x.sin()), leaf(3)),
        (lambda z, y: (z * y, z.real * y), (leaf(3, dtype=COMPLEX), leaf(3))),
        (sine_of_parts(1.0, 1.0), leaf(3, dtype=COMPLEX)),
    ],
    ids=["C to C", "C to R", "R to C", "mixed", "own"],
)
def test_right_complex_derivatives_pass(function, inputs, fast_mode):
    assert gradcheck(function, inputs, fast_mode=fast_mode, check_forward_ad=True)
