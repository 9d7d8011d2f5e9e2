"""The settings of a comparison, validated once at the border."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any

from .._errors import InputError, expected, one_of
from .._settings import DEFAULT_SEED, is_among, is_number, is_whole, meant_setting, single

DEFAULT_LIMIT = 2.0
"""FlashAttention's rule: at most twice the error of a plain implementation in the same dtype."""


@dataclass(frozen=True, slots=True)
class CompareSettings:
    """How a comparison is made. `dtype` None: that of the inputs; so with `reference_device`."""

    dtype: Any = None
    limit: float = DEFAULT_LIMIT
    draws: int = 2  # cotangents for each gradient
    seed: int = DEFAULT_SEED
    kwargs: Mapping[str, Any] | None = None
    reference_device: Any = None
    gradients: bool = True
    reference_framework: str | None = None  # None: that of the kernel
    pull: Callable[..., Any] | None = None  # of the kernel, where it is written by hand
    reference_pull: Callable[..., Any] | None = None


_NAMES = tuple(field.name for field in fields(CompareSettings))


def settle(options: Mapping[str, Any], function: object = None) -> CompareSettings:
    """Turn keyword arguments into settings, or refuse them with the list of good ones."""
    for name in options:
        if name not in _NAMES:
            meant = meant_setting(name, _NAMES, function)
            raise InputError(
                f"expected a setting of compare to be {one_of(_NAMES)}; got {name!r}{meant}"
            )
    settings = CompareSettings(**{name: single(value) for name, value in options.items()})
    if not is_number(settings.limit, 1.0):
        raise expected("limit", "a finite number of at least 1", settings.limit)
    for name, least in (("draws", 1), ("seed", 0)):
        if not is_whole(getattr(settings, name), least):
            raise expected(name, f"a whole number of at least {least}", getattr(settings, name))
    if settings.kwargs is not None and not isinstance(settings.kwargs, Mapping):
        raise expected("kwargs", "a mapping of keyword arguments, or None", settings.kwargs)
    for name in ("pull", "reference_pull"):
        value = getattr(settings, name)
        if value is not None and not callable(value):
            raise expected(name, "a function of the same inputs and a cotangent, or None", value)
    if not is_among(settings.gradients, (True, False)):
        raise expected("gradients", "True or False", settings.gradients)
    return settings
