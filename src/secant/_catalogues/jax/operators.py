"""JAX's public functions as a catalogue: those of jax.numpy, lax, nn, scipy and their like.

JAX has no database of sample inputs. A function gets those that its signature tells, or a recipe
written down here; one that fits neither, or that has no derivative, is skipped with the reason.
"""

from __future__ import annotations

import functools
import importlib
import typing
import warnings
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import ModuleType
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ..._errors import InputError, expected, spell
from ..catalogues import Catalogue, Operator, Sample, Skipped, Terms
from ..closed_forms import form_of, script
from ..makers import Maker
from .maker import JaxMaker
from .recipes import unasked, written
from .templates import Recipe, recipes

_MODULES = (
    "jax.numpy",
    "jax.numpy.linalg",
    "jax.numpy.fft",
    "jax.lax",
    "jax.lax.linalg",
    "jax.nn",
    "jax.ops",
    "jax.image",
    "jax.scipy.special",
    "jax.scipy.linalg",
    "jax.scipy.signal",
    "jax.scipy.ndimage",
    "jax.scipy.integrate",
    "jax.scipy.fft",
    "jax.scipy.stats",
)
_DISTRIBUTIONS = "jax.scipy.stats"  # a module of modules


class JaxOperators(Catalogue):
    """Every public function; whether it has a derivative is known when its samples are drawn."""

    def versions(self) -> tuple[str, ...]:
        return (f"jax {jax.__version__}",)

    def operators(self, terms: Terms) -> Iterator[Operator]:
        _dtype(terms.dtype)
        _device(terms.device)
        reasons = unasked()
        met: dict[int, str] = {}
        for name, function in functions().items():
            first = met.setdefault(id(function), name)
            reason = reasons.get(name, "") if first == name else f"is {first}"
            yield Operator(name, {"operator": name, "module": name.rpartition(".")[0]}, reason)

    def samples(self, name: str, terms: Terms, limit: int, seed: int) -> Sequence[Sample]:
        function, own = functions()[name], _recipes()
        tried = [own[name]] if name in own else recipes(function)
        found: list[Sample] = []
        reasons: list[_Unfit] = []
        for place, recipe in enumerate(tried):
            try:
                found.append(_sample(name, recipe, terms, (seed, zlib.crc32(name.encode()), place)))
            except _Unfit as unfit:
                reasons.append(unfit)
            if len(found) == limit or (reasons and reasons[-1].is_final):
                break
        if not found:
            # That inputs fit, and what then stood against them, tells more than that others do not.
            reasons.sort(key=lambda unfit: unfit.weight)
            raise Skipped(str(reasons[-1]) if reasons else "takes no arrays that are known")
        return found

    def maker(self, terms: Terms) -> Maker:
        del terms  # arrays are made on the default device
        return JaxMaker()

    def script(self, operator: str, number: float, dtype: str, order: int) -> str | None:
        form = form_of(operator)
        if form is None:
            return None
        nested = f"{'jax.grad(' * order}{operator}{')' * order}"
        claim = (
            f"x = jax.numpy.asarray({number!r}, {dtype!r})\n"
            f"x, claimed = x.item(), {nested}(x).item()"
        )
        return script(form, "import jax", claim, order)

    def preamble(self, dtype: str) -> str:
        is_wide = dtype == "float64"
        return 'import jax\n\njax.config.update("jax_enable_x64", True)\n' if is_wide else ""

    @contextmanager
    def conditions(self, terms: Terms, seed: int) -> Iterator[None]:
        del seed  # JAX has no global generator
        is_wide = np.dtype(jnp.dtype(terms.dtype)).name in ("float64", "complex128")
        with (
            jax.enable_x64(is_wide),
            jax.default_device(_device(terms.device)),
            warnings.catch_warnings(),
        ):
            warnings.simplefilter("ignore")
            yield


CATALOGUE = JaxOperators()


class _Unfit(Exception):
    """A recipe does not suit a function, the more weighty the further it came."""

    def __init__(self, reason: str, weight: int) -> None:
        super().__init__(reason)
        self.weight = weight

    @property
    def is_final(self) -> bool:
        """Whether other inputs need not be tried."""
        return self.weight == _NO_DERIVATIVE


