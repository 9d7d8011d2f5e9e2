"""What bad sparse input gets: a clear error that names the leaf, or a note."""

from __future__ import annotations

import pytest
import torch

import secant
from sparse.tensors import BLOCKS, COMPRESSED, LAYOUTS, make


def unchecked(layout: str, compressed: list[int], plain: list[int], count: int) -> torch.Tensor:
    """Return a compressed 4 × 6 tensor whose indices nobody has looked at."""
    blocks = BLOCKS if layout in ("bsr", "bsc") else ()
    return torch.sparse_compressed_tensor(
        torch.tensor(compressed),
        torch.tensor(plain),
        torch.ones(count, *blocks, dtype=torch.float64),
        (4, 6),
        layout=LAYOUTS[layout],
        check_invariants=False,
    )


def lines(layout: str) -> int:
    """How many rows or columns, of entries or of blocks, are compressed."""
    return {"csr": 4, "csc": 6, "bsr": 2, "bsc": 3}[layout]


def doubled(matrix: torch.Tensor) -> torch.Tensor:
    return matrix * 2.0


@pytest.mark.parametrize("masked", [True, False])
@pytest.mark.parametrize("index", [-1, 99])
def test_a_coo_index_outside_the_shape_names_the_leaf(index, masked):
    x = torch.sparse_coo_tensor(
        torch.tensor([[0, 1], [2, index]]),
        torch.ones(2, dtype=torch.float64),
        (4, 6),
        check_invariants=False,
    )
    with pytest.raises(secant.InputError, match=r"valid torch.sparse_coo array; matrix is not: "):
        secant.check(doubled, x, masked=masked)


@pytest.mark.parametrize("masked", [True, False])
@pytest.mark.parametrize("layout", COMPRESSED)
def test_a_plain_index_outside_the_shape_names_the_leaf(layout, masked):
    pointers = [0, 1] + [1] * (lines(layout) - 1)
    x = unchecked(layout, pointers, [99], 1)
    with pytest.raises(
        secant.InputError, match=rf"valid torch.sparse_{layout} array; matrix is not"
    ):
        secant.check(doubled, x, masked=masked)


@pytest.mark.parametrize("masked", [True, False])
@pytest.mark.parametrize("layout", COMPRESSED)
def test_pointers_that_do_not_end_at_the_number_of_entries_name_the_leaf(layout, masked):
    pointers = [0] + [2] * lines(layout)
    x = unchecked(layout, pointers, [0], 1)
    with pytest.raises(
        secant.InputError, match=rf"valid torch.sparse_{layout} array; matrix is not"
    ):
        secant.check(doubled, x, masked=masked)


@pytest.mark.parametrize("layout", COMPRESSED)
def test_an_index_that_comes_twice_in_a_row_names_the_leaf(layout):
    pointers = [0] + [2] * lines(layout)
    x = unchecked(layout, pointers, [1, 1], 2)
    with pytest.raises(
        secant.InputError, match=rf"valid torch.sparse_{layout} array; matrix is not"
    ):
        secant.check(doubled, x)


def test_the_leaf_is_named_by_its_path():
    broken = unchecked("csr", [0, 1, 1, 1, 1], [99], 1)
    right = make("csr", "plain", "float64")
    with pytest.raises(secant.InputError, match=r"weights\[1\]"):
        secant.check(lambda weights: weights[0] * 2.0, [right, broken])


def test_blocks_that_do_not_divide_name_the_leaf():
    x = torch.sparse_compressed_tensor(
        torch.tensor([0, 1, 1]),
        torch.tensor([0]),
        torch.ones(1, 3, 2, dtype=torch.float64),
        (4, 6),
        layout=torch.sparse_bsr,
        check_invariants=False,
    )
    with pytest.raises(secant.InputError, match=r"matrix is not"):
        secant.check(doubled, x, masked=True)


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
@pytest.mark.parametrize("masked", [True, False])
def test_a_stored_entry_that_is_not_finite_names_the_leaf(value, masked):
    x = make("csr", "plain", "float64")
    x.values()[3] = value
    with pytest.raises(secant.InputError, match=r"finite; got NaN or inf in matrix"):
        secant.check(doubled, x, masked=masked)


def test_too_many_entries_to_ask_about_are_refused_with_the_way_out():
    indices = torch.tensor([[0, 99_999], [5, 99_999]])
    x = torch.sparse_coo_tensor(
        indices, torch.ones(2, dtype=torch.float64), (100_000, 100_000), check_invariants=True
    )
    with pytest.raises(secant.InputError, match=r"matrix has 10,000,000,000 .* masked=True"):
        secant.check(doubled, x)
    assert secant.check(doubled, x, masked=True)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_an_empty_pattern_passes_with_a_note_and_no_promise(layout):
    x = make(layout, "empty", "float64")
    report = secant.check(lambda matrix: matrix.to_dense(), x, masked=True)
    assert report.verdict is secant.Verdict.PASS
    notes = [finding.note for finding in report.findings if finding.note]
    assert any("matrix" in note and "nothing to check" in note for note in notes)
    assert "nothing" in str(report)
    assert "1e" not in str(report).partition("resolution")[2].partition("\n")[0]


def test_an_empty_pattern_beside_a_wrong_leaf_still_fails():
    x = make("coo", "empty", "float64")
    y = torch.linspace(0.5, 1, 24, dtype=torch.float64).reshape(4, 6)

    class Wrong(torch.autograd.Function):
        @staticmethod
        def forward(ctx, a, b):
            return a.to_dense() + b.sin()

        @staticmethod
        def backward(ctx, v):
            return v.sparse_mask(x.coalesce()), v

    assert secant.check(Wrong.apply, x, y, masked=True).verdict is secant.Verdict.FAIL


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_pattern_that_changes_between_calls_is_refused_with_masked(layout):
    patterns = [make(layout, "plain", "float64"), make(layout, "empty", "float64")]
    calls = []

    def restless(matrix):
        calls.append(None)
        return patterns[0] * 1.0 if len(calls) % 2 else patterns[1] * 1.0

    x = make(layout, "plain", "float64")
    with pytest.raises(secant.EvaluationError, match=r"restless.*changed the pattern of out"):
        secant.check(restless, x, masked=True)


def test_a_layout_that_changes_between_calls_is_refused():
    calls = []

    def restless(matrix):
        calls.append(None)
        return matrix * 1.0 if len(calls) % 2 else (matrix * 1.0).to_sparse()

    with pytest.raises(secant.EvaluationError, match=r"restless.*changed the layout of out"):
        secant.check(restless, make("csr", "plain", "float64"), masked=True)


def test_masked_has_to_be_a_truth_value():
    with pytest.raises(secant.InputError, match="masked"):
        secant.check(doubled, make("csr", "plain", "float64"), masked="yes")
