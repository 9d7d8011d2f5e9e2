"""What the site needs beyond Markdown: pages and links that lead out of `docs/` stay on the site.

Pages are written to be read in the repository too, where `../examples/second_order.py` is a link
like any other. Here such a link leads to the page made of that file, or to a copy of the file.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parent.parent
# files of the repository that are pages of the site
PAGES = {
    "ARCHITECTURE.md": "project/architecture.md",
    "benchmarks/README.md": "project/benchmarks.md",
    "CONTRIBUTING.md": "project/contributing.md",
    "CHANGELOG.md": "project/changelog.md",
    "README.md": "index.md",
}
EXAMPLES = "examples.md"  # shows every file of examples/ under a heading of its own
_LINK = re.compile(r"(?<!!)(\]\()([^)\s#:]+)(#[^)\s]*)?(\))")
_FENCE = re.compile(r"^( *)(```+|~~~+).*?^\1\2 *$|`[^`\n]+`", re.MULTILINE | re.DOTALL)


def on_files(files: Files, *, config: Any) -> Files:
    """Add the repository's own pages to those under `docs/`."""
    for source, page in PAGES.items():
        if files.get_file_from_path(page) is None:
            files.append(File.generated(config, page, abs_src_path=str(ROOT / source)))
    return files


def on_page_markdown(markdown: str, *, page: Any, config: Any, files: Files) -> str:
    """Turn links to files of the repository into links to pages or to copies of the files."""
    here = page.file.src_uri
    own = {page: source for source, page in PAGES.items() if page != "index.md"}
    source = own.get(here, f"docs/{here}")

    def led(match: re.Match[str]) -> str:
        start, target, anchor, end = match.groups()
        wanted = posixpath.normpath(posixpath.join(posixpath.dirname(source), target))
        path, anchor = _place(wanted, anchor or "", config, files)
        if path is None:
            return match.group(0)
        return f"{start}{posixpath.relpath(path, posixpath.dirname(here) or '.')}{anchor}{end}"

    return _outside_code(markdown, lambda text: _LINK.sub(led, text))


def _place(wanted: str, anchor: str, config: Any, files: Files) -> tuple[str | None, str]:
    """Return where a file of the repository is found on the site, None where it is not one."""
    if wanted in PAGES:
        return PAGES[wanted], anchor
    if wanted == "examples" or posixpath.dirname(wanted) == "examples":
        return EXAMPLES, f"#{posixpath.basename(wanted)}".replace(".", "") if "." in wanted else ""
    if wanted.startswith("docs/") or not (ROOT / wanted).exists():
        return (wanted.removeprefix("docs/") if wanted.startswith("docs/") else None), anchor
    if (ROOT / wanted).is_dir():
        return None, anchor
    copy = f"source/{wanted}.txt"
    if files.get_file_from_path(copy) is None:
        files.append(File.generated(config, copy, abs_src_path=str(ROOT / wanted)))
    return copy, anchor


def _outside_code(markdown: str, change: Any) -> str:
    """Apply a change to all text but code."""
    pieces, end = [], 0
    for code in _FENCE.finditer(markdown):
        pieces += [change(markdown[end : code.start()]), code.group(0)]
        end = code.end()
    return "".join([*pieces, change(markdown[end:])])
