"""What a check must leave alone, as something that can be compared before and after."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import torch
from torch.autograd import forward_ad


class Halt(Exception):
    """The user's own exception."""


def bits(tensor: torch.Tensor) -> bytes:
    """Return the memory behind a tensor, gaps and overlaps included."""
    return bytes(tensor.detach().untyped_storage().tolist())


def fingerprint(*tensors: torch.Tensor) -> list[Any]:
    """Return everything about the tensors and the process that a check must leave alone."""
    own = [
        (
            bits(tensor),
            tensor.shape,
            tensor.stride(),
            None if tensor.is_inference() else tensor._version,
            tensor.requires_grad,
            tensor.is_leaf,
            None if not tensor.is_leaf or tensor.grad is None else bits(tensor.grad),
            None if not tensor.is_leaf else id(tensor.grad),
            None if tensor._backward_hooks is None else dict(tensor._backward_hooks),
        )
        for tensor in tensors
    ]
    process = [
        torch.get_rng_state().tolist(),
        torch.get_default_dtype(),
        torch.is_grad_enabled(),
        torch.is_inference_mode_enabled(),
        torch.is_anomaly_enabled(),
        torch.are_deterministic_algorithms_enabled(),
        torch.is_autocast_enabled("cpu"),
        torch.get_num_threads(),
        forward_ad._current_level,
        torch._C._functorch.peek_interpreter_stack() is None,
        random.getstate(),
        np.random.get_state()[1].tolist(),  # noqa: NPY002 the user's global generator
        np.geterr(),
    ]
    return [own, process]
