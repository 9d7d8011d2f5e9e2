"""A claim held against a measurement: what came of it, and what a reader should know beside it."""

from __future__ import annotations

from .reason import Topic

# -- what was found ------------------------------------------------------------------------------

AGREES = Topic(
    "AGREES",
    what="agrees with the measurement",
    means="The claimed slope lies within the error bar of the measured one.",
)
ENTRIES_AGREE = Topic(
    "ENTRIES_AGREE",
    what="every entry agrees",
    means="Every entry of the Jacobian was measured and agrees.",
)
RIGHT_AFTER_ALL = Topic(
    "RIGHT_AFTER_ALL",
    what="right after all, entry by entry",
    means="A sum of entries was off, but no entry by itself is: a kink, or what you forgive.",
)
WRONG_SLOPE = Topic(
    "WRONG_SLOPE",
    what="the claimed slope is not the measured one",
    means="Along two independent directions the claim lies outside the error bar of what the "
    "function does. A second reason says why, where one suspicion explains every probe.",
    do='Look at the entries that are listed; if no cause is named, `probe="full"` lists all.',
)
WRONG_ENTRIES = Topic(
    "WRONG_ENTRIES",
    what="entries of the claimed Jacobian are not the measured ones",
    means="The same, entry by entry.",
    do="`report.jacobian()` holds both matrices.",
)
NO_GRADIENT = Topic(
    "NO_GRADIENT",
    what="{input} moves {output} but gets no gradient",
    means="The function depends on this input, and the derivative does not know it: a detach, a "
    "missing return value, an input that is not saved.",
    do="Return the gradient of this input.",
    example={"input": "weight", "output": "out"},
)
NOT_RETURNED = Topic(
    "NOT_RETURNED",
    advice="return its gradient instead of None, or pass what is constant in `kwargs`",
    means="A derivative by hand returned None for an input that the function depends on.",
)
NOTHING_TO_CHECK = Topic(
    "NOTHING_TO_CHECK",
    what="there is nothing to check",
    note="{path} has no entries that count: there was nothing to check",
    means="One of the two leaves is empty.",
    example={"path": "x"},
)
CANNOT_BE_JUDGED = Topic(
    "CANNOT_BE_JUDGED",
    what="cannot be judged",
    means="No reading could be made that would have shown an error.",
    do="Try another point, or float64.",
)
NOT_ASKED_ALONE = Topic(
    "NOT_ASKED_ALONE",
    what=lambda count: (
        ("one more leaf was" if count == 1 else "{count} more leaves were")
        + " not asked alone: moved together they disagree, and others have failed"
    ),
    means="Enough has failed already; these leaves were not looked at one by one.",
    do="Mend what failed, then check again.",
    example={"count": 3},
)
CLAIM_IS_NOT_FINITE = Topic(
    "CLAIM_IS_NOT_FINITE",
    what="the claim is not finite where the function has a finite slope",
    why="a division by zero, 0·inf, or the root or logarithm of zero in the derivative",
    means="The gradient is NaN or infinite at a point where the function moves finitely.",
    do="Guard the argument in the derivative, before the division or the root.",
)
INFINITE_SLOPE = Topic(
    "INFINITE_SLOPE",
    what="infinite where the measured slope grows without limit",
    means="The function has no finite slope here either (√x at 0): an infinite claim is right.",
)
NO_SLOPE_TO_MEASURE = Topic(
    "NO_SLOPE_TO_MEASURE",
    what="the claim is not finite where no slope can be measured",
    means="A NaN or infinite claim, at a point beside which nothing could be measured.",
    do="Choose a point inside the domain.",
)
NOT_FINITE = Topic(
    "NOT_FINITE",
    note="{count} of {total} entries are not finite",
    means="How much of the claim is NaN or infinite.",
    example={"count": 1, "total": 12},
)
INFINITE_INPUT = Topic(
    "INFINITE_INPUT",
    what="something is claimed about an infinite input, which cannot move",
    why="0 · inf, or a mask that is not applied to the gradient",
    means="An input that is infinite does not move, so its gradient must be zero.",
    do="Apply the mask to the gradient as well.",
)

