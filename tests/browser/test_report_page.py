"""The page of a report in Chromium: heat maps are drawn, hover tells numbers, themes and widths."""

from __future__ import annotations

import re

import pytest
import torch

import secant
from planted import planted, points, scaled_sine, sine_wrong_at

EVIL = "<script>window.hacked = 1</script><img src=x onerror='window.hacked = 2'>"


def softmax(x):
    """Return the softmax of rows with a backward that forgets the sum."""
    rule = planted(
        "Softmax",
        lambda x: torch.softmax(x, -1),
        lambda saved, v: torch.softmax(saved[0], -1) * v,
    )
    return rule(x)


@pytest.fixture(scope="module")
def failing():
    return secant.check(softmax, points(2, 3))


def cell(page, kind, row, column, shape):
    """Point at one cell of a heat map; return what is said about it."""
    area = page.locator(f'figure[data-kind="{kind}"] .nsewdrag').first
    area.scroll_into_view_if_needed()
    box = area.bounding_box()
    x = box["x"] + box["width"] * (column + 0.5) / shape[1]
    y = box["y"] + box["height"] * (row + 0.5) / shape[0]
    label = page.locator(f'figure[data-kind="{kind}"] .hoverlayer .hovertext')
    page.mouse.move(1, 1)
    label.first.wait_for(state="detached")  # what was said about another cell
    page.mouse.move(x - 2, y - 2)
    page.mouse.move(x, y)
    label.first.wait_for()
    return re.sub(r"\s+", " ", label.first.text_content())


def test_all_pictures_of_a_failure_are_drawn(visit, failing, photograph):
    page = visit(failing)
    for kind in ("claimed", "measured", "residual"):
        figure = page.locator(f'figure[data-kind="{kind}"]')
        figure.locator(".heatmaplayer image").wait_for(state="attached")
        assert figure.locator("figcaption").text_content()
        assert "∂out / ∂x, 6 × 6" in figure.locator(".canvas").get_attribute("aria-label")
    assert page.locator('figure[data-kind="residual"] .scatterlayer path.point').count() == 18
    scatter = page.locator('figure[data-kind="residuals"]')
    assert scatter.locator("path.point").count() == 36
    assert "18 of 36 entries lie above the line" in scatter.text_content()
    steps = page.locator('figure[data-kind="steps"]')
    assert steps.locator("path.point").count() == len(failing.curve.steps) > 4
    assert "claimed" in steps.locator(".legend").text_content()
    photograph(page, "report.png", full_page=True)


def test_pointing_tells_the_numbers_of_a_cell_and_what_is_tolerated(visit, failing):
    page = visit(failing)
    jacobian = failing.jacobian()
    for kind in ("claimed", "measured", "residual"):
        said = cell(page, kind, 0, 1, (6, 6))
        assert "∂out[0, 0] / ∂x[0, 1]" in said
        assert f"claimed {jacobian.claimed[0, 1]:.6g}" in said
        assert f"measured {jacobian.measured[0, 1]:.6g} ± " in said
        assert "✗ wrong" in said
        assert "wrong" not in cell(page, kind, 0, 4, (6, 6))
    area = page.locator('figure[data-kind="residuals"]')
    area.locator("path.point").last.hover(force=True)
    label = area.locator(".hoverlayer .hovertext").first
    label.wait_for()
    assert re.search(r"off by\s+0\.\d+, tolerated\s+\d", label.text_content())


def test_another_pair_of_leaves_is_drawn_when_it_is_chosen(visit):
    def two(x, y):
        return x.sin() * y.sum(), scaled_sine(1.1)(y)

    page = visit(secant.check(two, points(3), points(2), probe="full"))
    title = page.locator('figure[data-kind="claimed"] .xtitle')
    assert title.text_content() == "∂y"
    page.get_by_label("pair of leaves").select_option(label="PASS  ∂out[0] / ∂x  (3 × 3)")
    page.wait_for_function(
        "document.querySelector('figure[data-kind=claimed] .xtitle').textContent === '∂x'"
    )
    said = page.locator('figure[data-kind="residuals"]').text_content()
    assert "each of 9 entries is within what is tolerated: what fails is another pair" in said


@pytest.mark.parametrize(("theme", "width"), [("light", 390), ("dark", 1280)])
def test_the_page_fits_its_window_in_both_themes(visit, failing, theme, width):
    page = visit(failing, color_scheme=theme, viewport={"width": width, "height": 900})
    page.locator('figure[data-kind="steps"] path.point').first.wait_for(state="attached")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    background, text = page.evaluate(
        "['backgroundColor', 'color'].map((name) => getComputedStyle(document.body)[name])"
    )
    is_dark = sum(map(int, re.findall(r"\d+", background)[:3])) < 3 * 128
    assert is_dark is (theme == "dark")
    drawn = page.locator('figure[data-kind="steps"] .xtitle').evaluate(
        "(one) => getComputedStyle(one).fill"
    )
    assert drawn == text


