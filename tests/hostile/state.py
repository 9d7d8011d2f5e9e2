"""Everything that a check must leave alone, as something that can be compared before and after.

What is watched is walked to its last attribute: tensors bit for bit, with their storage, strides,
version, `.grad` and hooks; arrays; modules; containers and plain objects by the identity of what
they hold; generators. The process is looked at through the frameworks that are imported.
"""

from __future__ import annotations

import collections
import os
import random
import signal
import sys
import threading
import types
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

_ATOMS = (bool, int, float, complex, str, bytes, type(None), type, range, slice)
_OPAQUE = (
    types.FunctionType,
    types.BuiltinFunctionType,
    types.MethodType,
    types.ModuleType,
    type(threading.Lock()),
    type(threading.RLock()),
)

State = dict[str, Any]


def state(watched: Any) -> State:
    """Return what is watched, and the process, path by path."""
    found: State = {}
    seen: dict[int, str] = {}
    for path, what in _walk("watched", watched, seen):
        found[path] = what
    found.update(_process())
    found["_kept"] = watched  # so that no identity is given away twice
    return found


def differences(before: State, after: State) -> list[str]:
    """Say which paths are not as they were."""
    said = []
    for path in dict.fromkeys([*before, *after]):
        if path == "_kept":
            continue
        if path not in after:
            said.append(f"{path} is gone")
        elif path not in before:
            said.append(f"{path} is new: {_short(after[path])}")
        elif isinstance(before[path], dict) and isinstance(after[path], dict):
            said += [f"{path} {one}" for one in differences(before[path], after[path])]
        elif not _is_same(before[path], after[path]):
            said.append(f"{path} was {_short(before[path])}, is {_short(after[path])}")
    return said


def _short(what: Any) -> str:
    text = repr(what)
    return text if len(text) <= 120 else text[:117] + "..."


def _is_same(one: Any, other: Any) -> bool:
    try:
        return bool(one == other)
    except Exception:
        return one is other


# -- what is watched -----------------------------------------------------------------------------


def _walk(path: str, value: Any, seen: dict[int, str]) -> Iterator[tuple[str, Any]]:
    if isinstance(value, _ATOMS):
        yield path, value
        return
    if id(value) in seen:
        yield path, f"the same as {seen[id(value)]}"
        return
    seen[id(value)] = path
    yield f"{path} (which)", (type(value).__name__, id(value))
    torch, jax = sys.modules.get("torch"), sys.modules.get("jax")
    if torch is not None and isinstance(value, torch.Tensor):
        yield from _of_tensor(torch, path, value, seen)
    elif torch is not None and isinstance(value, torch.Generator):
        yield path, value.get_state().tolist()
    elif jax is not None and isinstance(value, jax.Array):
        yield path, "deleted" if value.is_deleted() else _of_jax(jax, value)
    elif isinstance(value, np.ndarray):
        yield path, _of_array(value)
    elif isinstance(value, np.generic):
        yield path, (value.dtype, value.tobytes())
    elif isinstance(value, (np.random.Generator, np.random.RandomState)):
        yield path, repr(getattr(value, "bit_generator", value).state if isinstance(
            value, np.random.Generator) else value.get_state(legacy=False))  # fmt: skip
    elif isinstance(value, np.random.BitGenerator):
        yield path, repr(value.state)
    elif isinstance(value, random.Random):
        yield path, value.getstate()
    elif isinstance(value, (bytearray, memoryview)):
        yield path, bytes(value)
    else:
        yield from _of_container(path, value, seen)


def _of_container(path: str, value: Any, seen: dict[int, str]) -> Iterator[tuple[str, Any]]:
    if isinstance(value, (dict, types.MappingProxyType)):
        yield f"{path} (keys)", [_key(one) for one in value]
        for key, one in value.items():
            yield from _walk(f"{path}[{_key(key)}]", one, seen)
    elif isinstance(value, (list, tuple, collections.deque)):
        yield f"{path} (length)", len(value)
        for place, one in enumerate(value):
            yield from _walk(f"{path}[{place}]", one, seen)
    elif isinstance(value, (set, frozenset)):
        yield path, sorted(_key(one) for one in value)
    if isinstance(value, _OPAQUE):
        yield path, id(value)
        return
    attributes = getattr(value, "__dict__", None)
    if isinstance(attributes, dict):
        yield f"{path} (attributes)", list(attributes)
        for name, one in attributes.items():
            yield from _walk(f"{path}.{name}", one, seen)
    for kind in type(value).__mro__:
        slots = kind.__dict__.get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if name not in ("__dict__", "__weakref__") and hasattr(value, name):
                yield from _walk(f"{path}.{name}", getattr(value, name), seen)


def _key(value: Any) -> str:
    return repr(value) if isinstance(value, _ATOMS) else f"<{type(value).__name__} {id(value)}>"


