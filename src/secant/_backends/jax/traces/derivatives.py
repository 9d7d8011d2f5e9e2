"""JAX's derivatives: vjp pulls, jvp pushes, vmap batches.

Conjugation: JAX's pull is the transpose without conjugation, and its gradient of a complex input
is ∂L/∂a − i ∂L/∂b. Read as pairs (real, imaginary) cotangents and gradients are the conjugates of
what Jᵀ v is in real coordinates; `_pulled` is the one place that knows. Pushes are as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

import jax
import jax.numpy as jnp

from ...._errors import said_by
from ...arithmetic.algebra import Array
from ...code import Code
from .calls import Prepared, Traced, plain, zeros_like

_UNSUPPORTED = (
    "not implemented",
    "does not work for",  # reverse mode through a while loop
    "do not support",  # pure_callback and the like
    "not supported",
    "to a custom_vjp function",  # forward mode
    "not differentiable",
)


# the function leaves JAX, or looks at values that a derivative's trace does not have
_LEFT = (jax.errors.TracerArrayConversionError, jax.errors.ConcretizationTypeError)


class JaxDerivatives:
    """What vjp and jvp say."""

    def prepared(self, call: Callable[[Sequence[Any]], Any]) -> Callable[[Sequence[Any]], Any]:
        return Prepared(call)

    def leaf(self, array: Array) -> Array:
        return Traced(plain(array))

    def pull(
        self,
        outputs: Sequence[Array],
        inputs: Sequence[Array],
        cotangents: Sequence[Array],
        *,
        differentiable: bool = False,  # noqa: ARG002 every pull is
    ) -> list[Array | None]:
        return _pulled(outputs, inputs, cotangents)

    def pull_nothing(
        self,
        outputs: Sequence[Array],
        inputs: Sequence[Array],
        absent: Collection[int],  # noqa: ARG002 to JAX an absent cotangent is a zero one
    ) -> list[Array | None]:
        return _pulled(outputs, inputs, [zeros_like(output.value) for output in outputs])

    def has_own_rules(self, outputs: Sequence[Array]) -> bool:
        records = [output.record for output in outputs if isinstance(output, Traced)]
        return any(record is not None and record.program.has_own_rules for record in records)

    def replayed(self, outputs: Sequence[Array]) -> list[Array] | None:
        passed = outputs[0].record.replayed()
        return [passed[output.place] for output in outputs]

    def pull_batch(
        self, output: Array, inputs: Sequence[Array], cotangents: Array
    ) -> list[Array | None]:
        pulled: list[Array | None] = jax.vmap(lambda v: _pulled([output], inputs, [v]))(cotangents)
        return pulled

    def push(
        self,
        call: Callable[[Sequence[Array]], Sequence[Array]],
        values: Sequence[Array],
        tangents: Sequence[Array | None],
    ) -> list[Array | None]:
        leaves = [self.leaf(value) for value in values]
        given = [
            jnp.zeros_like(leaf.value) if tangent is None else tangent
            for leaf, tangent in zip(leaves, tangents, strict=True)
        ]
        outputs = call(leaves)
        record = outputs[0].record
        places = [record.place_of(leaf) for leaf in leaves]
        pushed = record.push(dict(zip(places, given, strict=True)))
        return [pushed[output.place] for output in outputs]

    def push_batch(
        self,
        call: Callable[[Sequence[Array]], Sequence[Array]],
        values: Sequence[Array],
        part: int,
        tangents: Array,
    ) -> list[Array | None]:
        def push_one(tangent: Array) -> list[Array | None]:
            return self.push(
                call, values, [tangent if k == part else None for k in range(len(values))]
            )

        pushed: list[Array | None] = jax.vmap(push_one)(tangents)
        return pushed

    def map_batch(
        self, call: Callable[[Array], tuple[Array, ...]], batch: Array
    ) -> tuple[Array, ...]:
        outputs: tuple[Array, ...] = jax.vmap(call)(batch)
        return outputs

    def rules_behind(
        self,
        outputs: Sequence[Array],
        leaf: Array | None,
        *,
        is_forward: bool,  # noqa: ARG002 a jvp rule speaks in both modes
    ) -> list[Code]:
        records = [one.record for one in outputs if isinstance(one, Traced) and one.record]
        places = [one.place for one in outputs if isinstance(one, Traced) and one.record]
        return records[0].rules(places, leaf) if records else []

    def is_attached(self, array: Array) -> bool:
        return isinstance(array, Traced)

    def is_unsupported(self, error: BaseException) -> bool:
        text = said_by(error)
        return isinstance(error, (NotImplementedError, *_LEFT)) or any(
            phrase in text for phrase in _UNSUPPORTED
        )


def _pulled(
    outputs: Sequence[Traced], inputs: Sequence[Array], cotangents: Sequence[Array]
) -> list[Array | None]:
    record = outputs[0].record
    assert record is not None, "only outputs are pulled"
    given = {
        output.place: _conjugated(cotangent)
        for output, cotangent in zip(outputs, cotangents, strict=True)
    }
    gradients = record.pull(given)
    places = [record.place_of(leaf) for leaf in inputs]
    return [None if place is None else _conjugated(gradients[place]) for place in places]


def _conjugated(array: Array) -> Array:
    return jnp.conj(array) if jnp.issubdtype(array.dtype, jnp.complexfloating) else array
