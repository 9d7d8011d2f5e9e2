"""Ranks stand where a reader looks for them, and misplaced blocks where they are said to be."""

from __future__ import annotations

import numpy as np
import pytest

from secant._processes import words
from secant._processes.blocks import cut_otherwise, joined_otherwise, not_exchanged
from secant._processes.words import spelt
from secant._report.pairs import spell_pair
from secant._words.matrices import SCALED_BY_INDEX
from secant._words.reason import said as spoken

RANKS = {"out": [0, 2], 'out["loss"]': [0, 1]}


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("∂⟨out⟩[1, 0] / ∂rank 2: w[2]", "rank 2: ∂out[0] / ∂w[2]"),
        ("∂⟨out⟩[0, 3] / ∂rank 2: w", "∂rank 0: out[3] / ∂rank 2: w"),
        ("∂⟨out⟩ / ∂rank 2: w", "rank 2: ∂out / ∂w"),
        ('∂⟨out["loss"]⟩[1] / ∂x', '∂rank 1: out["loss"] / ∂x'),
        ("3 of 8 entries of ⟨out⟩: index 1 of dimension 0", "3 of 8 entries of out: rank 2"),
        (
            "3 of 8 entries of ⟨out⟩: index ≥ 1 of dimension 2",
            "3 of 8 entries of out: index ≥ 1 of dimension 1",
        ),
        ("∂out / ∂ranks 0, 1: w", "ranks 0, 1: ∂out / ∂w"),
        ("4 of 8 entries of ⟨out⟩: index ≥ 1 of dimension 0", "4 of 8 entries of out: rank ≥ 2"),
        (
            "4 of 8 entries of ⟨out⟩: indices 0 and 1 of dimension 0, index 1 of dimension 1",
            "4 of 8 entries of out: ranks 0 and 2, index 1 of dimension 0",
        ),
        (
            "3 of 8 entries of ⟨out⟩: index 1 of dimension 0 (the last row)",
            "3 of 8 entries of out: rank 2",
        ),
        ("1 of 8 entries of ⟨out⟩: entry [1, 3]", "1 of 8 entries of out: rank 2, entry [3]"),
        ("1 of 2 entries of ⟨out⟩: index 1", "1 of 2 entries of out: rank 2"),
        (
            "2 of 8 entries of ⟨out⟩: the diagonal of dimensions 0 and 2",
            "2 of 8 entries of out: the diagonal of the ranks and dimension 1",
        ),
    ],
)
def test_a_text_names_ranks(text, read):
    assert spelt(text, RANKS) == read


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
