"""The traps of the design: functions on which every fixed step measures a right gradient wrongly.

Each is checked with its right gradient, which must never be called wrong, and with the same
gradient 1 % off, which must never be called right.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest
import torch

import secant
from planted import planted
from secant import Verdict

Tensor = torch.Tensor
DOUBLE, SINGLE = torch.float64, torch.float32
SEEDS = (1729, 0)
LAYERS, WIDTH, ROWS = 6, 64, 32

# The identity, whose gradient is 1 % too large.
exaggerated = planted("Exaggerated", lambda x: x * 1, lambda saved, v: v * 1.01)


def normals(*shape: int, dtype: torch.dtype = DOUBLE, seed: int = 0) -> Tensor:
    """Return standard normals, the same ones in every dtype."""
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(shape, dtype=DOUBLE, generator=generator).to(dtype)


def network(x: Tensor) -> Tensor:
    """Six layers of matrix product and relu; weights keep the size of what passes through."""
    for layer in range(LAYERS):
        weights = normals(WIDTH, WIDTH, dtype=x.dtype, seed=layer + 1)
        x = torch.relu(x @ weights * (2 / WIDTH) ** 0.5)
    return x


@dataclass(frozen=True)
class Trap:
    """A row of the design's table; `verdicts` are those that a right gradient may get."""

    function: Callable[[Tensor], Tensor]
    point: Callable[[], Tensor]
    verdicts: tuple[Verdict, ...] = (Verdict.PASS,)
    wrong: tuple[Verdict, ...] = (Verdict.FAIL,)  # what the same gradient, 1 % off, may get


# No step is good in single precision: the numbers may say that they cannot tell, nothing worse.
MAY_NOT_TELL = (Verdict.PASS, Verdict.INCONCLUSIVE), (Verdict.FAIL, Verdict.INCONCLUSIVE)

TRAPS = {
    "relu of a million, float64": Trap(torch.relu, lambda: normals(1_000_000)),
    "relu network, float64": Trap(network, lambda: normals(ROWS, WIDTH)),
    "relu network, float32": Trap(
        network, lambda: normals(ROWS, WIDTH, dtype=SINGLE), *MAY_NOT_TELL
    ),
    "relu of a million, float32": Trap(
        torch.relu, lambda: normals(1_000_000, dtype=SINGLE), *MAY_NOT_TELL
    ),
    "relu of ten thousand, float64": Trap(torch.relu, lambda: normals(10_000)),
    "relu of ten thousand, float32": Trap(
        torch.relu, lambda: normals(10_000, dtype=SINGLE), *MAY_NOT_TELL
    ),
    "hidden single precision": Trap(lambda x: x.float().sin().double(), lambda: normals(200)),
    "product of 125": Trap(torch.prod, lambda: 1 + 0.1 * normals(125)),
}


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", TRAPS)
def test_a_right_gradient_in_a_trap_is_not_called_wrong(name: str, seed: int) -> None:
    trap = TRAPS[name]
    report = secant.check(trap.function, trap.point(), seed=seed)
    assert report.verdict in trap.verdicts, str(report)


@pytest.mark.thinned(keep=5)
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", TRAPS)
def test_a_wrong_gradient_in_a_trap_is_not_called_right(name: str, seed: int) -> None:
    trap = TRAPS[name]
    x = trap.point()
    # what may still acquit takes half a minute among a million, and does the same among fewer
    explain = seed == SEEDS[0] and x.numel() < 1_000_000
    report = secant.check(lambda x: trap.function(exaggerated(x)), x, seed=seed, explain=explain)
    assert report.verdict in trap.wrong, str(report)


def test_a_million_kinks_do_not_widen_what_is_promised() -> None:
    """Entries of relu's Jacobian are 1: an entry off by a thousandth of that would be caught."""
    report = secant.check(torch.relu, normals(1_000_000))
    assert report.verdict is Verdict.PASS, str(report)
    assert report.resolution is not None
    assert report.resolution < 1e-3


@pytest.mark.parametrize("seed", [0, 2, 6, 9, 10])
def test_a_staircase_whose_steps_are_not_met_nearby_is_not_called_a_slope(seed: int) -> None:
    """In float32 the first step spans several stairs, whose average slope is 1; torch claims 0."""
    x = torch.empty(20).uniform_(-9, 9, generator=torch.Generator().manual_seed(seed))
    report = secant.check(lambda x: torch.round(x, decimals=3), x)
    assert report.verdict is not Verdict.FAIL, str(report)
