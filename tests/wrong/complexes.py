"""Wrong derivatives of complex functions."""

from __future__ import annotations

import torch

from wrong.exhibit import Exhibit, normals, point, rule

_Z = point(5, dtype=torch.complex128)

EXHIBITS = [
    Exhibit(
        "square_forgets_to_conjugate",
        rule("square_forgets_to_conjugate", lambda z: z * z, lambda z, g: 2 * g * z),
        _Z,
        cause="conjugate",
        right=rule("square", lambda z: z * z, lambda z, g: 2 * g * z.conj()),
    ),
    Exhibit(
        "product_forgets_to_conjugate",
        rule(
            "product_forgets_to_conjugate",
            lambda z, w: z * w,
            lambda z, w, g: (g * w, g * z.conj()),
        ),
        lambda: (
            normals(4, dtype=torch.complex128),
            normals(4, dtype=torch.complex128, seed=1),
        ),
        cause="conjugate",
        shows=("∂z",),
        right=torch.mul,
    ),
    Exhibit(
        "matrix_product_transposes_without_conjugating",
        rule(
            "matrix_product_transposes_without_conjugating",
            lambda z, w: z @ w,
            lambda z, w, g: (g @ w.t(), z.mH @ g),
        ),
        lambda: (
            normals(3, 2, dtype=torch.complex128),
            normals(2, 4, dtype=torch.complex128, seed=1),
        ),
        cause="conjugate",
        shows=("∂z",),
        right=torch.matmul,
    ),
    Exhibit(
        "squared_size_gives_the_conjugate",
        rule(
            "squared_size_gives_the_conjugate",
            lambda z: (z * z.conj()).real,
            lambda z, g: 2 * g * z.conj(),
        ),
        _Z,
        cause="a conjugate is missing",
        right=rule("squared_size", lambda z: (z * z.conj()).real, lambda z, g: 2 * g * z),
    ),
    Exhibit(
        "squared_size_forgets_the_two",
        rule("squared_size_forgets_the_two", lambda z: (z * z.conj()).real, lambda z, g: g * z),
        _Z,
        cause="0.5 × measured",
        right=lambda z: (z * z.conj()).real,
    ),
    Exhibit(
        "imaginary_part_forgets_the_i",
        rule("imaginary_part_forgets_the_i", lambda z: z.imag * 1, lambda z, g: g.to(z.dtype)),
        _Z,
        cause="factor −i",
        right=rule("imaginary_part", lambda z: z.imag * 1, lambda z, g: 1j * g),
    ),
    Exhibit(
        "imaginary_part_of_the_gradient_lost",
        rule(
            "imaginary_part_of_the_gradient_lost",
            lambda z: 2 * z,
            lambda z, g: (2 * g).real.to(z.dtype),
        ),
        _Z,
        cause="imaginary part",
        shows=(".imag",),
        right=lambda z: 2 * z,
    ),
    Exhibit(
        "conjugate_of_z_treated_as_z",
        rule("conjugate_of_z_treated_as_z", lambda z: z.conj() * 1, lambda z, g: g.clone()),
        _Z,
        cause="conjugate",
        right=rule("conjugate", lambda z: z.conj() * 1, lambda z, g: g.conj() * 1),
    ),
    Exhibit(
        "real_input_of_a_complex_function",
        rule(
            "real_input_of_a_complex_function",
            lambda x: torch.polar(torch.ones_like(x), x),
            lambda x, g: (g * torch.polar(torch.ones_like(x), x) * 1j).real,
        ),
        point(5),
        cause="conjugate",
        right=lambda x: torch.polar(torch.ones_like(x), x),
    ),
]
