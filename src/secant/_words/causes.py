"""Why a claim is wrong, as probes along random directions tell it."""

from __future__ import annotations

from .reason import Topic

_TIGHT = "({probes} of {probes} probes, to {blur:about})"
_PROBED = {"probes": 3, "blur": 1e-10}

_MISPLACED = {
    "conjugate": "a conjugate is missing: the claim is the conjugate of the truth",
    "minus_conjugate": "the claim is −conj(truth): conjugate and sign are wrong",
    "times_i": "the claim is off by a factor i",
    "times_minus_i": "the claim is off by a factor −i",
    "transpose": "the claim is the transpose of the truth in the last two dimensions",
    "order": "the claim has the truth's dimensions in another order, {order}",
    "reversed": "the claim is reversed{axes:along}",
    "later": "the claim is shifted{axes:along}: every entry stands {by} later than it should",
    "earlier": "the claim is shifted{axes:along}: every entry stands {by} earlier than it should",
}
_FORMS = {
    "constant": ("constant{axes:along}", "a sum or a mean{axes:along} is missing or wrong"),
    "norm": (
        "a multiple of {input}{axes:along}",
        "the term through a norm{axes:along} is missing or wrong",
    ),
    "variance": (
        "a multiple of {input} − its mean{axes:along}",
        "the term through the variance{axes:along} is missing or wrong",
    ),
    "softmax": (
        "a multiple of {output}{axes:along}",
        "a sum{axes:along} is missing or wrong (in a softmax, Σ {v}·{output})",
    ),
    "log_softmax": (
        "a multiple of softmax({input}){axes:along}",
        "a sum{axes:along} is missing or wrong (in a log-softmax, Σ {v})",
    ),
    "statistics": (
        "a constant plus a multiple of {input}{axes:along}",
        "the terms through mean and variance{axes:along} are missing or wrong: statistics are "
        "taken for constants",
    ),
}


def _factor(size: int, number: str, **_: object) -> str:
    """A factor of 1/N or N with N the size of something smells of a mean, or of a sum left out."""
    hint = " ({size} is the size of {of}: a mean for a sum, or the reverse)" if size else ""
    hint = " (it is {number})" if number else hint
    return "claimed = {factor:spelt} × measured in every probe: a constant factor is wrong" + hint


CONSTANT_FACTOR = Topic(
    "CONSTANT_FACTOR",
    why=_factor,
    example={"factor": 1.05, "size": 0, "of": "", "number": ""},
)
WRONG_SIGN = Topic("WRONG_SIGN", why="claimed = −1 × measured in every probe: the sign is wrong")
CUT = Topic("CUT", why="claimed = 0 everywhere: the dependence is cut{cut}")
UNMOVED = Topic(
    "UNMOVED",
    why="the function has no slope here, yet one is claimed: {unmoved}a gradient for an "
    "input that is not used",
)
CONJUGATED = Topic(
    "CONJUGATED",
    why="claimed = conj(J)ᵀ v where Jᵀ v is due: a conjugate is missing (or one too many)",
)
TRANSPOSED = Topic(
    "TRANSPOSED",
    why="the claimed Jacobian is the transpose of the measured one ({count}): J v is computed "
    "where Jᵀ v is due",
    example={"count": "3 of 3 probes"},
)
ROUNDED = Topic(
    "ROUNDED",
    why="all {count:,} claimed numbers have at most {digits} binary digits: {backward} rounds to "
    "{dtype}",
    example={"count": 60, "digits": 8, "dtype": "bfloat16"},
)
FACTOR_MISSING = Topic(
    "FACTOR_MISSING",
    why=f"claimed × {{factor}} = measured {_TIGHT}: a factor {{factor}} is missing",
    example={"factor": "x", **_PROBED},
)
FACTOR_TOO_MANY = Topic(
    "FACTOR_TOO_MANY",
    why=f"claimed = {{factor}} × measured {_TIGHT}: a factor {{factor}} is one too many",
    example={"factor": "exp(x)", **_PROBED},
)
INNER_FACTOR_MISSING = Topic(
    "INNER_FACTOR_MISSING",
    why=f"claimed × {{factor}} = measured {_TIGHT}: {{factor}} is missing, an inner factor of the "
    "chain rule",
    example={"factor": "2·x", **_PROBED},
)


def _term(size: float, name: str, **_: object) -> str:
    is_missing, times = size > 0, "" if abs(size) == 1 else "{magnitude:spelt}·"
    if not name:
        why = "the identity path (a skip connection) " + (
            "has no gradient" if is_missing else "is counted once too often"
        )
    else:
        why = f"a term {times}{{name}} of the derivative is " + (
            "missing" if is_missing else "too many"
        )
    term = f"{times}{{v}}" + ("·{name}" if name else "")
    return f"measured = claimed {'+' if is_missing else '−'} {term} {_TIGHT}: {why}"