# -- the line that was measured ------------------------------------------------------------------

KINK = Topic(
    "KINK",
    note="the point lies on a kink: the slopes to the right and to the left differ",
    means="The function has two one-sided slopes here. A claim between them is a valid choice.",
    do="Nothing, or choose a point beside the kink to have the slope itself checked.",
)
JUMP = Topic(
    "JUMP",
    note="the point lies on a jump: the value itself is not continuous",
    means="There is no slope at a jump; nothing can be judged.",
    do="Choose another point.",
)
STAIRCASE = Topic(
    "STAIRCASE",
    note="the point lies on a staircase: it stands still, then jumps, and no step is between the "
    "two",
    means="The function rounds or quantises; its slope is zero and what is claimed is a choice (a "
    "straight-through estimator).",
    do="Check the function without its rounding.",
)
JUMPS_AT_POINT = Topic(
    "JUMPS_AT_POINT",
    note="the function jumps at the very point: however short the step, its value beside the point "
    "is another one than at it",
    means="The value at the point is an exception, `x == 0` handled apart for instance.",
    do="Choose another point.",
)
NO_STEP = Topic(
    "NO_STEP",
    note="no step stays inside the domain: the function is not finite beside the point",
    means="Every displacement leaves the function's domain.",
    do="Choose a point further inside.",
)
BAR_TOO_WIDE = Topic(
    "BAR_TOO_WIDE",
    note="the error bar is {share:.1g} of the gradient's size at the best step ({step:.1g}): too "
    "wide to judge by",
    means="Rounding or noise hides what would have to be seen.",
    do="Use float64, or a point where the function is calmer.",
    example={"share": 0.3, "step": 0.01},
)
INEXACT = Topic(
    "INEXACT",
    note="the function is computed inexactly: its values jump by about {jump:.1g} at a distance of "
    "{distance:.1g}, so that its slope is known to ±{error:.1g} only",
    means="A solver that stops at a tolerance, adaptive steps, a table: judged where it is smooth.",
    do="Tighten the solver's tolerance for the check to see more.",
    example={"jump": 1e-6, "distance": 0.01, "error": 1e-4},
)
BENDS_WITHIN_STEPS = Topic(
    "BENDS_WITHIN_STEPS",
    note="the function bends within every step that shows anything",
    means="Kinks are closer together than the shortest step that rises above rounding.",
    do="Use float64, or a smaller problem.",
)
ALONG_A_PATH = Topic(
    "ALONG_A_PATH",
    note="the function bends within every step: judged by what the claim adds up to along a path",
    means="A network of rectifiers in float32, for instance: the claim is integrated along it.",
)
NOT_CONFIRMED = Topic(
    "NOT_CONFIRMED",
    note="one probe disagrees with the claim, but an independent one could not confirm it",
    means="FAIL takes two independent directions.",
    do='Ask again with another `seed`, or with `probe="full"`.',
)
OWN_ROUNDING = Topic(
    "OWN_ROUNDING",
    note="the claim's own rounding is as large as what it is off by",
    means="Asked a few roundings away, the claim itself changes by as much.",
    do="Use float64.",
)
SLIGHT = Topic(
    "SLIGHT",
    note="not exact, but no entry that was found is off by more than constants in single precision",
    means="A sum is off, by less than what a constant in float32 does to every entry.",
)
MIXED_SIZES = Topic(
    "MIXED_SIZES",
    note="the leaf mixes sizes so different that no step suits all of its entries",
    means="Some entries are many orders of magnitude larger than others.",
    do='`probe="full"` asks every entry with a step of its own.',
)
FURTHER_AWAY = Topic(
    "FURTHER_AWAY",
    note="nothing moves nearby, and something further away",
    means="Zero is claimed and seen near the point, not at longer steps: coarse rounding.",
    do="Use float64, or leave casts out.",
)
COULD_HIDE = Topic(
    "COULD_HIDE",
    note="an error of {share:.0%} of the gradient's size could hide: too coarse",
    means="The promise would be worth less than a tenth of the gradient.",
    do="Use float64, or `secant.compare`.",
    example={"share": 0.4},
)
ENTRIES_ON_KINK = Topic(
    "ENTRIES_ON_KINK",
    note="some entries lie on a kink, the claim between the one-sided slopes",
    means="The same as KINK, for single entries.",
)
ON_KINK = Topic(
    "ON_KINK",
    note="the point lies on a kink, the claim between the one-sided slopes",
    means="What was off turned out to be a valid choice at a kink.",
)
FORGIVEN = Topic(
    "FORGIVEN",
    note="the claim is not exact, but no entry that was found is off by more than is forgiven",
    means="Your `rtol` and `atol` forgive every entry.",
)
BESIDE_KINK = Topic(
    "BESIDE_KINK",
    note="some outputs have a kink along the same coordinate: no entry of it is blamed",
    means="A choice among slopes that was made for another output may show in this one.",
    do="Choose a point beside the kink.",
)
NOT_LOOKED_AT = Topic(
    "NOT_LOOKED_AT",
    note="{count} suspect columns were not looked at",
    means="The limits were reached, or there were too many.",
    do="Give more `max_evaluations` or `max_seconds`.",
    example={"count": 12},
)
TIES = Topic(
    "TIES",
    note="inputs that tie claim more, or less, together than the output moves",
    means="At a tie (a maximum of equal entries) the shares must add up to the whole.",
    do="Let the winners share the gradient, or give it to one of them.",
)
LOOKING_RAISED = Topic(
    "LOOKING_RAISED",
    note="looking for the cause raised {error}",
    means="The verdict stands; only its explanation is missing.",
    do="This is a mistake of secant's: please report it.",
    example={"error": "ValueError: ..."},
)

