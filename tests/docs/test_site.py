"""The site builds strictly, needs nothing from elsewhere, and documents every public name."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import secant

ROOT = Path(__file__).parent.parent.parent
# what a browser would fetch by itself; links that a reader may follow are another matter
_FETCHED = re.compile(
    r"""<(?:script|img|iframe|source)[^>]*\bsrc="([^"]+)"|<link[^>]*\bhref="([^"]+)" """.strip()
)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The site as `make docs` builds it; any warning is an error."""
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def test_the_site_has_the_pages_of_the_repository_too(site):
    for page in ("index", "tutorial", "project/architecture", "project/benchmarks"):
        assert (site / f"{page}.html").exists()
    assert "agreement" in (site / "migrating-from-check-grads.html").read_text(encoding="utf-8")
    copies = list((site / "source").rglob("*.txt"))
    assert any(copy.name == "jax_differences.toml.txt" for copy in copies)


def test_no_page_fetches_anything_from_elsewhere(site):
    pages = list(site.rglob("*.html"))
    assert len(pages) > 25
    fetched = {
        address
        for page in pages
        for found in _FETCHED.findall(page.read_text(encoding="utf-8"))
        for address in found
        if re.match(r"(\w+:)?//", address)
    }
    assert fetched == set()
    styles = [path.read_text(encoding="utf-8") for path in site.rglob("*.css")]
    assert styles
    assert not any(re.search(r"url\(\s*['\"]?(https?:)?//", style) for style in styles)


def test_the_reference_has_every_public_name(site):
    text = (site / "reference" / "secant.html").read_text(encoding="utf-8")
    documented = set(re.findall(r'id="secant\.(\w+)"', text))
    assert set(secant.__all__) - {"__version__"} <= documented


@pytest.mark.parametrize("drop_in", ["torch", "jax", "extend"])
def test_the_reference_has_every_name_of_the_other_doors(site, drop_in):
    path = ROOT / "src" / "secant" / f"{drop_in}.py"
    listed = re.search(r"__all__ = \[(.*?)\]", path.read_text(encoding="utf-8"), re.DOTALL)
    assert listed is not None
    names = set(re.findall(r'"(\w+)"', listed.group(1)))
    text = (site / "reference" / f"{drop_in}.html").read_text(encoding="utf-8")
    assert names <= set(re.findall(rf'id="secant\.{drop_in}\.(\w+)"', text))
