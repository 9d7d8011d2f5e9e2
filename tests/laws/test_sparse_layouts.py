"""Laws about sparse gradients and cotangents: layouts that fit, and duplicates that count."""

from __future__ import annotations

import pytest
import torch

import secant
from secant import Verdict

FLOAT = torch.float64


def holed(*shape):
    generator = torch.Generator().manual_seed(0)
    values = torch.randn(shape, dtype=FLOAT, generator=generator)
    return values * (torch.rand(shape, generator=generator) < 0.5)


def doubled(backward):
    """Return x ↦ 2 x with a backward of its own."""

    class Doubled(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, v):
            return backward(v)

    return Doubled.apply


def broken(report, kind):
    assert report.verdict is Verdict.FAIL, str(report)
    return next(one for one in report.findings if one.kind == kind and one.verdict is Verdict.FAIL)


def test_a_cotangent_with_duplicates_counts_as_their_sum():
    def first_of_each(v):
        indices, values = v._indices(), v._values()
        stored = len(values) // 2 if not v.is_coalesced() else len(values)
        return torch.sparse_coo_tensor(
            indices[:, :stored], 2 * values[:stored], v.shape, check_invariants=False
        )

    x = holed(4, 6).to_sparse()
    assert secant.check(doubled(lambda v: v * 2), x)
    finding = broken(secant.check(doubled(first_of_each), x), "layout")
    assert "when v is not coalesced" in finding.message
    assert finding.cause == "the backward assumes a coalesced grad_output"
    assert finding.advice == "call grad_output.coalesce() before reading its indices and values"


@pytest.mark.parametrize("masked", [True, False])
def test_a_gradient_may_be_dense_or_of_its_inputs_layout(masked):
    for x in (holed(4, 6).to_sparse(), holed(4, 6).to_sparse_csr()):
        assert secant.check(doubled(lambda v: v * 2), x, masked=masked)
        assert secant.check(doubled(lambda v: (v * 2).to_dense()), x, masked=masked)


def test_a_gradient_with_other_sparse_and_dense_dimensions_is_named():
    x = holed(4, 6).to_sparse(2)
    finding = broken(
        secant.check(doubled(lambda v: (v * 2).to_dense().to_sparse(1)), x), "signature"
    )
    assert finding.message == (
        "the gradient has 1 sparse and 1 dense dimensions, its input has 2 and 0"
    )


def test_a_gradient_of_a_foreign_layout_is_named():
    x = holed(4, 6).to_sparse_csr()
    report = secant.check(doubled(lambda v: (v * 2).to_dense().to_sparse()), x)
    finding = next(one for one in report.findings if one.verdict is Verdict.FAIL)
    assert "layout" in finding.message


def test_sparse_gradients_of_dense_inputs_are_added_up():
    weights = torch.randn(7, 3, dtype=FLOAT, generator=torch.Generator().manual_seed(0))
    places = torch.tensor([1, 2, 2, 5, 1])

    def looked_up(w):
        return torch.nn.functional.embedding(places, w, sparse=True)

    for probe in ("fast", "full"):
        assert secant.check(looked_up, weights, probe=probe)
        assert secant.check(lambda w: looked_up(w).sin(), weights, probe=probe, order=2)


def test_an_embedding_that_overwrites_duplicates_is_wrong():
    places = torch.tensor([1, 2, 2, 5, 1])

    class Overwriting(torch.autograd.Function):
        @staticmethod
        def forward(ctx, w):
            ctx.shape = w.shape
            return w[places]

        @staticmethod
        def backward(ctx, v):
            unique = {place: k for k, place in enumerate(places.tolist())}
            last = list(unique.values())
            indices = torch.tensor([list(unique)])
            return torch.sparse_coo_tensor(indices, v[last], ctx.shape, check_invariants=False)

    weights = torch.randn(7, 3, dtype=FLOAT, generator=torch.Generator().manual_seed(0))
    report = secant.check(Overwriting.apply, weights)
    assert report.verdict is Verdict.FAIL
    assert report.worst.entries[0].input.startswith(("w[1,", "w[2,"))
