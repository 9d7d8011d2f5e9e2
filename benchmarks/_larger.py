"""A few functions too large for torch's slow mode: 1 000 to 100 000 elements, in float64.

Gives one `Case` a function, as the operator database does; values depend on the seed alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import torch
from torch.nn import functional

from _database import Case, Tensors

__all__ = ["larger"]


def larger(seed: int, *, only: str = "") -> Iterator[Case]:
    """The functions whose name contains `only`."""
    generator = torch.Generator().manual_seed(seed)

    def draw(*shape: int) -> torch.Tensor:
        return torch.randn(shape, dtype=torch.float64, generator=generator).requires_grad_()

    def places(length: int, below: int) -> torch.Tensor:
        return torch.randint(below, (length,), generator=generator)

    order = torch.randperm(50_000, generator=generator)
    some, rows = places(20_000, 5_000), places(2_000, 300)  # places come several times each
    questions: list[tuple[str, Callable[..., Tensors], tuple[torch.Tensor, ...]]] = [
        ("tanh", torch.tanh, (draw(1_000),)),
        ("sin", torch.sin, (draw(100_000),)),
        ("product", torch.mul, (draw(100, 100), draw(100, 100))),
        ("broadcast", lambda x, y: x * y, (draw(200, 50), draw(50))),
        ("matmul", torch.matmul, (draw(64, 64), draw(64, 64))),
        (
            "conv2d",
            lambda x, w: functional.conv2d(x, w, padding=1),
            (draw(1, 8, 32, 32), draw(8, 8, 3, 3)),
        ),
        ("softmax", lambda x: x.softmax(-1), (draw(100, 100),)),
        ("layer_norm", lambda x: functional.layer_norm(x, (64,)), (draw(64, 64),)),
        ("cumsum", lambda x: x.cumsum(0), (draw(10_000),)),
        ("permutation", lambda x: x[order], (draw(50_000),)),
        ("gather", lambda x: x[some].sin(), (draw(5_000),)),
        ("embedding", lambda w: functional.embedding(rows, w), (draw(300, 16),)),
    ]
    for name, function, inputs in questions:
        if only in f"larger.{name}":
            size = sum(tensor.numel() for tensor in inputs)
            yield Case(f"larger.{name}", f"larger.{name}", function, inputs, size)
