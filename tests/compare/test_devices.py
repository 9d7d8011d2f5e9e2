"""Kernel and reference on different devices: numbers meet in float64, where the kernel has its own.

Without an accelerator the way between devices is walked on the processor, through the one function
that carries numbers; tests that need an accelerator are skipped, visibly.
"""

from __future__ import annotations

import numpy as np
import pytest
import torch

import secant
from compare.kernels import FusedSoftmax, NoRowSum, normal, softmax
from secant import Verdict
from secant._backends import registry
from secant._backends.process.restoration import random_states
from secant._backends.torch.backend import TorchBackend
from secant._compare.side import Side, carry
from secant._problem.trees import Arguments

needs_accelerator = pytest.mark.skipif(
    not torch.cuda.is_available(), reason="needs an accelerator: torch sees no CUDA device"
)
X = normal(24, 40).bfloat16()


def run(backend, x):
    side = Side(torch.sin, Arguments([x], {}), backend, [0], random_states(backend))
    return side.run([x])


def test_numbers_stay_where_they_are_if_both_sides_are_there():
    backend = TorchBackend()
    one, other = run(backend, X), run(backend, X)
    vector = one.value(0)
    assert carry(vector, one, other) is vector


def test_numbers_of_another_framework_come_through_main_memory():
    """Two backends are two frameworks, even if both happen to be torch's."""
    one, other = run(TorchBackend(), X), run(TorchBackend(), X)
    vector = one.value(0)
    carried = carry(vector, one, other)
    assert isinstance(carried, np.ndarray)
    assert np.array_equal(carried, vector)


class OnDevice(TorchBackend):
    """Keeps its vectors as tensors, as it does on an accelerator."""

    kind = reader = lambda *_: None  # nothing here is of main memory

    def maker(self, reference):
        return lambda vector: self.unflatten(vector, reference)

    def flatten(self, array):
        return array.detach().to(torch.float64).reshape(-1)

    def vector(self, numbers, reference):
        return torch.from_numpy(numbers).to(torch.float64)


@pytest.mark.parametrize(
    ("kernel", "dtype"),
    [
        (FusedSoftmax.apply, "bfloat16"),
        (NoRowSum.apply, "bfloat16"),
        (lambda x: torch.softmax(x, -1).flip(0), "float32"),
        (lambda x: softmax(x) + 0 * x.abs().log().masked_fill(x > 0, 0), "float16"),
    ],
    ids=["right", "wrong", "reversed", "other"],
)
def test_vectors_on_a_device_say_what_vectors_in_main_memory_say(kernel, dtype, monkeypatch):
    here = secant.compare(kernel, softmax, X, dtype=dtype)
    monkeypatch.setattr(registry, "_made", {**registry._made, "torch": OnDevice()})
    monkeypatch.setattr(registry, "_by_type", {})
    there = secant.compare(kernel, softmax, X, dtype=dtype)
    assert [row.verdict for row in there.rows] == [row.verdict for row in here.rows]
    for one, other in zip(there.rows, here.rows, strict=True):
        assert one.norm.error == pytest.approx(other.norm.error)
        assert one.worst.error == pytest.approx(other.worst.error)
        assert one.worst.yardstick == pytest.approx(other.worst.yardstick)
        assert [entry.where for entry in one.entries] == [entry.where for entry in other.entries]


@pytest.mark.parametrize("device", ["cpu", torch.device("cpu")])
def test_the_reference_may_be_sent_to_the_processor(device):
    assert secant.compare(FusedSoftmax.apply, softmax, X, reference_device=device)


@needs_accelerator
@pytest.mark.parametrize("device", [None, "cpu"])
def test_a_kernel_on_an_accelerator_is_compared_with_a_reference_there_or_here(device):
    x = X.to("cuda")
    right = secant.compare(FusedSoftmax.apply, softmax, x, reference_device=device)
    wrong = secant.compare(NoRowSum.apply, softmax, x, reference_device=device)
    assert right.verdict is Verdict.PASS, str(right)
    assert wrong.worst.what == "∂out / ∂x"
    assert wrong.verdict is Verdict.FAIL, str(wrong)


@needs_accelerator
def test_a_device_that_is_not_there_is_refused():
    with pytest.raises(secant.InputError, match="expected `reference_device` to be a device"):
        secant.compare(torch.sin, torch.sin, X, reference_device="cuda:99")
