"""Where wrong entries lie, in words; and which region a sample speaks for."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from secant._verdict.conditions import threshold
from secant._verdict.picture import PlaceKind, picture_of, picture_of_parts, plainest_picture
from secant._verdict.regions import box, interval, suspected_regions


def flags(shape, where):
    """Return the entries at which a function of the indices says so."""
    return np.broadcast_to(np.asarray(where(*np.indices(shape))), shape).astype(bool)


@pytest.mark.parametrize(
    ("shape", "where", "words"),
    [
        ((10,), lambda i: i == 4, "index 4"),
        ((10,), lambda i: i >= 7, "index ≥ 7"),
        ((10,), lambda i: i < 3, "index < 3"),
        ((10,), lambda i: (i > 1) & (i < 6), "indices 2 to 5"),
        ((10,), lambda i: i % 2 == 1, "every second index from 1 on"),
        ((12,), lambda i: i % 3 == 0, "every third index from 0 on"),
        ((20,), lambda i: i % 4 == 3, "every 4th index from 3 on"),
        ((10,), lambda i: (i == 0) | (i == 9), "the first and the last index"),
        ((10,), lambda i: i != 3, "all indices but 3"),
        ((32, 32), lambda i, j: j == 31, "index 31 of dimension 1 (the last column)"),
        ((32, 32), lambda i, j: i == 3, "index 3 of dimension 0 (row 3)"),
        ((32, 32), lambda i, j: i == 0, "index 0 of dimension 0 (the first row)"),
        ((32, 64), lambda i, j: j >= 32, "index ≥ 32 of dimension 1"),
        ((5, 6), lambda i, j: (i == 2) & (j == 3), "entry [2, 3]"),
        ((5, 6), lambda i, j: (i != 2) | (j != 3), "all but entry [2, 3]"),
        (
            (8, 9),
            lambda i, j: (i > 1) & (i < 5) & (j > 6),
            "indices 2 to 4 of dimension 0, index ≥ 7 of dimension 1",
        ),
        (
            (6, 4, 5),
            lambda i, j, k: (j == 2) & (k % 2 == 0),
            "index 2 of dimension 1, every second index from 0 on of dimension 2",
        ),
        ((9, 5), lambda i, j: np.isin(i, [1, 4, 6]), "indices 1, 4 and 6 of dimension 0"),
        ((6, 6), lambda i, j: i == j, "the diagonal"),
        ((4, 7), lambda i, j: i == j, "the diagonal"),
        ((6, 6), lambda i, j: i != j, "all off the diagonal"),
        ((6, 6), lambda i, j: j > i, "the upper triangle, without the diagonal"),
        ((6, 6), lambda i, j: j <= i, "the lower triangle"),
        ((2, 6, 6), lambda b, i, j: j > i, "the upper triangle, without the diagonal"
         " of dimensions 1 and 2"),
        ((5, 3, 5), lambda i, b, j: i == j, "the diagonal of dimensions 0 and 2"),
        (
            (6, 7),
            lambda i, j: (i == 0) | (i == 5) | (j == 0) | (j == 6),
            "the border",
        ),
        ((6, 7), lambda i, j: (i + j) % 2 == 1, "the entries whose indices have an odd sum"),
        ((6, 7), lambda i, j: 7 * i + j >= 24, "index ≥ 24 in memory order"),
        ((6, 7), lambda i, j: (7 * i + j) % 5 == 2, "every 5th index from 2 on in memory order"),
    ],
)  # fmt: skip
def test_a_plain_set_has_its_words(shape, where, words):
    assert picture_of(flags(shape, where)).words == words


@pytest.mark.parametrize("shape", [(9,), (3, 3), (2, 4), (2, 2, 2)])
def test_no_two_sets_have_the_same_words(shape):
    """Words are a picture only if they stand for one set."""
    seen = {}
    for chosen in itertools.product([False, True], repeat=int(np.prod(shape))):
        picture = picture_of(np.array(chosen).reshape(shape))
        if picture is not None:
            assert seen.setdefault(picture.words, chosen) == chosen, picture.words


@given(st.data())
def test_every_box_has_words_that_name_its_bounds(data):
    shape = tuple(data.draw(st.lists(st.integers(3, 12), min_size=1, max_size=3)))
    bounds = []
    for size in shape:
        low = data.draw(st.integers(0, size - 1))
        bounds.append((low, data.draw(st.integers(low + 1, size))))
    inside = box(shape, bounds)
    assert inside.count == np.prod([high - low for low, high in bounds])
    if inside.is_all:
        assert inside.picture is None
        return
    for axis, (low, high) in enumerate(bounds):
        if (low, high) == (0, shape[axis]):
            continue
        words = inside.picture.words
        assert str(low) in words or str(high) in words or "all" in words


@pytest.mark.parametrize("size", [1, 7, 100])
def test_everything_and_nothing_have_no_picture(size):
    assert picture_of(np.ones(size, bool)) is None
    assert picture_of(np.zeros(size, bool)) is None


def test_a_random_set_has_no_picture():
    generator = np.random.default_rng(0)
    for _ in range(50):
        assert picture_of(generator.random((8, 9)) < 0.5) is None
        assert picture_of(generator.random(40) < 0.3) is None


def test_the_kind_of_place_is_told():
    assert picture_of(np.arange(9) >= 5).lie is PlaceKind.TAIL
    assert picture_of(np.arange(9) == 8).lie is PlaceKind.BORDER
    assert picture_of(np.arange(9) == 5).lie is PlaceKind.OTHER
    assert (
        picture_of(np.arange(5) == 4).lie is PlaceKind.OTHER
    )  # so few have no border of their own


def test_parts_of_complex_numbers_are_told():
    wrong = np.zeros((6, 2), bool)
    wrong[:, 1] = True
    assert picture_of_parts(wrong).words == "the imaginary part of every entry"
    wrong[:3] = False
    assert picture_of_parts(wrong).words == "the imaginary part of index ≥ 3"
    wrong[3:, 0] = True
    assert picture_of_parts(wrong).words == "index ≥ 3"
    assert picture_of_parts(np.ones((6, 2), bool)) is None


def test_what_cannot_be_seen_is_filled_in():
    wrong = flags((4, 5), lambda i, j: (i == 2) & (j != 1))
    nothing = np.zeros((4, 5), bool)
    right = flags((4, 5), lambda i, j: (i != 2) & (j < 4))
    assert plainest_picture(wrong, right).words == "index 2 of dimension 0 (row 2)"
    assert plainest_picture(wrong, ~wrong) == picture_of(wrong)
    assert plainest_picture(wrong, nothing) == picture_of(wrong)


# -- values --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("condition", "words"),
    [
        (lambda x: x < 0, "x < 0"),
        (lambda x: x > 0, "x > 0"),
        (lambda x: np.abs(x) > 1, "|x| > 1"),
        (lambda x: np.abs(x) < 1, "|x| < 1"),
        (lambda x: x > -1, "x > -1"),
    ],
)
def test_a_condition_on_values_is_told(condition, words):
    x = np.random.default_rng(0).standard_normal(30)
    found = threshold(condition(x), x, "x")
    assert found.words == words
    assert np.array_equal(found.holds(x), condition(x))


def test_a_bound_that_is_no_landmark_lies_between_the_values():
    x = np.random.default_rng(0).standard_normal(30)
    found = threshold(x > 0.3217, x, "x")
    assert np.array_equal(found.holds(x), x > 0.3217)


@given(st.integers(0, 10_000))
def test_a_random_choice_meets_no_condition(seed):
    generator = np.random.default_rng(seed)
    x = generator.standard_normal(24)
    wrong = generator.permutation(24) < 10
    assert threshold(wrong, x, "x") is None


def test_of_few_values_no_condition_is_made():
    x = np.array([-1.5, -0.2, 0.3, 0.9])
    assert threshold(x < 0, x, "x") is None


# -- samples -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("where", "words"),
    [
        (lambda i, j, x: i % 2 == 1, "every second index from 1 on of dimension 0"),
        (lambda i, j, x: i == j, "the diagonal"),
        (lambda i, j, x: j > i, "the upper triangle, without the diagonal"),
        (lambda i, j, x: (j == 0) | (j == 49), "the first and the last index of dimension 1"),
        (lambda i, j, x: x < 0, "where x < 0"),
        (lambda i, j, x: np.abs(x) > 1, "where |x| > 1"),
    ],
)
def test_a_sample_is_fitted_by_the_region_it_comes_from(where, words):
    shape, generator = (40, 50), np.random.default_rng(2)
    x = generator.standard_normal(shape)
    wrong = np.broadcast_to(where(*np.indices(shape), x), shape)
    places = generator.choice(2000, 40, replace=False)
    places = np.unique([*places, *np.flatnonzero(wrong)[:8]])
    is_wrong = wrong.reshape(-1)[places]
    regions = suspected_regions(shape, places, is_wrong, is_complex=False)
    condition = threshold(is_wrong, x.reshape(-1)[places], "x")
    found = [region.picture.words for region in regions if region.is_plain]
    assert words in [*found, None if condition is None else f"where {condition.words}"]


def test_a_sample_without_a_pattern_fits_no_region():
    generator = np.random.default_rng(3)
    x, wrong = generator.standard_normal((40, 50)), generator.random(2000) < 0.4
    places = generator.choice(2000, 64, replace=False)
    assert not list(suspected_regions((40, 50), places, wrong[places], is_complex=False))
    assert threshold(wrong[places], x.reshape(-1)[places], "x") is None


@pytest.mark.parametrize("share", [0.02, 0.3, 0.9])
def test_an_interval_holds_the_true_share_as_often_as_it_says(share):
    hits, counts = np.unique(np.random.default_rng(4).binomial(64, share, 400), return_counts=True)
    bounds = [interval(int(one), 64) for one in hits]
    held = sum(
        int(count)
        for (low, high), count in zip(bounds, counts, strict=True)
        if low <= share <= high
    )
    assert held >= 0.95 * 400 - 2 * np.sqrt(400 * 0.05 * 0.95)


def test_an_interval_narrows_with_the_sample():
    widths = [np.ptp(interval(count // 4, count)) for count in (16, 64, 256)]
    assert widths[0] > 1.7 * widths[1] > 2.9 * widths[2]
    assert interval(0, 16)[0] == 0.0
    assert interval(16, 16)[1] == 1.0
