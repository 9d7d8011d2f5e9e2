"""Marks the tests that secant is known to fall short of, from `shortfalls.toml`.

Each is a strict xfail: a test that passes by now fails until its entry is taken out, and an entry
that no test answers to is refused.
"""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

HERE = Path(__file__).parent
SHORTFALLS = HERE / "shortfalls.toml"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Give every test of this folder the mark that its name is listed with."""
    document = tomllib.loads(SHORTFALLS.read_text(encoding="utf-8"))
    reasons = {
        name: entry["reason"] for entry in document.get("shortfall", []) for name in entry["tests"]
    }
    own = {f"{item.path.name}::{item.name}": item for item in items if item.path.parent == HERE}
    for name, item in own.items():
        if name in reasons:
            item.add_marker(pytest.mark.xfail(strict=True, reason=reasons[name]))
    whole_files = {name.partition("::")[0] for name in own}
    if any("::" in argument for argument in config.args):
        whole_files = set()
    stale = [name for name in reasons if name not in own and name.partition("::")[0] in whole_files]
    if stale:
        raise pytest.UsageError(f"no test answers to these entries of {SHORTFALLS.name}: {stale}")
