"""From what `--input` says to arrays of the target's framework, and what is not differentiated."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..._backends.base import Backend
from ..._errors import InputError, expected
from .drawing import Numbers, draw
from .files import read
from .specs import Spec


@dataclass(frozen=True, slots=True)
class Inputs:
    """The arguments of a function, and which of them are held constant."""

    positional: tuple[Any, ...]
    named: Mapping[str, Any]
    constant: frozenset[int | str]  # places and names


def make(
    specs: Sequence[Spec], backend: Backend, dtype: str, device: str | None, seed: int
) -> Inputs:
    """Return every input; `dtype` is what one has that states none.

    One generator draws them in order, so that an input depends on those before it alone.
    """
    generator = np.random.default_rng(seed)
    positional: list[Any] = []
    named: dict[str, Any] = {}
    constant: set[int | str] = set()
    for spec in specs:
        if spec.name in named:
            raise InputError(f"expected one input for {spec.name}; got a second, {spec.text!r}")
        value = _value(spec, backend, dtype, generator)
        if device is not None and backend.is_array(value):
            value = on_device(value, backend, device)
        if spec.is_constant:
            constant.add(spec.name or len(positional))
        if spec.name:
            named[spec.name] = value
        else:
            positional.append(value)
    if constant and backend.marks:
        positional = [_marked(k, one, backend, constant) for k, one in enumerate(positional)]
        named = {name: _marked(name, one, backend, constant) for name, one in named.items()}
    return Inputs(tuple(positional), named, frozenset(constant))


def on_device(value: Any, backend: Backend, device: str) -> Any:
    """Return an array elsewhere, or say that there is no such place."""
    try:
        return backend.on_device(value, device)
    except InputError as error:
        raise expected("device", "one that is there, as cpu or cuda", device) from error


def hold(function: Callable[..., Any], inputs: Inputs) -> tuple[Callable[..., Any], Inputs]:
    """Return the function of what is not constant, for frameworks that mark no array."""
    kept = [k for k in range(len(inputs.positional)) if k not in inputs.constant]
    fixed = {name: one for name, one in inputs.named.items() if name in inputs.constant}
    named = {name: one for name, one in inputs.named.items() if name not in inputs.constant}

    @functools.wraps(function)
    def held(*arguments: Any, **keywords: Any) -> Any:
        every = list(inputs.positional)
        for place, one in zip(kept, arguments, strict=True):
            every[place] = one
        return function(*every, **fixed, **keywords)

    try:
        parameters = list(inspect.signature(function).parameters.values())
        left = [one for k, one in enumerate(parameters) if k not in inputs.constant]
        held.__signature__ = inspect.Signature(left)  # type: ignore[attr-defined]
    except (TypeError, ValueError):
        pass  # what tells no signature is called as it is
    return held, Inputs(tuple(inputs.positional[k] for k in kept), named, frozenset())


def _value(spec: Spec, backend: Backend, dtype: str, generator: np.random.Generator) -> Any:
    match spec.source:
        case "literal":
            return spec.value
        case "file":
            return _from_file(spec, backend)
        case "numbers":
            numbers = _array(spec)
            return _imported(numbers, spec.dtype or _own(numbers, dtype), backend, spec)
        case _:
            is_whole = spec.values is not None and spec.values.kind == "randint"
            wanted = spec.dtype or ("int64" if is_whole else dtype)
            try:
                return _imported(draw(spec, wanted, generator), wanted, backend, spec)
            except (MemoryError, OverflowError, ValueError) as error:
                if isinstance(error, InputError):
                    raise
                raise InputError(f"cannot draw {spec.text!r}: {error}") from error


def _array(spec: Spec) -> Numbers:
    try:
        numbers = np.array(spec.value)
    except ValueError as error:
        raise InputError(f"expected rows of equal length in {spec.text!r}") from error
    if numbers.dtype.kind not in "biufc":
        raise InputError(f"expected numbers in {spec.text!r}; got {numbers.dtype}")
    return numbers


def _own(numbers: Numbers, dtype: str) -> str:
    """Return the dtype of numbers that are written out: whole ones are floats as well."""
    if numbers.dtype.kind == "c":
        return "complex128" if dtype in ("float64", "complex128") else "complex64"
    return "bool" if numbers.dtype.kind == "b" else dtype


def _from_file(spec: Spec, backend: Backend) -> Any:
    held = read(spec.file, spec.entry, backend)
    if not isinstance(held, (np.ndarray, np.generic)):
        own = backend.dtype_name(held)
        return backend.cast(held, spec.dtype) if spec.dtype and spec.dtype != own else held
    if held.dtype.kind not in "biufc":
        raise InputError(f"expected numbers in {spec.text!r}; got {held.dtype}")
    held = np.asarray(held)
    return _imported(held, spec.dtype or str(held.dtype.newbyteorder("=")), backend, spec)


def _imported(numbers: Numbers, dtype: str, backend: Backend, spec: Spec) -> Any:
    try:
        return backend.imported(numbers, dtype)
    except InputError as error:
        raise InputError(
            f"expected a dtype that {backend.name} has in {spec.text!r}; {error}"
        ) from error


def _marked(key: int | str, value: Any, backend: Backend, constant: set[int | str]) -> Any:
    is_left = key in constant or not backend.is_array(value) or not backend.is_inexact(value)
    return value if is_left else backend.leaf(value)
