"""Wrong backwards of functions that move, copy, pick or add up entries."""

from __future__ import annotations

import torch
from torch.nn import functional

from wrong.written import mixed, wrong

PICKED = torch.tensor([3, 0, 3, 1, 3, 2])  # 3 comes three times
ROWS = torch.tensor([[1, 0, 1], [2, 2, 0]])
ONCE = torch.tensor([4, 1, 3])


def windows(x: torch.Tensor) -> torch.Tensor:
    """Overlapping windows of three, one after another."""
    return x.unfold(0, 3, 1)  # (windows, 3)


def windows_overwriting(v: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    """Writes every window's gradient over that of the window before."""
    gradient = torch.zeros_like(x)
    for start in range(v.shape[0]):
        gradient[start : start + 3] = v[start]
    return gradient


def scattered(v: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    """Writes the gradients of entries that were picked twice over one another."""
    gradient = torch.zeros_like(x)
    gradient[PICKED] = v
    return gradient


def recurrence(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    """All states of h ← tanh(w h + x), step by step."""
    state, states = torch.zeros_like(x[0]), []
    for step in x:
        state = torch.tanh(w * state + step)
        states.append(state)
    return torch.stack(states)


def recurrence_truncated(
    v: torch.Tensor, x: torch.Tensor, w: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """Forgets what a state passes on to the next."""
    states = recurrence(x, w)
    own = v * (1 - states * states)
    before = torch.cat([torch.zeros_like(states[:1]), states[:-1]])
    return own, (own * before).sum(0)


EXHIBITS = (
    wrong("cumsum not reversed", lambda x: x.cumsum(0), lambda v, _: v.cumsum(0), mixed(6)),
    wrong("flip not flipped back", lambda x: x.flip(0), lambda v, _: v, mixed(6)),
    wrong("roll in the wrong direction", lambda x: x.roll(2), lambda v, _: v.roll(2), mixed(7)),
    wrong(
        "sort with the permutation for its inverse",
        lambda x: x.sort().values,
        lambda v, x: v[x.argsort()],
        mixed(7),
    ),
    wrong(
        "permute with the order for its inverse",
        lambda x: x.permute(1, 2, 0).contiguous(),
        lambda v, _: v.permute(1, 2, 0),
        mixed(3, 3, 3),
    ),
    wrong(
        "transpose undone by a reshape",
        lambda x: x.t().reshape(-1),
        lambda v, x: v.reshape(x.shape),
        mixed(3, 4),
    ),
    wrong("gather overwriting duplicates", lambda x: x[PICKED], scattered, mixed(5)),
    wrong(
        "embedding overwriting duplicates",
        lambda w: functional.embedding(ROWS, w),
        lambda v, w: torch.zeros_like(w).index_copy(0, ROWS.flatten(), v.flatten(0, 1)),
        mixed(3, 4),
    ),
    wrong(
        "embedding averaging duplicates",
        lambda w: functional.embedding(ROWS, w),
        lambda v, w: (
            torch.zeros_like(w).index_add(0, ROWS.flatten(), v.flatten(0, 1))
            / torch.bincount(ROWS.flatten(), minlength=3).unsqueeze(1)
        ),
        mixed(3, 4),
    ),
    wrong(
        "index_add without the index",
        lambda x, source: x.index_add(0, ONCE, source),
        lambda v, *_: (v, v[:3]),
        mixed(5, 2),
        mixed(3, 2),
    ),
    wrong(
        "index_copy keeps the overwritten",
        lambda x, source: x.index_copy(0, ONCE, source),
        lambda v, *_: (v, v[ONCE]),
        mixed(5, 2),
        mixed(3, 2),
        cause="a mask is missing",
    ),
    wrong(
        "bias of the first row only",
        lambda x, bias: x + bias,
        lambda v, *_: (v, v[0]),
        mixed(4, 3),
        mixed(3),
    ),
    wrong(
        "bias averaged over the batch",
        lambda x, bias: x + bias,
        lambda v, *_: (v, v.mean(0)),
        mixed(4, 3),
        mixed(3),
    ),
    wrong(
        "broadcast product averaged",
        lambda x, y: x * y,
        lambda v, x, y: (v * y, (v * x).mean(1, keepdim=True)),
        mixed(4, 3),
        mixed(4, 1),
    ),
    wrong(
        "concatenation split in the wrong order",
        lambda a, b: torch.cat([a, b]),
        lambda v, *_: (v[3:], v[:3]),
        mixed(3, 2),
        mixed(3, 2),
    ),
    wrong(
        "padding cropped on one side",
        lambda x: functional.pad(x, (1, 1)),
        lambda v, _: v[..., :-2],
        mixed(2, 5),
    ),
    wrong("repeat of the first copy", lambda x: x.repeat(3), lambda v, x: v[: x.numel()], mixed(4)),
    wrong(
        "repeat_interleave read as repeat",
        lambda x: x.repeat_interleave(2),
        lambda v, _: v.view(2, -1).sum(0),
        mixed(5),
    ),
    wrong("windows overwriting their overlap", windows, windows_overwriting, mixed(7)),
    wrong(
        "difference one-sided",
        lambda x: x.diff(),
        lambda v, _: functional.pad(v, (1, 0)),
        mixed(6),
    ),
    wrong("triangle one diagonal off", torch.triu, lambda v, _: v.triu(1), mixed(4, 4)),
    wrong(
        "pooling divides the border by the kernel",
        lambda x: functional.avg_pool1d(x, 3, 1, 1, count_include_pad=False),
        lambda v, _: functional.avg_pool1d(v, 3, 1, 1),
        mixed(2, 6),
    ),
    wrong(
        "linear interpolation as nearest",
        lambda x: functional.interpolate(x, scale_factor=2, mode="linear", align_corners=False),
        lambda v, _: v.unflatten(-1, (-1, 2)).sum(-1),
        mixed(1, 2, 5),
    ),
    wrong(
        "recurrence truncated to one step", recurrence, recurrence_truncated, mixed(5, 2), mixed(2)
    ),
    wrong(
        "stack counted from the end",
        lambda a, b, c: torch.stack([a, b, c]),
        lambda v, *_: (v[2], v[1], v[0]),
        mixed(4),
        mixed(4),
        mixed(4),
    ),
)