def test_pictures_follow_the_theme_when_it_changes(visit, failing):
    page = visit(failing, color_scheme="light")
    title = page.locator('figure[data-kind="steps"] .xtitle')
    before = title.evaluate("(one) => getComputedStyle(one).fill")
    page.emulate_media(color_scheme="dark")
    page.wait_for_function(
        "(before) => getComputedStyle(document.querySelector("
        "'figure[data-kind=steps] .xtitle')).fill !== before",
        arg=before,
    )


def test_names_and_paths_with_tags_are_shown_as_text_and_not_run(visit):
    def named(x):
        return {EVIL: sine_wrong_at(1, 0.5)(x[EVIL])}

    named.__name__ = named.__qualname__ = EVIL
    page = visit(secant.check(named, {EVIL: points(2)}))
    assert page.locator("h1 code").text_content() == EVIL
    assert EVIL in page.title()
    assert EVIL in page.locator(".row-where dd").first.text_content()
    assert EVIL in cell(page, "residual", 1, 1, (2, 2)).replace("\u00a0", " ")
    assert page.locator("img[src=x]").count() == 0
    assert page.evaluate("window.hacked") is None


def test_a_pass_and_a_large_function_are_shown_without_pictures(visit):
    page = visit(secant.check(lambda x: (x * x).sum(), points(100_000)))
    assert page.locator(".badge").first.text_content().split() == ["✓", "PASS"]
    assert "pictures=True" in page.locator(".empty").text_content()
    assert page.locator("figure").count() == 0


def test_the_findings_that_pass_unfold_by_keyboard(visit, failing):
    page = visit(failing)
    summary = page.locator("details.quiet > summary")
    summary.focus()
    assert not page.get_by_text("linearity law").is_visible()
    page.keyboard.press("Enter")
    page.get_by_text("linearity law").wait_for()


def test_a_comparison_and_a_localisation_open_without_trouble(visit):
    page = visit(secant.compare(lambda x: x.sin() * 1.5, torch.sin, points(6).float()))
    assert page.locator(".bar.bad").count() > 0
    assert "The kernel is wrong" in page.locator(".sentence").text_content()

    class Sine(torch.nn.Module):
        def forward(self, x):
            return scaled_sine(1.1)(x)

    network = torch.nn.Sequential(torch.nn.Linear(3, 3), Sine()).double()
    page = visit(secant.localise(network, points(2, 3)))
    blamed = page.locator(".call.blamed")
    assert "to blame" in blamed.text_content()
    blamed.locator("summary").click()
    blamed.locator(".finding .badge").first.wait_for()
    page.locator('figure[data-kind="residual"] .heatmaplayer image').wait_for(state="attached")


@pytest.mark.parametrize("width", [1280, 700])
def test_the_toolbar_covers_no_legend(visit, failing, width):
    page = visit(failing, viewport={"width": width, "height": 900})
    for kind in ("residuals", "steps"):
        figure = page.locator(f'figure[data-kind="{kind}"]')
        figure.locator("path.point").first.wait_for(state="attached")
        figure.scroll_into_view_if_needed()
        figure.locator(".nsewdrag").first.hover()  # the toolbar is shown on hover
        bar, legend = (
            figure.locator(one).first.bounding_box() for one in (".modebar-group", ".legend")
        )
        apart = (
            bar["x"] >= legend["x"] + legend["width"] or bar["y"] >= legend["y"] + legend["height"]
        )
        assert apart, (bar, legend)


def test_a_page_does_not_contradict_its_verdict(visit):
    kinked = secant.check(torch.relu, torch.tensor([0.0, 1.0, -1.0]), probe="full", pictures=True)
    assert kinked, str(kinked)
    page = visit(kinked)
    text = page.locator("main").text_content()
    assert "wrong ·" not in text
    assert "beyond what is tolerated" not in text or "set aside" in text
    broken = planted("Absolute", torch.sin, lambda saved, v: saved[0].cos() * v.abs())
    report = secant.check(broken, points(3), probe="full")
    assert not report
    said = visit(report).locator('figure[data-kind="residuals"] .says').text_content()
    assert said.endswith(
        "is within what is tolerated: what fails is another pair of leaves, or a law"
    )
