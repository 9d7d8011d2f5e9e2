"""Why a claim is wrong, as whole Jacobians and regions of wrong entries tell it."""

from __future__ import annotations

from .indices import Indices
from .reason import Topic

NOT_LINEAR_JVP = Topic(
    "NOT_LINEAR_JVP", why="J u is not the sum of the columns it is made of: {jvp} is not linear"
)
SUMS_ARE_WRONG = Topic(
    "SUMS_ARE_WRONG",
    why="every entry is right by itself, sums of them are not: {backward} is not linear in "
    "{grad_output}",
)
PULLS_DO_NOT_ADD_UP = Topic(
    "PULLS_DO_NOT_ADD_UP",
    why="the pull of v is not the sum of the pulls of its entries: {backward} is not linear in "
    "{grad_output}",
)
PERMUTED = Topic(
    "PERMUTED",
    why=lambda count, **_: (
        "every {name} holds the right numbers in the wrong places ({count} {name}"
        + ("" if count == 1 else "s")
        + ", to {blur:about}): the claim is permuted"
    ),
    example={"name": "row", "count": 6, "blur": 1e-10},
)
SCALED_BY_INDEX = Topic(
    "SCALED_BY_INDEX",
    why="claimed = s × measured with one s for each index of {axes:dimensions} of {path}, from "
    "{lowest:.3g} to {highest:.3g} ({spare:,} entries more than that takes agree): a scale along "
    "{axes:dimensions} is wrong or missing",
    example={"axes": (1,), "path": "x", "lowest": 0.4, "highest": 1.9, "spare": 20},
)
TERMS_MISSING = Topic(
    "TERMS_MISSING",
    why="claimed = 0 in {count:,} of {moving:,} entries where the function moves, right elsewhere: "
    "a term is missing (a sum over a broadcast dimension, one output or one path)",
    example={"count": 4, "moving": 12},
)
MASK_MISSING = Topic(
    "MASK_MISSING",
    why="{count:,} of {total:,} entries of {path} do not move the output, yet a slope is claimed, "
    "right for the others: a mask is missing in {backward}",
    example={"count": 4, "total": 12, "path": "x"},
)
NOT_THEIRS = Topic(
    "NOT_THEIRS",
    why="a slope is claimed in {count:,} entries where the output does not depend on the input, "
    "right in the {right:,} where it does: gradients go to entries that they do not belong to",
    example={"count": 4, "right": 8},
)
PART_LOST = Topic(
    "PART_LOST",
    why=lambda of, **_: (
        "the {part} part "
        + ("of {grad_output} is ignored" if of else "of the gradient is lost")
        + ": claimed = 0 for every {of}.{suffix}"
    ),
    example={"part": "imaginary", "suffix": "imag", "of": ""},
)
ONE_COPY_KEPT = Topic(
    "ONE_COPY_KEPT",
    why="every entry of {path} reaches {times} outputs, and 1 of {times} contributions is kept: a "
    "sum over a broadcast dimension is missing, or over copies",
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
    example={"count": 30, "right": 6, "axes": (1,), "is_whole": True},
)
OUTPUTS_IGNORED = Topic(
    "OUTPUTS_IGNORED",
    why=lambda where, **_: (
        "claimed = 0 for {count:,} of {total:,} entries of {path}, right for the "
        "others: a part of the output is ignored, a term is missing"
        + (": {where:indices}" if where else "")
    ),
    example={"count": 3, "total": 12, "path": "out", "where": (Indices("from", (9,)),)},
)
SAME_FOR_ALL_OUTPUTS = Topic(
    "SAME_FOR_ALL_OUTPUTS",
    why="measured − claimed is the same for all {rows:,} outputs (to {blur:about}), for {inputs:,} "
    "of {total:,} entries of {path}: what is added to every output alike has no gradient, or a "
    "wrong one",
    example={"rows": 12, "blur": 1e-9, "inputs": 3, "total": 3, "path": "x"},
)
WRONG_AXIS = Topic(
    "WRONG_AXIS",
    why=lambda claimed, is_spread, **_: (
        ("{path} moves the outputs" if is_spread else "{path} depends on the entries")
        + " along {measured:dimensions}, the claim "
        + ("moves" if is_spread else "on")
        + " those along {claimed:dimensions}: {backward} sums or spreads over the wrong "
        + ("dimension" if len(claimed) == 1 else "dimensions")
    ),
    example={"path": "out", "measured": (1,), "claimed": (0,), "is_spread": False},
)
WRONG_NORMALISATION = Topic(
    "WRONG_NORMALISATION",
    why="what is claimed adds up to {total:.3g} along dimension {claimed}, what is measured along "
    "dimension {measured}: {backward} normalises over the wrong dimension",
    example={"total": 1.0, "claimed": 0, "measured": 1},
)
COLUMNS_SCALED = Topic(
    "COLUMNS_SCALED",
    why="claimed = {columns:columns}, right for the others: a factor is wrong there",
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
    example={"axes": (1,), "of": "variance", "by": 1e-3, "magnitude": 1e-3},
)
UNBIASED_VARIANCE = Topic(
    "UNBIASED_VARIANCE",
    why="claim and measurement are derivatives of one norm along {axes:dimensions}, but the "
    "{who}'s {of} is {length}/{rest} times the {other}'s: an unbiased variance (a division by n − "
    "1) in one of the two",
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
    example={"path": "x", "count": 5, "total": 9, "is_zero": True},
)
