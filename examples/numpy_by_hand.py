"""A gradient for scipy.optimize, and a sparse Jacobian, written by hand for NumPy: found and fixed.

Run it: python examples/numpy_by_hand.py
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.optimize
import scipy.sparse

import secant

Array = np.ndarray
TIMES = np.linspace(0, 3, 40)
SEEN = 2.5 * np.exp(-1.3 * TIMES) + 0.4


def loss(p: Array) -> float:
    """Half the sum of squares between a decay and what was seen."""
    return 0.5 * float(((p[0] * np.exp(-p[1] * TIMES) + p[2] - SEEN) ** 2).sum())


def gradient(p: Array) -> Array:
    """The planted mistake: the exponent's own derivative is −t, and the sign is lost."""
    decay = np.exp(-p[1] * TIMES)
    residual = p[0] * decay + p[2] - SEEN
    return np.array([residual @ decay, residual @ (p[0] * TIMES * decay), residual.sum()])


def fixed_gradient(p: Array) -> Array:
    """The same with its sign."""
    return gradient(p) * np.array([1, -1, 1])


def heat(u: Array) -> Array:
    """−u″ + u³ on a line, zero at both ends."""
    padded = np.pad(u, 1)
    return 2 * u - padded[:-2] - padded[2:] + u**3


def jacobian(u: Array) -> Any:
    """The planted mistake: the lower diagonal ends one row too early."""
    n = u.size
    rows = np.r_[np.arange(n), np.arange(n - 1), np.arange(1, n - 1)]
    columns = np.r_[np.arange(n), np.arange(1, n), np.arange(n - 2)]
    values = np.r_[2 + 3 * u**2, -np.ones(2 * n - 3)]
    return scipy.sparse.csr_array((values, (rows, columns)), shape=(n, n))


def fixed_jacobian(u: Array) -> Any:
    """The same without ranges to count."""
    beside = -np.ones(u.size - 1)
    return scipy.sparse.diags_array([beside, 2 + 3 * u**2, beside], offsets=[-1, 0, 1])


def main() -> None:
    """Check the mistakes, then their repairs, then use what was repaired."""
    p = np.array([2.0, 1.0, 0.5])
    print("With the mistake:")
    print(secant.check(loss, p, gradient=gradient))
    print("\nFixed:")
    print(secant.check(loss, p, gradient=fixed_gradient))
    secant.assert_gradient(loss, p, gradient=fixed_gradient)  # what a test of yours would say
    found = scipy.optimize.minimize(loss, p, jac=fixed_gradient)
    print(f"\nminimised: {np.round(found.x, 3)} in {found.nit} iterations")

    u = np.sin(np.linspace(0, 3, 1_000))
    print("\nA sparse Jacobian with the mistake:")
    print(secant.check(heat, u, jacobian=jacobian))
    print("\nFixed:")
    print(secant.check(heat, u, jacobian=fixed_jacobian))


if __name__ == "__main__":
    main()
