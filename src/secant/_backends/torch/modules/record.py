"""One pass through a PyTorch module, call by call: what each submodule and each rule really got.

Submodules are heard through hooks, rules (`autograd.Function`s) through their `forward`, which is
wrapped for the time of the pass; both are put back. Tensors are copied as they arrive, so that a
later write, also one that torch does not see, cannot change what was recorded.
"""

from __future__ import annotations

import collections
import functools
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

from ...interface.modules import Call, Mapped
from ...process.restoration import replaced
from ..autodiff.blame import nodes_behind
from .unfold import TorchUnfolded

_Rule: Any = torch.autograd.Function
_WITHOUT_CONTEXT: Any = torch.autograd.function._SingleLevelFunction.setup_context


def record(
    module: torch.nn.Module,
    unfolded: TorchUnfolded,
    positional: Sequence[Any],
    named: Mapping[str, Any],
    mapped: Mapped,
    random_state: Callable[[], Any],
) -> list[Call]:
    """Run the module once and return its calls, its own first."""
    tape = _Tape(mapped, random_state)
    parameters = [one.detach().clone().requires_grad_() for one in unfolded.parameters]
    inputs, keywords = mapped(_traced, (tuple(positional), dict(named)))
    plain: torch.nn.Module = getattr(module, "_orig_mod", module)
    with unfolded.holding(parameters):
        compiled = [one for one in plain.modules() if hasattr(one, "_orig_mod")]
        inside = {id(one) for outer in compiled for one in outer.modules()} - set(map(id, compiled))
        # hooks go away with everything else that `holding` puts back
        for path, submodule in plain.named_modules():
            if id(submodule) not in inside:
                tape.listen(path, submodule)
        if plain is not module:  # compiled: what it was made of is the first call inside it
            tape.begin("", type(module).__name__, module, inputs, keywords)
        with replaced("forward", _heard_rules(tape)):
            output = plain(*inputs, **keywords)
        if plain is not module:
            tape.end(output, module)
    tape.close(output)
    return tape.calls


def _traced(leaf: Any) -> Any:
    """Return an input such that a record begins with it, and that may be written into."""
    if not isinstance(leaf, torch.Tensor):
        return leaf
    private = leaf.detach().clone()
    is_inexact = private.dtype.is_floating_point or private.dtype.is_complex
    return private.requires_grad_().clone() if is_inexact else private


@dataclass(slots=True)
class _Arrived:
    """A tensor that a call got, with its values and its version at that time."""

    tensor: torch.Tensor
    values: torch.Tensor
    version: int

    def is_written(self) -> bool:
        """Say whether somebody has written into it since, seen by torch or not."""
        return self.tensor._version != self.version or not _is_equal(self.tensor, self.values)


@dataclass(slots=True)
class _Given:
    """A tensor that a call gave, with its values at that time."""

    call: int
    tensor: torch.Tensor
    values: torch.Tensor
    node: Any  # its place in the record of derivatives


