"""PyTorch's state that belongs to the thread or to the process: modes, flags, levels, generators.

Modes are stacks. An interrupt may leave one pushed, as may a function that enters what it never
leaves; what stands above the place where the stack ended before is taken off again. Reading every
flag takes longer than a small function, so they are read once; a guard that torch itself has for
them says whether that is still what they are.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch.autograd import forward_ad
from torch.nn.modules import module as _module
from torch.utils import _python_dispatch
from torch.utils._device import DeviceContext

from ..arithmetic.algebra import Array
from ..interface.modes import Modes
from ..process.restoration import put_back_later
from .versions import watch

_C: Any = torch._C
_layers: Any = torch._C._functorch
_saved: Any = torch._C._autograd
_cuda: Any = torch.cuda
_Guard: Any = _C._dynamo.guards.GlobalStateGuard
_MOST_HOOKS = 100
_GLOBAL_HOOKS: list[dict[Any, Any]] = [
    table
    for name, table in vars(_module).items()
    if name.startswith("_global_") and isinstance(table, dict)
]
_NO_HOOKS: list[dict[Any, Any]] = [{} for _ in _GLOBAL_HOOKS]
# what is read, and what sets it
_FLAGS: list[tuple[Callable[[], Any], Callable[[Any], Any]]] = [
    (torch.is_grad_enabled, _C._set_grad_enabled),
    (torch.get_default_dtype, torch.set_default_dtype),
    (lambda: torch.is_autocast_enabled("cpu"), lambda on: torch.set_autocast_enabled("cpu", on)),
    (lambda: torch.is_autocast_enabled("cuda"), lambda on: torch.set_autocast_enabled("cuda", on)),
    (torch.is_autocast_cache_enabled, torch.set_autocast_cache_enabled),
    (torch.are_deterministic_algorithms_enabled, torch.use_deterministic_algorithms),
    (torch.is_anomaly_enabled, torch.autograd.set_detect_anomaly),
    (torch.get_num_threads, torch.set_num_threads),
]
# whether some dispatch mode is active: set before a mode is pushed, also in torch itself
_INSIDE = [name for name in vars(_python_dispatch) if name.startswith("_is_in_")]
_inside = operator.attrgetter(*_INSIDE)
_OF_COMPILER = "_is_in_any_mode_without_ignore_compile_internals"  # which has a copy in C++
# torch tells how deep these nest only by nesting once more; both calls are made within one
# instruction of Python's, so that no handler of a signal comes between them
_NEST_AND_BACK = _C._vmapmode_increment_nesting, _C._vmapmode_decrement_nesting
_ENTER_AND_BACK = _C._enter_dual_level, functools.partial(_C._exit_dual_level, level=0)
_read: tuple[Any, list[Any]] = (None, [])  # the guard, and the flags at its time
_guards: list[Any] = []  # that switch inference mode off, entered in this order
_dtypes: list[torch.dtype] = []  # with which every call begins, of the innermost check last


@dataclass(slots=True)
class _State:
    """What is compared, and put back where it differs."""

    guard: Any
    flags: list[Any]
    marks: tuple[Any, ...]
    entered: tuple[int, int]  # inference guards and dtypes of checks around this one
    functions: list[Any]  # modes
    dispatches: list[Any]
    hooks: list[dict[Any, Any]]
    watched: Any  # where casts are noted


class TorchModes(Modes):
    """Modes, flags and hooks of torch."""

    def state(self) -> Any:
        global _read
        if _read[0] is None or not _read[0].check():
            _read = _Guard(), [read() for read, _ in _FLAGS]
        entered, marks = (len(_guards), len(_dtypes)), _marks()
        _dtypes.append(torch.get_default_dtype())
        return _State(
            *_read,
            marks,
            entered,
            list(map(_C._get_function_stack_at, range(marks[0]))) if marks[0] else [],
            list(map(_C._get_dispatch_stack_at, range(marks[1]))) if marks[1] else [],
            [dict(table) for table in _GLOBAL_HOOKS] if any(_GLOBAL_HOOKS) else _NO_HOOKS,
            watch.watched(),
        )

    def put_back(self, state: Any) -> None:
        guards, dtypes = state.entered
        watch.watch(state.watched)
        while len(_guards) > guards:
            _guards.pop().__exit__(None, None, None)
        del _dtypes[dtypes:]
        marks = _marks()
        if state.functions or state.dispatches or marks != state.marks:
            _put_back_modes(state)
        if not state.guard.check() or marks[-1] != state.marks[-1]:
            _put_back_flags(state)
        if state.hooks is not _NO_HOOKS or any(_GLOBAL_HOOKS):
            for table, before in zip(_GLOBAL_HOOKS, state.hooks, strict=True):
                table.clear()
                table.update(before)

    def ready(self) -> None:
        if not torch.is_grad_enabled():
            if torch.is_inference_mode_enabled():
                _guards.append(_C._InferenceMode(False))
                _guards[-1].__enter__()
            _C._set_grad_enabled(True)
        if _dtypes and torch.get_default_dtype() is not _dtypes[-1]:
            torch.set_default_dtype(_dtypes[-1])


class TorchGenerator:
    """The generators of the processor and of every device."""

    def random_state(self) -> list[Array]:
        """The generators of the processor, then of each device that is in use."""
        own = torch.default_generator.get_state()
        is_in_use = _cuda._initialized and _cuda.is_initialized()  # the first is no call
        return [own, *torch.cuda.get_rng_state_all()] if is_in_use else [own]

    def rewind(self, state: list[Array]) -> None:
        torch.default_generator.set_state(state[0])  # sooner done than compared
        if state[1:]:
            torch.cuda.set_rng_state_all(state[1:])

    def same_random_state(self, one: list[Array], other: list[Array]) -> bool:
        return len(one) == len(other) and all(map(_is_same_state, one, other))


def leave_levels_later() -> None:
    """When the check is over, leave levels and batches in which an interrupt has left it."""
    level, batching = forward_ad._current_level, _batching()

    def leave() -> None:
        for one in range(_level(), level, -1):
            _C._exit_dual_level(level=one)
        forward_ad._current_level = level
        for _ in range(_batching() - batching):
            _C._vmapmode_decrement_nesting()

    put_back_later(leave)


def _is_same_state(one: Array, other: Array) -> bool:
    return bool(one.numpy().tobytes() == other.numpy().tobytes())


def _marks() -> tuple[Any, ...]:
    return (
        _C._len_torch_function_stack(),
        _C._len_torch_dispatch_stack(),
        _layers.get_dynamic_layer_stack_depth(),
        _saved._top_saved_tensors_default_hooks(True),
        *_inside(_python_dispatch),
        torch.is_anomaly_enabled(),
    )


def _put_back_modes(state: _State) -> None:
    _, _, depth, saving, *inside, _ = state.marks
    _layers.pop_dynamic_layer_stack_and_undo_to_depth(depth)
    default = getattr(torch._GLOBAL_DEVICE_CONTEXT, "device_context", None)
    if default not in state.functions:
        torch.set_default_device(None)  # takes its mode off
        mode = next((one for one in state.functions if type(one) is DeviceContext), None)
        torch._GLOBAL_DEVICE_CONTEXT.device_context = mode
    _put_back_stack(
        state.functions,
        _C._len_torch_function_stack,
        _C._get_function_stack_at,
        _C._pop_torch_function_stack,
        _C._push_on_torch_function_stack,
    )
    _put_back_stack(
        state.dispatches,
        _C._len_torch_dispatch_stack,
        _C._get_dispatch_stack_at,
        lambda: _C._pop_torch_dispatch_stack(None),
        _C._push_on_torch_dispatch_stack,
    )
    for name, flag in zip(_INSIDE, inside, strict=True):
        setattr(_python_dispatch, name, flag)
    if _OF_COMPILER in _INSIDE:
        names: Any = vars(_python_dispatch)
        names["set_is_in_mode_without_ignore_compile_internals"](names[_OF_COMPILER])
    for _ in range(_MOST_HOOKS):
        now = _saved._top_saved_tensors_default_hooks(True)
        if now is None or now == saving:
            break
        _saved._pop_saved_tensors_default_hooks()


def _put_back_stack(
    before: list[Any],
    count: Callable[[], int],
    at: Callable[[int], Any],
    pop: Callable[[], Any],
    push: Callable[[Any], None],
) -> None:
    kept = 0
    while kept < min(len(before), count()) and at(kept) is before[kept]:
        kept += 1
    while count() > kept:
        pop()
    for mode in before[kept:]:
        push(mode)


def _put_back_flags(state: _State) -> None:
    for (read, write), flag in zip(_FLAGS, state.flags, strict=True):
        if read() != flag:
            write(flag)


def _batching() -> int:
    """Return how deep the vmap nests that `is_grads_batched` is made of."""
    level: int
    level, _ = map(operator.call, _NEST_AND_BACK)
    return level - 1


def _level() -> int:
    """Return the level of forward differentiation: the engine's, whatever Python's says."""
    above: int
    try:
        above, _ = map(operator.call, _ENTER_AND_BACK)
    except RuntimeError:  # there is one, and torch has no two
        return 0
    return above - 1
