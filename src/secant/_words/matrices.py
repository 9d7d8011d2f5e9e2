"""Why a claim is wrong, as whole Jacobians and regions of wrong entries tell it."""

from __future__ import annotations

from .reason import Topic

NOT_LINEAR_JVP = Topic(
    "NOT_LINEAR_JVP",
    why="J u is not the sum of the columns it is made of: {jvp} is not linear",
    means="A forward-mode rule that clips, squares or keeps state.",
    do="Multiply by the tangent exactly once.",
)
SUMS_ARE_WRONG = Topic(
    "SUMS_ARE_WRONG",
    why="every entry is right by itself, sums of them are not: {backward} is not linear in "
    "{grad_output}",
    means="Unit cotangents are answered rightly, others are not: a clip or a comparison.",
    do="Multiply by the cotangent exactly once.",
)
PULLS_DO_NOT_ADD_UP = Topic(
    "PULLS_DO_NOT_ADD_UP",
    why="the pull of v is not the sum of the pulls of its entries: {backward} is not linear in "
    "{grad_output}",
    means="The same, with single entries wrong as well.",
    do="Multiply by the cotangent exactly once.",
)
PERMUTED = Topic(
    "PERMUTED",
    why=lambda count, **_: (
        "every {name} holds the right numbers in the wrong places ({count} {name}"
        + ("" if count == 1 else "s")
        + ", to {blur:about}): the claim is permuted"
    ),
    means="An index is applied where its inverse is due, or forgotten.",
    do="Undo the permutation in the backward (`argsort`, `scatter`).",
    example={"name": "row", "count": 6, "blur": 1e-10},
)
SCALED_BY_INDEX = Topic(
    "SCALED_BY_INDEX",
    why="claimed = s × measured with one s for each index of {axes:dimensions} of {path}, from "
    "{lowest:.3g} to {highest:.3g} ({spare:,} entries more than that takes agree): a scale along "
    "{axes:dimensions} is wrong or missing",
    means="A weight for each index, forgotten or used twice.",
    do="Look for what is multiplied along these dimensions in the forward.",
    example={"axes": (1,), "path": "x", "lowest": 0.4, "highest": 1.9, "spare": 20},
)
TERMS_MISSING = Topic(
    "TERMS_MISSING",
    why="claimed = 0 in {count:,} of {moving:,} entries where the function moves, right elsewhere: "
    "a term is missing (a sum over a broadcast dimension, one output or one path)",
    means="Part of the Jacobian is zero where it should not be.",
    do="Look for a path from input to output that the backward leaves out.",
    example={"count": 4, "moving": 12},
)
MASK_MISSING = Topic(
    "MASK_MISSING",
    why="{count:,} of {total:,} entries of {path} do not move the output, yet a slope is claimed, "
    "right for the others: a mask is missing in {backward}",
    means="Dropout, padding or a ReLU: the mask is applied forward and not backward.",
    do="Apply the mask to the gradient.",
    example={"count": 4, "total": 12, "path": "x"},
)
NOT_THEIRS = Topic(
    "NOT_THEIRS",
    why="a slope is claimed in {count:,} entries where the output does not depend on the input, "
    "right in the {right:,} where it does: gradients go to entries that they do not belong to",
    means="An index that is too wide, or a scatter to the wrong place.",
    do="Compare the indices of forward and backward.",
    example={"count": 4, "right": 8},
)
PART_LOST = Topic(
    "PART_LOST",
    why=lambda of, **_: (
        "the {part} part "
        + ("of {grad_output} is ignored" if of else "of the gradient is lost")
        + ": claimed = 0 for every {of}.{suffix}"
    ),
    means="Only one part of complex numbers is used: a `.real` too many.",
    do="Keep both parts.",
    example={"part": "imaginary", "suffix": "imag", "of": ""},
)
ONE_COPY_KEPT = Topic(
    "ONE_COPY_KEPT",
    why="every entry of {path} reaches {times} outputs, and 1 of {times} contributions is kept: a "
    "sum over a broadcast dimension is missing, or over copies",
    means="An input that is expanded or used several times gets one gradient of many.",
    do="Sum the gradient over the broadcast dimension.",
    example={"path": "bias", "times": 4},
)
WRITTEN_OVER = Topic(
    "WRITTEN_OVER",
    why=lambda count, is_whole, **_: (
        "{count:,} of {total:,} entries of {path}"
        + ("" if is_whole else " looked at")
        + ", used several times, "
        + ("keeps" if count == 1 else "keep")
        + " 1 contribution only: a term is missing, written over instead of added"
    ),
    means="A gather whose backward assigns where it should add.",
    do="Use `index_add` or `scatter_add`.",
    example={"count": 2, "total": 12, "path": "table", "is_whole": True},
)
COUPLING_MISSING = Topic(
    "COUPLING_MISSING",
    why=lambda is_whole, **_: (
        "claimed = 0 in "
        + ("all {count:,} entries" if is_whole else "the {count:,} entries looked at")
        + " that couple different indices{axes:along}, right in the {right:,} that do not: a "
        "sum{axes:along} is missing in {backward}"
    ),
    means="A softmax or a norm whose backward treats every entry by itself.",
    do="Add the sum over the row.",
    example={"count": 30, "right": 6, "axes": (1,), "is_whole": True},
)
OUTPUTS_IGNORED = Topic(
    "OUTPUTS_IGNORED",
    why=lambda where, **_: (
        "claimed = 0 for {count:,} of {total:,} entries of {path}, right for the "
        "others: a part of the output is ignored, a term is missing"
        + (": {where}" if where else "")
    ),
    means="The cotangent of some outputs is not used.",
    do="Use every entry of the cotangent.",
    example={"count": 3, "total": 12, "path": "out", "where": "index ≥ 9"},
)
SAME_FOR_ALL_OUTPUTS = Topic(
    "SAME_FOR_ALL_OUTPUTS",
    why="measured − claimed is the same for all {rows:,} outputs (to {blur:about}), for {inputs:,} "
    "of {total:,} entries of {path}: what is added to every output alike has no gradient, or a "
    "wrong one",
    means="A bias, a penalty or a mean that is added to everything.",
    do="Add its gradient.",
    example={"rows": 12, "blur": 1e-9, "inputs": 3, "total": 3, "path": "x"},
)
WRONG_AXIS = Topic(
    "WRONG_AXIS",
    why=lambda claimed, **_: (
        "{path} depends on the entries along {measured:dimensions}, the claim "
        "on those along {claimed:dimensions}: a sum or a mean of {backward} runs over the wrong "
        + ("dimension" if len(claimed) == 1 else "dimensions")
    ),
    means="A reduction along another dimension than in the forward.",
    do="Reduce along the dimension that was measured.",
    example={"path": "out", "measured": (1,), "claimed": (0,)},
)
WRONG_NORMALISATION = Topic(
    "WRONG_NORMALISATION",
    why="what is claimed adds up to {total:.3g} along dimension {claimed}, what is measured along "
    "dimension {measured}: {backward} normalises over the wrong dimension",
    means="Shares that should add up along one dimension add up along another.",
    do="Normalise along the dimension that was measured.",
    example={"total": 1.0, "claimed": 0, "measured": 1},
)
COLUMNS_SCALED = Topic(
    "COLUMNS_SCALED",
    why="claimed = {columns:columns}, right for the others: a factor is wrong there",
    means="A few parameters with units of their own; the factor is often a power of the value.",
    do="Look at the derivative by these parameters.",
    example={"columns": ((2.0, "x[1]", "x[1]²"),)},
)
ANOTHER_EPS = Topic(
    "ANOTHER_EPS",
    why=lambda by, **_: (
        "claim and measurement are derivatives of one norm along {axes:dimensions}, "
        "but the claim's {of} is {magnitude:spelt} "
        + ("more" if by > 0 else "less")
        + ": another eps in {backward}"
    ),
    means="Forward and backward of a norm use different constants under the root.",
    do="Use one eps.",
    example={"axes": (1,), "of": "variance", "by": 1e-3, "magnitude": 1e-3},
)
UNBIASED_VARIANCE = Topic(
    "UNBIASED_VARIANCE",
    why="claim and measurement are derivatives of one norm along {axes:dimensions}, but the "
    "{who}'s {of} is {length}/{rest} times the {other}'s: an unbiased variance (a division by n − "
    "1) in one of the two",
    means="One side divides by n, the other by n − 1.",
    do="Use the same variance in both.",
    example={
        "axes": (1,),
        "of": "variance",
        "who": "claim",
        "other": "forward",
        "length": 5,
        "rest": 4,
    },
)
NOT_STORED = Topic(
    "NOT_STORED",
    why=lambda is_zero, **_: (
        "claimed = 0 at entries that {path} does not store ({count} of "
        "{total}), right at those it does: a gradient for the stored entries alone, which "
        "masked=True asks for"
        if is_zero
        else "only entries that {path} does not store are wrong ({count} of {total})"
    ),
    means="A sparse input: the gradient covers the stored entries only, or the others wrongly.",
    do="Pass `masked=True` if entries that are not stored are no variables.",
    example={"path": "x", "count": 5, "total": 9, "is_zero": True},
)