_NO_INPUTS, _NOT_FINITE, _NO_OUTPUT, _NO_DERIVATIVE = range(4)


_recipes = functools.cache(written)


@functools.cache
def functions() -> dict[str, Callable[..., Any]]:
    """Return every public function by its full name."""
    found = {}
    for name in _modules():
        module = importlib.import_module(name)
        for attribute in dir(module):
            value = getattr(module, attribute)
            if not attribute.startswith("_") and _is_function(value):
                found[f"{name}.{attribute}"] = value
    return found


def _modules() -> Iterator[str]:
    yield from _MODULES
    for name, value in vars(importlib.import_module(_DISTRIBUTIONS)).items():
        if isinstance(value, ModuleType) and not name.startswith("_"):
            yield f"{_DISTRIBUTIONS}.{name}"


def _is_function(value: Any) -> bool:
    is_type = isinstance(value, type) or typing.get_origin(value) is not None
    return callable(value) and not is_type


def _sample(name: str, recipe: Recipe, terms: Terms, seed: tuple[int, ...]) -> Sample:
    """Draw inputs, and make sure that the function takes them, and is finite there."""
    numbers = np.random.default_rng(seed)
    dtype = _dtype(terms.dtype)
    inputs = tuple(jnp.asarray(_drawn(make, numbers, dtype)) for make in recipe.makers)

    def function(*inputs: jax.Array) -> Any:
        leaves = jax.tree.leaves(recipe.function(*inputs))
        kept = [leaf for leaf in leaves if jnp.issubdtype(jnp.result_type(leaf), jnp.inexact)]
        return kept[0] if len(kept) == 1 else tuple(kept)

    function.__name__ = function.__qualname__ = name
    try:
        shapes = jax.tree.leaves(jax.eval_shape(function, *inputs))
    except Exception as error:
        raise _Unfit(f"no sample inputs fit: {_short(error)}", _NO_INPUTS) from error
    if not any(shape.size for shape in shapes):
        raise _Unfit("its outputs are not floating or complex arrays", _NO_OUTPUT)
    try:
        _trace_derivative(function, inputs, terms.modes)
    except (NotImplementedError, ValueError) as error:
        raise _Unfit(f"claims no derivative: {_short(error)}", _NO_DERIVATIVE) from error
    except Exception:
        return Sample(function, inputs)  # a rule that breaks is for the check to report
    outputs = jax.tree.leaves(jax.jit(function)(*inputs))
    if not all(np.isfinite(np.asarray(leaf)).all() for leaf in outputs):
        raise _Unfit("its outputs are not finite at the sample inputs", _NOT_FINITE)
    return Sample(function, inputs)


def _drawn(make: Callable[..., Any], numbers: np.random.Generator, dtype: Any) -> Any:
    values = make(numbers)
    if jnp.issubdtype(dtype, jnp.complexfloating):
        values = values + 1j * make(numbers)
    return values.astype(dtype)


def _trace_derivative(function: Callable[..., Any], inputs: Any, modes: str) -> None:
    """Let JAX differentiate, without computing anything."""
    if modes != "forward":
        jax.eval_shape(lambda *at: _pulled(*jax.vjp(function, *at)), *inputs)
    if modes != "reverse":
        jax.eval_shape(lambda *at: jax.jvp(function, at, at), *inputs)


def _pulled(outputs: Any, pull: Callable[..., Any]) -> Any:
    return pull(outputs)


def _short(error: Exception) -> str:
    line = spell(error).splitlines()[0]
    return line if len(line) <= 100 else f"{line[:99]}…"


def _dtype(name: str) -> Any:
    try:
        found = jnp.dtype(name)
    except TypeError:
        found = None
    if found is None or not jnp.issubdtype(found, jnp.inexact):
        raise expected("dtype", "a floating or complex dtype of JAX, such as float64", name)
    return found


@functools.cache
def _device(name: str) -> Any:
    kind, _, number = name.partition(":")
    try:
        return jax.devices(kind)[int(number or 0)]
    except (RuntimeError, ValueError, IndexError) as error:
        raise InputError(
            f"expected `device` to be one that JAX can use here; got {name!r}: {spell(error)}"
        ) from error
