"""The verbs users call; the conductors behind them are loaded at the first call.

Importing secant must cost next to nothing, for those who import it in every test file.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from . import _hearing
from ._hearing import told
from ._report.comparison import Comparison
from ._report.localisation import Localisation
from ._report.model import Report
from ._report.suite import Suite

if TYPE_CHECKING:
    from typing import Unpack

    from ._keywords import CheckKeywords, CompareKeywords, LocaliseKeywords


def check(function: Callable[..., Any], *inputs: Any, **settings: Unpack[CheckKeywords]) -> Report:
    """Hold a function's claimed derivatives against what the function does.

    Never raises for a wrong gradient: read the `Report`, which is truthy only on PASS.

    Args:
        function: What is checked: any callable of the inputs, a module included.
        *inputs: Its arguments; arrays may be nested in containers. Leaves that are marked
            (`requires_grad`) are differentiated, or every floating and complex one if none is.
        **settings: How it is checked, see *Settings* in the reference: `modes` (reverse-mode vjp,
            forward-mode jvp, or both), `order` (2 for gradgrad), `probe`, `laws`, `rtol` and so on.
            Derivatives that are written by hand: `gradient`, `jacobian`, `pull` (a vjp) or `push`
            (a jvp). `group`, the processes that compute the function together, all of which call
            this: a process group of torch.distributed, a mesh, or "world"; with it come
            `replicated`, `gradients` and `timeout`.

    Raises:
        InputError: A setting, an input or the point itself cannot be checked.
        EvaluationError: The function raised, or answered with another structure than before; or
            a process of the group is lost.

    Examples:
        >>> import torch
        >>> bool(check(torch.sin, torch.linspace(0, 1, 5, dtype=torch.float64)))
        True
    """
    given: dict[str, Any] = {**settings}
    group = given.pop("group", None)
    if group is None and not _hearing.listeners:
        return _conductor()(function, *inputs, **given)
    if group is not None:
        ask = functools.partial(_group_conductor(), function, inputs, group, given)
    else:
        ask = functools.partial(_conductor(), function, *inputs, **given)
    return told("check", ask, function, inputs, given)


@functools.cache
def _group_conductor() -> Callable[..., Report]:
    from ._processes.conduct import check_together as conduct

    return conduct


@functools.cache
def _conductor() -> Callable[..., Report]:
    from ._check import check as conduct

    return conduct


def assert_gradient(
    function: Callable[..., Any], *inputs: Any, **settings: Unpack[CheckKeywords]
) -> None:
    """Check, and raise `GradientMismatch` with the one-screen message if the gradient is wrong.

    Takes what `check` takes. Where the numbers cannot tell it raises `GradientInconclusive`; both
    are a `GradientError`, an `AssertionError` that carries the report as `.report`.

    Examples:
        >>> import torch
        >>> assert_gradient(torch.sin, torch.linspace(0, 1, 5, dtype=torch.float64))
    """
    check(function, *inputs, **settings).raise_for_verdict()


def check_many(
    checks: Mapping[str, Sequence[Any]] | Iterable[Sequence[Any]],
    **settings: Unpack[LocaliseKeywords],
) -> Suite:
    """Check many functions, and say in one go what became of each.

    One that cannot be checked, or raises, is REFUSED and stops none of the others. Never raises for
    a wrong gradient: read the `Suite`, which is truthy only if all pass.

    Args:
        checks: A tuple for each: the function, then its inputs, as `check` takes them. In a mapping
            they go by its keys, else by the functions' own names, numbered where several have one.
        **settings: Those of `check`, for all of them; derivatives by hand excepted.

    Raises:
        InputError: A setting, or something that is no such tuple; or there is none at all.

    Examples:
        >>> import torch
        >>> x = torch.linspace(0.5, 1, 5, dtype=torch.float64)
        >>> suite = check_many([(torch.sin, x), (torch.mul, x, x + 1), (torch.sin, x[:2])])
        >>> bool(suite), [case.name for case in suite.cases]
        (True, ['sin[0]', 'mul', 'sin[1]'])
    """
    return _many()(checks, settings)


@functools.cache
def _many() -> Callable[..., Suite]:
    from ._many import check_many as conduct

    return conduct


def compare(
    function: Callable[..., Any],
    reference: Callable[..., Any],
    *inputs: Any,
    **settings: Unpack[CompareKeywords],
) -> Comparison:
    """Hold a kernel's outputs and gradients against those of a trusted implementation.

    Never raises for a wrong kernel: read the `Comparison`, which is truthy only on PASS.

    Args:
        function: The kernel.
        reference: A function of the same inputs that is trusted; it is run in float64, which is
            the truth, and in the kernel's dtype, which is the yardstick.
        *inputs: The arguments of both.
        **settings: `dtype`, `limit`, `draws`, `gradients`, `reference_device`,
            `reference_framework`, `pull`, `reference_pull`, `kwargs`, `seed`.

    Raises:
        InputError: A setting or an input cannot be used, or the reference cannot be the truth.
        EvaluationError: One of the two functions raised.

    Examples:
        >>> import torch
        >>> x = torch.linspace(0, 1, 5)
        >>> bool(compare(torch.sigmoid, lambda x: 1 / (1 + (-x).exp()), x, dtype="bfloat16"))
        True
    """
    ask = functools.partial(_comparer(), function, reference, *inputs, **settings)
    return told("compare", ask, function, inputs, settings)


@functools.cache
def _comparer() -> Callable[..., Comparison]:
    from ._compare.conduct import compare as conduct

    return conduct


def localise(
    module: Callable[..., Any], *inputs: Any, **settings: Unpack[LocaliseKeywords]
) -> Localisation:
    """Check every submodule call of one forward pass by itself, and name the one to blame.

    Takes the settings of `check`. Never raises for a wrong gradient: read the `Localisation`, which
    is truthy only if the whole and every call in it pass.

    Args:
        module: What is taken apart: a module, whose submodules and custom rules are recorded.
        *inputs: Its arguments.
        **settings: Those of `check`, derivatives by hand excepted.

    Examples:
        >>> import torch
        >>> network = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.Tanh()).double()
        >>> bool(localise(network, torch.ones(1, 3, dtype=torch.float64)))
        True
    """
    ask = functools.partial(_localiser(), module, *inputs, **settings)
    return told("localise", ask, module, inputs, settings)


@functools.cache
def _localiser() -> Callable[..., Localisation]:
    from ._localise.conduct import localise as conduct

    return conduct
