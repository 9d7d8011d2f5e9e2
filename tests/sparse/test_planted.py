"""Three mistakes in the gradient of every operation: those that are caught, those ignored."""

from __future__ import annotations

import pytest

from sparse.cells import Cell, read
from sparse.mistakes import planted
from sparse.operations import OPERATIONS
from sparse.outcomes import outcome
from sparse.twins import TWINS

LISTED = read()
JUMPING = ("softmax", "log_softmax", "sparse.mm(mean)", "sparse.mm(amax)", "sampled_addmm")
"""Operations that jump when an entry is stored: only masked=True can be asked about them."""

EQUAL = ("sparse.sum", "sum")
"""Operations with the same gradient at every entry, which no exchange can spoil."""


def can_be_computed(operation: str, layout: str) -> bool:
    """Say whether torch has the operation's forward; the backward is ours."""
    expected = LISTED.get(Cell(operation, layout, "plain", "float64", True))
    return expected is None or expected.word not in ("forward", "crash", "refused")


CASES = [
    (operation, layout)
    for operation in TWINS
    for layout in ("coo", "csr", "bsc")
    if can_be_computed(operation, layout)
]
UNMASKED = [case for case in CASES if case[0] not in (*JUMPING, "values")]  # whose shape changes


def formats(layout: str) -> tuple[bool, ...]:
    """Whether gradients are strided: the layout of the input, and for one layout both."""
    return (False, True) if layout == "csr" else (False,)


def word(operation: str, layout: str, *, masked: bool, **how) -> str:
    case = planted(operation, layout, keeps_pattern=masked, **how)
    found = outcome(case.function, [case.x], masked=masked)
    print(operation, layout, masked, how, found.sentence)  # shown when the test fails
    return found.word


def test_every_operation_of_a_sparse_leaf_is_here():
    strided = {"strided with zeros to sparse", "strided to sparse", "strided.sparse_mask"}
    assert set(OPERATIONS) - set(TWINS) == strided | {"constant @ strided"}
    assert {operation for operation, _ in CASES} == set(TWINS)


@pytest.mark.thinned(keep=24)
@pytest.mark.parametrize(("operation", "layout"), CASES)
def test_the_right_gradient_passes_at_stored_entries(operation, layout):
    for is_strided in formats(layout):
        assert word(operation, layout, masked=True, is_strided=is_strided) == "pass"


@pytest.mark.thinned(keep=24)
@pytest.mark.parametrize(("operation", "layout"), UNMASKED)
def test_the_right_gradient_passes_at_all_entries(operation, layout):
    for is_strided in formats(layout):
        assert word(operation, layout, masked=False, is_strided=is_strided) == "pass"


@pytest.mark.thinned(keep=46)
@pytest.mark.parametrize("mistake", ["stored", "swapped"])
@pytest.mark.parametrize(("operation", "layout"), CASES)
def test_a_mistake_at_stored_entries_fails_with_masked(operation, layout, mistake):
    if mistake == "stored" or operation not in EQUAL:
        assert word(operation, layout, masked=True, mistake=mistake) == "fail"


@pytest.mark.thinned(keep=40)
@pytest.mark.parametrize("mistake", ["stored", "swapped"])
@pytest.mark.parametrize(("operation", "layout"), UNMASKED)
def test_a_mistake_at_stored_entries_fails_without_masked(operation, layout, mistake):
    if mistake == "stored" or operation not in EQUAL:
        assert word(operation, layout, masked=False, mistake=mistake) == "fail"


@pytest.mark.thinned(keep=24)
@pytest.mark.parametrize(("operation", "layout"), CASES)
def test_a_mistake_at_an_unstored_entry_is_ignored_with_masked(operation, layout):
    for is_strided in formats(layout):
        how = {"mistake": "unstored", "is_strided": is_strided}
        assert word(operation, layout, masked=True, **how) == "pass"


@pytest.mark.thinned(keep=24)
@pytest.mark.parametrize(("operation", "layout"), UNMASKED)
def test_a_mistake_at_an_unstored_entry_fails_without_masked(operation, layout):
    for is_strided in formats(layout):
        how = {"mistake": "unstored", "is_strided": is_strided}
        assert word(operation, layout, masked=False, **how) == "fail"


@pytest.mark.parametrize(("operation", "layout"), [case for case in CASES if case[0] in JUMPING])
def test_a_mistake_is_not_passed_where_the_function_jumps(operation, layout):
    assert word(operation, layout, masked=False, mistake="stored") in ("fail", "inconclusive")


@pytest.mark.parametrize("mistake", ["stored", "unstored", "swapped"])
@pytest.mark.parametrize(
    ("layout", "kind", "dtype"),
    [
        ("coo", "hybrid", "float64"),
        ("coo", "duplicates", "float64"),
        ("coo", "uncoalesced", "complex128"),
        ("coo", "plain", "float32"),
        ("csr", "hybrid", "float64"),
        ("csc", "plain", "complex128"),
        ("bsr", "plain", "float32"),
        ("bsr", "hybrid", "complex128"),
    ],
)
def test_mistakes_are_caught_in_every_kind_and_dtype(layout, kind, dtype, mistake):
    how = {"kind": kind, "dtype": dtype}
    assert word("neg", layout, masked=False, **how) == "pass"
    assert word("neg", layout, masked=False, mistake=mistake, **how) == "fail"
    ignored = "pass" if mistake == "unstored" else "fail"
    assert word("neg", layout, masked=True, **how) == "pass"
    assert word("neg", layout, masked=True, mistake=mistake, **how) == ignored
