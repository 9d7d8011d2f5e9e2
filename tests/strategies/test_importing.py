"""Hypothesis and frameworks are loaded where they are asked for, and missed with a clear word."""

from __future__ import annotations

from hidden import run_without

LOADED = "print([name for name in {names!r} if name in sys.modules])"


def said(code: str, *hidden: str) -> str:
    done = run_without(hidden, code)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_importing_secant_loads_neither_hypothesis_nor_the_strategies():
    names = ("hypothesis", "secant.strategies", "secant._strategies")
    assert said("import secant\n" + LOADED.format(names=names)) == "[]"


def test_drawing_numpys_arrays_loads_no_framework_and_the_conductor_before_the_first_example():
    code = """
from hypothesis import find
from secant.strategies import tensors
drawn = tensors("numpy")
print("secant._check" in sys.modules)
find(drawn, lambda x: True)
print("secant._check" in sys.modules, [n for n in ("torch", "jax") if n in sys.modules])
"""
    assert said(code).split("\n") == ["False", "True []"]


def test_without_hypothesis_the_extra_is_named():
    code = """
import secant
try:
    import secant.strategies
except secant.InputError as error:
    print(error)
"""
    assert said(code, "hypothesis") == (
        "expected hypothesis to be installed, to draw arrays; run: pip install 'secant[hypothesis]'"
    )


def test_without_a_framework_its_extra_is_named():
    code = """
import importlib.util, secant
from secant.strategies import tensors
found = importlib.util.find_spec
importlib.util.find_spec = lambda name: None if name == "jax" else found(name)
try:
    tensors("jax")
except secant.InputError as error:
    print(error)
"""
    assert said(code) == (
        "expected jax to be installed, to draw its arrays; run: pip install 'secant[jax]'"
    )
