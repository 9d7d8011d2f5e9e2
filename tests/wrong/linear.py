"""Wrong backwards of products, convolutions, matrix functions, attention and complex functions."""

from __future__ import annotations

import torch
from torch.nn import functional

from wrong.written import Draw, complexes, mixed, wrong


def dominant(n: int) -> Draw:
    """A matrix far from singular, symmetric in nothing, of positive determinant."""
    return lambda generator: mixed(n, n)(generator) + 3 * torch.eye(n, dtype=torch.float64)


def cholesky(a: torch.Tensor) -> torch.Tensor:
    """The lower factor of the symmetric part."""
    factor: torch.Tensor = torch.linalg.cholesky((a + a.mT) / 2)
    return factor


def cholesky_core(v: torch.Tensor, a: torch.Tensor, diagonal: float) -> torch.Tensor:
    """L⁻ᵀ Φ(Lᵀ V) L⁻¹, Φ the lower triangle with its diagonal times a half, or so it should be."""
    factor = cholesky(a)
    inner = (factor.mT @ v.tril()).tril()
    inner = inner - (1 - diagonal) * inner.diagonal().diag()
    inverse: torch.Tensor = torch.linalg.inv(factor)
    return inverse.mT @ inner @ inverse


def symmetric(a: torch.Tensor) -> torch.Tensor:
    """The symmetric part."""
    return (a + a.mT) / 2


