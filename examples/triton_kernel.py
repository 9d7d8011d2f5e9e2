"""A Triton kernel at its real size: RMS normalisation, bfloat16 outside and float32 inside.

Nobody sees the casts, and in bfloat16 a random probe is blind for what is wrong here: a term that a
whole row shares. On a machine without an accelerator the same arithmetic runs in NumPy.

Run it: python examples/triton_kernel.py
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.autograd import Function

import secant

try:
    import triton
    import triton.language as tl
except ImportError:
    triton = None

HAS_GPU = triton is not None and torch.cuda.is_available()
EPSILON = 1e-6

if HAS_GPU:

    @triton.jit
    def rows(
        x, dy, out, columns, epsilon,  # noqa: ANN001 Triton's own
        BACKWARD: tl.constexpr, RIGHT: tl.constexpr, SIZE: tl.constexpr,
    ) -> None:  # fmt: skip
        """One row a program: x · r, or with r = 1/√(mean(x²) + ε), r (dy − x r mean(dy x r))."""
        at = tl.program_id(0).to(tl.int64) * columns + tl.arange(0, SIZE)
        mask = tl.arange(0, SIZE) < columns
        value = tl.load(x + at, mask=mask, other=0.0).to(tl.float32)
        scale = 1 / tl.sqrt(tl.sum(value * value, axis=0) / columns + epsilon)
        answer = value * scale
        if BACKWARD:
            v = tl.load(dy + at, mask=mask, other=0.0).to(tl.float32)
            through = tl.sum(v * answer, axis=0) / columns
            answer = scale * (v - answer * through) if RIGHT else scale * v
        tl.store(out + at, answer, mask=mask)


def launch(x: Tensor, dy: Tensor | None, is_right: bool) -> Tensor:
    """Run the kernel, or the same arithmetic: read, compute in float32, store as it was given."""
    if HAS_GPU:
        out, size = torch.empty_like(x), triton.next_power_of_2(x.shape[1])
        given = x.contiguous(), x if dy is None else dy.contiguous(), out, x.shape[1], EPSILON
        rows[(x.shape[0],)](*given, BACKWARD=dy is not None, RIGHT=is_right, SIZE=size)
        return out
    value = read(x)
    scale = 1 / np.sqrt((value * value).mean(-1, keepdims=True) + np.float32(EPSILON))
    if dy is None:
        return stored(value * scale, x)
    v, normal = read(dy), value * scale
    through = (v * normal).mean(-1, keepdims=True) if is_right else 0
    return stored(scale * (v - normal * through), x)


def read(tensor: Tensor) -> np.ndarray[Any, Any]:
    """Return numbers of float32, not through torch: a bfloat16 is the upper half of one."""
    if tensor.dtype != torch.bfloat16:
        return tensor.detach().numpy().astype(np.float32)
    bits = tensor.detach().contiguous().view(torch.int16).numpy().view(np.uint16)
    return (bits.astype(np.uint32) << 16).view(np.float32)


def stored(numbers: np.ndarray[Any, Any], like: Tensor) -> Tensor:
    """Return numbers of float32 in the dtype that was given."""
    return torch.from_numpy(numbers.astype(np.float32)).to(like.dtype)


class RmsNorm(Function):
    """x / √(mean(x²) + ε) per row; the planted mistake: the term through the norm is missing."""

    is_right = False

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        return launch(x, None, is_right=True)

    @classmethod
    def backward(cls, ctx: Any, grad_output: Tensor) -> Tensor:
        return launch(ctx.saved_tensors[0], grad_output, cls.is_right)


class FixedRmsNorm(RmsNorm):
    """The same with that term."""

    is_right = True


def main() -> None:
    """Check the mistake, then its repair."""
    shape = (8192, 2048) if HAS_GPU else (256, 384)
    x = torch.randn(shape, generator=torch.Generator().manual_seed(0)).bfloat16()
    x = x.to("cuda" if HAS_GPU else "cpu")
    print("With the mistake:")
    print(secant.check(RmsNorm.apply, x))
    print("\nFixed:")
    print(secant.check(FixedRmsNorm.apply, x))


if __name__ == "__main__":
    main()
