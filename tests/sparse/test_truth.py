"""The matrix's PASS and FAIL are the truth: torch's gradients beside those of the strided twins.

No check is made here. What `test_matrix.py` holds secant to is held against arithmetic that knows
neither secant nor sparse layouts, in float64 and complex128.
"""

from __future__ import annotations

import warnings

import pytest
import torch

from sparse.cells import PASS, Cell, all_cells, read
from sparse.operations import OPERATIONS, Tensor
from sparse.tensors import convert, dense_numbers, make
from sparse.twins import TWINS, pattern_of, sparse_place, twin

LISTED = read()
LAWS = ("signature: ", "layout: ")  # these verdicts are not about numbers
CELLS = [
    cell
    for cell in all_cells()
    if cell.operation in TWINS
    and cell.dtype != "float32"
    and (expected := LISTED.get(cell, PASS)).word in ("pass", "fail")
    and not expected.says.startswith(LAWS)
]
BESIDE = {
    "sampled_addmm": "the right slope of a function that jumps: central differences agree with it",
    "softmax": "listed as a shortfall",
    "log_softmax": "listed as a shortfall",
    "sparse.mm(amax)": "nothing stored: the twin has no maximum",
}
"""Why masked=False is left out for operations that jump when an entry is stored."""


def is_right(cell: Cell) -> bool:
    """Say whether torch's gradient is the truth, at all entries or at the stored ones."""
    x = make(cell.layout, cell.kind, cell.dtype)
    tensor = Tensor(x, cell.layout, cell.kind, cell.dtype)
    case = OPERATIONS[cell.operation](tensor)
    place = sparse_place(case.inputs)
    assert place is not None
    inputs = [leaf.clone() for leaf in case.inputs]
    inputs[place].requires_grad_()
    answer = case.function(*inputs)
    cotangent = dense_numbers(*answer.shape, dtype=cell.dtype, name="cotangent")
    if cell.masked and answer.layout is not torch.strided:
        cotangent = torch.where(pattern_of(answer), cotangent, 0)
    claimed = pulled(answer, inputs[place], cotangent)
    strided = x.to_dense().requires_grad_()
    (truth,) = torch.autograd.grad(twin(cell.operation, tensor, case)(strided), strided, cotangent)
    counted = pattern_of(x) if cell.masked else torch.ones(x.shape, dtype=torch.bool)
    return torch.allclose(claimed.to_dense()[counted], truth[counted], rtol=1e-9, atol=1e-12)


def pulled(answer: torch.Tensor, leaf: torch.Tensor, cotangent: torch.Tensor) -> torch.Tensor:
    """Pull a cotangent in the layout of the answer, or a strided one where torch wants that."""
    if answer.layout is torch.strided:
        return torch.autograd.grad(answer, leaf, cotangent)[0]
    layout = str(answer.layout).removeprefix("torch.sparse_")
    try:
        given = convert(cotangent, layout, hybrid=answer.dense_dim() > 0)
        return torch.autograd.grad(answer, leaf, given, retain_graph=True)[0]
    except RuntimeError:
        return torch.autograd.grad(answer, leaf, cotangent)[0]


ASKED = [cell for cell in CELLS if cell.masked or cell.operation not in BESIDE]


def test_only_operations_without_a_derivative_are_left_out():
    assert set(TWINS) - {cell.operation for cell in ASKED} == {"sin"}


@pytest.mark.parametrize("operation", dict.fromkeys(cell.operation for cell in ASKED))
def test_pass_and_fail_are_the_truth(operation):
    wrong = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch's, about layouts in beta
        for cell in ASKED:
            if cell.operation == operation:
                expected = LISTED.get(cell, PASS).word
                found = "pass" if is_right(cell) else "fail"
                wrong += [f"{cell}: {expected}, but is {found}"] if found != expected else []
    assert not wrong, "\n".join(wrong)
