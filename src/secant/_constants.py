"""Every number that a verdict depends on, and where it comes from.

*Derived* says that it follows from a formula. *Chosen* says that it was set by hand between two
failures, on the programs of the calibration seeds of `benchmarks/trust.py`; the table of that
benchmark is made with another seed. How much is looked at, and when to give up, is no matter of a
verdict: such limits stand where they are used.
"""

from __future__ import annotations

# -- digits: unit round-offs that divide dtypes ------------------------------------------------
FINE = 2.0**-40  # double precision and finer: steps so short that most functions are cubic there
COARSE = 2.0**-12  # half precisions and coarser: so few rungs that they must stand closer

# -- steps, relative to the size of a leaf's entries -------------------------------------------
SHORTEST = 2.0**-36  # derived: differences keep 2⁻¹⁶ of their digits in double precision
GAPS = 64.0  # between neighbouring numbers that the largest entry moves by at first, or more
FEW_GAPS = 8.0  # the same where the dtype is coarse
SMALL = 4.0  # first steps of a leaf: the least that a coordinate by itself is taken for
MIXED = 2.0**-24  # of the typical entry by their number: a smaller one is of another unit
RATIO = 4.0  # between neighbouring rungs

# -- bars ---------------------------------------------------------------------------------------
SPREADS = 4.0  # derived: four standard deviations of a difference of two hold 99.9 % of errors
COVERAGE = 2.0  # derived: uniform roundings have σ = ε/√3, so 2 ε covers 99.9 %
SEVERAL = 8  # outputs, whose spread is not a matter of luck
STUDENT_OF_TWELVE = 4.4  # derived: 99.9 % of means of twelve
KAPPA = 1.5  # chosen: bars that a residual may be; a second probe must agree before any blame
RUNGS = 3  # before anything can be compared, and neighbouring ones whose noise is averaged
RESOLVED = 0.25  # a bar of this share of the slopes still has them stand out
PLAUSIBLE = 0.3  # a spread of this share at least contradicts rungs where nothing moves
FAR = 4.0  # times what is measured: a claim to subtract that cancels no rounding
LEAST_BAR = 4.0  # times ε^(2/3) of what an entry may be expected to be: less than that is nothing
OTHER_STEPS = 0.7  # of the steps before: no power of two, so that no number repeats

# -- outputs that stand still ------------------------------------------------------------------
COARSEST = 2.0**-5  # derived: no floating format that functions compute in rounds by this share
ROUNDS_INSIDE = 1e-6  # of their size that outputs first move by if they are rounded inside
FIRST_MOVE = 4.0  # roundings of the dtype that a first move may be

# -- functions that are computed inexactly -----------------------------------------------------
EXPLAINED = 16.0  # times less than a slope is off by: what a jump worth finding shows as
VARIED = 2.0  # times a jump that was found that the next may be
SLIGHT = 1e-2  # of the terms: what the branch of such a function may differ by from its trend

# -- kinks, jumps, ties ------------------------------------------------------------------------
KEPT = 0.6  # chosen: of its gap that a kink keeps as the step shrinks; curvature leaves a quarter
JUMPED = 0.75 * RATIO  # a jump makes gaps or slopes grow as the step shrinks
CLEARLY = 8.0  # modelled noises above which something has been seen
KINK_CLEARLY = 64.0  # the same for a gap that excuses a claim
VISIBLE = 1e-4  # of the largest: a smaller gap is curvature or noise, not a kink
TIED = 0.05  # of their size that sums of one-sided slopes may differ by without a tie
GROWN = 1.5  # times that a slope without limit grows between the first step and the shortest
HIDDEN = 4.0  # times what a few claims within a step show of how all of them vary
TYPICAL = 3.0  # standard deviations of what is claimed on a path that the claim at its middle is

# -- what is forgiven --------------------------------------------------------------------------
OWN_ROUNDINGS = 256.0  # chosen: of its own dtype that a claim may be off by, for it is computed
HALF = 2.0**-8  # at most; about what half precision leaves, and the widest comfortable bar
APPROXIMATION = 2.0**-23  # constants written down in single precision: torch's hardsigmoid, 3e-8
CANCELLING = 8.0  # times its sum that terms are taken for: a sum may cancel by luck
SCREENING = 2.0**-33  # of the terms of a sum in double precision, in which one entry could hide
LAX = 1e3  # times what is forgiven: a wrong batching rule is not wrong by a rounding
MOST_APART = 0.04  # chosen: of its size, what a claim may be off from another version's at most
SAME_WAY = 8.0  # roundings by which all entries of a claim may be off the same way
SHARED = 2.0**-6  # of a pull: a term that outputs share and that a random pair may not show

# -- zero ---------------------------------------------------------------------------------------
NEGLIGIBLE = 1e-9  # of F/X, outputs by inputs: a claim below it has no size of its own
NOMINAL = 8.0  # times ε^(2/3) F/X: derived, the bar of a zero gradient at the first step
RESIDUE = 64.0  # chosen: roundings that a difference of larger numbers may consist of
LOST = 2.0**10  # chosen: roundings of F/X that a claim which should be zero may be off by
NUDGE = 2.0  # round-offs that a point or a cotangent is moved by to see a claim's own noise
FAR_LESS = 2.0**-7  # of a residual: own noise that does not explain it
CONTINUOUS = 2.0**-4  # of their size that outputs may change by then; more is a jump

# -- promises -----------------------------------------------------------------------------------
MEANINGFUL = 0.1  # of the gradient's size: no promise that is coarser is worth a PASS
LEAST_WEIGHT = 0.25  # derived: the smallest wrong entry shows in a probe as u·v ≥ 1/4 of itself
BLURRED = 2.0  # below double precision another reading may be as much wider
COMFORT = 16.0  # times the bar expected at the first step: not worth another evaluation
WEAK = 1e-2  # of the terms: with a bar above it one sum may agree by luck
LENIENT = 1e-3  # of a sum: above it a constant factor may hide in it, the more it cancels
