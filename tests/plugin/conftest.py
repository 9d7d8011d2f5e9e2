"""Runs of pytest inside pytest, on NumPy's arrays, so that no framework need be loaded for them."""

from __future__ import annotations

import importlib
import textwrap

import pytest

# An inner run, and pytester after it, put sys.modules back; a module loaded in between would then
# be there twice, once in use and once in sys.modules.
NEEDED = (
    "_secant_pytest.cases",
    "secant._check",
    "secant._compare.conduct",
    "secant._localise.conduct",
    "secant._report.json.documents",
    "secant._report.screen.terminal",
    "secant._report.screen.text",
    "secant.strategies",
)
for name in NEEDED:
    importlib.import_module(name)

HEAD = """
import numpy as np, pytest, secant

x = np.linspace(0.1, 1, 3)

def right(x, v):
    return np.cos(x) * v

def wrong(x, v):
    return 1.05 * np.cos(x) * v

def unclear(x):
    return np.sin(x * 1e150)

def unclear_pull(x, v):
    return 1e150 * np.cos(x * 1e150) * v
"""


@pytest.fixture
def run(pytester, monkeypatch):
    """Write a test file and run it: `run(body, *arguments)`, in a process of its own if asked."""
    monkeypatch.setenv("PYTEST_ADDOPTS", "-p no:cacheprovider")
    monkeypatch.setenv("COLUMNS", "120")

    def conduct(body, *arguments, apart=False):
        pytester.makepyfile(test_it=HEAD + textwrap.dedent(body))
        runner = pytester.runpytest_subprocess if apart else pytester.runpytest_inprocess
        return runner(*arguments)

    return conduct
