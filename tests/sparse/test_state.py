"""A check leaves sparse inputs as they were, also when it fails or the function raises."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
import torch

import secant
from sparse.mistakes import planted
from sparse.tensors import existing, make


class Halt(Exception):
    """The user's own exception."""


def parts(x: torch.Tensor) -> dict[str, torch.Tensor]:
    """Return the dense tensors behind a sparse one, the very ones."""
    if x.layout is torch.sparse_coo:
        return {"indices": x._indices(), "values": x._values()}
    if x.layout in (torch.sparse_csr, torch.sparse_bsr):
        return {"rows": x.crow_indices(), "columns": x.col_indices(), "values": x.values()}
    return {"columns": x.ccol_indices(), "rows": x.row_indices(), "values": x.values()}


def fingerprint(x: torch.Tensor) -> list[Any]:
    """Return everything about a sparse tensor that a check must leave alone."""
    detached = x.detach()
    return [
        {
            name: (part.data_ptr(), part._version, part.shape, part.tolist())
            for name, part in parts(detached).items()
        },
        x.is_coalesced() if x.layout is torch.sparse_coo else None,
        x.requires_grad,
        x.is_leaf,
        x.shape,
        x.sparse_dim(),
        x.dense_dim(),
        id(x.grad),
        None if x.grad is None else x.grad.to_dense().tolist(),
        x._backward_hooks,
        torch.sparse.check_sparse_tensor_invariants.is_enabled(),
        torch.get_rng_state().tolist(),
        torch.is_grad_enabled(),
    ]


@pytest.mark.parametrize("masked", [True, False])
@pytest.mark.parametrize(("layout", "kind"), list(existing()))
def test_a_passing_check_leaves_the_input_alone(layout, kind, masked):
    x = make(layout, kind, "float64").requires_grad_()
    x.grad = x.detach() * 2.0
    before = fingerprint(x)
    assert secant.check(torch.neg, x, masked=masked)
    assert fingerprint(x) == before


@pytest.mark.parametrize("masked", [True, False])
@pytest.mark.parametrize("kind", ["plain", "uncoalesced", "duplicates"])
def test_a_failing_check_leaves_the_input_alone(kind, masked):
    case = planted("neg", "coo", kind, mistake="stored", keeps_pattern=masked)
    before = fingerprint(case.x)
    assert secant.check(case.function, case.x, masked=masked).verdict is secant.Verdict.FAIL
    assert fingerprint(case.x) == before


@pytest.mark.parametrize("layout", ["coo", "csr", "bsc"])
def test_a_check_that_raises_leaves_the_input_alone(layout):
    x = make(layout, "plain", "float64")
    before = fingerprint(x)
    calls = []

    def halting(matrix):
        calls.append(None)
        if len(calls) >= 3:
            raise Halt
        return matrix * 2.0

    with pytest.raises((Halt, secant.SecantError)):
        secant.check(halting, x)
    assert fingerprint(x) == before


@pytest.mark.parametrize("layout", ["coo", "csr", "bsr"])
def test_a_function_that_writes_into_its_input_writes_into_a_copy(layout):
    x = make(layout, "plain", "float64")
    before = fingerprint(x)

    def writing(matrix):
        answer = matrix * 2.0
        with torch.no_grad():
            parts(matrix.detach())["values"].zero_()
        return answer

    try:
        secant.check(writing, x, masked=True)
    except secant.SecantError as error:
        assert "writing" in str(error)  # noqa: PT017 refusing is as good as copying
    assert fingerprint(x) == before


def test_a_check_adds_no_warning_of_its_own():
    code = (
        "import torch, secant\n"
        "indices, values = torch.tensor([[0, 0, 1], [1, 1, 2]]), torch.rand(3).double()\n"
        "x = torch.sparse_coo_tensor(indices, values, (4, 6), check_invariants=True)\n"
        "for masked in (True, False):\n"
        "    secant.check(torch.neg, x, masked=masked).raise_for_verdict()\n"
    )
    # torch says some things once a process: a process of its own hears them
    answer = subprocess.run(
        [sys.executable, "-W", "error::UserWarning", "-c", code], capture_output=True, text=True
    )
    assert answer.returncode == 0, answer.stderr
