"""The toy framework as secant sees it: values are `Variable`s, vectors and batches NumPy arrays."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import numpy as np

import tinyad
from secant.extend import Backend, Excess, Signature
from tinyad import Variable


def numbers(array: Any) -> np.ndarray:
    """Return the numbers of a value or a vector."""
    return array.numbers if isinstance(array, Variable) else array


class TinyBackend(Backend):
    name = "tinyad"

    # -- what a value is -------------------------------------------------------------------------

    def is_array(self, value):
        return isinstance(value, Variable)

    def is_inexact(self, array):
        return True

    def is_complex(self, array):
        return False

    def is_dense(self, array):
        return True

    def can_be_output(self, array):
        return True

    def wants_gradient(self, array):
        return array.is_leaf

    def signature(self, array):
        return Signature(array.shape, array.numbers.dtype, "cpu", "dense")

    def has_signature(self, array, signature):
        return self.is_array(array) and self.signature(array) == signature

    def roundoff(self, array):
        return float(np.finfo(array.numbers.dtype).eps) / 2

    def stamp(self, array):
        return array.numbers.tobytes()

    def is_equal(self, one, other):
        return np.array_equal(numbers(one), numbers(other), equal_nan=True)

    # -- copies ----------------------------------------------------------------------------------

    def copy(self, array):
        return Variable(array.numbers.copy())

    def like_layout(self, array, reference):
        return array

    def kindred(self, array, reference):
        raise NotImplementedError

    def scattered(self, array):
        gaps = np.full((*array.shape, 2), np.nan, array.numbers.dtype)
        gaps[..., 0] = array.numbers
        return Variable(gaps[..., 0])

    def expanded(self, array):
        return Variable(np.broadcast_to(array.numbers.reshape(-1)[0], array.shape))

    def widened(self, array):
        return Variable(array.numbers.astype(np.float64))

    def detached(self, array):
        return Variable(array.numbers)

    def shares_memory(self, one, other):
        return np.may_share_memory(one.numbers, other.numbers)

    # -- dtypes and devices ----------------------------------------------------------------------

    def cast(self, array, dtype):
        return Variable(array.numbers.astype(dtype))

    def on_device(self, array, device):
        return Variable(array.numbers)

    def spacing(self, vector, reference):
        limits = np.finfo(reference.numbers.dtype)
        _, exponents = np.frexp(np.maximum(np.abs(vector), float(limits.smallest_normal)))
        return np.ldexp(float(limits.eps), exponents - 1)

    def place_of_largest(self, vector):
        return int(vector.argmax())

    # -- vectors ---------------------------------------------------------------------------------

    def flatten(self, array):
        return array.numbers.astype(np.float64).reshape(-1)

    def unflatten(self, vector, reference):
        return Variable(vector.reshape(reference.shape).astype(reference.numbers.dtype))

    def as_real(self, array):
        raise NotImplementedError

    def flatten_batch(self, batch):
        return numbers(batch).astype(np.float64).reshape(batch.shape[0], -1)

    def unflatten_batch(self, rows, reference):
        return rows.reshape(-1, *reference.shape).astype(reference.numbers.dtype)

    def is_exact(self, array):
        return array.numbers.dtype == np.float64

    def stack(self, vectors):
        return np.stack(vectors)

    def join(self, matrices):
        return np.concatenate(matrices)

    def rows_with(self, vector, places, values):
        rows = np.tile(vector, (len(places), 1))
        rows[np.arange(len(places)), places] = values
        return rows

    def select(self, vector, places):
        return vector[list(places)]

    def vector(self, numbers, reference):
        return numbers.astype(np.float64)

    def to_numpy(self, vector):
        return vector

    # -- numbers ---------------------------------------------------------------------------------

    def dot(self, one, other):
        return float(one @ other)

    def total(self, vector):
        return float(vector.sum())

    def distance(self, one, factor, other):
        return self.norm(factor * one - other)

    def is_multiple(self, one, factor, other):
        return np.array_equal(factor * one, other, equal_nan=True)

    def norm_of_product(self, one, other):
        return self.norm(one * other)

    def norm(self, vector):
        return float(np.linalg.norm(vector))

    def largest(self, vector):
        return float(np.abs(vector).max(initial=0.0))

    def is_finite(self, array):
        return bool(np.isfinite(numbers(array)).all())

    def finite_mask(self, vector):
        return np.isfinite(vector).astype(np.float64)

    def where_finite(self, vector):
        return np.where(np.isfinite(vector), vector, 0.0)

    def apart(self, one, other):
        return np.where(np.isfinite(one), abs(one - other), 0.0)

    def larger(self, one, other):
        return np.maximum(one, other)

    def excess(self, one, other, share, free):
        apart, allowed = np.abs(one - other), share * np.abs(one) + free
        ratio = np.divide(apart, allowed, out=np.zeros_like(apart), where=apart != 0)
        return Excess(ratio.max(), apart.max(), allowed.max())

    def copysign(self, sizes, signs):
        return np.copysign(sizes, signs)

    def absolute(self, vector):
        return np.abs(vector)

    # -- derivatives -----------------------------------------------------------------------------

    def widening(self):
        return nullcontext()

    def leaf(self, array):
        return tinyad.leaf(array.numbers)

    def pull(self, outputs, inputs, cotangents, *, differentiable=False):
        return tinyad.pull(outputs, inputs, cotangents, differentiable=differentiable)

    def pull_nothing(self, outputs, inputs, absent):
        return [None] * len(inputs)

    def has_own_rules(self, outputs):
        return False

    def push_batch(self, call, values, part, tangents):
        answers = [
            self.push(
                call, values, [Variable(u) if k == part else None for k in range(len(values))]
            )
            for u in tangents
        ]
        return [
            None if column[0] is None else np.stack([one.numbers for one in column])
            for column in zip(*answers, strict=True)
        ]

    def pull_batch(self, output, inputs, cotangents):
        answers = [self.pull([output], inputs, [Variable(v)]) for v in cotangents]
        return [
            None if column[0] is None else np.stack([one.numbers for one in column])
            for column in zip(*answers, strict=True)
        ]

    def push(self, call, values, tangents):
        """J u is the pull of v ↦ Jᵀ v, which is linear, so that any v will do."""
        values = [self.leaf(value) for value in values]
        outputs = call(values)
        v = [tinyad.leaf(np.zeros_like(output.numbers)) for output in outputs]
        gradients = self.pull(outputs, values, v, differentiable=True)
        moved = [
            (gradient, tangent)
            for gradient, tangent in zip(gradients, tangents, strict=True)
            if gradient is not None and tangent is not None
        ]
        return self.pull([one for one, _ in moved], v, [tangent for _, tangent in moved])

    def map_batch(self, call, batch):
        answers = [call(Variable(value)) for value in batch]
        return tuple(
            np.stack([one.numbers for one in column]) for column in zip(*answers, strict=True)
        )

    def is_attached(self, array):
        return array.is_traced

    def is_unsupported(self, error):
        return isinstance(error, NotImplementedError)

    # -- state -----------------------------------------------------------------------------------

    def random_state(self):
        return None

    def set_random_state(self, state):
        pass

    def same_random_state(self, one, other):
        return True

    # -- words -----------------------------------------------------------------------------------

    def dtype_name(self, array):
        return str(array.numbers.dtype)

    def version(self):
        return "tinyad 0"
