"""Every device a test can be run on: the processor always, an accelerator where there is one."""

from __future__ import annotations

import pytest
import torch

DEVICES = ("cpu", "cuda")


@pytest.fixture(params=DEVICES)
def device(request: pytest.FixtureRequest) -> str:
    """Where the test's tensors lie; an accelerator that is missing is skipped, visibly."""
    name: str = request.param
    if name == "cuda" and not torch.cuda.is_available():
        pytest.skip("needs an accelerator: torch sees no CUDA device")
    return name


@pytest.fixture
def accelerator() -> str:
    """For what makes sense on an accelerator only."""
    if not torch.cuda.is_available():
        pytest.skip("needs an accelerator: torch sees no CUDA device")
    return "cuda"
