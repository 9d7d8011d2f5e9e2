"""Wrong derivatives in single precision, of large numbers, or through a coarser dtype.

Half precision may not tell, which an exhibit cannot say: it is in `test_peers_failures.py`.
"""

from __future__ import annotations

import torch

from wrong.exhibit import Exhibit, Tensor, normals, point, rule
from wrong.places import one_wrong_entry


def _scaled(factor: float, word: str, cause: str) -> Exhibit:
    name = f"float32_sin_{word}"
    return Exhibit(
        name,
        rule(name, lambda x: x.sin(), lambda x, g: factor * g * x.cos()),
        point(50, dtype=torch.float32),
        cause=cause,
        right=torch.sin,
        probes=("auto",),
    )


def _single_precision_only(x: Tensor) -> Tensor:
    if x.dtype != torch.float32:
        raise TypeError("this kernel exists in float32 only")
    return x.exp()


EXHIBITS = [
    _scaled(1.01, "a_hundredth_too_large", "a constant factor is wrong"),
    _scaled(-1.0, "of_the_wrong_sign", "the sign is wrong"),
    _scaled(0.0, "zero", "the dependence is cut"),
    Exhibit(
        "float32_one_entry_twice_too_large",
        one_wrong_entry(41, 2.0),
        point(300, dtype=torch.float32),
        shows=("∂out[41] / ∂x[41]",),
        right=lambda x: 2 * x,
        probes=("auto",),
    ),
    Exhibit(
        "float32_input_of_size_3e5",
        rule("float32_input_of_size_3e5", lambda x: x * x, lambda x, g: 2.2 * g * x),
        lambda: (3e5 + 100 * normals(20, dtype=torch.float32),),
        cause="a constant factor is wrong",
        right=lambda x: x * x,
        probes=("auto",),
    ),
    Exhibit(
        "kernel_in_float32_only",
        rule("kernel_in_float32_only", _single_precision_only, lambda x, g: 1.1 * g * x.exp()),
        point(20, dtype=torch.float32),
        cause="a constant factor is wrong",
        right=_single_precision_only,
    ),
    Exhibit(
        "drops_to_float32_inside_and_is_off",
        rule(
            "drops_to_float32_inside_and_is_off",
            lambda x: x.float().sin().double(),
            lambda x, g: 1.02 * g * x.cos(),
        ),
        point(20),
        cause="a constant factor is wrong",
        right=lambda x: x.float().sin().double(),
        probes=("auto",),
    ),
    Exhibit(
        "gradient_computed_in_half_precision",
        rule(
            "gradient_computed_in_half_precision",
            lambda x: x.exp(),
            lambda x, g: (g.half() * x.half().exp()).double(),
        ),
        point(20),
        right=torch.exp,
        probes=("auto",),
    ),
    Exhibit(
        "tiny_numbers",
        rule("tiny_numbers", lambda x: 1e-12 * x.sin(), lambda x, g: 1.1e-12 * g * x.cos()),
        point(6),
        cause="a constant factor is wrong",
        right=lambda x: 1e-12 * x.sin(),
    ),
    Exhibit(
        "huge_numbers",
        rule("huge_numbers", lambda x: 1e12 * x.sin(), lambda x, g: 1.1e12 * g * x.cos()),
        point(6),
        cause="a constant factor is wrong",
        right=lambda x: 1e12 * x.sin(),
    ),
]
