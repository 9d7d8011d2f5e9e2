"""Importing this puts the corpus of wrong derivatives within reach: the tests' museum, `wrong`."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "tests"))
