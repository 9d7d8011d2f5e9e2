"""A claim held against a measurement: what came of it, and what a reader should know beside it."""

from __future__ import annotations

from .reason import Topic

# -- what was found ------------------------------------------------------------------------------

AGREES = Topic("AGREES", what="agrees with the measurement")
ENTRIES_AGREE = Topic("ENTRIES_AGREE", what="every entry agrees")
RIGHT_AFTER_ALL = Topic("RIGHT_AFTER_ALL", what="right after all, entry by entry")
WRONG_SLOPE = Topic("WRONG_SLOPE", what="the claimed slope is not the measured one")
WRONG_ENTRIES = Topic(
    "WRONG_ENTRIES", what="entries of the claimed Jacobian are not the measured ones"
)
NO_GRADIENT = Topic(
    "NO_GRADIENT",
    what="{input} moves {output} but gets no gradient",
    example={"input": "weight", "output": "out"},
)
NOT_RETURNED = Topic(
    "NOT_RETURNED",
    advice="return its gradient instead of None, or pass what is constant in `kwargs`",
)
NOTHING_TO_CHECK = Topic(
    "NOTHING_TO_CHECK",
    what="there is nothing to check",
    note="{path} has no entries that count: there was nothing to check",
    example={"path": "x"},
)
CANNOT_BE_JUDGED = Topic("CANNOT_BE_JUDGED", what="cannot be judged")
NOT_ASKED_ALONE = Topic(
    "NOT_ASKED_ALONE",
    what=lambda count: (
        ("one more leaf was" if count == 1 else "{count} more leaves were")
        + " not asked alone: moved together they disagree, and others have failed"
    ),
    example={"count": 3},
)
CLAIM_IS_NOT_FINITE = Topic(
    "CLAIM_IS_NOT_FINITE",
    what="the claim is not finite where the function has a finite slope",
    why="a division by zero, 0·inf, or the root or logarithm of zero in the derivative",
)
INFINITE_SLOPE = Topic(
    "INFINITE_SLOPE", what="infinite where the measured slope grows without limit"
)
NO_SLOPE_TO_MEASURE = Topic(
    "NO_SLOPE_TO_MEASURE", what="the claim is not finite where no slope can be measured"
)
NOT_FINITE = Topic(
    "NOT_FINITE",
    note="{count} of {total} entries are not finite",
    example={"count": 1, "total": 12},
)
INFINITE_INPUT = Topic(
    "INFINITE_INPUT",
    what="something is claimed about an infinite input, which cannot move",
    why="0 · inf, or a mask that is not applied to the gradient",
)

# -- the line that was measured ------------------------------------------------------------------

