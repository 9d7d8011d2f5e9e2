"""Loaded into another project's pytest: keeps the tests that check gradients, and what was said.

Takes `--suite-lines FILE`; adds there a line of JSON for every test that called a check, with what
secant's plugin sends along with its report, and one when the run is over.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

CHECKS = frozenset({"gradcheck", "gradgradcheck", "check_grads"})


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add where the lines go."""
    parser.addoption("--suite-lines", required=True)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out tests that do not lead to a check."""
    kept = [item for item in items if _leads_to_a_check(item)]
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = kept


class _Writer:
    """Writes a line for every test whose calls were answered, as soon as it is over."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Write what a test's calls came to."""
        sent = getattr(report, "secant_calls", None)
        if sent is not None:
            self._write({"test": report.nodeid, "calls": json.loads(sent)})

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Write that the run is over."""
        self._write({"tests": session.testscollected})

    def _write(self, line: dict[str, object]) -> None:
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")


def pytest_configure(config: pytest.Config) -> None:
    """Listen to the run."""
    config.pluginmanager.register(_Writer(Path(config.getoption("--suite-lines"))))


def _leads_to_a_check(item: pytest.Item) -> bool:
    function = getattr(item, "originalname", None) or item.name
    # the makers of cases in absl, JAX and parameterized add to the name
    return function.startswith(tuple(_leading(item.path)))


@cache
def _leading(path: Path) -> set[str]:
    """Return the functions of a file that mention a check, or another one that does."""
    mentioned = dict(_functions(ast.parse(path.read_text(encoding="utf-8"))))
    leading: set[str] = set()
    while True:
        more = {name for name, words in mentioned.items() if words & (CHECKS | leading)}
        if more <= leading:
            return leading
        leading |= more


def _functions(tree: ast.AST) -> Iterator[tuple[str, set[str]]]:
    """Yield a file's functions with the names that each mentions."""
    found: dict[str, set[str]] = {}
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            inner = list(ast.walk(node))
            names = {one.id for one in inner if isinstance(one, ast.Name)}
            names |= {one.attr for one in inner if isinstance(one, ast.Attribute)}
            found.setdefault(node.name, set()).update(names)
    yield from found.items()
