"""Millions of parameters, one wrong LayerNorm: the check fails, localise names it.

Ten millions in float32, a hundred in bfloat16; right ones pass.
"""

from __future__ import annotations

import pytest
import torch
from torch import nn

import secant
from secant import Verdict
from wrong.modules.layers import LayerNorm


def encoder(layers, size, broken=None, dtype=torch.float32):
    """A transformer encoder, training, with one LayerNorm that forgets its mean."""
    torch.manual_seed(0)
    layer = nn.TransformerEncoderLayer(size, 4, 4 * size, batch_first=True)
    network = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)
    if broken is not None:
        network.layers[broken].norm2 = LayerNorm(size)
    return network.to(dtype), torch.randn(2, 6, size).to(dtype)


def passes(network, x):
    report = secant.check(network, x)
    assert report.verdict is Verdict.PASS, str(report)


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


def test_a_small_encoder_in_bfloat16():
    report = secant.check(*encoder(2, 16, dtype=torch.bfloat16))
    assert report.verdict is not Verdict.FAIL, str(report)
    network, x = encoder(2, 16, 1, torch.bfloat16)
    blames_the_layer_norm(network, x, "layers.1.norm2")


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_a_hundred_million_parameters_in_bfloat16():
    network, x = encoder(15, 768, dtype=torch.bfloat16)
    assert sum(one.numel() for one in network.parameters()) > 100_000_000
    passes(network, x)
    network, x = encoder(15, 768, 7, torch.bfloat16)
    blames_the_layer_norm(network, x, "layers.7.norm2")