@dataclass(slots=True)
class _Tape:
    """What has been heard so far."""

    mapped: Mapped
    random_state: Callable[[], Any]
    calls: list[Call] = field(default_factory=list)
    _thread: int = field(default_factory=threading.get_ident)
    _open: list[int] = field(default_factory=list)
    _given: list[_Given] = field(default_factory=list)
    _arrived: dict[int, list[_Arrived]] = field(default_factory=dict)
    _numbers: collections.Counter[tuple[str, str]] = field(default_factory=collections.Counter)

    def listen(self, path: str, submodule: torch.nn.Module) -> None:
        """Hear every call of a submodule, before any other hook changes what it gets."""

        def before(module: Any, inputs: Any, keywords: Any) -> None:
            if self.is_ours():
                self.begin(path, type(module).__name__, module, inputs, keywords)

        def after(module: Any, inputs: Any, output: Any) -> None:  # noqa: ARG001 torch's signature
            if self.is_ours():
                self.end(output, module)

        submodule.register_forward_pre_hook(before, prepend=True, with_kwargs=True)
        submodule.register_forward_hook(after)

    def begin(
        self,
        path: str,
        kind: str,
        function: Callable[..., Any],
        positional: Sequence[Any],
        named: Mapping[str, Any],
        *,
        is_rule: bool = False,
    ) -> None:
        """Take note of a call and of what it got."""
        place = len(self.calls)
        key = (path, kind) if is_rule else (path, "")
        self._numbers[key] += 1
        arrived: list[_Arrived] = []
        kept: dict[int, torch.Tensor] = {}

        def keep(leaf: Any) -> Any:
            if not isinstance(leaf, torch.Tensor):
                return leaf
            if id(leaf) not in kept or is_rule:  # a rule's inputs are leaves of their own each
                kept[id(leaf)] = leaf.detach().clone().requires_grad_(leaf.requires_grad)
                arrived.append(_Arrived(leaf, kept[id(leaf)], leaf._version))
            return kept[id(leaf)]

        with torch.no_grad():
            inputs, keywords = self.mapped(keep, (tuple(positional), dict(named)))
        self._arrived[place] = arrived
        parent = self._open[-1] if self._open else -1
        self.calls.append(
            Call(
                path,
                kind,
                function,
                inputs,
                keywords,
                self.random_state(),
                self._numbers[key],
                parent,
                is_rule,
            )
        )
        self._open.append(place)

    def is_ours(self) -> bool:
        """Say whether the call is of this pass: another thread may call the same module."""
        return threading.get_ident() == self._thread

    def end(self, output: Any, function: Any) -> None:
        """Take note of what the last call of a function has given, and of what it wrote into."""
        place = self._open.pop()
        while self.calls[place].function is not function:  # it raised, and somebody caught that
            self._arrived.pop(place)
            place = self._open.pop()
        call = self.calls[place]
        call.writes = any(one.is_written() for one in self._arrived.pop(place))

        def give(leaf: Any) -> Any:
            if isinstance(leaf, torch.Tensor) and leaf.requires_grad and not call.is_rule:
                values = leaf.detach().clone()
                self._given.append(_Given(place, leaf, values, leaf.grad_fn))
            return leaf

        self.mapped(give, output)

    def current_path(self) -> str:
        """Return the path of the submodule that is being called."""
        return self.calls[self._open[-1]].path if self._open else ""

    def close(self, output: Any) -> None:
        """Look back: whose outputs were written into, and whose lead nowhere."""
        reached: set[Any] = set()

        def reach(leaf: Any) -> Any:
            if isinstance(leaf, torch.Tensor) and leaf.grad_fn is not None:
                reached.update(nodes_behind([leaf.grad_fn], reached))
            return leaf

        self.mapped(reach, output)
        leads: dict[int, bool] = {}
        for one in self._given:
            is_reached = one.node is None or one.node in reached
            leads[one.call] = leads.get(one.call, False) or is_reached
            is_unrecorded = one.tensor.grad_fn is one.node
            if is_unrecorded and not _is_equal(one.tensor, one.values):
                self.calls[one.call].is_overwritten = True
        for place, is_leading in leads.items():
            self.calls[place].is_cut = not is_leading
        self._given.clear()


def _is_equal(one: torch.Tensor, other: torch.Tensor) -> bool:
    now = one.detach()
    if now.shape != other.shape or now.dtype != other.dtype:
        return False
    if torch.equal(now, other.detach()):
        return True
    is_inexact = now.dtype.is_floating_point or now.dtype.is_complex
    both = (now == other.detach()) | (now.isnan() & other.isnan()) if is_inexact else now == other
    return bool(both.all())


def _heard_rules(tape: _Tape) -> dict[type, Any]:
    """Return what every rule's forward is heard through, also where `apply` was bound long ago."""
    return {rule: staticmethod(_heard(tape, rule, rule.forward)) for rule in _rules(_Rule)}


def _rules(above: Any) -> list[Any]:
    """Return every rule that somebody has written, torch's own left out."""
    below = [one for rule in above.__subclasses__() for one in (rule, *_rules(rule))]
    return [one for one in dict.fromkeys(below) if not one.__module__.startswith("torch.")]


def _heard(tape: _Tape, rule: Any, forward: Callable[..., Any]) -> Callable[..., Any]:
    has_context = rule.setup_context is _WITHOUT_CONTEXT

    @functools.wraps(forward)
    def heard(*arguments: Any, **keywords: Any) -> Any:
        if not tape.is_ours():
            return forward(*arguments, **keywords)
        inputs = arguments[1:] if has_context else arguments
        path, name, function = tape.current_path(), rule.__name__, rule.apply
        tape.begin(path, name, function, inputs, keywords, is_rule=True)
        output = forward(*arguments, **keywords)
        tape.end(output, function)
        return output

    return heard
