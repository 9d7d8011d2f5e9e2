"""Importing secant is cheap and imports no framework."""

from __future__ import annotations

import subprocess
import sys

FRAMEWORKS = ("torch", "jax", "jaxlib", "tensorflow", "autograd", "tinygrad")


def answer(code: str) -> str:
    """Run code in an interpreter of its own and return what it prints."""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return run.stdout.strip()


def test_importing_secant_imports_no_framework():
    found = f"[name for name in {FRAMEWORKS} if name in sys.modules]"
    assert answer(f"import sys, secant; print({found})") == "[]"


def test_importing_secant_adds_a_few_modules_of_its_own_to_numpy():
    """Some hundredths of a second; a dependency or a room that measures takes tenths."""
    code = (
        "import sys, numpy\n"
        "before = set(sys.modules)\n"
        "import secant\n"
        "print(*(set(sys.modules) - before))"
    )
    added = answer(code).split()
    own = [name for name in added if name.split(".")[0] == "secant"]
    strangers = {name.split(".")[0] for name in added} - {"secant"} - sys.stdlib_module_names
    assert strangers == set()
    assert len(own) <= 20  # of the four hundred that there are


def test_a_setting_is_refused_without_any_framework():
    code = (
        "import sys, secant\n"
        "try:\n"
        "    secant.check(abs, 1.0, probe='slow')\n"
        "except secant.InputError as error:\n"
        "    print(error, 'torch' in sys.modules)"
    )
    assert answer(code) == "expected `probe` to be one of auto, fast, full; got 'slow' False"


def test_a_framework_that_is_installed_but_not_imported_is_not_imported_by_a_check():
    code = (
        "import sys, secant\n"
        "try:\n"
        "    secant.check(abs, 1.0)\n"
        "except secant.InputError:\n"
        "    print('torch' in sys.modules)"
    )
    assert answer(code) == "False"
