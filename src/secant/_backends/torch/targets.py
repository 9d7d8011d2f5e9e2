"""What a program may point at of PyTorch: rules, modules, files that are read safely."""

from __future__ import annotations

import pickle
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from ..._errors import InputError, spell
from ..interface.targets import Targets


class TorchTargets(Targets):
    """What the backend says to a program that makes the inputs itself."""

    def rule(self, target: object) -> Callable[..., Any] | None:
        if isinstance(target, type) and issubclass(target, torch.autograd.Function):
            apply: Callable[..., Any] = target.apply
            return apply
        return None

    def is_own(self, target: object) -> bool:
        own = (torch.nn.Module, torch.autograd.Function)
        return isinstance(target, own) or (isinstance(target, type) and issubclass(target, own))

    def own_dtype(self, function: object) -> str:
        """Return the dtype of a module's first floating parameter; a function has none."""
        if isinstance(function, torch.nn.Module):
            for tensor in (*function.parameters(), *function.buffers()):
                if tensor.is_floating_point():
                    return str(tensor.dtype).removeprefix("torch.")
            return "float32"  # what modules without parameters are mostly used with
        return "float64"

    def seed(self, seed: int) -> None:
        torch.manual_seed(seed)

    def placed(self, function: Callable[..., Any], device: str) -> Callable[..., Any]:
        return function.to(device) if isinstance(function, torch.nn.Module) else function

    def read(self, path: Path) -> Any:
        """Return the tensors in a file that `torch.save` wrote; no other object is ever built."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of other protocols, which are then refused
                return torch.load(path, map_location="cpu", weights_only=True)
        except pickle.UnpicklingError as error:
            raise InputError(
                f"{path} would have to be unpickled, which can run any code, so it was not read; "
                "save tensors, or dicts and lists of tensors, with torch.save"
            ) from error
        except (RuntimeError, EOFError, OSError, ValueError, KeyError) as error:
            raise InputError(
                f"expected {path} to be a file that torch.save wrote; {spell(error)}"
            ) from error