def solve_lower(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Solve tril(a) x = b."""
    solution: torch.Tensor = torch.linalg.solve_triangular(a.tril(), b, upper=False)
    return solution


def solve_lower_untransposed(
    v: torch.Tensor, a: torch.Tensor, b: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """Solves with the matrix where its transpose is due."""
    w = solve_lower(a, v)
    return -(w @ solve_lower(a, b).mT).tril(), w


def attention(q: torch.Tensor, k: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    """softmax(q kᵀ / √d) x."""
    return (q @ k.mT / q.shape[-1] ** 0.5).softmax(-1) @ x


def attention_without_scale(
    v: torch.Tensor, q: torch.Tensor, k: torch.Tensor, x: torch.Tensor
) -> tuple[torch.Tensor, ...]:
    """Right but for the 1/√d in the gradients of q and k."""
    weights = (q @ k.mT / q.shape[-1] ** 0.5).softmax(-1)
    w = v @ x.mT
    scores = weights * (w - (weights * w).sum(-1, keepdim=True))
    return scores @ k, scores.mT @ q, weights.mT @ v


def crop_one_side(v: torch.Tensor, x: torch.Tensor, w: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """Takes the padding off one end of the input's gradient."""
    return functional.conv_transpose1d(v, w)[..., : x.shape[-1]], weight_gradient(v, x, w)


def unflipped(v: torch.Tensor, x: torch.Tensor, w: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """Correlates with the kernel where it should convolve."""
    return functional.conv1d(v, w.transpose(0, 1), padding=1), weight_gradient(v, x, w)


def border_left_out(v: torch.Tensor, x: torch.Tensor, w: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """Sums the weight's gradient over the inside alone."""
    inside = functional.pad(v[..., 1:-1], (1, 1))
    return functional.conv_transpose1d(v, w, padding=1), weight_gradient(inside, x, w)


def weight_gradient(v: torch.Tensor, x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    """The true gradient of a padded convolution's weight."""
    shape: torch.Tensor = torch.nn.grad.conv1d_weight(x, w.shape, v, padding=1)
    return shape


def convolve(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    """A padded convolution of three taps."""
    return functional.conv1d(x, w, padding=1)


EXHIBITS = (
    wrong(
        "matmul with the wrong factor transposed",
        torch.matmul,
        lambda v, a, b: (v @ b.mT, a @ v),
        mixed(4, 4),
        mixed(4, 4),
    ),
    wrong(
        "matmul transposed in its gradient",
        torch.matmul,
        lambda v, a, b: (v @ b.mT, (a.mT @ v).mT),
        mixed(4, 4),
        mixed(4, 4),
    ),
    wrong(
        "outer product swapped",
        torch.outer,
        lambda v, a, b: (v.mT @ b, v @ a),
        mixed(4),
        mixed(4),
    ),
    wrong(
        "shared weight of the first batch only",
        lambda x, w: torch.einsum("bij,jk->bik", x, w),
        lambda v, x, w: (v @ w.mT, x[0].mT @ v[0]),
        mixed(3, 2, 4),
        mixed(4, 2),
    ),
    wrong(
        "linear averages over the batch",
        functional.linear,
        lambda v, x, w: (v @ w, v.mT @ x / x.shape[0]),
        mixed(5, 3),
        mixed(2, 3),
    ),
    wrong(
        "quadratic form as if symmetric",
        lambda x, a: x @ a @ x,
        lambda v, x, a: (2 * v * (a @ x), v * torch.outer(x, x)),
        mixed(4),
        mixed(4, 4),
    ),
    wrong(
        "cross product in the wrong order",
        lambda a, b: torch.linalg.cross(a, b),
        lambda v, a, b: (torch.linalg.cross(v, b), torch.linalg.cross(v, a)),
        mixed(2, 3),
        mixed(2, 3),
    ),
    wrong(
        "triangular solve not transposed",
        solve_lower,
        solve_lower_untransposed,
        dominant(4),
        mixed(4, 2),
    ),
    wrong(
        "solve not transposed",
        torch.linalg.solve,
        lambda v, a, b: (
            -torch.outer(torch.linalg.solve(a, v), torch.linalg.solve(a, b)),
            torch.linalg.solve(a, v),
        ),
        dominant(4),
        mixed(4),
    ),
    wrong(
        "inverse not transposed",
        torch.linalg.inv,
        lambda v, a: -torch.linalg.inv(a) @ v @ torch.linalg.inv(a),
        dominant(4),
    ),
    wrong(
        "determinant with the inverse not transposed",
        torch.linalg.det,
        lambda v, a: v * torch.linalg.det(a) * torch.linalg.inv(a),
        dominant(4),
    ),
    wrong("logdet not transposed", torch.logdet, lambda v, a: v * torch.linalg.inv(a), dominant(4)),
    wrong(
        "cholesky without halving the diagonal",
        cholesky,
        lambda v, a: symmetric(cholesky_core(v, a, 1.0)),
        dominant(4),
    ),
    wrong(
        "cholesky not symmetrised",
        cholesky,
        lambda v, a: cholesky_core(v, a, 0.5),
        dominant(4),
    ),
    wrong(
        "matrix exponential as if it commuted",
        torch.linalg.matrix_exp,
        lambda v, a: v @ torch.linalg.matrix_exp(a).mT,
        mixed(3, 3),
    ),
    wrong("conv cropped on one side", convolve, crop_one_side, mixed(2, 2, 6), mixed(3, 2, 3)),
    wrong("conv with the kernel not flipped", convolve, unflipped, mixed(2, 2, 6), mixed(3, 2, 3)),
    wrong("conv weight without border", convolve, border_left_out, mixed(2, 2, 6), mixed(3, 2, 3)),
    wrong(
        "attention without the scale",
        attention,
        attention_without_scale,
        mixed(3, 4),
        mixed(5, 4),
        mixed(5, 2),
    ),
    wrong(
        "complex product without the conjugate",
        torch.mul,
        lambda v, a, b: (v * b, v * a),
        complexes(5),
        complexes(5),
    ),
    wrong(
        "complex exponential without the conjugate",
        torch.exp,
        lambda v, z: v * z.exp(),
        complexes(5),
    ),
    wrong("complex modulus not normalised", torch.abs, lambda v, z: v * z, complexes(5)),
    wrong(
        "fourier transform scaled down", torch.fft.fft, lambda v, _: torch.fft.ifft(v), complexes(6)
    ),
)
