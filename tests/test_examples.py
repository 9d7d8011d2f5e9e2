"""Every example runs, fails on its planted mistake and passes once that is fixed."""

from __future__ import annotations

import json
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


# All in one process, which loads the frameworks once; what an example prints goes by its name.
TOGETHER = """
import contextlib, io, json, pathlib, runpy, sys
printed = {}
for path in sys.argv[1:]:
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        runpy.run_path(path, run_name="__main__")
    printed[pathlib.Path(path).name] = out.getvalue()
print(json.dumps(printed))
"""


def run(*arguments):
    done = subprocess.run(
        [sys.executable, "-W", "error", *map(str, arguments)],
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def verdicts(printed):
    lines = printed.splitlines()
    headlines = [line for line in lines if " gradient of `" in line or " derivative of `" in line]
    return [line.split()[0] for line in headlines]


def test_every_example_fails_first_and_passes_at_the_end():
    printed = json.loads(run("-c", TOGETHER, *(EXAMPLES / name for name in EXPECTED)))
    assert {name: verdicts(said) for name, said in printed.items()} == {
        name: expected for name, (expected, _) in EXPECTED.items()
    }
    assert [name for name, (_, words) in EXPECTED.items() if words not in printed[name]] == []


@pytest.mark.slow
@pytest.mark.parametrize("name", EXPECTED)
def test_the_example_runs_by_itself(name):
    printed = run(EXAMPLES / name)
    assert verdicts(printed) == EXPECTED[name][0]
    assert EXPECTED[name][1] in printed