KINK = Topic(
    "KINK", note="the point lies on a kink: the slopes to the right and to the left differ"
)
JUMP = Topic("JUMP", note="the point lies on a jump: the value itself is not continuous")
STAIRCASE = Topic(
    "STAIRCASE",
    note="the point lies on a staircase: it stands still, then jumps, and no step is between the "
    "two",
)
JUMPS_AT_POINT = Topic(
    "JUMPS_AT_POINT",
    note="the function jumps at the very point: however short the step, its value beside the point "
    "is another one than at it",
)
NO_STEP = Topic(
    "NO_STEP", note="no step stays inside the domain: the function is not finite beside the point"
)
BAR_TOO_WIDE = Topic(
    "BAR_TOO_WIDE",
    note="the error bar is {share:.1g} of the gradient's size at the best step ({step:.1g}): too "
    "wide to judge by",
    example={"share": 0.3, "step": 0.01},
)
INEXACT = Topic(
    "INEXACT",
    note="the function is computed inexactly: its values jump by about {jump:.1g} at a distance of "
    "{distance:.1g}, so that its slope is known to ±{error:.1g} only",
    example={"jump": 1e-6, "distance": 0.01, "error": 1e-4},
)
BENDS_WITHIN_STEPS = Topic(
    "BENDS_WITHIN_STEPS", note="the function bends within every step that shows anything"
)
ALONG_A_PATH = Topic(
    "ALONG_A_PATH",
    note="the function bends within every step: judged by what the claim adds up to along a path",
)
NOT_CONFIRMED = Topic(
    "NOT_CONFIRMED",
    note="one probe disagrees with the claim, but an independent one could not confirm it",
)
OWN_ROUNDING = Topic(
    "OWN_ROUNDING", note="the claim's own rounding is as large as what it is off by"
)
SLIGHT = Topic(
    "SLIGHT",
    note="not exact, but no entry that was found is off by more than constants in single precision",
)
MIXED_SIZES = Topic(
    "MIXED_SIZES", note="the leaf mixes sizes so different that no step suits all of its entries"
)
FURTHER_AWAY = Topic("FURTHER_AWAY", note="nothing moves nearby, and something further away")
COULD_HIDE = Topic(
    "COULD_HIDE",
    note="an error of {share:.0%} of the gradient's size could hide: too coarse",
    example={"share": 0.4},
)
ENTRIES_ON_KINK = Topic(
    "ENTRIES_ON_KINK", note="some entries lie on a kink, the claim between the one-sided slopes"
)
ON_KINK = Topic("ON_KINK", note="the point lies on a kink, the claim between the one-sided slopes")
FORGIVEN = Topic(
    "FORGIVEN",
    note="the claim is not exact, but no entry that was found is off by more than is forgiven",
)
BESIDE_KINK = Topic(
    "BESIDE_KINK",
    note="some outputs have a kink along the same coordinate: no entry of it is blamed",
)
NOT_LOOKED_AT = Topic(
    "NOT_LOOKED_AT", note="{count} suspect columns were not looked at", example={"count": 12}
)
TIES = Topic("TIES", note="inputs that tie claim more, or less, together than the output moves")
LOOKING_RAISED = Topic(
    "LOOKING_RAISED",
    note="looking for the cause raised {error}",
    example={"error": "ValueError: ..."},
)

# -- versions ------------------------------------------------------------------------------------

JUDGED_ELSEWHERE = Topic(
    "JUDGED_ELSEWHERE",
    note="judged {version}, where {claim} is the same",
    example={"version": "in float64", "claim": "the float32 claim"},
)
VERSIONS_AGREE = Topic(
    "VERSIONS_AGREE",
    what="measured {version}; {claim} is within {roundings:roundings} of the claim there",
    example={"version": "in float64", "claim": "the float32 claim", "roundings": 2.0},
)
VERSIONS_DIFFER = Topic(
    "VERSIONS_DIFFER",
    note="{claim} is {roundings:roundings} from the claim {version}, more than rounding explains",
    example={"version": "in float64", "claim": "the float16 claim", "roundings": 900.0},
)
LOST_IN_CASTS = Topic(
    "LOST_IN_CASTS",
    what="{claim} is {roundings:roundings} from the claim {version}, which is right",
    why="the backward underflows or loses digits in a cast",
    advice="scale the loss, or compute that step in a wider dtype",
    example={
        "version": "without its casts to float16 inside",
        "claim": "the claim",
        "roundings": 28.0,
    },
)
TOO_BLURRED = Topic(
    "TOO_BLURRED",
    what="{claim} is {roundings:roundings} from the claim {version}, more than rounding "
    "explains, and measured directly too blurred to see it",
    example={"version": "in float64", "claim": "the float16 claim", "roundings": 900.0},
)

# -- what to do where these numbers cannot tell ---------------------------------------------------

ANOTHER_POINT = Topic(
    "ANOTHER_POINT", advice='try another point, or `step`; `probe="full"` asks each entry by itself'
)
SOLVE_TIGHTER = Topic(
    "SOLVE_TIGHTER",
    advice="if it stops at a tolerance or takes adaptive steps, let the check use a tighter one",
)
TOO_FEW_DIGITS = Topic(
    "TOO_FEW_DIGITS",
    advice=lambda why, **_: (
        "{dtype} has too few digits here"
        + (", and {why}: " if why else ": try float64 inputs, or ")
        + "hold it against a trusted function with secant.compare"
    ),
    example={"dtype": "bfloat16", "why": ""},
)