TERM = Topic("TERM", why=_term, example={"size": 1.0, "magnitude": 1.0, "name": "x", **_PROBED})
PRODUCT_TERM_MISSING = Topic(
    "PRODUCT_TERM_MISSING",
    why=lambda magnitude, **_: (
        "measured = claimed + "
        + ("" if magnitude == 1 else "{magnitude:spelt}·")
        + f"{{v}}·{{name}} {_TIGHT}: a term of the product rule is missing"
    ),
    example={"magnitude": 1.0, "name": "out/x", **_PROBED},
)
FACTOR_FROZEN = Topic(
    "FACTOR_FROZEN",
    why="claimed = {v}·{output}/{input} in all {count:,} entries: what multiplies {input} is taken "
    "for a constant, a term of the product rule is missing",
    example={"output": "out", "input": "x", "count": 12},
)
ANOTHER_FUNCTION = Topic(
    "ANOTHER_FUNCTION",
    why="claimed = {v}·{claimed} in all {count:,} entries, measured = {v}·{due} in every probe: "
    "the derivative of another function of {input}",
    example={"claimed": "tanh(x)", "due": "(1 − tanh(x)²)", "count": 12, "input": "x"},
)
MISPLACED = Topic(
    "MISPLACED",
    why=lambda how, **_: _MISPLACED[how] + f" {_TIGHT}",
    example={"how": "later", "axes": (0,), "by": 1, "order": (), **_PROBED},
)
UNFLIPPED = Topic(
    "UNFLIPPED",
    why=f"the claim is right if input and output are both reversed in space {_TIGHT}: a "
    "convolution's kernel is not flipped in {backward}",
    example=_PROBED,
)
NOT_ADDITIVE = Topic(
    "NOT_ADDITIVE",
    why="the pull of a sum is not the sum of the pulls: {backward} is not linear in {grad_output}",
)
SCALED_ALONG = Topic(
    "SCALED_ALONG",
    why="claimed = s × measured with one s for each index of dimension {axis}, from {lowest:.3g} "
    "to {highest:.3g} (at {indices} indices, {probes} probes each): a scale along dimension {axis} "
    "is wrong or missing",
    example={"axis": 1, "lowest": 0.4, "highest": 1.9, "indices": 3, "probes": 2},
)
SWAPPED = Topic(
    "SWAPPED",
    why="the gradients of {one} and {other} are swapped: each explains the other's slopes "
    "({probes} and {confirmed} probes)",
    example={"one": "a", "other": "b", "probes": 3, "confirmed": 2},
)
OTHER_OUTPUT = Topic(
    "OTHER_OUTPUT",
    why="what is claimed for {output} is the gradient of {other} ({probes} of {probes} probes)",
    example={"output": "out[0]", "other": "out[1]", "probes": 3},
)
OFF_BY_LITTLE = Topic(
    "OFF_BY_LITTLE",
    why=lambda wrong, **_: (
        "off by {share:.1g} of the gradient's size"
        + ("" if wrong is None else " in {wrong:,} of {moving:,} entries")
        + ": a solve that stops at a tolerance, an approximation, another eps or variance, or a "
        "constant in lower precision"
    ),
    advice="if that is meant, `{setting}` forgives it",
    example={"share": 3e-6, "wrong": 390, "moving": 512, "setting": "rtol=1e-05"},
)
RAISED = Topic(
    "RAISED", what="{error}", example={"error": "the backward pass raised RuntimeError: ..."}
)
NO_DERIVATIVE = Topic(
    "NO_DERIVATIVE",
    why=lambda operation: (
        "the framework has no derivative here" + (": {operation}" if operation else "")
    ),
    example={"operation": "aten::some_op"},
)
MISFIT = Topic(
    "MISFIT", why="{backward} returns gradients that do not fit the inputs, in number or in shape"
)
BREAKS = Topic(
    "BREAKS", why="{backward} itself breaks on a cotangent of the output's own shape and dtype"
)
UNBATCHED_DIFFERS = Topic(
    "UNBATCHED_DIFFERS",
    what=lambda is_gradient, **_: (
        "the gradient of {output} differs when it is not batched"
        if is_gradient
        else "{output} moves otherwise when it is not batched"
    ),
    why="a batching rule disagrees with the function it belongs to",
    example={"output": "out", "is_gradient": True},
)


TERM_INSIDE_ROWS = Topic(
    "TERM_INSIDE_ROWS",
    why=lambda form, **_: "measured − claimed is {} ({{count}}): {}".format(*_FORMS[form]),
    example={
        "form": "softmax",
        "axes": (1,),
        "input": "x",
        "output": "out",
        "count": "for 12 outputs, to 1e-09",
    },
)
