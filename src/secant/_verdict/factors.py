"""Claims that are the truth times something: a number, or numbers that the point itself holds.

Each suspicion is a relation between claim and measurement, and is named only where it holds in
every probe: "claimed = 1.05 × measured", "claimed × w = measured".
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np

from .evidence import SLACK, Comparison, Evidence, Leaf, Numbers, Scene, coordinates, tightness

STEEP = 50.0  # beyond this an exponential is no number to speak of
_BLURRED = 0.1  # bars above this share of the measured slope tell no factor
_ENOUGH = 8  # numbers whose digits are no accident
_RESOLVED = 0.06  # of what a factor is off by: bars below that tell all entries from most
_NEARLY_ALIKE = 1e-3  # numbers that differ by less than this share are a constant


def constant_factor(
    evidence: Sequence[Evidence], scene: Scene | None, entries: Comparison | None = None
) -> str | None:
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
        return "claimed = −1 × measured in every probe: the sign is wrong"
    sentence = (
        f"claimed = {spell(factor, blur)} × measured in every probe: a constant factor is wrong"
    )
    gradient = evidence[0].gradient
    return sentence if gradient is None else sentence + _size_hint(factor, gradient, scene)


def _is_contradicted(factor: float, entries: Comparison) -> bool:
    """Say whether the factor leaves half of what some wrong entry is off by, beyond its bar."""
    left = np.abs(entries.claimed - factor * entries.measured)
    off = np.abs(entries.claimed - entries.measured)
    return bool(np.any(entries.wrong & (left > 0.5 * off + 3 * abs(factor) * entries.error)))


def _size_hint(factor: float, gradient: Numbers, scene: Scene | None) -> str:
    """A factor of 1/N or N with N a size of the leaf smells of a mean, or of a sum left out."""
    counts = [*gradient.shape, gradient.size]
    if scene is not None and gradient.size and scene.output.values.size % gradient.size == 0:
        counts.append(scene.output.values.size // gradient.size)  # how often it is broadcast
    for size in sorted({size for size in counts if size > 1}):
        if abs(factor * size - 1) < SLACK or abs(factor / size - 1) < SLACK:
            return (
                f" ({size} is the size of a dimension or of the whole: a mean for a sum, "
                "or the reverse)"
            )
    for leaf in () if scene is None else scene.others:
        for axis, size in enumerate(leaf.shape):
            if size > 1 and (abs(factor * size - 1) < SLACK or abs(factor / size - 1) < SLACK):
                return (
                    f" ({size} is the size of dimension {axis} of {leaf.path}: a mean for a sum, "
                    "or the reverse)"
                )
    return ""


def spell(factor: float, blur: float) -> str:
    """Spell a number as a short decimal, or as a fraction where that is shorter."""
    digits = min(6, max(2, int(-math.log10(max(blur, 1e-15)))))
    decimal = f"{factor:.{digits}g}"
    short = Fraction(factor).limit_denominator(64)
    is_fraction = abs(float(short) - factor) <= SLACK * abs(factor) and short.denominator > 1
    return str(short) if is_fraction and len(str(short)) < len(decimal) - 2 else decimal


def known_factor(evidence: Sequence[Evidence], scene: Scene) -> str | None:
    """Recognise a factor that is made of the input, the output or another input."""
    gradients = [one.gradient for one in evidence]
    for name, numbers in known_numbers(scene):
        if is_constant(numbers):
            continue
        if explains(evidence, gradients, numbers):
            return (
                f"claimed × {name} = measured ({tightness(evidence)}): a factor {name} is missing"
            )
        if (np.abs(numbers) > 0).all() and explains(evidence, gradients, 1 / numbers):
            return (
                f"claimed = {name} × measured ({tightness(evidence)}): "
                f"a factor {name} is one too many"
            )
    return None


def explains(
    evidence: Sequence[Evidence], gradients: Sequence[Numbers | None], factor: Numbers
) -> bool:
    return all(
        gradient is not None and one.holds_for(gradient * np.conj(factor))
        for one, gradient in zip(evidence, gradients, strict=True)
    )


def known_numbers(scene: Scene) -> Iterator[tuple[str, Numbers]]:
    """Yield numbers of the input's shape that a derivative's formula is likely to hold."""
    for leaf in _leaves(scene):
        a = np.broadcast_to(leaf.values, scene.input.shape)
        name = leaf.path
        yield name, a
        yield f"{name}²", a * a
        yield f"(1 − {name})", 1 - a
        yield f"(1 + {name})", 1 + a
        yield f"(1 − {name}²)", 1 - a * a
        yield f"(1 + {name}²)", 1 + a * a
        if not leaf.is_complex:
            yield f"|{name}|", np.abs(a)
            if np.abs(a).max(initial=0.0) < STEEP:
                yield f"exp({name})", np.exp(a)
                yield f"(1 + exp({name}))", 1 + np.exp(a)


def _leaves(scene: Scene) -> Iterator[Leaf]:
    """Yield the leaves whose numbers fit the input's entries; a real gradient stays real."""
    candidates = [scene.input, *scene.others]
    if scene.input.shape == scene.output.shape:
        candidates.insert(1, scene.output)
    for leaf in candidates:
        if leaf.is_complex and not scene.input.is_complex:
            continue
        if leaf.values.size > 1 and _fits(leaf.shape, scene.input.shape):
            yield leaf