def _of_tensor(
    torch: Any, path: str, tensor: Any, seen: dict[int, str]
) -> Iterator[tuple[str, Any]]:
    yield f"{path} (kind)", (tensor.dtype, str(tensor.device), tensor.layout, tuple(tensor.shape))
    yield f"{path}.requires_grad", tensor.requires_grad
    yield f"{path} (leaf)", tensor.is_leaf
    yield f"{path} (version)", None if tensor.is_inference() else tensor._version
    hooks = tensor._backward_hooks
    yield f"{path} (hooks)", None if hooks is None else {k: id(v) for k, v in hooks.items()}
    later = getattr(tensor, "_post_accumulate_grad_hooks", None)
    yield f"{path} (later hooks)", None if later is None else {k: id(v) for k, v in later.items()}
    yield f"{path} (record)", id(tensor.grad_fn)
    if tensor.layout is torch.strided and tensor.device.type == "cpu":
        yield f"{path} (strides)", (tensor.stride(), tensor.storage_offset())
        storage = tensor.detach().untyped_storage()
        yield f"{path} (memory)", (storage.data_ptr(), storage.nbytes())
        whole = torch.empty(0, dtype=torch.uint8).set_(storage)
        yield f"{path} (bits)", whole.numpy().tobytes()
    elif tensor.device.type != "meta":
        dense = tensor.detach().to_dense() if tensor.layout is not torch.strided else tensor
        yield f"{path} (values)", dense.detach().cpu().reshape(-1).tolist()
    if tensor.is_leaf:
        yield from _walk(f"{path}.grad", tensor.grad, seen)
    for name, one in tensor.__dict__.items():
        yield from _walk(f"{path}.{name}", one, seen)


def _of_jax(jax: Any, value: Any) -> Any:
    if jax.dtypes.issubdtype(value.dtype, jax.dtypes.extended):
        value = jax.random.key_data(value)
    return value.dtype, value.shape, np.asarray(value).tobytes()


def _of_array(value: Any) -> Any:
    contents = [id(one) for one in value.flat] if value.dtype.hasobject else value.tobytes()
    mask = np.ma.getmaskarray(value).tobytes() if isinstance(value, np.ma.MaskedArray) else b""
    flags = value.flags
    return (value.dtype, value.shape, value.strides, flags.writeable, contents, mask)


# -- the process ---------------------------------------------------------------------------------


def _process() -> Iterator[tuple[str, Any]]:
    yield "Python's random state", random.getstate()
    yield "NumPy's random state", repr(np.random.get_state(legacy=False))
    yield "NumPy's bit generator", id(np.random.mtrand._rand._bit_generator)
    yield "NumPy's error settings", (np.geterr(), np.geterrcall())
    yield "NumPy's print options", repr(np.get_printoptions())
    yield "threads", sorted(one.name for one in threading.enumerate())
    yield "handler of SIGINT", signal.getsignal(signal.SIGINT)
    yield "warning filters", list(warnings.filters)
    yield "trace functions", (sys.gettrace(), sys.getprofile())
    yield "recursion limit", sys.getrecursionlimit()
    yield "working directory", os.getcwd()
    # torch sets one when it first imports its compiler
    ours = {key: one for key, one in os.environ.items() if not key.startswith("TORCHINDUCTOR_")}
    yield "environment", ours
    yield "standard streams", (id(sys.stdout), id(sys.stderr), id(sys.stdin))
    for name in ("torch", "jax", "autograd", "pandas", "cupy", "tensorflow"):
        yield f"{name} is imported", name in sys.modules
    if "torch" in sys.modules:
        yield from _torch()
    if "jax" in sys.modules:
        yield from _jax()


def _torch() -> Iterator[tuple[str, Any]]:
    import torch
    from torch.autograd import forward_ad
    from torch.nn.modules import module
    from torch.utils import _python_dispatch

    yield "torch's random state", torch.get_rng_state().tolist()
    yield "default dtype", torch.get_default_dtype()
    yield "default device", str(torch.get_default_device())
    yield "grad mode", torch.is_grad_enabled()
    yield "inference mode", torch.is_inference_mode_enabled()
    yield "anomaly mode", (torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled())
    yield "deterministic", torch.are_deterministic_algorithms_enabled()
    yield "autocast", (torch.is_autocast_enabled("cpu"), torch.get_autocast_dtype("cpu"))
    yield "threads of torch", torch.get_num_threads()
    yield "multithreaded backward", torch.autograd.is_multithreading_enabled()
    yield "forward level", forward_ad._current_level
    yield "functorch", torch._C._functorch.peek_interpreter_stack() is None
    stack = range(torch._C._len_torch_function_stack())
    yield "function modes", [id(torch._C._get_function_stack_at(k)) for k in stack]
    stack = range(torch._C._len_torch_dispatch_stack())
    yield "dispatch modes", [id(torch._C._get_dispatch_stack_at(k)) for k in stack]
    names = [name for name in vars(_python_dispatch) if name.startswith("_is_in_")]
    yield "within dispatch modes", {name: vars(_python_dispatch)[name] for name in names}
    hooks = torch._C._autograd._top_saved_tensors_default_hooks(True)
    yield "saved-tensor hooks", hooks
    for name, table in vars(module).items():
        if name.startswith("_global_") and isinstance(table, dict):
            yield f"global module hooks {name}", {k: id(v) for k, v in table.items()}
    for rule in _below(torch.autograd.Function):
        where = f"{rule.__module__}.{rule.__qualname__}"
        own = {name: id(rule.__dict__.get(name)) for name in ("forward", "backward", "jvp")}
        yield f"rule {where} {id(rule)}", own


def _below(kind: Any) -> Iterator[Any]:
    for one in kind.__subclasses__():
        if not one.__module__.startswith(("torch.", "secant.")):
            yield one
        yield from _below(one)


def _jax() -> Iterator[tuple[str, Any]]:
    import jax

    for name in ("jax_enable_x64", "jax_debug_nans", "jax_disable_jit", "jax_default_device"):
        yield f"JAX's {name}", getattr(jax.config, name)
    yield "JAX's matmul precision", jax.config.jax_default_matmul_precision
