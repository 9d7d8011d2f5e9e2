"""PyTorch's state that belongs to the thread or to the process: modes, flags, levels, generators.

Modes are stacks. An interrupt may leave one pushed, as may a function that enters what it never
leaves; what stands above the place where the stack ended before is taken off again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch.autograd import forward_ad
from torch.nn.modules import module as _module

from ..algebra import Array

_C: Any = torch._C
_layers: Any = torch._C._functorch
_saved: Any = torch._C._autograd
_GLOBAL_HOOKS: list[dict[Any, Any]] = [
    table
    for name, table in vars(_module).items()
    if name.startswith("_global_") and isinstance(table, dict)
]
_guards: list[Any] = []  # that switch inference mode off, entered in this order
_dtypes: list[torch.dtype] = []  # with which every call begins, of the innermost check last


@dataclass(slots=True)
class _State:
    """What is compared, and put back where it differs."""

    entered: tuple[int, int]  # guards and dtypes of checks around this one
    generators: list[Array]
    dtype: torch.dtype
    has_gradients: bool
    functions: list[Any]  # modes
    dispatches: list[Any]
    level: int  # of forward differentiation
    depth: int  # of functorch
    batching: int
    saving: Any  # hooks around what a record saves
    device: Any
    flags: tuple[Any, ...]
    hooks: list[dict[Any, Any]]


class TorchState:
    """What the backend says about state."""

    def state(self) -> Any:
        entered = len(_guards), len(_dtypes)
        _dtypes.append(torch.get_default_dtype())
        return _State(
            entered,
            self.random_state(),
            _dtypes[-1],
            torch.is_grad_enabled(),
            _modes(_C._len_torch_function_stack(), _C._get_function_stack_at),
            _modes(_C._len_torch_dispatch_stack(), _C._get_dispatch_stack_at),
            forward_ad._current_level,
            _layers.get_dynamic_layer_stack_depth(),
            _batching(),
            _saved._top_saved_tensors_default_hooks(True),
            getattr(torch._GLOBAL_DEVICE_CONTEXT, "device_context", None),
            _flags(),
            [dict(table) if table else {} for table in _GLOBAL_HOOKS],
        )

    def put_back(self, state: Any) -> None:
        _layers.pop_dynamic_layer_stack_and_undo_to_depth(state.depth)
        for _ in range(_batching() - state.batching):
            _C._vmapmode_decrement_nesting()
        _leave_levels(state.level)
        _put_back_device(state.device)
        _put_back_modes(
            state.functions,
            _C._len_torch_function_stack,
            _C._get_function_stack_at,
            _C._pop_torch_function_stack,
            _C._push_on_torch_function_stack,
        )
        _put_back_modes(
            state.dispatches,
            _C._len_torch_dispatch_stack,
            _C._get_dispatch_stack_at,
            _C._pop_torch_dispatch_stack,
            _C._push_on_torch_dispatch_stack,
        )
        _put_back_saving(state.saving)
        guards, dtypes = state.entered
        while len(_guards) > guards:
            _guards.pop().__exit__(None, None, None)
        del _dtypes[dtypes:]
        if torch.is_grad_enabled() != state.has_gradients:
            torch._C._set_grad_enabled(state.has_gradients)
        if torch.get_default_dtype() != state.dtype:
            torch.set_default_dtype(state.dtype)
        if _flags() != state.flags:
            _put_back_flags(state.flags)
        for table, before in zip(_GLOBAL_HOOKS, state.hooks, strict=True):
            if table or before:
                table.clear()
                table.update(before)
        self.set_random_state(state.generators)

    def ready(self) -> None:
        if torch.is_inference_mode_enabled():
            _guards.append(_C._InferenceMode(False))
            _guards[-1].__enter__()
        if not torch.is_grad_enabled():
            torch._C._set_grad_enabled(True)
        if _dtypes and torch.get_default_dtype() is not _dtypes[-1]:
            torch.set_default_dtype(_dtypes[-1])

    def random_state(self) -> list[Array]:
        """The generators of the processor, then of each device that is in use."""
        is_in_use: Any = torch.cuda.is_initialized
        return [torch.get_rng_state(), *(torch.cuda.get_rng_state_all() if is_in_use() else [])]

    def set_random_state(self, state: list[Array]) -> None:
        torch.set_rng_state(state[0])
        if state[1:]:
            torch.cuda.set_rng_state_all(state[1:])

    def same_random_state(self, one: list[Array], other: list[Array]) -> bool:
        return len(one) == len(other) and all(map(torch.equal, one, other))


def _modes(count: int, at: Callable[[int], Any]) -> list[Any]:
    return [at(place) for place in range(count)]


def _put_back_modes(
    before: list[Any],
    count: Callable[[], int],
    at: Callable[[int], Any],
    pop: Callable[[], Any],
    push: Callable[[Any], None],
) -> None:
    if not before and not count():
        return
    kept = 0
    while kept < min(len(before), count()) and at(kept) is before[kept]:
        kept += 1
    while count() > kept:
        pop()
    for mode in before[kept:]:
        push(mode)


def _batching() -> int:
    """Return how deep the vmap nests that `is_grads_batched` is made of."""
    level: int = _C._vmapmode_increment_nesting()
    _C._vmapmode_decrement_nesting()
    return level - 1


def _leave_levels(level: int) -> None:
    """Leave levels of forward differentiation that were entered and not left."""
    try:
        above = _C._enter_dual_level()
        _C._exit_dual_level(level=above)
    except RuntimeError:  # there is one, and torch has no two
        above = 1
    for one in range(above - 1, level, -1):
        _C._exit_dual_level(level=one)
    forward_ad._current_level = level


def _put_back_device(device: Any) -> None:
    if getattr(torch._GLOBAL_DEVICE_CONTEXT, "device_context", None) is not device:
        torch.set_default_device(None)  # takes its mode off
        torch._GLOBAL_DEVICE_CONTEXT.device_context = device


def _put_back_saving(before: Any) -> None:
    for _ in range(_MOST_HOOKS):
        now = _saved._top_saved_tensors_default_hooks(True)
        if now is None or now == before:
            return
        _saved._pop_saved_tensors_default_hooks()


_MOST_HOOKS = 100


def _flags() -> tuple[Any, ...]:
    return (
        torch.is_anomaly_enabled(),
        torch.is_anomaly_check_nan_enabled(),
        torch.are_deterministic_algorithms_enabled(),
        torch.is_deterministic_algorithms_warn_only_enabled(),
        torch.is_autocast_enabled("cpu"),
        torch.get_autocast_dtype("cpu"),
        torch.is_autocast_enabled("cuda"),
        torch.get_autocast_dtype("cuda"),
        torch.is_autocast_cache_enabled(),
        _C._is_multithreading_enabled(),
    )


def _put_back_flags(flags: tuple[Any, ...]) -> None:
    anomaly, is_nan_checked, is_deterministic, warns, *rest = flags
    torch.autograd.set_detect_anomaly(anomaly, is_nan_checked)
    torch.use_deterministic_algorithms(is_deterministic, warn_only=warns)
    is_cpu, cpu, is_cuda, cuda, is_cached, is_threaded = rest
    torch.set_autocast_dtype("cpu", cpu)
    torch.set_autocast_enabled("cpu", is_cpu)
    torch.set_autocast_dtype("cuda", cuda)
    torch.set_autocast_enabled("cuda", is_cuda)
    torch.set_autocast_cache_enabled(is_cached)
    _C._set_multithreading_enabled(is_threaded)
