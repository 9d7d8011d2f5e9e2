"""Claims that are the truth times something: a number, or numbers that the point itself holds.

Each suspicion is a relation between claim and measurement, and is named only where it holds in
every probe: "claimed = 1.05 × measured", "claimed × w = measured".
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from .._words import causes
from .._words.reason import Reason
from .._words.spelling import known
from .evidence import SLACK, Comparison, LeafPair, Numbers, Probed, coordinates, tightness
from .formulas import is_constant

_BLURRED = 0.1  # bars above this share of the measured slope tell no factor
_ENOUGH = 8  # numbers whose digits are no accident
_RESOLVED = 0.06  # of what a factor is off by: bars below that tell all entries from most


def constant_factor(
    evidence: Sequence[Probed], scene: LeafPair | None, entries: Comparison | None = None
) -> Reason | None:
    """Recognise claimed = c × measured; entries, where they are known, must not contradict it."""
    ratios = [one.claimed / one.measured.value for one in evidence if one.measured.value]
    factor = float(np.median(ratios)) if len(ratios) == len(evidence) else 0.0
    if not factor or not np.isfinite(factor):
        return None
    off = abs(1 - 1 / factor)
    blurs = sorted(one.measured.error / abs(one.measured.value) for one in evidence)
    # a sum that nearly cancels is blurred; two that do not must tell, and all must agree
    blur = blurs[min(1, len(blurs) - 1)]
    if blur > min(_BLURRED, _RESOLVED * off):
        return None
    slack = min(1.0, _RESOLVED * off / SLACK)  # what is forgiven must be little beside the factor
    if not all(
        one.holds(one.claimed / factor, slack * abs(one.claimed / factor)) for one in evidence
    ):
        return None
    if entries is not None and _is_contradicted(factor, entries):
        return None  # one large entry speaks for all in every probe
    if abs(factor + 1) < max(SLACK, 3 * blur):
        return causes.WRONG_SIGN()
    gradient = evidence[0].gradient
    size, of = (0, "") if gradient is None else _size_hint(factor, gradient.shape, scene)
    number = "" if size or scene is None else _number_hint(factor, 3 * blur, scene)
    return causes.CONSTANT_FACTOR(factor=known(factor, blur), size=size, of=of, number=number)


def _is_contradicted(factor: float, entries: Comparison) -> bool:
    """Say whether the factor leaves half of what some wrong entry is off by, beyond its bar."""
    left = np.abs(entries.claimed - factor * entries.measured)
    off = np.abs(entries.claimed - entries.measured)
    return bool(np.any(entries.wrong & (left > 0.5 * off + 3 * abs(factor) * entries.error)))


def _size_hint(factor: float, shape: tuple[int, ...], scene: LeafPair | None) -> tuple[int, str]:
    """Return the size of a leaf that a factor is, or the inverse of, and of what it is the size."""
    shape = shape if scene is None else scene.input.sizes
    devices = 1 if scene is None else scene.devices
    if devices > 1 and (abs(factor * devices - 1) < SLACK or abs(factor / devices - 1) < SLACK):
        return devices, "the mesh of devices"
    total, outputs = math.prod(shape), 0 if scene is None else math.prod(scene.output.sizes)
    counts = [*shape, total]
    if total and outputs % total == 0:
        counts.append(outputs // total)  # how often it is broadcast
    for size in sorted({size for size in counts if size > 1}):
        if abs(factor * size - 1) < SLACK or abs(factor / size - 1) < SLACK:
            return size, "a dimension or of the whole"
    for leaf in () if scene is None else scene.others:
        for axis, size in enumerate(leaf.sizes):
            if size > 1 and (abs(factor * size - 1) < SLACK or abs(factor / size - 1) < SLACK):
                return size, f"dimension {axis} of {leaf.path}"
    return 0, ""


def _number_hint(factor: float, blur: float, scene: LeafPair) -> str:
    """Return the input of one entry that a factor is, or 1 over it, or their squares: by name."""
    for leaf in (scene.input, *scene.others):
        if math.prod(leaf.sizes) != 1 or leaf.is_complex:
            continue
        size = leaf.values.reshape(-1)[0]  # whose powers may overflow
        for power, name in ((1, "{}"), (-1, "1/{}"), (2, "{}²"), (-2, "1/{}²")):
            if size and abs(factor / size**power - 1) <= max(SLACK, blur):
                return name.format(leaf.path)
    return ""


def missing_term(evidence: Sequence[Probed], scene: LeafPair) -> Reason | None:
    """Recognise measured = claimed + c v∘a, with a made of what the point holds."""
    if not scene.is_square or any(one.cotangent is None for one in evidence):
        return None
    for name, numbers, is_ratio in _terms(scene):
        shares = [_share(one, numbers) for one in evidence]
        if any(share is None for share in shares):
            continue
        share = float(np.median([one for one in shares if one is not None]))
        if share and all(
            one.holds_for(one.gradient + term) and not one.drowns_in(term)
            for one in evidence
            if one.gradient is not None
            for term in (share * _times(one.cotangent, numbers),)
        ):
            return _term(name, share, evidence, is_ratio=is_ratio)
    return None


def _share(one: Probed, numbers: Numbers) -> float | None:
    """Return the c for which one probe is explained, None where it says nothing about c."""
    slope = one.slope(_times(one.cotangent, numbers))
    apart = one.measured.value - one.claimed
    if abs(slope) * 1e3 < abs(apart):
        return None
    return apart / slope if slope else None


def _times(cotangent: Numbers | None, numbers: Numbers) -> Numbers:
    product: Numbers = cotangent * np.conj(numbers)
    return product


def _terms(scene: LeafPair) -> Iterator[tuple[str, Numbers, bool]]:
    """Yield what a term may be made of; the ratio of output and input is one of a product's."""
    x, name = scene.input.values, scene.input.path
    yield "", np.ones_like(x), False
    yield name, x, False
    if (np.abs(x) > 0).all():
        yield f"{scene.output.path}/{name}", scene.output.values / x, True
        yield f"1/{name}", 1 / x, False
    yield scene.output.path, scene.output.values, False
    yield f"{name}²", x * x, False
    for leaf in scene.others:
        if leaf.shape == scene.input.shape and leaf.is_complex == scene.input.is_complex:
            yield leaf.path, leaf.values, False


