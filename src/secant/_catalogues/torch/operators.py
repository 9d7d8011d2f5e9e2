"""Torch's own operator database as a catalogue: functions of the tensors they differentiate.

Values depend on the seed and the operator's name alone, so that an audit of a few operators sees
the same numbers as an audit of all of them.
"""

from __future__ import annotations

import functools
import random
import warnings
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from itertools import islice
from typing import Any, TypeGuard

import numpy
import torch
from torch.utils import _pytree as pytree

from ..._errors import InputError, expected, spell
from ..catalogues import Catalogue, Operator, Sample, Terms
from ..closed_forms import form_of, script
from ..makers import Maker
from .maker import TorchMaker

Tensors = torch.Tensor | tuple[torch.Tensor, ...]


class TorchOperators(Catalogue):
    """Every entry of the database; those that claim no such derivative are skipped."""

    def versions(self) -> tuple[str, ...]:
        return (f"torch {torch.__version__}",)

    def operators(self, terms: Terms) -> Iterator[Operator]:
        dtype, device = _dtype(terms.dtype), _device(terms.device)
        for entry in database():
            labels = {"operator": str(entry.name)}
            if entry.variant_test_name:
                labels["variant"] = entry.variant_test_name
            if expectation := _expectation(entry, terms, dtype, device.type):
                labels["known"] = expectation
            yield Operator(name_of(entry), labels, _reason(entry, terms, dtype, device.type))

    def samples(self, name: str, terms: Terms, limit: int, seed: int) -> Sequence[Sample]:
        entry = _by_name()[name]
        drawn = draw(entry, _dtype(terms.dtype), limit, seed, device=terms.device)
        functions = (as_function(entry, sample) for sample in drawn)
        return [Sample(function, inputs) for inputs, function in functions if inputs]

    def maker(self, terms: Terms) -> Maker:
        return TorchMaker(terms.device)

    def script(self, operator: str, number: float, dtype: str, order: int) -> str | None:
        form = form_of(operator)
        if form is None:
            return None
        claim = [
            f"x = torch.tensor({number!r}, dtype=torch.{dtype}, requires_grad=True)",
            f"claimed = torch.{operator}(x)",
            *["(claimed,) = torch.autograd.grad(claimed, x, create_graph=True)"] * order,
            "x, claimed = x.item(), claimed.item()",
        ]
        return script(form, "import torch", "\n".join(claim), order)

    @contextmanager
    def conditions(self, terms: Terms, seed: int) -> Iterator[None]:
        threads = torch.get_num_threads()
        with _forked(terms.device), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            torch.manual_seed(seed)
            torch.set_num_threads(1)
            try:
                yield
            finally:
                torch.set_num_threads(threads)


CATALOGUE = TorchOperators()


@functools.cache
def database() -> list[Any]:
    """Return torch's entries, each an operator with its samples; loading them takes seconds."""
    try:
        with warnings.catch_warnings():  # importing the database is noisy, and none is about us
            warnings.simplefilter("ignore")
            from torch.testing._internal.common_methods_invocations import op_db
    except ImportError as error:
        raise InputError(
            f"expected torch's operator database to be importable; {spell(error)}. "
            'Try: pip install "secant[audit]"'
        ) from error
    return list(op_db)


def name_of(operator: Any) -> str:
    """The operator's name and, where the database has several entries of that name, its variant."""
    variant: str = operator.variant_test_name
    return f"{operator.name}.{variant}" if variant else str(operator.name)


def claims_gradient(operator: Any, dtype: torch.dtype, device: str) -> bool:
    """Whether an operator claims a gradient in a dtype, on a kind of device."""
    return bool(
        operator.supports_autograd
        and dtype in operator.supported_dtypes(device)
        and dtype in operator.supported_backward_dtypes(device)
    )


def draw(
    operator: Any, dtype: torch.dtype, limit: int, seed: int, *, device: str = "cpu"
) -> list[Any]:
    """The first `limit` samples of an operator, drawn at once.

    The database draws from the global generators while it is iterated, so whatever a caller did
    between two samples would change the second one; and the caller's generators are given back.
    """
    own_seed = (seed + zlib.crc32(name_of(operator).encode())) % 2**32
    python_state, numpy_state = random.getstate(), numpy.random.get_state()
    try:
        with _forked(device), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            torch.manual_seed(own_seed)
            random.seed(own_seed)
            numpy.random.seed(own_seed)
            return list(islice(operator.sample_inputs(device, dtype, requires_grad=True), limit))
    finally:
        random.setstate(python_state)
        numpy.random.set_state(numpy_state)


