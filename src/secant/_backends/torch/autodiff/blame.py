"""PyTorch's derivatives of sparse tensors: pulled in either layout, or which operation raises."""

from __future__ import annotations

import contextlib
import re
import traceback
from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path
from typing import Any

import torch

from ...._errors import said_by

# where torch's own errors come from: its code, or a call of its engine by the code beside this
_OWN = str(Path(torch.__file__).parent), str(Path(__file__).parent)
_ABOUT_LAYOUTS = re.compile("sparse|layout|strided|coalesce", re.IGNORECASE)
_ABOUT_LIMITS = re.compile("not (yet |currently )?supported", re.IGNORECASE)


def pull_any_layout(
    outputs: Sequence[torch.Tensor],
    inputs: Sequence[torch.Tensor],
    cotangents: Sequence[torch.Tensor],
    *,
    differentiable: bool,
) -> list[torch.Tensor | None]:
    """Pull cotangents in the layout of their outputs; where autograd refuses those, dense ones."""

    def pull(given: Sequence[torch.Tensor]) -> list[torch.Tensor | None]:
        return list(
            torch.autograd.grad(
                outputs,
                inputs,
                given,
                retain_graph=True,
                create_graph=differentiable,
                allow_unused=True,
            )
        )

    try:
        return pull(cotangents)
    except RuntimeError as error:
        if not is_about_layouts(error):
            raise
        try:
            return pull([one.to_dense() for one in cotangents])
        except RuntimeError:
            raise error from None  # what is said about the output's own layout


def is_about_layouts(error: BaseException) -> bool:
    """Say whether torch itself, not a rule written by hand, cannot work with a layout."""
    return _is_torchs(error, _ABOUT_LAYOUTS)


def is_about_limits(error: BaseException) -> bool:
    """Say whether torch itself says that it does not support what was asked.

    Forward mode inside forward mode is such a thing, and a module whose passes are counted.
    """
    return _is_torchs(error, _ABOUT_LIMITS)


def _is_torchs(error: BaseException, words: re.Pattern[str]) -> bool:
    if not isinstance(error, RuntimeError) or not words.search(said_by(error)):
        return False
    frames = traceback.extract_tb(error.__traceback__)
    return bool(frames) and frames[-1].filename.startswith(_OWN)


def raising_operation(
    outputs: Sequence[torch.Tensor],
    inputs: Sequence[torch.Tensor],
    cotangents: Sequence[torch.Tensor],
) -> str:
    """Pull once more, and return the node that was entered last with what it was given."""
    entered: list[str] = []
    nodes = nodes_behind(one.grad_fn for one in outputs if one.grad_fn is not None)
    handles = [node.register_prehook(_noting(node, entered)) for node in nodes]
    try:
        with contextlib.suppress(Exception):  # that it raises is known
            torch.autograd.grad(outputs, inputs, cotangents, retain_graph=True, allow_unused=True)
    finally:
        for handle in handles:
            handle.remove()
    return entered[-1] if entered else ""


def _noting(node: Any, entered: list[str]) -> Callable[[tuple[Any, ...]], None]:
    def note(given: tuple[Any, ...]) -> None:
        kinds = ", ".join(_kind(one) for one in given if isinstance(one, torch.Tensor))
        entered.append(f"{node.name()} of a {kinds} gradient" if kinds else node.name())

    return note


def _kind(tensor: torch.Tensor) -> str:
    return f"{str(tensor.layout).removeprefix('torch.')} {str(tensor.dtype).removeprefix('torch.')}"


def nodes_behind(roots: Iterable[Any], seen: Collection[Any] = ()) -> dict[Any, None]:
    """Return every node of the record behind some, themselves among them, but not those seen."""
    found = dict.fromkeys(roots)
    fresh = list(found)
    while fresh:
        for before, _ in fresh.pop().next_functions:
            if before is not None and before not in found and before not in seen:
                found[before] = None
                fresh.append(before)
    return found
