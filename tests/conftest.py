"""What all tests share: one thread, and property tests that draw the same examples every time."""

from __future__ import annotations

import contextlib

from hypothesis import HealthCheck, settings

with contextlib.suppress(ImportError):  # the core's own tests need no framework
    import torch

    torch.set_num_threads(1)  # two test processes share two cores

settings.register_profile(
    "steady",
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],  # it may be the machine
    max_examples=50,
)
settings.load_profile("steady")
