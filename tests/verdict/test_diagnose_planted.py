"""Every kind of planted mistake gets its own sentence or silence, never another's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
import torch

import secant
from planted import planted

Tensor = torch.Tensor
Rule = Callable[..., Any]
REAL, SINGLE, COMPLEX = torch.float64, torch.float32, torch.complex128


def drawn(*shape: int, dtype: torch.dtype = REAL, seed: int = 3) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    wide = COMPLEX if dtype.is_complex else REAL
    return torch.randn(shape, dtype=wide, generator=generator).to(dtype)


MATRIX = drawn(6, 6, seed=9)


def softmax_pull(x: Tensor, g: Tensor) -> Tensor:
    y = x.softmax(-1)
    return y * (g - (g * y).sum(-1, keepdim=True))


FUNCTIONS: dict[str, tuple[Rule, Rule]] = {
    "sin": (torch.sin, lambda x, g: g * x.cos().conj()),
    "product": (
        lambda x: x @ MATRIX.to(x.dtype),
        lambda x, g: g @ MATRIX.to(x.dtype).mH,
    ),
    "softmax": (lambda x: x.softmax(-1), softmax_pull),
}


def column(x: Tensor) -> Tensor:
    return torch.arange(x.shape[-1]).expand(x.shape)


def row(x: Tensor) -> Tensor:
    return torch.arange(x.shape[0])[:, None].expand(x.shape)


def like(x: Tensor, seed: int) -> Tensor:
    return drawn(*x.shape, seed=seed).to(x.dtype)


@dataclass(frozen=True)
class Kind:
    """What is done to the right gradient r of x for a cotangent g, and what is said about it."""

    plant: Rule
    says: str | None  # None: nothing may be said but what is true of anything
    needs_complex: bool = False
    large: str | None = "same"  # what is said where the Jacobian is too large to be seen whole


KINDS = {
    "factor": Kind(lambda r, x, g: 1.3 * r, "claimed = 1.3 × measured in every probe"),
    "sign": Kind(lambda r, x, g: -r, "the sign is wrong"),
    "cut": Kind(lambda r, x, g: 0 * r, "the dependence is cut"),
    "transposed": Kind(
        lambda r, x, g: r.mT.reshape(r.shape), "the claim is the transpose of the truth"
    ),
    "reversed": Kind(lambda r, x, g: r.flip(-1), "the claim is reversed along dimension 1"),
    "shifted": Kind(lambda r, x, g: r.roll(2, -1), "every entry stands 2 later than it should"),
    "permuted": Kind(
        lambda r, x, g: r[:, torch.randperm(r.shape[1], generator=_seeded())],
        "the claim is permuted",
        large=None,
    ),
    "one row": Kind(
        lambda r, x, g: torch.where(row(x) == 2, 1.2 * r, r), "claimed = 1.2 × measured in the"
    ),
    "from an index on": Kind(
        lambda r, x, g: torch.where(column(x) >= 3, 1.2 * r, r),
        "right up to index 2 of dimension 1, wrong from index 3 on",
    ),
    "where x is negative": Kind(
        lambda r, x, g: torch.where(x.real < 0, 1.5 * r, r),
        "claimed = 1.5 × measured where x",
    ),
    "a scale a row": Kind(
        lambda r, x, g: r * (1.3 + 0.5 * row(x)), "a scale along dimension 0 is wrong or missing"
    ),
    "a factor x too many": Kind(lambda r, x, g: r * x.conj(), "claimed = x × measured"),
    "a skip connection": Kind(lambda r, x, g: r - g, "measured = claimed + grad_output"),
    "a mean": Kind(
        lambda r, x, g: r - r.mean(-1, keepdim=True),
        "measured − claimed is constant along dimension 1",
    ),
    "a conjugate": Kind(lambda r, x, g: r.conj(), "a conjugate is missing", needs_complex=True),
    "an imaginary part": Kind(
        lambda r, x, g: r.real.to(r.dtype),
        "the imaginary part of the gradient is lost",
        needs_complex=True,
    ),
    "bent": Kind(lambda r, x, g: r * r.abs(), "the backward is not linear in grad_output"),
    "one entry": Kind(lambda r, x, g: r + 0.3 * (row(x) == 1) * (column(x) == 2) * g[0, 0], None),
    "scaled at random": Kind(lambda r, x, g: r * (1 + 0.3 * like(x, 5)), None),
    "a random term": Kind(lambda r, x, g: r + 0.1 * (like(x, 6) * g).sum() * like(x, 7), None),
    "a crossed term": Kind(lambda r, x, g: r + 0.1 * g.flip(-1) * like(x, 8), None),
}
TRUE_OF_ANYTHING = ("gradients go to entries that they do not belong to",)


def _seeded() -> torch.Generator:
    return torch.Generator().manual_seed(4)


def cause_of(function: str, kind: str, dtype: torch.dtype, *shape: int) -> str | None:
    forward, backward = FUNCTIONS[function]
    x = drawn(*shape, dtype=dtype)

    def pull(saved: tuple[Tensor, ...], g: Tensor) -> Tensor:
        return KINDS[kind].plant(backward(saved[0], g), saved[0], g).to(g.dtype)

    wrong = planted("Planted", lambda x: forward(x), pull)
    finding = secant.check(lambda x: wrong(x), x, laws=()).worst
    assert finding is not None, "the mistake was not seen at all"
    assert finding.verdict is secant.Verdict.FAIL
    return finding.cause


CASES = [
    pytest.param(function, kind, dtype, id=f"{function}-{kind}-{str(dtype)[6:]}")
    for function in FUNCTIONS
    for kind in KINDS
    for dtype in (REAL, SINGLE, COMPLEX)
    if dtype is COMPLEX or not KINDS[kind].needs_complex
    if not (function == "softmax" and (dtype is COMPLEX or kind == "a mean"))
]


@pytest.mark.thinned(keep=60)
@pytest.mark.parametrize(("function", "kind", "dtype"), CASES)
def test_a_mistake_gets_its_own_sentence(function, kind, dtype):
    cause, says = cause_of(function, kind, dtype, 4, 6), KINDS[kind].says
    if says is not None:
        assert cause is not None
        assert says in cause
    else:
        assert cause is None or any(words in cause for words in TRUE_OF_ANYTHING), cause


LARGE = [
    pytest.param(function, kind, dtype, id=f"{function}-{kind}-{str(dtype)[6:]}")
    for function, dtype in (("sin", REAL), ("softmax", REAL), ("sin", COMPLEX))
    for kind in KINDS
    if dtype is COMPLEX or not KINDS[kind].needs_complex
    if not (function == "softmax" and kind == "a mean")
]


@pytest.mark.thinned(keep=20)
@pytest.mark.parametrize(("function", "kind", "dtype"), LARGE)
def test_a_mistake_gets_its_own_sentence_in_a_large_leaf(function, kind, dtype):
    cause, says = cause_of(function, kind, dtype, 36, 30), KINDS[kind].says
    if KINDS[kind].large is None or says is None:
        assert cause is None or (says is not None and says in cause), cause
    else:
        assert cause is not None
        assert says in cause


@pytest.mark.parametrize("seed", range(12))
def test_random_mistakes_get_silence(seed):
    """A gradient through a random matrix is wrong in no way that has a name."""
    matrix = torch.eye(24, dtype=REAL) + 0.3 * drawn(24, 24, seed=seed)
    wrong = planted(
        "Mixed",
        torch.sin,
        lambda saved, g: ((g * saved[0].cos()).reshape(-1) @ matrix).reshape(4, 6),
    )
    finding = secant.check(lambda x: wrong(x), drawn(4, 6, seed=seed + 100), laws=()).worst
    assert finding.cause is None
    assert finding.picture is None


def test_a_gradient_for_the_stored_entries_alone_is_named():
    def stored_only(saved: tuple[Tensor, ...], g: Tensor) -> Tensor:
        return (g @ MATRIX.T) * (saved[0].to_dense() != 0)

    function = planted("Stored", lambda s: s.to_dense() @ MATRIX, stored_only)
    report = secant.check(function, torch.eye(6, dtype=REAL).to_sparse_coo(), masked=False)
    assert report.worst.reasons[1].code == "NOT_STORED"


@pytest.mark.parametrize("outputs", ["one", "each"])
@pytest.mark.parametrize("shares", [(1.05, 1, 1, 1, 1), (1.05, 1.2, 1.3, 0.4, 2.0)], ids=["1", "5"])
def test_an_entry_that_drowns_the_others_does_not_speak_for_them(outputs, shares):
    """Each probe sees it alone: any factor that fits it fits them all."""
    sizes = torch.tensor([1e9, 1, 2, 3, 4], dtype=REAL)
    claimed = sizes * torch.tensor(shares, dtype=REAL)

    def forward(x: Tensor) -> Tensor:
        return (x * sizes).sum() if outputs == "one" else x * sizes

    wrong = planted("Drowned", forward, lambda saved, v: v * claimed)
    finding = secant.check(wrong, drawn(5).abs() + 0.25).worst
    assert finding is not None
    assert finding.verdict is secant.Verdict.FAIL
    assert finding.cause is None, finding.cause


@pytest.mark.parametrize("probe", ["fast", "full"])
@pytest.mark.parametrize("seed", range(3))
def test_entries_with_units_of_their_own_are_told_apart(seed, probe):
    """What is half of what is due is that, however small it is beside others."""
    generator = torch.Generator().manual_seed(seed)
    sizes = 2.0 ** torch.randint(-15, 16, (12,), generator=generator).to(REAL)
    places = torch.randperm(12, generator=generator)[:5]
    shares = torch.ones(12, dtype=REAL).index_fill(0, places, 0.5)
    wrong = planted(
        "Units", lambda x: sizes * x.sin(), lambda saved, v: v * sizes * shares * saved[0].cos()
    )
    finding = secant.check(wrong, drawn(12, seed=seed).abs() + 0.25, probe=probe).worst
    assert finding is not None
    assert finding.cause is not None
    assert finding.cause.startswith("claimed = 0.5 × measured in the 5 wrong entries"), (
        finding.cause
    )


@pytest.mark.parametrize("seed", range(6))
def test_a_factor_that_most_columns_share_is_not_said_of_all(seed):
    """A Huber loss that forgets its delta in the slope: right where it is a square."""
    target = drawn(20, dtype=torch.float64) * 0.9 + 0.1

    def huber(x):
        far = x - target
        square = 0.5 * far**2
        return torch.where(far.abs() <= 0.7, square, 0.7 * (far.abs() - 0.35)).mean()

    def pull(saved, g):
        far = saved[0] - target
        return g * torch.where(far.abs() <= 0.7, far, far.sign()) / far.numel()

    wrong = planted("Huber", huber, pull)
    x = target + 2 * torch.linspace(-1, 1, 20, dtype=torch.float64).sign()
    x[[6, 8]] = target[[6, 8]] + 0.3
    report = secant.check(wrong, x, seed=seed)
    assert report.verdict is secant.Verdict.FAIL
    assert "CONSTANT_FACTOR" not in report.worst.codes, str(report)