# -- versions ------------------------------------------------------------------------------------

JUDGED_ELSEWHERE = Topic(
    "JUDGED_ELSEWHERE",
    note="judged {version}, where {claim} is the same",
    means="Another version of the function (in float64, or without its casts) claims the same and "
    "was measured in its place, because it can be measured better.",
    example={"version": "in float64", "claim": "the float32 claim"},
)
VERSIONS_AGREE = Topic(
    "VERSIONS_AGREE",
    what="measured {version}; {claim} is within {roundings:roundings} of the claim there",
    means="How far the claim is from that of the version that was measured.",
    example={"version": "in float64", "claim": "the float32 claim", "roundings": 2.0},
)
VERSIONS_DIFFER = Topic(
    "VERSIONS_DIFFER",
    note="{claim} is {roundings:roundings} from the claim {version}, more than rounding explains",
    means="The two versions claim different derivatives; a direct measurement decides.",
    do="Look for casts and constants that only one of the two meets.",
    example={"version": "in float64", "claim": "the float16 claim", "roundings": 900.0},
)
TOO_BLURRED = Topic(
    "TOO_BLURRED",
    what="{claim} is {roundings:roundings} from the claim {version}, more than rounding "
    "explains, and measured directly too blurred to see it",
    means="The versions differ, and in the function's own precision none can be told right.",
    do="Use `secant.compare` with a trusted implementation.",
    example={"version": "in float64", "claim": "the float16 claim", "roundings": 900.0},
)

# -- what to do where these numbers cannot tell ---------------------------------------------------

ANOTHER_POINT = Topic(
    "ANOTHER_POINT",
    advice='try another point, or `step`; `probe="full"` asks each entry by itself',
    means="Digits are not what is missing.",
)
TOO_FEW_DIGITS = Topic(
    "TOO_FEW_DIGITS",
    advice=lambda why, **_: (
        "{dtype} has too few digits here"
        + (", and {why}: " if why else ": try float64 inputs, or ")
        + "hold it against a trusted function with secant.compare"
    ),
    means="The dtype rounds away what would have to be seen; `why` it could not be lifted.",
    example={"dtype": "bfloat16", "why": ""},
)
