"""Ten million parameters in float32, one wrong LayerNorm: the check fails, localise names it."""

from __future__ import annotations

import pytest
import torch
from torch import nn

import secant
from secant import Verdict
from wrong.modules.layers import LayerNorm


def encoder(layers, size, broken):
    """A transformer encoder in float32, training, with one LayerNorm that forgets its mean."""
    torch.manual_seed(0)
    layer = nn.TransformerEncoderLayer(size, 4, 4 * size, batch_first=True)
    network = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)
    network.layers[broken].norm2 = LayerNorm(size)
    return network, torch.randn(2, 6, size)


def blames_the_layer_norm(network, x, path):
    report = secant.check(network, x, explain=False)
    assert report.verdict is Verdict.FAIL, str(report)
    result = secant.localise(network, x)
    assert [call.path for call in result.blamed] == [path], str(result)
    assert f"`{path}` (LayerNorm)" in result.sentence
    assert len(str(result).splitlines()) <= 40


def test_a_small_encoder():
    network, x = encoder(2, 16, 1)
    blames_the_layer_norm(network, x, "layers.1.norm2")


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_ten_million_parameters():
    network, x = encoder(12, 264, 7)
    assert sum(one.numel() for one in network.parameters()) > 10_000_000
    blames_the_layer_norm(network, x, "layers.7.norm2")
