"""*Found by secant*: every mistake on the page is still one, and secant still sees it."""

import warnings

import pytest

import secant
from docs import found

EXHIBITS = found.exhibits()


# JAX compiles each of its scripts anew
SLOW = {"jax": pytest.mark.slow}


@pytest.mark.parametrize(
    "framework", [pytest.param(name, marks=SLOW.get(name, ())) for name in found.FRAMEWORKS]
)
def test_every_script_confirms_its_mistake_in_the_pinned_version(framework):
    shown = found.shown_by(framework)
    mended = {name: told["printed"] for name, told in shown.items() if not told["is_confirmed"]}
    assert not mended, f"mended, or never wrong; take them off the page: {mended}"


@pytest.mark.thinned(keep=16)
@pytest.mark.parametrize(
    "exhibit", [one for one in EXHIBITS if one.framework != "jax"], ids=lambda one: one.path.stem
)
def test_secant_says_of_a_mistake_what_the_page_says(exhibit):
    left, _ = found.run(exhibit)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        how = {"order": exhibit.order, "modes": exhibit.modes}
        report = secant.check(left["function"], *left["point"], **how)
    assert report.verdict.name == exhibit.secant


def test_the_page_shows_every_script_and_counts_them():
    page = found.PAGE.read_text()
    for one in EXHIBITS:
        assert f"[{one.title}](found/{one.path.name}). {one.why}" in page.replace("\\|", "|")
        assert one.tracker in page
    for framework, name in found.FRAMEWORKS.items():
        assert f"## {name}: {len(found.exhibits(framework))}\n" in page
    seen = [one for one in EXHIBITS if one.secant == "FAIL"]
    assert f"{len(EXHIBITS)} mistakes" in page
    assert f"{len(seen)} of them fail" in page


def test_most_mistakes_that_secant_fails_are_no_nan_at_a_border():
    seen = [one for one in EXHIBITS if one.secant == "FAIL"]
    assert len(seen) >= 25
    assert sum(not one.is_at_border for one in seen) >= 25
    assert sum(one.severity != "NaN where finite" for one in seen) >= 10
    assert {one.severity for one in EXHIBITS} <= set(found.SEVERITIES)


def test_a_mended_operator_is_noticed():
    assert found.is_confirmed("wrong value", 0.0, 4.0)
    assert not found.is_confirmed("wrong value", 4.0, 4.0)
    assert not found.is_confirmed("NaN where finite", 4.0, 4.0)
    assert not found.is_confirmed("raises", 4.0, 4.0)
    assert found.is_confirmed("raises", ValueError("no"), 4.0)
