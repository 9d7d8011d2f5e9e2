"""Mistakes in the gradients of strided leaves that become sparse: conversions and masks."""

from __future__ import annotations

import pytest
import torch

import secant
from secant import Verdict

LAYOUTS = {
    "coo": lambda x: x.to_sparse(),
    "csr": lambda x: x.to_sparse_csr(),
    "csc": lambda x: x.to_sparse_csc(),
    "bsr": lambda x: x.to_sparse_bsr((2, 3)),
    "bsc": lambda x: x.to_sparse_bsc((2, 3)),
}
FUNCTIONS = {name: (convert, None) for name, convert in LAYOUTS.items()}


def leaf() -> torch.Tensor:
    return torch.randn(4, 6, dtype=torch.float64, generator=torch.Generator().manual_seed(0))


def mask() -> torch.Tensor:
    return torch.rand(4, 6, generator=torch.Generator().manual_seed(1)) < 0.5


def masked_by(x: torch.Tensor) -> torch.Tensor:
    return x.sparse_mask(mask().double().to_sparse())


FUNCTIONS["sparse_mask"] = (masked_by, mask())


def one_entry(gradient: torch.Tensor) -> torch.Tensor:
    place = gradient.abs().argmax()
    gradient.view(-1)[place] *= 1.05
    return gradient


def swapped(gradient: torch.Tensor) -> torch.Tensor:
    places = gradient.reshape(-1).nonzero()[:, 0]
    flat = gradient.view(-1)
    flat[places[[0, -1]]] = flat[places[[-1, 0]]]
    return gradient


def elsewhere(gradient: torch.Tensor) -> torch.Tensor:
    """Add to an entry that the function does not look at."""
    place = (~mask()).reshape(-1).nonzero()[0, 0]
    gradient.view(-1)[place] += gradient.abs().max() / 20 * gradient.sum().sign()
    return gradient


def planted(name, mistake=None):
    forward, kept = FUNCTIONS[name]

    class Planting(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.set_materialize_grads(False)  # torch has no zeros of blocked layouts
            return forward(x)

        @staticmethod
        def backward(ctx, v):
            if v is None:
                return None
            gradient = v.to_dense() if kept is None else v.to_dense() * kept
            return gradient if mistake is None else mistake(gradient.clone())

    return Planting.apply


@pytest.mark.parametrize("masked", [True, False])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_right_gradient_passes(name, masked):
    report = secant.check(planted(name), leaf(), masked=masked)
    assert report.verdict is Verdict.PASS, str(report)


@pytest.mark.parametrize("masked", [True, False])
@pytest.mark.parametrize("mistake", [one_entry, swapped])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_mistake_fails(name, mistake, masked):
    report = secant.check(planted(name, mistake), leaf(), masked=masked, explain=False)
    assert report.verdict is Verdict.FAIL


@pytest.mark.parametrize("masked", [True, False])
def test_a_gradient_outside_the_mask_fails_because_the_leaf_stores_it(masked):
    report = secant.check(planted("sparse_mask", elsewhere), leaf(), masked=masked, explain=False)
    assert report.verdict is Verdict.FAIL
