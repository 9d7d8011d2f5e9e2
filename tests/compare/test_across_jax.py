"""A kernel of one framework against a reference of another: JAX and torch, either way round."""

from __future__ import annotations

import subprocess
import sys

import pytest
import torch

import secant
from secant import Verdict

jax = pytest.importorskip("jax")
jnp = pytest.importorskip("jax.numpy")

WITH_X64 = """
import jax
jax.config.update("jax_enable_x64", True)
import jax.numpy as jnp, torch, secant

class Wrong(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.sin()

    @staticmethod
    def backward(ctx, v):
        return 1.01 * v * ctx.saved_tensors[0].cos()

x = torch.linspace(0, 1, 33, dtype=torch.float32)
for kernel in (torch.sin, Wrong.apply):
    print(secant.compare(kernel, jnp.sin, x, reference_framework="jax").verdict.name)
"""


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16"])
def test_a_kernel_of_jax_is_held_against_a_reference_of_torch(dtype):
    x = jnp.linspace(0.0, 1.0, 33).astype(dtype)
    right = secant.compare(jnp.sin, torch.sin, x, reference_framework="torch")
    assert right.verdict is Verdict.PASS, str(right)

    @jax.custom_vjp
    def wrong(x):
        return jnp.sin(x)

    wrong.defvjp(lambda x: (jnp.sin(x), x), lambda x, v: (1.2 * v * jnp.cos(x),))
    report = secant.compare(wrong, torch.sin, x, reference_framework="torch")
    assert report.verdict is Verdict.FAIL


def test_a_kernel_of_torch_is_held_against_a_reference_of_jax_where_x64_is_on():
    done = subprocess.run(
        [sys.executable, "-c", WITH_X64], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["PASS", "FAIL"]


def test_without_x64_jax_is_no_reference():
    if jax.config.jax_enable_x64:
        pytest.skip("x64 is on here")
    with pytest.raises(secant.InputError, match="JAX has no float64 while x64 is off"):
        secant.compare(torch.sin, jnp.sin, torch.linspace(0, 1, 5), reference_framework="jax")