def as_function(
    operator: Any, sample: Any
) -> tuple[tuple[torch.Tensor, ...], Callable[..., Tensors]]:
    """The tensors of a sample that require a gradient, and the operator as a function of them.

    Its outputs are the floating and complex ones, wherever they stood.
    """
    inputs, call = recomposed(operator, sample)

    def function(*inputs: torch.Tensor) -> Tensors:
        output = call(*inputs)
        if is_inexact(output):
            return output
        return tuple(leaf for leaf in pytree.tree_leaves(output) if is_inexact(leaf))

    function.__name__ = function.__qualname__ = name_of(operator)
    return inputs, function


def recomposed(operator: Any, sample: Any) -> tuple[tuple[torch.Tensor, ...], Callable[..., Any]]:
    """The tensors of a sample that require a gradient, and the operator called with them replaced.

    As in torch's own gradient tests: the wrapper keeps an input in the operator's domain
    (symmetric, triangular, masked), and the sample's post-processing takes away what is defined
    only up to a sign or an order, such as eigenvectors.
    """
    leaves, tree = pytree.tree_flatten((sample.input, sample.args, sample.kwargs))
    places = [place for place, leaf in enumerate(leaves) if is_differentiated(leaf)]

    def function(*inputs: torch.Tensor) -> Any:
        replaced = list(leaves)
        for place, tensor in zip(places, inputs, strict=True):
            replaced[place] = tensor
        first, others, keywords = pytree.tree_unflatten(replaced, tree)
        output = operator.gradcheck_wrapper(operator.op, first, *others, **keywords)
        if sample.output_process_fn_grad is not None:
            output = sample.output_process_fn_grad(output)
        return output

    function.__name__ = function.__qualname__ = name_of(operator)
    return tuple(leaves[place] for place in places), function


def is_inexact(leaf: object) -> TypeGuard[torch.Tensor]:
    """Whether a leaf is a floating or complex tensor."""
    return isinstance(leaf, torch.Tensor) and (leaf.is_floating_point() or leaf.is_complex())


def is_differentiated(leaf: object) -> bool:
    """Whether a leaf is a tensor that the sample asks a gradient of."""
    return isinstance(leaf, torch.Tensor) and leaf.requires_grad


@functools.cache
def _by_name() -> dict[str, Any]:
    return {name_of(entry): entry for entry in database()}


def _reason(entry: Any, terms: Terms, dtype: torch.dtype, device: str) -> str:
    if not entry.supports_autograd:
        return "claims no derivative"
    if not claims_gradient(entry, dtype, device):
        return f"claims no derivative in {terms.dtype} on {device}"
    if terms.modes != "reverse" and not entry.supports_forward_ad:
        return "claims no forward-mode derivative"
    if terms.order > 1 and not entry.supports_gradgrad:
        return "claims no second derivative"
    return ""


def _expectation(entry: Any, terms: Terms, dtype: torch.dtype, device: str) -> str:
    """Say which of torch's own gradient tests are skipped or expected to fail for an operator."""
    tests = []
    if terms.modes != "forward":
        second = "test_fn_gradgrad" if terms.order > 1 else "test_fn_grad"
        tests.append(("TestBwdGradients", second))
    if terms.modes != "reverse":
        tests.append(("TestFwdGradients", "test_forward_mode_AD"))
    for kind, test in tests:
        for mark in entry.decorators:
            if getattr(mark, "cls_name", None) == kind and mark.is_active(
                kind, test, device, dtype, {}
            ):
                return f"torch's own {kind}.{test} is skipped or expected to fail"
    return ""


def _dtype(name: str) -> torch.dtype:
    found = getattr(torch, name, None)
    if not isinstance(found, torch.dtype) or not (found.is_floating_point or found.is_complex):
        raise expected("dtype", "a floating or complex dtype of torch, such as float64", name)
    return found


@functools.cache
def _device(name: str) -> torch.device:
    try:
        device = torch.device(name)
        torch.zeros((), device=device)
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        raise InputError(
            f"expected `device` to be one that torch can use here; got {name!r}: {spell(error)}"
        ) from error
    return device


def _forked(device: str) -> AbstractContextManager[None]:
    """Give the generators back that an operator on this device may advance."""
    found = _device(device)
    if found.type == "cpu":
        return torch.random.fork_rng(devices=[])
    return torch.random.fork_rng(devices=[found], device_type=found.type)
