"""Kernels of JAX with rules of their own, right or with a classic mistake, and one of Pallas.

All compute in float32 whatever they are given, as kernels do.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl

Array = Any
BLOCK = 1024  # entries that an instance of the Pallas kernel works on
NO_ROW_SUM = "row sum forgotten"
HALF_A_SUM = "half a row sum"
NO_NORM_TERM = "term through the norm missing"
UNWEIGHTED = "row sum without the weight"
NO_SCALE = "scale forgotten in dQ"
NO_ROW_DOT = "rowsum(dO ∘ O) forgotten"
NO_PRODUCT_TERM = "term of the product rule missing"
NO_SIGMOID = "sigmoid missing in the other factor"


@dataclass(frozen=True)
class JaxKernel:
    """A kernel, the mistakes that can be planted in its rule, and the shapes of its inputs."""

    name: str
    mistakes: tuple[str, ...]
    make: Callable[[str], Callable[..., Array]]
    shapes: Callable[[int, int], tuple[tuple[int, ...], ...]]

    def draw(self, rows: int, columns: int, dtype: str) -> tuple[Array, ...]:
        """Inputs that are the same on every machine; a vector lies about 1."""
        draws = np.random.default_rng(0)
        inputs = []
        for shape in self.shapes(rows, columns):
            numbers = draws.standard_normal(shape)
            inputs.append(jnp.asarray(1 + 0.1 * numbers if len(shape) == 1 else numbers, dtype))
        return tuple(inputs)


def ruled(forward: Callable[..., Array], backward: Callable[..., tuple[Array, ...]]) -> Any:
    """A function with a rule, both in float32, answering in the dtypes that came."""

    def inside(*inputs: Array) -> Array:
        return forward(*(one.astype(jnp.float32) for one in inputs)).astype(inputs[0].dtype)

    def pulled(inputs: tuple[Array, ...], cotangent: Array) -> tuple[Array, ...]:
        wide = [one.astype(jnp.float32) for one in inputs]
        answers = backward(cotangent.astype(jnp.float32), *wide)
        return tuple(a.astype(b.dtype) for a, b in zip(answers, inputs, strict=True))

    function = jax.custom_vjp(inside)
    function.defvjp(lambda *inputs: (inside(*inputs), inputs), pulled)
    return jax.jit(function)


def softmax(mistake: str) -> Any:
    """Row by row."""

    def backward(v: Array, x: Array) -> tuple[Array]:
        y = jax.nn.softmax(x)
        share = {NO_ROW_SUM: 0.0, HALF_A_SUM: 0.5}.get(mistake, 1.0)
        return (y * (v - share * (v * y).sum(-1, keepdims=True)),)

    return ruled(jax.nn.softmax, backward)


def rmsnorm(mistake: str) -> Any:
    """With a weight."""

    def forward(x: Array, w: Array) -> Array:
        return x * jax.lax.rsqrt((x * x).mean(-1, keepdims=True) + 1e-6) * w

    def backward(v: Array, x: Array, w: Array) -> tuple[Array, Array]:
        r = jax.lax.rsqrt((x * x).mean(-1, keepdims=True) + 1e-6)
        g = v * w
        through = ((v if mistake == UNWEIGHTED else g) * x).mean(-1, keepdims=True)
        dx = r * g if mistake == NO_NORM_TERM else r * (g - x * r * r * through)
        return dx, (v * x * r).sum(0)

    return ruled(forward, backward)


def summed(how: str, *inputs: Array) -> Array:
    """A sum of products in float32, on a device that would rather take fewer digits too."""
    return jnp.einsum(how, *inputs, precision=jax.lax.Precision.HIGHEST)


def attention(mistake: str) -> Any:
    """Causal, of several heads."""

    def weights(q: Array, k: Array) -> tuple[Array, float]:
        scale = q.shape[-1] ** -0.5
        scores = summed("hid,hjd->hij", q, k) * scale
        seen = jnp.tril(jnp.ones(scores.shape[-2:], bool))
        return jax.nn.softmax(jnp.where(seen, scores, -jnp.inf)), scale

    def forward(q: Array, k: Array, v: Array) -> Array:
        return summed("hij,hjd->hid", weights(q, k)[0], v)

    def backward(g: Array, q: Array, k: Array, v: Array) -> tuple[Array, ...]:
        p, scale = weights(q, k)
        dp = summed("hid,hjd->hij", g, v)
        row = 0.0 if mistake == NO_ROW_DOT else (p * dp).sum(-1, keepdims=True)
        ds = p * (dp - row) * scale
        dq = summed("hij,hjd->hid", ds, k) / (scale if mistake == NO_SCALE else 1.0)
        return dq, summed("hij,hid->hjd", ds, q), summed("hij,hid->hjd", p, g)

    return ruled(forward, backward)


def swiglu(mistake: str) -> Any:
    """In Pallas: silu(a) · b, entry by entry."""

    def called(kernel: Callable[..., None], count: int, *inputs: Array) -> list[Array]:
        size, shape = inputs[0].size, inputs[0].shape
        rows = -(-size // BLOCK)
        padded = [jnp.pad(one.reshape(-1), (0, rows * BLOCK - size)) for one in inputs]
        block = pl.BlockSpec((1, BLOCK), lambda i: (i, 0))
        call = pl.pallas_call(
            kernel,
            out_shape=[jax.ShapeDtypeStruct((rows, BLOCK), jnp.float32)] * count,
            grid=(rows,),
            in_specs=[block] * len(inputs),
            out_specs=[block] * count,
            interpret=jax.default_backend() == "cpu",
        )
        answers = call(*(one.reshape(rows, BLOCK) for one in padded))
        return [one.reshape(-1)[:size].reshape(shape) for one in answers]

    def forward_kernel(a: Any, b: Any, out: Any) -> None:
        out[...] = a[...] * jax.nn.sigmoid(a[...]) * b[...]

    def backward_kernel(v: Any, a: Any, b: Any, da: Any, db: Any) -> None:
        s = jax.nn.sigmoid(a[...])
        slope = s if mistake == NO_PRODUCT_TERM else s * (1 + a[...] * (1 - s))
        da[...] = v[...] * b[...] * slope
        db[...] = v[...] * a[...] * (1.0 if mistake == NO_SIGMOID else s)

    return ruled(
        lambda a, b: called(forward_kernel, 1, a, b)[0],
        lambda v, a, b: tuple(called(backward_kernel, 2, v, a, b)),
    )


def heads(rows: int, columns: int) -> tuple[tuple[int, ...], ...]:
    """Sixteen heads or fewer of sixty-four numbers, as many tokens as give that many entries."""
    count = max(1, min(16, rows // 64))
    return ((count, max(1, rows * columns // (count * 64)), 64),) * 3


@functools.cache
def kernels() -> tuple[JaxKernel, ...]:
    """All of them."""
    return (
        JaxKernel("softmax", (NO_ROW_SUM, HALF_A_SUM), softmax, lambda r, c: ((r, c),)),
        JaxKernel("rmsnorm", (NO_NORM_TERM, UNWEIGHTED), rmsnorm, lambda r, c: ((r, c), (c,))),
        JaxKernel("attention", (NO_SCALE, NO_ROW_DOT), attention, heads),
        JaxKernel(
            "swiglu (Pallas)",
            (NO_PRODUCT_TERM, NO_SIGMOID),
            swiglu,
            lambda r, c: ((r, c), (r, c)),
        ),
    )