def _term(name: str, share: float, evidence: Sequence[Probed], *, is_ratio: bool) -> Reason:
    blur = max(
        one.measured.error / abs(one.measured.value - one.claimed or 1.0) for one in evidence
    )
    magnitude = known(abs(share), blur)
    tight = tightness(evidence)
    if is_ratio and share > 0:
        return causes.PRODUCT_TERM_MISSING(magnitude=magnitude, name=name, **tight)
    size = magnitude if share > 0 else -magnitude
    return causes.TERM(size=size, magnitude=magnitude, name=name, **tight)


def frozen_factor(evidence: Sequence[Probed], scene: LeafPair) -> Reason | None:
    """Recognise claimed = v·out/x: right if out were a constant times x."""
    x, y = scene.input, scene.output
    if not scene.is_square or x.values.size < 3 or not (np.abs(x.values) > 0).all():
        return None
    ratio = y.values / x.values
    if is_constant(ratio):
        return None
    for one in evidence:
        if one.gradient is None or one.cotangent is None:
            return None
        expected = _times(one.cotangent, ratio)
        limit = SLACK * np.abs(expected).max(initial=0.0)
        if np.abs(one.gradient - expected).max(initial=0.0) > limit:
            return None
    return causes.FACTOR_FROZEN(output=y.path, input=x.path, count=x.values.size)


def coarse_numbers(evidence: Sequence[Probed], scene: LeafPair) -> Reason | None:
    """Recognise numbers that went through a coarser dtype: all of them have few binary digits."""
    gradients = [one.gradient for one in evidence if one.gradient is not None]
    if not gradients or scene.roundoff > 2.0**-21:
        return None
    numbers = np.concatenate([coordinates(gradient) for gradient in gradients])
    mantissas = np.frexp(numbers[numbers != 0])[0]
    if mantissas.size < _ENOUGH:
        return None
    for digits, name in ((8, "bfloat16"), (11, "float16")):
        is_rounding = all(_is_within_rounding(one, 2.0**-digits) for one in evidence)
        if is_rounding and (mantissas * 2.0**digits % 1 == 0).all():
            return causes.ROUNDED(count=mantissas.size, digits=digits, dtype=name)
    return None


def _is_within_rounding(one: Probed, roundoff: float) -> bool:
    """Say whether a residual is what rounding every number of the claim may amount to."""
    if one.gradient is None:
        return False
    terms = np.abs(np.real(np.conj(one.gradient) * one.direction)).sum()
    return bool(abs(one.claimed - one.measured.value) <= roundoff * terms + one.measured.error)