def _fits(shape: tuple[int, ...], whole: tuple[int, ...]) -> bool:
    try:
        return np.broadcast_shapes(shape, whole) == whole
    except ValueError:
        return False


def is_constant(numbers: Numbers) -> bool:
    largest, smallest = np.abs(numbers).max(), np.abs(numbers).min()
    same_sign = np.iscomplexobj(numbers) or (numbers > 0).all() or (numbers < 0).all()
    return bool(same_sign and largest - smallest <= _NEARLY_ALIKE * largest)


def missing_term(evidence: Sequence[Evidence], scene: Scene) -> str | None:
    """Recognise measured = claimed + c v∘a, with a made of what the point holds."""
    if not scene.is_square or any(one.cotangent is None for one in evidence):
        return None
    for name, numbers in _terms(scene):
        shares = [_share(one, numbers) for one in evidence]
        if any(share is None for share in shares):
            continue
        share = float(np.median([one for one in shares if one is not None]))
        if share and all(
            one.holds_for(one.gradient + share * _times(one.cotangent, numbers))
            for one in evidence
            if one.gradient is not None
        ):
            return _say_term(name, share, evidence)
    return None


def _share(one: Evidence, numbers: Numbers) -> float | None:
    """Return the c for which one probe is explained, None where it says nothing about c."""
    slope = one.slope(_times(one.cotangent, numbers))
    apart = one.measured.value - one.claimed
    if abs(slope) * 1e3 < abs(apart):
        return None
    return apart / slope if slope else None


def _times(cotangent: Numbers | None, numbers: Numbers) -> Numbers:
    product: Numbers = cotangent * np.conj(numbers)
    return product


def _terms(scene: Scene) -> Iterator[tuple[str, Numbers]]:
    x, name = scene.input.values, scene.input.path
    yield "", np.ones_like(x)
    yield name, x
    if (np.abs(x) > 0).all():
        yield f"{scene.output.path}/{name}", scene.output.values / x
        yield f"1/{name}", 1 / x
    yield scene.output.path, scene.output.values
    yield f"{name}²", x * x
    for leaf in scene.others:
        if leaf.shape == scene.input.shape and leaf.is_complex == scene.input.is_complex:
            yield leaf.path, leaf.values


def _say_term(name: str, share: float, evidence: Sequence[Evidence]) -> str:
    blur = max(
        one.measured.error / abs(one.measured.value - one.claimed or 1.0) for one in evidence
    )
    size = spell(abs(share), blur)
    times = "" if size == "1" else f"{size}·"
    term = f"{times}grad_output·{name}" if name else f"{times}grad_output"
    sign = "+" if share > 0 else "−"
    why = {
        "": "the identity path (a skip connection) has no gradient"
        if share > 0
        else "the identity path (a skip connection) is counted once too often",
    }.get(
        name, f"a term {times}{name} of the derivative is {'missing' if share > 0 else 'too many'}"
    )
    if "/" in name and not name.startswith("1/"):
        why = "a term of the product rule is missing" if share > 0 else why
    return f"measured = claimed {sign} {term} ({tightness(evidence)}): {why}"


def frozen_factor(evidence: Sequence[Evidence], scene: Scene) -> str | None:
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
    return (
        f"claimed = grad_output·{y.path}/{x.path} in all {x.values.size:,} entries: what "
        f"multiplies {x.path} is taken for a constant, a term of the product rule is missing"
    )


def coarse_numbers(evidence: Sequence[Evidence], scene: Scene) -> str | None:
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
            return (
                f"all {mantissas.size:,} claimed numbers have at most {digits} binary digits: the "
                f"backward rounds to {name}"
            )
    return None


def _is_within_rounding(one: Evidence, roundoff: float) -> bool:
    """Say whether a residual is what rounding every number of the claim may amount to."""
    if one.gradient is None:
        return False
    terms = np.abs(np.real(np.conj(one.gradient) * one.direction)).sum()
    return bool(abs(one.claimed - one.measured.value) <= roundoff * terms + one.measured.error)
