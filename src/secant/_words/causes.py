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
    means="Every claimed slope is the same multiple of the measured one: a forgotten constant, a "
    "mean for a sum, a learning rate that slipped in. `size` is the size of what `of` names, where "
    "the factor is that or its inverse; `number` names the input of one entry that it is.",
    do="Look for the constant in the backward.",
    example={"factor": 1.05, "size": 0, "of": "", "number": ""},
)
WRONG_SIGN = Topic(
    "WRONG_SIGN",
    why="claimed = −1 × measured in every probe: the sign is wrong",
    means="Every claimed slope is minus the measured one.",
    do="Change the sign.",
)
CUT = Topic(
    "CUT",
    why="claimed = 0 everywhere: the dependence is cut{cut}",
    means="Nothing is claimed although the function moves: a detach, a `.item()`, a copy through "
    "NumPy, a gradient that is not returned.",
    do="Let the gradient through, or return it.",
)
UNMOVED = Topic(
    "UNMOVED",
    why="the function does not move at all, yet a slope is claimed: {unmoved}a gradient for an "
    "input that is not used",
    means="The function is constant along this input.",
    do="If a straight-through estimator is meant, check the function without its rounding.",
)
CONJUGATED = Topic(
    "CONJUGATED",
    why="claimed = conj(J)ᵀ v where Jᵀ v is due: a conjugate is missing (or one too many)",
    means="A complex function whose backward forgets, or doubles, a conjugate.",
    do="Multiply the cotangent by the conjugate of the derivative.",
)
TRANSPOSED = Topic(
    "TRANSPOSED",
    why="the claimed Jacobian is the transpose of the measured one ({count}): J v is computed "
    "where Jᵀ v is due",
    means="The backward multiplies by J instead of its transpose: `v @ A` for `A @ v`.",
    do="Transpose the matrix in the backward.",
    example={"count": "3 of 3 probes"},
)
ROUNDED = Topic(
    "ROUNDED",
    why="all {count:,} claimed numbers have at most {digits} binary digits: {backward} rounds to "
    "{dtype}",
    means="The gradient went through a coarser dtype.",
    do="Compute the backward in the input's own dtype, or accumulate in float32.",
    example={"count": 60, "digits": 8, "dtype": "bfloat16"},
)
FACTOR_MISSING = Topic(
    "FACTOR_MISSING",
    why=f"claimed × {{factor}} = measured {_TIGHT}: a factor {{factor}} is missing",
    means="Multiplying the claim by numbers that the point holds makes it right.",
    do="Multiply by the factor that is named.",
    example={"factor": "x", **_PROBED},
)
FACTOR_TOO_MANY = Topic(
    "FACTOR_TOO_MANY",
    why=f"claimed = {{factor}} × measured {_TIGHT}: a factor {{factor}} is one too many",
    means="The claim is the truth times numbers that the point holds.",
    do="Leave out the factor that is named.",
    example={"factor": "exp(x)", **_PROBED},
)
INNER_FACTOR_MISSING = Topic(
    "INNER_FACTOR_MISSING",
    why=f"claimed × {{factor}} = measured {_TIGHT}: {{factor}} is missing, an inner factor of the "
    "chain rule",
    means="The outer derivative is there, the inner one is not.",
    do="Multiply by the inner derivative.",
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


TERM = Topic(
    "TERM",
    why=_term,
    means="Claim and truth differ by one term, a multiple of the cotangent times `name` (nothing: "
    "the identity, a skip connection). `size` is positive where the term is missing.",
    do="Add the term, or leave it out.",
    example={"size": 1.0, "magnitude": 1.0, "name": "x", **_PROBED},
)
PRODUCT_TERM_MISSING = Topic(
    "PRODUCT_TERM_MISSING",
    why=lambda magnitude, **_: (
        "measured = claimed + "
        + ("" if magnitude == 1 else "{magnitude:spelt}·")
        + f"{{v}}·{{name}} {_TIGHT}: a term of the product rule is missing"
    ),
    means="One factor of a product is differentiated, the other is not.",
    do="Add f'·g or f·g', whichever is missing.",
    example={"magnitude": 1.0, "name": "out/x", **_PROBED},
)
FACTOR_FROZEN = Topic(
    "FACTOR_FROZEN",
    why="claimed = {v}·{output}/{input} in all {count:,} entries: what multiplies {input} is taken "
    "for a constant, a term of the product rule is missing",
    means="out = x · g(x), differentiated as if g(x) were a constant.",
    do="Add x · g'(x).",
    example={"output": "out", "input": "x", "count": 12},
)
ANOTHER_FUNCTION = Topic(
    "ANOTHER_FUNCTION",
    why="claimed = {v}·{claimed} in all {count:,} entries, measured = {v}·{due} in every probe: "
    "the derivative of another function of {input}",
    means="The backward holds a formula that belongs to another function, or takes the output for "
    "the input.",
    do="Replace the formula by the one that was measured.",
    example={"claimed": "tanh(x)", "due": "(1 − tanh(x)²)", "count": 12, "input": "x"},
)
MISPLACED = Topic(
    "MISPLACED",
    why=lambda how, **_: _MISPLACED[how] + f" {_TIGHT}",
    means="The right numbers in the wrong places, or with the wrong conjugate: undoing `how` "
    "explains every probe: conjugate, minus_conjugate, times_i, times_minus_i, transpose, order, "
    "reversed, later or earlier (by some entries).",
    do="Undo it in the backward.",
    example={"how": "later", "axes": (0,), "by": 1, "order": (), **_PROBED},
)
UNFLIPPED = Topic(
    "UNFLIPPED",
    why=f"the claim is right if input and output are both reversed in space {_TIGHT}: a "
    "convolution's kernel is not flipped in {backward}",
    means="The gradient of a convolution is a correlation with the kernel reversed.",
    do="Flip the kernel in the backward.",
    example=_PROBED,
)
NOT_ADDITIVE = Topic(
    "NOT_ADDITIVE",
    why="the pull of a sum is not the sum of the pulls: {backward} is not linear in {grad_output}",
    means="A clip, an abs, a sign or a square of the cotangent.",
    do="Multiply by the cotangent exactly once.",
)
SCALED_ALONG = Topic(
    "SCALED_ALONG",
    why="claimed = s × measured with one s for each index of dimension {axis}, from {lowest:.3g} "
    "to {highest:.3g} (at {indices} indices, {probes} probes each): a scale along dimension {axis} "
    "is wrong or missing",
    means="A weight for each channel or row, forgotten or used twice.",
    do="Look for what is multiplied along this dimension in the forward.",
    example={"axis": 1, "lowest": 0.4, "highest": 1.9, "indices": 3, "probes": 2},
)
SWAPPED = Topic(
    "SWAPPED",
    why="the gradients of {one} and {other} are swapped: each explains the other's slopes "
    "({probes} and {confirmed} probes)",
    means="The backward returns its gradients in another order than the inputs have.",
    do="Return them in the order of the inputs.",
    example={"one": "a", "other": "b", "probes": 3, "confirmed": 2},
)
OTHER_OUTPUT = Topic(
    "OTHER_OUTPUT",
    why="what is claimed for {output} is the gradient of {other} ({probes} of {probes} probes)",
    means="The cotangents of two outputs are mixed up.",
    do="Use each output's own cotangent.",
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
    means="Wrong by little and nearly everywhere. Which of these it is only the author knows.",
    example={"share": 3e-6, "wrong": 390, "moving": 512, "setting": "rtol=1e-05"},
)
RAISED = Topic(
    "RAISED",
    what="{error}",
    means="Asking for the derivative raised an exception.",
    do="Read the exception, which is chained.",
    example={"error": "the backward pass raised RuntimeError: ..."},
)
NO_DERIVATIVE = Topic(
    "NO_DERIVATIVE",
    why=lambda operation: (
        "the framework has no derivative here" + (": {operation}" if operation else "")
    ),
    means="The framework says that it cannot differentiate this; nobody's gradient is wrong.",
    do="Use another operation, or write the derivative.",
    example={"operation": "aten::some_op"},
)
MISFIT = Topic(
    "MISFIT",
    why="{backward} returns gradients that do not fit the inputs, in number or in shape",
    means="One gradient for each input is due, of that input's shape.",
    do="Sum over broadcast dimensions; return None for what has no gradient.",
)
BREAKS = Topic(
    "BREAKS",
    why="{backward} itself breaks on a cotangent of the output's own shape and dtype",
    means="The backward raises where the forward does not.",
    do="Run it by itself with the cotangent that the report names.",
)
UNBATCHED_DIFFERS = Topic(
    "UNBATCHED_DIFFERS",
    what=lambda is_gradient, **_: (
        "the gradient of {output} differs when it is not batched"
        if is_gradient
        else "{output} moves otherwise when it is not batched"
    ),
    why="a batching rule disagrees with the function it belongs to",
    means="A row or a column that was asked in a batch is another one when it is asked alone.",
    do="Check the vmap rule.",
    example={"output": "out", "is_gradient": True},
)


TERM_INSIDE_ROWS = Topic(
    "TERM_INSIDE_ROWS",
    why=lambda form, **_: "measured − claimed is {} ({{count}}): {}".format(*_FORMS[form]),
    means="What is missing has a form along a dimension: constant, or a multiple of the input "
    "(norm), of its deviation (variance), of the output (softmax), of softmax(x) (log_softmax), or "
    "a constant plus a multiple of the input (statistics). Statistics or a normaliser are taken "
    "for constants.",
    do="Add the term that flows through the sum, mean or variance.",
    example={
        "form": "softmax",
        "axes": (1,),
        "input": "x",
        "output": "out",
        "count": "for 12 outputs, to 1e-09",
    },
)
