"""Importing secant is cheap and imports no framework."""

from __future__ import annotations

import os
import subprocess
import sys

FRAMEWORKS = ("torch", "jax", "jaxlib", "tensorflow", "autograd")
TRIES = 7


def answer(code: str, environment: dict[str, str] | None = None) -> str:
    """Run code in an interpreter of its own and return what it prints."""
    run = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env=environment,
    )
    return run.stdout.strip()


def test_importing_secant_imports_no_framework():
    found = f"[name for name in {FRAMEWORKS} if name in sys.modules]"
    assert answer(f"import sys, secant; print({found})") == "[]"


def test_importing_secant_adds_less_than_a_tenth_of_a_second_to_numpy(tmp_path):
    code = (
        "import time, numpy\n"
        "before = time.perf_counter()\n"
        "import secant\n"
        "print(time.perf_counter() - before)"
    )
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    environment["PYTHONPYCACHEPREFIX"] = str(tmp_path)  # compiled once, as after an installation
    answer(code, environment)
    # the least of several: a busy machine can only add to it
    assert min(float(answer(code, environment)) for _ in range(TRIES)) < 0.1


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
