"""The core of a comparison knows no framework: a toy one is compared like any other."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import secant
import tinyad
from secant import Verdict
from secant._backends import registry
from secant.extend import register
from tinyad import Variable, cos, rule, sin, total
from tinyad_backend import TinyBackend

X = Variable(np.linspace(0.3, 1.7, 60).reshape(10, 6))
wrong_sin = rule(np.sin, lambda v, x: v * cos(x) * 1.05)


@pytest.fixture(autouse=True)
def tinyad_is_registered(monkeypatch):
    monkeypatch.setattr(registry, "_made", dict(registry._made))
    monkeypatch.setattr(registry, "_by_type", {})
    register("tinyad", TinyBackend())


def energy(x):
    return total(sin(x * x) * x)


def regrouped(x):
    return total(x * sin(x * x))


@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_a_right_function_passes(dtype):
    comparison = secant.compare(regrouped, energy, X, dtype=dtype)
    assert comparison.verdict is Verdict.PASS, str(comparison)
    assert comparison.dtype == dtype
    assert "tinyad 0" in comparison.versions


@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_a_wrong_rule_fails_in_its_gradient(dtype):
    comparison = secant.compare(wrong_sin, sin, X, dtype=dtype)
    assert [row.verdict for row in comparison.rows] == [Verdict.PASS, Verdict.FAIL]
    assert comparison.worst.cause == "kernel = 1.05 × truth: a constant factor is wrong"


def test_float32_inputs_need_no_setting():
    assert secant.compare(sin, sin, tinyad.leaf(X.numbers.astype(np.float32)))


def test_comparing_needs_no_framework():
    """A process that compares with the toy framework alone never imports a real one."""
    script = (
        "import sys; sys.path.insert(0, 'tests')\n"
        "import secant.extend, tinyad, tinyad_backend\n"
        "secant.extend.register('tinyad', tinyad_backend.TinyBackend())\n"
        "x = tinyad.Variable([0.5, 1.0])\n"
        "print(secant.compare(tinyad.sin, tinyad.sin, x, dtype='float32').verdict.name)\n"
        "print(sorted({'torch', 'jax', 'autograd'} & set(sys.modules)))\n"
    )
    root = Path(__file__).parent.parent.parent
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=root, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines() == ["PASS", "[]"]
