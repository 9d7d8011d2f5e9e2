"""A transformer whose loss goes down, only slowly: one LayerNorm of many has a wrong backward.

Run it: python examples/transformer.py
With ten million parameters: python examples/transformer.py --large
"""

from __future__ import annotations

import sys
from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd import Function

import secant


class Normalise(Function):
    """(x − mean) / deviation; the planted mistake: the mean is treated as a constant."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, eps: float) -> Tensor:
        scale = (x.var(-1, unbiased=False, keepdim=True) + eps).rsqrt()
        normal = (x - x.mean(-1, keepdim=True)) * scale
        ctx.save_for_backward(normal, scale)
        return normal

    @staticmethod
    def backward(ctx: Any, grad_output: Tensor) -> tuple[Tensor, None]:
        normal, scale = ctx.saved_tensors
        along = normal * (grad_output * normal).mean(-1, keepdim=True)
        return scale * (grad_output - along), None


class FastLayerNorm(nn.LayerNorm):
    """A LayerNorm with a backward of its own."""

    def forward(self, x: Tensor) -> Tensor:
        normal: Tensor = Normalise.apply(x, self.eps)
        return normal * self.weight + self.bias


def encoder(layers: int, size: int) -> nn.TransformerEncoder:
    """A transformer encoder in float32, in training, dropout and all."""
    layer = nn.TransformerEncoderLayer(size, 4, 4 * size, batch_first=True)
    return nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)


def main() -> None:
    """Check the whole, take it apart, repair the one submodule, check again."""
    torch.manual_seed(0)
    layers, size = (12, 264) if "--large" in sys.argv else (2, 8)
    network, x = encoder(layers, size), torch.randn(1, 5, size)
    culprit = network.layers[layers // 2]
    right, culprit.norm2 = culprit.norm2, FastLayerNorm(size)
    print("The whole:")
    print(secant.check(network, x))
    print("\nSubmodule by submodule:")
    print(secant.localise(network, x))
    culprit.norm2 = right
    print("\nWith torch's own LayerNorm there:")
    print(secant.check(network, x))
    secant.assert_gradient(network, x)  # what a test of yours would say


if __name__ == "__main__":
    main()
