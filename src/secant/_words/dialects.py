"""Dialects: what users of a framework, or authors of a derivative by hand, call the same things."""

from __future__ import annotations

import functools
from collections.abc import Mapping

BY_HAND = ("pull", "push", "jacobian", "gradient")
"""Derivatives that are functions of their own; a finding about one speaks of it by its keyword."""

_BACKWARD = {
    "backward": "the backward",
    "backward_pass": "the backward pass",
    "grad_output": "grad_output",
    "v": "grad_output",
    "jvp": "the jvp",
    "cut": " (a detach, or a missing gradient)",
    "unmoved": "a straight-through estimator, or ",
    "save": "save what the backward needs in the forward",
    "copied": "call grad_output.contiguous()",
    "contiguous": "a contiguous grad_output",
    "coalesced": "a coalesced grad_output",
    "coalesce": "call grad_output.coalesce() before reading its indices and values",
    "in_place": "`grad_output.op_(...)` with `grad_output.op(...)`",
    "handed_over": ", as `out.sum().backward()` hands it over",
    "damage": "; other branches of a graph see the damage",
    "hidden": ", hidden from autograd",
    "both_modes": "forward and reverse mode",
    "by_forward": "by forward mode",
    "by_reverse": "by reverse mode",
    "each_mode": "each mode",
}
_RULE = _BACKWARD | {
    "backward": "the vjp rule",
    "backward_pass": "the vjp rule",
    "grad_output": "the cotangent",
    "v": "cotangent",
    "cut": " (a stop_gradient, or a missing gradient)",
    "save": "return residuals from the forward rule",
    "contiguous": "a contiguous cotangent",
    "hidden": "",
}
_BY_AUTHOR = _BACKWARD | {
    "backward": "`{keyword}`",
    "backward_pass": "`{keyword}`",
    "grad_output": "v",
    "v": "v",
    "jvp": "`push`",
    "cut": ": a gradient is missing",
    "unmoved": "",
    "save": "make a new array in each call",
    "copied": "make a contiguous copy of v",
    "contiguous": "that v is contiguous",
    "in_place": "`v *= a` with `v * a`",
    "handed_over": "",
    "damage": "",
    "hidden": "",
    "both_modes": "`push` and `pull`",
    "by_forward": "by `push`",
    "by_reverse": "by `pull`",
    "each_mode": "each of them",
}


@functools.cache
def vocabulary(dialect: str) -> Mapping[str, str]:
    """Return the words of a framework, or of a derivative that was given by this keyword."""
    if dialect in BY_HAND:
        return {name: word.replace("{keyword}", dialect) for name, word in _BY_AUTHOR.items()}
    return _RULE if dialect == "jax" else _BACKWARD
