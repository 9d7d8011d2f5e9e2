"""The documentation is true: its code runs, prints what is shown, and its links lead somewhere."""

from __future__ import annotations

import dataclasses
import re
import warnings
from pathlib import Path

import pytest
import yaml
from markdown.extensions.toc import slugify

from device.kernels import unavailable
from docs import limits
from docs.blocks import blocks_of, difference, run
from secant._settings import GIVEN, LAWS, Settings

ROOT = Path(__file__).parent.parent.parent
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
READ = [*PAGES, *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "ARCHITECTURE.md"))]
WITH_CODE = [
    page
    for page in [*PAGES, ROOT / "README.md"]
    if any(not block.reason for block in blocks_of(page.read_text(encoding="utf-8")))
]
NEEDS_GPU = DOCS / "how-to" / "triton-kernel.md"
REASONS = {
    "needs a GPU",
    "a fragment",
    "needs a cluster",
    "needs torchrun",
    "for pytest to collect",
}
_CODE = re.compile(r"^( *)(```+).*?^\1\2 *$|`[^`\n]+`", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"(?<!!)\]\(([^)\s]+)\)")


def name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def hold(page: Path) -> None:
    """Run a page and hold what it prints against what it shows."""
    with warnings.catch_warnings():
        done = run(page, ROOT)
    for block, printed in done:
        if block.expected is not None:
            apart = difference(block.expected, printed)
            assert apart is None, f"{name(page)}, block in line {block.line}:\n{apart}\n\n{printed}"


@pytest.mark.parametrize("page", WITH_CODE, ids=name)
def test_the_code_of_a_page_runs_and_prints_what_the_page_shows(page, monkeypatch):
    monkeypatch.chdir(ROOT)
    if page.stem == "tinygrad":
        pytest.importorskip("tinygrad")
    hold(page)


@pytest.mark.skipif(bool(unavailable()), reason=unavailable())
def test_the_code_about_kernels_runs_where_there_is_a_device(tmp_path, monkeypatch):
    monkeypatch.chdir(ROOT)
    text = NEEDS_GPU.read_text(encoding="utf-8")
    page = tmp_path / "kernel.md"
    page.write_text(text.replace("<!-- not run: needs a GPU -->", ""), encoding="utf-8")
    for block, printed in run(page, tmp_path):
        if block.expected is not None:
            assert difference(block.expected, printed) is None, printed


def test_code_is_left_out_for_a_known_reason_and_seldom():
    every = [
        (page, block)
        for page in [*PAGES, ROOT / "README.md"]
        for block in blocks_of(page.read_text(encoding="utf-8"))
    ]
    left_out = [(page, block.reason) for page, block in every if block.reason]
    assert {reason for _, reason in left_out} <= REASONS
    assert {page for page, reason in left_out if reason == "needs a GPU"} == {NEEDS_GPU}
    assert len(left_out) < len(every) / 5


def anchors(page: Path) -> set[str]:
    """The ids of a page's headings, as the site and the repository make them."""
    text = _CODE.sub(
        lambda code: "" if "\n" in code.group() else code.group().strip("`"), _read(page)
    )
    found: set[str] = set()
    for heading in re.findall(r"^#+ +(.+?)(?: *\{.*\})? *$", text, re.MULTILINE):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        slug, count = slugify(plain, "-"), 1
        while slug in found:
            slug = f"{slugify(plain, '-')}_{count}"
            count += 1
        found.add(slug)
    return found


def _read(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def links(page: Path) -> list[str]:
    text = _CODE.sub("", _read(page))
    return [link for link in _LINK.findall(text) if "://" not in link]


@pytest.mark.parametrize("page", READ, ids=name)
def test_the_links_of_a_page_lead_to_files_and_headings_that_exist(page):
    for link in links(page):
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), f"{name(page)} links to {link}"
        if anchor and target.suffix == ".md":
            assert anchor in anchors(target), f"{name(page)} links to {link}"


def navigation() -> list[str]:
    """All pages that mkdocs.yml lists."""

    def leaves(node: object) -> list[str]:
        if isinstance(node, str):
            return [node]
        children = node.values() if isinstance(node, dict) else node
        return [leaf for child in children for leaf in leaves(child)]

    return leaves(yaml.safe_load(_read(ROOT / "mkdocs.yml"))["nav"])


def test_the_navigation_lists_every_page_once_and_no_other():
    listed = navigation()
    assert len(listed) == len(set(listed))
    own = {page for page in listed if not page.startswith("project/")}
    assert own == {page.relative_to(DOCS).as_posix() for page in PAGES}


def test_every_example_is_shown():
    shown = set(re.findall(r'--8<-- "examples/(.+)"', _read(DOCS / "examples.md")))
    assert shown == {path.name for path in (ROOT / "examples").glob("*.py")}


@pytest.mark.parametrize("page", ["docs/reference/settings.md"])
def test_every_setting_is_described(page):
    rows = re.findall(r"^\| ((?:`\w+`(?:, )?)+) \|", _read(ROOT / page), re.MULTILINE)
    described = {word for row in rows for word in re.findall(r"\w+", row)}
    names = {field.name for field in dataclasses.fields(Settings)} | set(GIVEN)
    assert names <= described


def test_every_law_is_described():
    rows = re.findall(r"^\| `(\w+)` \|", _read(DOCS / "mathematics" / "laws.md"), re.MULTILINE)
    assert sorted(rows) == sorted(LAWS)


def test_the_files_that_the_mathematics_names_exist():
    named = {
        found
        for page in (DOCS / "mathematics").glob("*.md")
        for found in re.findall(r"\b(_\w+/\w+\.py)", _read(page))
    }
    assert len(named) > 10
    assert [one for one in sorted(named) if not (ROOT / "src" / "secant" / one).exists()] == []


def test_every_shortfall_is_published():
    assert limits.PAGE.read_text(encoding="utf-8") == limits.page(), (
        "renew it with `python tests/docs/limits.py`"
    )
