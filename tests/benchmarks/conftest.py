"""What is tested here lives with the benchmarks; this puts it within reach."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))
