"""Ranks stand where a reader looks for them, and misplaced blocks where they are said to be."""

from __future__ import annotations

import numpy as np
import pytest

from secant._processes import words
from secant._processes.blocks import cut_otherwise, joined_otherwise, not_exchanged
from secant._processes.words import spelt
from secant._report.pairs import spell_pair
from secant._verdict.picture import picture_of
from secant._words.matrices import SCALED_BY_INDEX
from secant._words.places import WRONG_AT, WRONG_FROM_INDEX
from secant._words.reason import said as spoken

RANKS = {"out": [0, 2], 'out["loss"]': [0, 1]}


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("∂⟨out⟩[1, 0] / ∂rank 2: w[2]", "rank 2: ∂out[0] / ∂w[2]"),
        ("∂⟨out⟩[0, 3] / ∂rank 2: w", "∂rank 0: out[3] / ∂rank 2: w"),
        ("∂⟨out⟩ / ∂rank 2: w", "rank 2: ∂out / ∂w"),
        ('∂⟨out["loss"]⟩[1] / ∂x', '∂rank 1: out["loss"] / ∂x'),
        ("∂out / ∂ranks 0, 1: w", "ranks 0, 1: ∂out / ∂w"),
    ],
)
def test_a_text_names_ranks(text, read):
    assert spelt(text, RANKS) == read


def flags(shape, where):
    """Return the entries at which a function of the indices says so."""
    return np.broadcast_to(np.asarray(where(*np.indices(shape))), shape).astype(bool)


@pytest.mark.parametrize(
    ("shape", "where", "read"),
    [
        ((2, 4), lambda r, i: r == 1, "rank 2"),
        ((2, 4, 9), lambda r, i, j: j >= 5, "index ≥ 5 of dimension 1"),
        ((2, 4, 9), lambda r, i, j: r + 0 * j == 1, "rank 2"),
        ((2, 4), lambda r, i: i == 1, "index 1 of dimension 0"),
        ((2, 4), lambda r, i: (r == 1) & (i == 3), "rank 2, entry [3]"),
        ((2,), lambda r: r == 1, "rank 2"),
        ((4,), lambda r: r > 1, "rank ≥ 4"),
        ((3,), lambda r: r == 1, "rank 2"),
        ((3,), lambda r: r != 1, "the first and the last rank"),
        ((6, 3), lambda r, i: r % 2 == 1, "every second rank from 2 on"),
        ((6, 3), lambda r, i: (r == 0) | (r == 1) | (r == 4), "ranks 0, 2 and 8"),
        ((3, 2, 3), lambda r, i, j: r == j, "the diagonal of the ranks and dimension 1"),
        ((3, 3), lambda r, i: r == i, "the diagonal of the ranks and dimension 0"),
        ((2, 3, 3), lambda r, i, j: i == j, "the diagonal of dimensions 0 and 1"),
        ((2, 8), lambda r, i: 8 * r + i >= 5, "index ≥ 5 in memory order"),
        (
            (6, 4),
            lambda r, i: ((r == 0) | (r == 1)) & (i == 1),
            "rank < 4, index 1 of dimension 0",
        ),
    ],
)
def test_places_in_outputs_of_all_ranks_name_the_ranks(shape, where, read):
    pieces = picture_of(flags(shape, where)).pieces
    told = WRONG_AT(count=3, total=8, path="⟨out⟩", where=pieces)
    said = words._said(told, {"out": range(0, 2 * shape[0], 2)})
    assert spoken(said, "place") == f"3 of 8 entries of out: {read}"


@pytest.mark.parametrize(
    ("axis", "said"), [(1, "dimension 0 of out,"), (0, "dimension 0 of out, stacked by rank,")]
)
def test_where_a_mistake_begins_is_counted_without_the_ranks(axis, said):
    place = {"there": None, "axis": axis, "path": "⟨out⟩", "condition": ""}
    told = WRONG_FROM_INDEX(**place, last=3, first=4, is_flat=False)
    assert f"of {said} wrong from" in str(spoken(words._said(told, RANKS), "why"))


@pytest.mark.parametrize(
    ("axes", "said"),
    [
        ((1, 2), "each index of dimensions 0 and 1 of out, from"),
        ((0,), "each index of dimension 0 of out, stacked by rank, from"),
    ],
)
def test_dimensions_of_an_output_are_counted_without_the_ranks(axes, said):
    told = SCALED_BY_INDEX(axes=axes, path="⟨out⟩", lowest=0.5, highest=2.0, spare=3)
    assert said in str(spoken(words._said(told, RANKS), "why"))


def test_a_pair_without_ranks_is_as_ever():
    assert spell_pair("out[1, 2]", 'params["rank"]') == '∂out[1, 2] / ∂params["rank"]'


SHAPE, COUNT = (4, 6), 2


def contracted(gradients, along):
    return sum(float(gradients[leaf].ravel() @ along[leaf]) for leaf in along)


@pytest.fixture
def gradients():
    """The right gradients of one leaf on two ranks, and a direction of the first."""
    generator = np.random.default_rng(3)
    return generator.normal(size=(COUNT, *SHAPE)), generator.normal(size=SHAPE)


@pytest.mark.parametrize(("ours", "theirs"), [(0, 1), (1, 0)])
def test_blocks_that_are_joined_otherwise_are_a_direction_of_the_leaf(gradients, ours, theirs):
    right, direction = gradients
    wrong = np.concatenate(np.split(right[0], COUNT, ours), theirs).reshape(SHAPE)
    along = joined_otherwise(0, direction.ravel(), SHAPE, COUNT, ours, theirs)
    assert contracted(right, along) == pytest.approx(float((wrong * direction).sum()))


@pytest.mark.parametrize(("ours", "theirs"), [(0, 1), (1, 0)])
@pytest.mark.parametrize("rank", [0, 1])
def test_a_gradient_that_is_cut_otherwise_is_a_direction_of_all(gradients, rank, ours, theirs):
    right, direction = gradients
    whole = np.concatenate(list(right), ours)
    wrong = np.split(whole, COUNT, theirs)[rank].reshape(SHAPE)
    along = cut_otherwise(rank, [0, 1], direction.ravel(), SHAPE, ours, theirs)
    assert contracted(right, along) == pytest.approx(float((wrong * direction).sum()))


@pytest.mark.parametrize("axis", [0, 1])
def test_blocks_that_are_not_exchanged_back_are_a_direction_of_all(gradients, axis):
    right, direction = gradients
    blocks = [np.split(one, COUNT, axis) for one in right]
    wrong = np.concatenate([blocks[0][0], blocks[1][0]], axis)
    along = not_exchanged(0, [0, 1], direction.ravel(), SHAPE, axis)
    assert contracted(right, along) == pytest.approx(float((wrong * direction).sum()))
