"""Every example runs, fails on its planted mistake and passes once that is fixed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent.parent / "examples"
# the verdicts in the order in which they are printed, and words the report of the mistake contains
EXPECTED = {
    "bfloat16_kernel.py": (["FAIL", "PASS"], "∂out / ∂bias"),
    "custom_function.py": (["FAIL", "PASS"], "8 of 64 entries wrong"),
    "float32_kernel.py": (["FAIL", "PASS"], "∂out["),
    "forward_mode.py": (["PASS", "FAIL", "FAIL", "PASS"], "the adjointness law"),
    "fuzz_operator.py": (["FAIL", "PASS"], "x=tensor([[0.7500, 0.2500]], dtype=torch.float64)"),
    "sparse_product.py": (["FAIL", "FAIL", "PASS"], "entries that matrix does not store"),
    "numpy_by_hand.py": (["FAIL", "PASS"], "the sparsity pattern is wrong"),
    "jax_rule.py": (["FAIL", "PASS"], "0.6 × measured"),
    "second_order.py": (["PASS", "FAIL", "PASS"], "the dependence is cut"),
    "triton_kernel.py": (["FAIL", "PASS"], "judged in float32"),
    "transformer.py": (
        ["FAIL", "PASS"],
        "`Normalise`, called in `layers.1.norm2` (FastLayerNorm)",
    ),
}


def test_no_example_is_left_out():
    assert {path.name for path in EXAMPLES.glob("*.py")} == set(EXPECTED)


@pytest.mark.parametrize("name", EXPECTED)
def test_the_example_fails_first_and_passes_at_the_end(name):
    verdicts, words = EXPECTED[name]
    done = subprocess.run(
        [sys.executable, "-W", "error", str(EXAMPLES / name)],
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    headlines = [line for line in lines if " gradient of `" in line or " derivative of `" in line]
    assert [line.split()[0] for line in headlines] == verdicts
    assert words in done.stdout
