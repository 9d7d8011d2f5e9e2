"""Every operation × layout × kind × dtype × masked: PASS, or what `cells.toml` lists."""

from __future__ import annotations

from functools import cache

import pytest
import torch

from sparse.cells import FILE, PASS, Cell, Expected, all_cells, read
from sparse.operations import OPERATIONS, case
from sparse.outcomes import outcome
from sparse.tensors import KINDS, LAYOUTS, existing, make

SPOKE = (2, 13)  # the torch whose errors and gradients are listed

listed = cache(read)


def of_this_torch() -> bool:
    return tuple(map(int, torch.__version__.split(".")[:2])) == SPOKE


@pytest.mark.thinned(keep=36)
@pytest.mark.skipif(not of_this_torch(), reason="cells.toml holds what torch 2.13 says")
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("operation", OPERATIONS)
def test_every_cell_is_pass_or_listed(operation, layout):
    wrong = []
    for cell in all_cells():
        expected = listed().get(cell, PASS)
        is_asked = (cell.operation, cell.layout) == (operation, layout)
        if is_asked and expected.can_run and not is_dear(cell, expected):
            wrong += differences(cell, expected)
    assert not wrong, "\n".join(wrong)


def is_dear(cell: Cell, expected: Expected) -> bool:
    """Say whether a cell takes a second to find that the function jumps; float64 stands for it."""
    return expected.word == "inconclusive" and cell.dtype != "float64"


def differences(cell: Cell, expected: Expected) -> list[str]:
    """Return how a cell differs from what is expected, nothing if it does not."""
    x = make(cell.layout, cell.kind, cell.dtype)
    asked = case(cell.operation, x, cell.layout, cell.kind, cell.dtype)
    found = outcome(asked.function, asked.inputs, masked=cell.masked)
    if expected.is_met_by(found):
        return []
    return [f"{cell}: expected {expected}, got {found.word}: {found.sentence[:200]}"]


def test_the_list_names_cells_of_the_matrix_only():
    assert set(listed()) <= set(all_cells())


def test_the_matrix_has_every_layout_and_kind():
    assert {layout for layout, _ in existing()} == set(LAYOUTS)
    assert {kind for _, kind in existing()} == set(KINDS)
    assert len(OPERATIONS) >= 12


@pytest.mark.parametrize(
    "entry",
    [
        'operation = "sine"\noutcome = "fail"\nwhy = "no such operation"',
        'operation = "sin"\ntensor = "csr duplicates"\noutcome = "fail"\nwhy = "no such tensor"',
        'operation = "sin"\noutcome = "pass"\nwhy = "is not listed"',
        'operation = "sin"\noutcome = "forward"\nwhy = "but what is said?"',
        'operation = "sin"\noutcome = "fail"',
    ],
)
def test_an_entry_that_names_nothing_is_refused(tmp_path, entry):
    file = tmp_path / FILE.name
    file.write_text(f"[[cell]]\n{entry}\n")
    with pytest.raises(ValueError, match="expected"):
        read(file)


def test_a_cell_listed_twice_is_refused(tmp_path):
    entry = '[[cell]]\noperation = "sin"\noutcome = "fail"\nwhy = "it is"\n'
    file = tmp_path / FILE.name
    file.write_text(entry * 2)
    with pytest.raises(ValueError, match="twice"):
        read(file)


def test_a_listed_cell_that_passes_is_noticed():
    cell = Cell("neg", "csr", "plain", "float64", False)
    assert not differences(cell, PASS)
    assert differences(cell, Expected("backward", "no derivative"))


def test_a_cell_with_another_message_is_noticed():
    cell = Cell("sin", "csr", "plain", "float64", False)
    assert not differences(cell, listed()[cell])
    assert differences(cell, Expected("backward", "another message"))
