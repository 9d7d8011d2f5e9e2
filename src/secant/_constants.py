"""Every number that a verdict depends on, and where it comes from.

*Derived* says that it follows from a formula. *Chosen* says that it was set by hand between two
failures, on the programs of the calibration seeds of `benchmarks/trust.py`; the table of that
benchmark is made with another seed. `benchmarks/calibrate.py` shows the plateau on which each that
is chosen stands: what half and twice of it do, on those seeds and on others. How much is looked at,
at which steps, and when to give up, is no matter of a threshold: that stands where it is used.
"""

from __future__ import annotations

# -- digits: unit round-offs that divide dtypes ------------------------------------------------
FINE = 2.0**-40  # derived: between single and double; so fine that first steps are short
COARSE = 2.0**-12  # derived: between half and single; so coarse that rungs must stand closer

# -- steps, relative to the size of a leaf's entries -------------------------------------------
SHORTEST = 2.0**-36  # derived: differences keep 2⁻¹⁶ of their digits in double precision
RATIO = 4.0  # chosen: between neighbouring rungs; its root where digits are few
MIXED = 2.0**-24  # chosen: of the typical entry by their number; a smaller one is of another unit

# -- bars ---------------------------------------------------------------------------------------
SPREADS = 4.0  # derived: standard deviations of a difference of two, which hold 99.9 % of errors
COVERAGE = 2.0  # derived: uniform roundings have σ = ε/√3, so 2 ε covers 99.9 %, or moves as far
SEVERAL = 8  # chosen: outputs, whose spread is not a matter of luck
RUNGS = 3  # chosen: before anything can be compared, and whose noise is averaged
KAPPA = 1.5  # chosen: bars that a residual may be; a second probe must agree before any blame
CLEARLY = 8.0  # chosen: times what noise, a gap between numbers or luck amounts to; beyond is seen

# -- what outputs do: stand still, round, jump, bend -------------------------------------------
COARSEST = 2.0**-5  # derived: no floating format that functions compute in rounds by this share
ROUNDS_INSIDE = 1e-6  # chosen: of their size that outputs first move by if they round inside
SLIGHT = 1e-2  # chosen: of the terms; a trend may differ from its branch by it, one sum by luck
KEPT = RATIO**-0.5  # derived: half-way from a kink, which keeps its gap, to curvature, by scale
VISIBLE = 1e-4  # chosen: of the largest gap; a smaller one is curvature or noise, not a kink

# -- what is forgiven --------------------------------------------------------------------------
OWN_ROUNDINGS = 256.0  # chosen: of its own dtype that a claim may be off by, for it is computed
HALF = 2.0**-8  # derived: at most; a rounding of the coarsest dtype, and the widest fine bar
APPROXIMATION = 2.0**-23  # derived: of constants written in single precision, as hardsigmoid's
LAW_DIGITS = 5 / 12  # chosen: of all digits, that answers which a law makes equal agree in
RESIDUE = 64.0  # chosen: roundings that a difference of larger numbers may consist of
SCREENING = 2.0**-33  # chosen: of the terms of a sum in double precision, where an entry may hide
SHARED = 2.0**-6  # chosen: of a pull; a term that outputs share, which a random pair may not show

# -- promises -----------------------------------------------------------------------------------
MEANINGFUL = 0.1  # chosen: of the gradient's size; no promise that is coarser is worth a PASS
LEAST_WEIGHT = 0.25  # derived: the smallest wrong entry shows in a probe as u·v ≥ 1/4 of itself
