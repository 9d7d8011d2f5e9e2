"""Settings and inputs of a comparison are validated once, at the border, in one form of words."""

from __future__ import annotations

import subprocess
import sys

import pytest
import torch

import secant
from compare.kernels import normal

X = normal(3, 3)
NAMES = (
    "dtype, limit, draws, seed, kwargs, reference_device, gradients, reference_framework, pull, "
    "reference_pull"
)
FLOATS = "a floating dtype such as float32, float16 or bfloat16, or None"


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("limit", 0.5, "expected `limit` to be a finite number of at least 1; got 0.5"),
        ("limit", "2", "expected `limit` to be a finite number of at least 1; got '2'"),
        ("limit", float("nan"), "expected `limit` to be a finite number of at least 1; got nan"),
        ("limit", True, "expected `limit` to be a finite number of at least 1; got True"),
        ("draws", 0, "expected `draws` to be a whole number of at least 1; got 0"),
        ("draws", 1.0, "expected `draws` to be a whole number of at least 1; got 1.0"),
        ("seed", -1, "expected `seed` to be a whole number of at least 0; got -1"),
        ("kwargs", 3, "expected `kwargs` to be a mapping of keyword arguments, or None; got 3"),
        ("gradients", "no", "expected `gradients` to be True or False; got 'no'"),
        ("dtype", "int8", f"expected `dtype` to be {FLOATS}; got 'int8'"),
        ("dtype", "half precision", f"expected `dtype` to be {FLOATS}; got 'half precision'"),
        ("dtype", 16, f"expected `dtype` to be {FLOATS}; got 16"),
        (
            "reference_device",
            "nowhere",
            "expected `reference_device` to be a device that is there, or None for that of the "
            "inputs; got 'nowhere'",
        ),
        ("order", 2, f"expected a setting of compare to be one of {NAMES}; got 'order'"),
    ],
)
def test_a_bad_setting_is_refused_with_the_good_ones(name, value, message):
    with pytest.raises(secant.InputError) as caught:
        secant.compare(torch.sin, torch.sin, X, **{name: value})
    assert str(caught.value) == message


def test_float64_is_refused_with_what_to_do():
    with pytest.raises(secant.InputError) as caught:
        secant.compare(torch.sin, torch.sin, X.double())
    assert str(caught.value) == (
        "expected inputs of less precision than float64, in which the truth is computed; "
        'pass dtype="float32" (or float16, bfloat16) to round them, or use secant.check'
    )


def test_inputs_that_overflow_in_the_dtype_are_refused():
    with pytest.raises(secant.InputError) as caught:
        secant.compare(lambda x: x.sin(), torch.sin, X * 1e6, dtype="float16")
    assert str(caught.value) == "expected the inputs to fit into float16; x overflows in it"


@pytest.mark.parametrize(
    ("functions", "message"),
    [
        ((3, torch.sin), "expected a function to check; got int"),
        ((torch.sin, None), "expected a function as reference; got NoneType"),
    ],
)
def test_what_cannot_be_called_is_refused(functions, message):
    with pytest.raises(secant.InputError) as caught:
        secant.compare(*functions, X)
    assert str(caught.value) == message


@pytest.mark.parametrize("draws", [1, 2, 5])
def test_as_many_cotangents_are_pulled_as_asked_for(draws):
    comparison = secant.compare(torch.sin, torch.sin, X, draws=draws)
    assert (comparison.cost.evaluations, comparison.cost.pulls) == (3, 3 * draws)


def test_a_dtype_may_be_the_frameworks_own():
    one = secant.compare(torch.sin, torch.sin, X, dtype=torch.float16)
    assert one.rows == secant.compare(torch.sin, torch.sin, X, dtype="float16").rows


def test_complex_inputs_get_the_complex_counterpart_of_the_dtype():
    z = torch.complex(normal(4), normal(4, seed=1)).to(torch.complex128)
    comparison = secant.compare(torch.exp, lambda z: z.exp(), z, dtype="float32")
    assert comparison.dtype == "complex64"
    assert comparison
    assert secant.compare(lambda z: z.conj().exp(), torch.exp, z, dtype="float32").worst.cause == (
        "the kernel is the conjugate of the truth"
    )


def test_a_bad_setting_is_refused_without_any_framework():
    code = (
        "import sys, secant\n"
        "try:\n"
        "    secant.compare(abs, abs, 1.0, limit=0)\n"
        "except secant.InputError as error:\n"
        "    print(error, 'torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == (
        "expected `limit` to be a finite number of at least 1; got 0 False"
    )
