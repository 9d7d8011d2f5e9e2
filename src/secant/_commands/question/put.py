"""The question itself: the target found, its inputs made, the check conducted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ..._backends.base import Backend
from ..._check import check, conduct
from ..._compare.conduct import compare
from ..._compare.settings import settle as settle_comparison
from ..._errors import InputError, expected
from ..._localise.conduct import localise
from ..._problem.trees import parameter_names
from ..._processes.conduct import check_together
from ..._report.comparison import Comparison
from ..._report.localisation import Localisation
from ..._report.model import Report
from ..._settings import DEFAULT_SEED, settle
from .frameworks import framework_of, start
from .inputs import Inputs, hold, make
from .literals import arguments
from .making import callable_of, refuse_misfits
from .specs import parse
from .targets import Target, find
from .together import Launched


@dataclass(frozen=True, slots=True)
class Posed:
    """A question in words, put into objects."""

    target: Target
    function: Callable[..., Any]
    inputs: Inputs
    backend: Backend
    seed: int


def _asked(given: Mapping[str, Any], here: Launched | None = None) -> Posed:
    """Find the target and make its inputs, those of a process among many its own."""
    specs = [parse(text) for text in given["input"] or ()]
    literals = _keywords(given["kwarg"] or ())
    asked = start(given["framework"]) if given["framework"] else None
    target = find(given["target"])
    backend = asked or start(framework_of(target.value, [target.place]))
    seed = DEFAULT_SEED if given["seed"] is None else given["seed"]
    function = _placed(
        callable_of(target, given["init"] or None, backend, seed), backend, given["device"]
    )
    inputs = make(specs, backend, backend.targets.own_dtype(function), given["device"], seed)
    if here is not None and here.rank:
        own = make(
            specs, backend, backend.targets.own_dtype(function), given["device"], seed + here.rank
        )
        inputs = _own_unless_copies(function, inputs, own, here)
    inputs = _with(inputs, literals)
    refuse_misfits(function, inputs)
    return Posed(target, function, inputs, backend, seed)


def _own_unless_copies(
    function: Callable[..., Any], every: Inputs, own: Inputs, here: Launched
) -> Inputs:
    """Return the inputs of one process: those that are copies, or constant, are as everywhere."""
    names = parameter_names(function)

    def is_shared(key: int | str) -> bool:
        name = key if isinstance(key, str) else names[key] if key < len(names) else f"input{key}"
        return key in every.constant or here.holds_copy(name)

    both = zip(every.positional, own.positional, strict=True)
    positional = (a if is_shared(k) else b for k, (a, b) in enumerate(both))
    named = {name: a if is_shared(name) else own.named[name] for name, a in every.named.items()}
    return Inputs(tuple(positional), named, every.constant)


def put(
    given: Mapping[str, Any], settings: dict[str, Any], rules: Mapping[str, str], here: Launched
) -> Report:
    """Put a question that was asked in words, and return the report."""
    asked = _asked(given, here)
    if here.settings:
        inputs, settings = asked.inputs, {**settings, **here.settings, **_named(asked.inputs)}
        return check_together(asked.function, inputs.positional, settings.pop("group"), settings)
    written = {name: _rule(name, text, asked.target) for name, text in rules.items()}
    return _conducted(asked.function, asked.inputs, asked.backend, settings, written)


def put_apart(given: Mapping[str, Any], settings: dict[str, Any]) -> Localisation:
    """Take a module apart that was named in words."""
    settle(settings)  # a bad setting is said at once, not after a model has been built
    asked = _asked(given)
    return localise(asked.function, *asked.inputs.positional, **settings, **_named(asked.inputs))


def put_beside(given: Mapping[str, Any], settings: dict[str, Any]) -> Comparison:
    """Compare two functions that were named in words."""
    settle_comparison(settings)
    asked = _asked(given)
    function, inputs, backend = asked.function, asked.inputs, asked.backend
    trusted = find(given["reference"], asked.target)
    reference = _placed(callable_of(trusted, None, backend, asked.seed), backend, given["device"])
    refuse_misfits(reference, inputs)
    if inputs.constant and not backend.marks:
        reference, _ = hold(reference, inputs)
        function, inputs = hold(function, inputs)
    return compare(function, reference, *inputs.positional, **settings, **_named(inputs))


def _named(inputs: Inputs) -> dict[str, Any]:
    return {"kwargs": inputs.named} if inputs.named else {}


def _conducted(
    function: Callable[..., Any],
    inputs: Inputs,
    backend: Backend,
    settings: dict[str, Any],
    written: Mapping[str, Any],
) -> Report:
    if inputs.constant and written:
        raise InputError(
            "expected no :constant input beside derivatives by hand; pass it by its keyword, as "
            "--input NAME=3x4: to them, keyword arguments are constants"
        )
    if inputs.constant and not backend.marks:
        function, inputs = hold(function, inputs)
        if not any(map(backend.is_array, (*inputs.positional, *inputs.named.values()))):
            raise InputError(_ALL_CONSTANT)
    elif inputs.constant and not _has_marked(inputs, backend):
        if not backend.modules.is_module(function):
            raise InputError(_ALL_CONSTANT)
        settings = {**settings, "kwargs": inputs.named}
        return conduct(
            function, inputs.positional, settle(settings), unfolds=True, only_marked=True
        )
    if inputs.named:
        settings = {**settings, "kwargs": inputs.named}
    return check(function, *inputs.positional, **written, **settings)


_ALL_CONSTANT = "expected an input that is not constant; there is none to differentiate"


def _has_marked(inputs: Inputs, backend: Backend) -> bool:
    every = (*inputs.positional, *inputs.named.values())
    return any(backend.is_array(one) and backend.wants_gradient(one) for one in every)


def _placed(
    function: Callable[..., Any], backend: Backend, device: str | None
) -> Callable[..., Any]:
    if device is None:
        return function
    try:
        return backend.targets.placed(function, device)
    except (RuntimeError, AssertionError) as error:
        raise expected("device", "one that is there, as cpu or cuda", device) from error


def _keywords(texts: list[str] | tuple[str, ...]) -> dict[str, Any]:
    named: dict[str, Any] = {}
    for text in texts:
        positional, keywords = arguments(text, "kwarg")
        if positional or not keywords:
            raise InputError(f"expected `--kwarg` as NAME=LITERAL, as dim=1; got {text!r}")
        named |= keywords
    return named


def _with(inputs: Inputs, literals: Mapping[str, Any]) -> Inputs:
    twice = sorted(inputs.named.keys() & literals.keys())
    if twice:
        raise InputError(f"expected {twice[0]} by --input or by --kwarg; got both")
    return Inputs(inputs.positional, {**inputs.named, **literals}, inputs.constant)


def _rule(name: str, text: str, beside: Target) -> Any:
    value = find(text, beside).value
    if not callable(value):
        raise InputError(f"expected `--{name}` to be callable; {text} is {type(value).__name__}")
    return value
