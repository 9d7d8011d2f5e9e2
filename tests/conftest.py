"""What all tests share: one thread, and property tests that draw the same examples every time."""

from __future__ import annotations

import contextlib
import os
import tomllib
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings

from thinning import thin

os.environ.setdefault("OMP_NUM_THREADS", "1")  # two test processes share two cores; their own too
os.environ.setdefault("DEV", "PYTHON")  # tinygrad's interpreter, which needs no compiler
os.environ.setdefault("CACHELEVEL", "0")  # and writes nothing to the user's cache; read on import

with contextlib.suppress(ImportError):  # the core's own tests need no framework
    import torch

    torch.set_num_threads(1)

settings.register_profile(
    "steady",
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],  # it may be the machine
    max_examples=50,
    phases=[
        one for one in Phase if one is not Phase.explain
    ],  # which traces every line of a shrink
)
settings.load_profile("steady")


@pytest.hookimpl(tryfirst=True)  # before pytest leaves out what is slow
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Thin populations, and mark what `shortfalls.toml` lists with what is said there."""
    thin(items)
    listed = Path(__file__).parent / "shortfalls.toml"
    document = tomllib.loads(listed.read_text(encoding="utf-8"))
    entries = {name: entry for entry in document["shortfall"] for name in entry["tests"]}
    for item in items:
        entry = entries.get(item.nodeid.removeprefix("tests/"))
        if entry is not None:
            runs = entry.get("runs", True)
            item.add_marker(pytest.mark.xfail(strict=False, run=runs, reason=entry["reason"]))
