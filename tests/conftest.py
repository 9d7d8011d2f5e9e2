"""What all tests share: one thread, and property tests that draw the same examples every time."""

from __future__ import annotations

import torch
from hypothesis import settings

torch.set_num_threads(1)  # two test processes share two cores

settings.register_profile("steady", derandomize=True, deadline=None, max_examples=50)
settings.load_profile("steady")
