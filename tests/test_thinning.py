"""The sample of a population: as large as asked for, the same every time, and nothing unseen."""

from __future__ import annotations

from itertools import product

import pytest

from thinning import sample

SIZES, SEEDS, MODES = range(4), range(6), range(2)
CASES = {
    f"{size}-{seed}-{mode}": frozenset({("size", size), ("seed", seed), ("mode", mode)})
    for size, seed, mode in product(SIZES, SEEDS, MODES)
}


@pytest.mark.parametrize("keep", [1, 6, 7, 20, 48, 60])
def test_so_many_are_kept_and_always_the_same(keep):
    kept = sample("test", CASES, keep=keep)
    assert len(kept) == min(keep, len(CASES))
    assert kept <= set(CASES)
    assert kept == sample("test", dict(reversed(CASES.items())), keep=keep)


@pytest.mark.parametrize("name", ["one", "another", "a third"])
def test_every_value_of_every_parameter_is_seen_as_soon_as_that_can_be(name):
    kept = sample(name, CASES, keep=6)
    assert set().union(*(CASES[case] for case in kept)) == set().union(*CASES.values())


def test_what_a_sample_leaves_out_is_slow_and_nothing_else(pytester):
    pytester.makeconftest(
        "import pytest, thinning\n"
        "@pytest.hookimpl(tryfirst=True)\n"
        "def pytest_collection_modifyitems(items): thinning.thin(items)\n"
    )
    pytester.makeini("[pytest]\nmarkers =\n    slow: a\n    thinned: b\n")
    pytester.makepyfile(
        "import pytest\n"
        "@pytest.mark.thinned(keep=3)\n"
        "@pytest.mark.parametrize('a', range(9))\n"
        "def test_many(a): pass\n"
        "def test_one(): pass\n"
    )
    pytester.runpytest_inprocess("-m", "not slow").assert_outcomes(passed=4, deselected=6)
    pytester.runpytest_inprocess("-m", "slow").assert_outcomes(passed=6, deselected=4)


pytest_plugins = ["pytester"]
