"""Ranks stand where a reader looks for them, and misplaced blocks where they are said to be."""

from __future__ import annotations

import numpy as np
import pytest

from secant._processes.blocks import cut_otherwise, joined_otherwise, not_exchanged
from secant._processes.words import spelt
from secant._report.pairs import spell_pair

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
    ],
)
def test_a_text_names_ranks(text, read):
    assert spelt(text, RANKS) == read


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
