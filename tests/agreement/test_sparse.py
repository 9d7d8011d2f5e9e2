"""Sparse inputs: the drop-in's word beside torch's, in the same mode, on what torch supports.

`plain` puts a function to `gradcheck`, made strided by `to_dense(masked_grad=masked)` where its
output is sparse, as torch demands. `wrapped` puts it to both libraries' `as_sparse_gradcheck`,
sparse output and all. Differences are listed in `sparse_differences.toml`, each with its reason;
every one that is listed has to occur.
"""

from __future__ import annotations

import tomllib
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import torch
from torch.autograd.gradcheck import gradcheck as torch_gradcheck

from agreement.checkers import MODES, Verdict, judge
from agreement.differences import REASONS
from agreement.questions import Asked, Place
from secant import Undecided
from secant.torch import as_sparse_gradcheck, gradcheck
from sparse.cells import Cell, read
from sparse.operations import OPERATIONS, Tensor
from sparse.tensors import make
from sparse.twins import TWINS, sparse_place

LISTED = Path(__file__).with_name("sparse_differences.toml")
SPOKE = (2, 13)
TENSORS = {
    "plain": (
        "coo plain float64",
        "coo hybrid complex128",
        "coo duplicates float64",
        "csr plain float64",
        "csr batched float64",
        "csc plain complex128",
        "bsr plain float64",
    ),
    "wrapped": ("coo plain float64", "csr plain float64", "bsc plain float64"),
}
CHECKERS = {
    "plain": (torch_gradcheck, gradcheck),
    "wrapped": (torch.sparse.as_sparse_gradcheck(torch_gradcheck), as_sparse_gradcheck(gradcheck)),
}


class Point(NamedTuple):
    """One question to both: about which tensor, through which door, in which mode."""

    operation: str
    checker: str
    tensor: str
    masked: bool
    mode: str


def points(operation: str) -> list[Point]:
    """Return what is asked about an operation: whatever torch can compute at all."""
    return [
        Point(operation, checker, tensor, masked, mode)
        for checker, tensors in TENSORS.items()
        for tensor, masked, mode in product(tensors, (True, False), MODES)
        if can_be_computed(operation, tensor)
    ]


@cache
def can_be_computed(operation: str, tensor: str) -> bool:
    layout, kind, dtype = tensor.split()
    expected = read().get(Cell(operation, layout, kind, dtype, True))
    return expected is None or expected.word not in ("forward", "crash", "error")


def words(point: Point) -> tuple[Verdict, Verdict]:
    """Ask torch, then secant."""
    layout, kind, dtype = point.tensor.split()
    tensor = Tensor(make(layout, kind, dtype), layout, kind, dtype)
    case = OPERATIONS[point.operation](tensor)
    place = sparse_place(case.inputs)
    assert place is not None

    def function(leaf: torch.Tensor) -> torch.Tensor:
        inputs = list(case.inputs)
        inputs[place] = leaf
        answer = case.function(*inputs)
        if point.checker == "plain" and answer.layout is not torch.strided:
            return answer.to_dense(masked_grad=point.masked)
        return answer

    question = Asked(
        Place(point.operation, 0, dtype, "reverse"),
        function,
        (tensor.x.requires_grad_(),),
        second_order=False,
        keywords={"masked": point.masked},
    )
    theirs, ours = CHECKERS[point.checker]
    return (
        judge(question, point.mode, theirs, theirs, Warning),
        judge(question, point.mode, ours, ours, Undecided),
    )


@cache
def listed() -> dict[Point, tuple[str, str]]:
    """Return every point of the file with both words."""
    known: dict[Point, tuple[str, str]] = {}
    for entry in tomllib.loads(LISTED.read_text(encoding="utf-8"))["difference"]:
        for point in expanded(entry):
            if point in known:
                raise ValueError(f"{LISTED.name} lists {point} twice")
            known[point] = entry["torch"], entry["secant"]
    return known


def expanded(entry: dict[str, Any]) -> list[Point]:
    """Return every point that an entry names."""
    if not entry["why"].startswith(REASONS):
        raise ValueError(f"expected `why` to begin with one of {REASONS}; got {entry['why']!r}")
    several = [entry[name] for name in Point._fields]
    lists = [names if isinstance(names, list) else [names] for names in several]
    return [Point(*combination) for combination in product(*lists)]


def of_this_torch() -> bool:
    return tuple(map(int, torch.__version__.split(".")[:2])) == SPOKE


@pytest.mark.thinned(keep=5)
@pytest.mark.skipif(not of_this_torch(), reason="the list holds what torch 2.13 says")
@pytest.mark.parametrize("operation", TWINS)
def test_verdicts_are_torchs_or_listed(operation):
    asked = points(operation)
    assert asked
    wrong = []
    for point in asked:
        theirs, ours = words(point)
        expected = listed().get(point)
        found = None if theirs.word == ours.word else (theirs.word, ours.word)
        if found != expected:
            wrong.append(f"{point}: {found}, listed {expected}: {theirs.reason} / {ours.reason}")
    assert not wrong, "\n".join(wrong)


def test_the_list_names_what_is_asked_only():
    assert set(listed()) <= {point for operation in TWINS for point in points(operation)}


def test_a_difference_that_nobody_listed_is_noticed():
    point = Point("sum", "plain", "coo plain float64", True, "slow")
    theirs, ours = words(point)
    assert (theirs.word, ours.word) == listed()[point]
    agreeing = point._replace(masked=False)
    assert words(agreeing)[0].word == words(agreeing)[1].word
    assert agreeing not in listed()
