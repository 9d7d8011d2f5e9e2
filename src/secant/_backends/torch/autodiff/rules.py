"""Which rules written by hand stand between an output and a leaf: read from autograd's record."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import torch

from ...code import Code, code_of

_Node: Any = torch.autograd.function.BackwardCFunction


def rules_behind(
    outputs: Sequence[torch.Tensor], leaf: torch.Tensor | None, *, is_forward: bool
) -> list[Code]:
    """Return the rules on the way from outputs to a leaf, all of them without one."""
    nodes = _in_order([output.grad_fn for output in outputs if output.grad_fn is not None])
    leads = dict.fromkeys(nodes, True)
    if leaf is not None:
        for node in reversed(nodes):  # what stands behind a node comes first
            leads[node] = _is_of(node, leaf) or any(leads.get(one, False) for one, _ in _next(node))
    found = [
        code
        for node in nodes
        if isinstance(node, _Node) and leads[node]
        for code in _codes(node, leads, names_values=leaf is not None, is_forward=is_forward)
    ]
    return list(dict.fromkeys(found))


def _codes(
    node: Any, leads: dict[Any, bool], *, names_values: bool, is_forward: bool
) -> Iterator[Code]:
    rule = type(node)._forward_cls
    if rule.__module__.partition(".")[0] == "torch":
        return
    own = "jvp" if is_forward else "backward"
    if not is_forward and rule.vjp is not torch.autograd.Function.vjp:
        own = "vjp"  # the same by another name
    values: list[int | None] = [None]
    if names_values and not is_forward and len(node.needs_input_grad) > 1:
        # one edge for each tensor, an empty one where no gradient is needed
        wanted = [k for k, is_needed in enumerate(node.needs_input_grad) if is_needed]
        edges = [one for one, _ in node.next_functions if one is not None]
        if len(wanted) == len(edges):
            pairs = zip(wanted, edges, strict=True)
            values = [k + 1 for k, edge in pairs if leads.get(edge, False)]
    name = f"{rule.__qualname__.rpartition('<locals>.')[2]}.{own}"
    for value in values:
        code = code_of(getattr(rule, own), name, value)
        if code is not None:
            yield code


def _next(node: Any) -> list[tuple[Any, int]]:
    return [(one, place) for one, place in node.next_functions if one is not None]


def _is_of(node: Any, leaf: torch.Tensor) -> bool:
    return getattr(node, "variable", None) is leaf


def _in_order(roots: Sequence[Any]) -> list[Any]:
    """Return all nodes behind some, every node before those that it leads to."""
    done: dict[Any, None] = {}
    entered: set[Any] = set()
    waiting = [(root, False) for root in roots]
    while waiting:
        node, is_left = waiting.pop()
        if is_left:
            done[node] = None
        elif node not in entered:
            entered.add(node)
            waiting.append((node, True))
            waiting += [(one, False) for one, _ in _next(node) if one not in entered]
    return list(done)[::-1]
