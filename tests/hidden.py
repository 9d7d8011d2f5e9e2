"""Run code in a fresh process that cannot import some modules: as if they were not installed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

__all__ = ["run_without"]

_HIDE = """
import sys

class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {hidden!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Hidden())
"""


def run_without(
    hidden: tuple[str, ...], code: str, *, folder: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Run code with modules hidden; what it prints, and how it ends, is for the caller to judge."""
    return subprocess.run(
        [sys.executable, "-c", _HIDE.format(hidden=hidden) + code],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env={**os.environ, "JAX_PLATFORMS": "cpu"},
    )
