"""Calls that a type checker accepts, and those that it refuses: each of these says with what."""

from __future__ import annotations

import secant


def sine(x: float) -> float:
    return x


report = secant.check(sine, 1.0, probe="full", modes="all", order=2, laws=["layout", "linearity"])
secant.check(sine, 1.0, pull=sine, group="world", replicated=("x",), gradients="share")
secant.check(sine, 1.0, max_evaluations=500, max_seconds=2.5, nondeterminism=1e-6, draws=3)
secant.assert_gradient(sine, 1.0, rtol=1e-3, atol=None, laws="all", lift=False, seed=1)
secant.compare(sine, sine, 1.0, dtype="bfloat16", limit=3.0, draws=4, gradients=False)
secant.localise(sine, 1.0, probe="fast", explain=False)
counts = secant.check_many([(sine, 1.0), (sine, 2.0)], probe="full").counts
secant.check_many({"sine": (sine, 1.0)}, order=2)

secant.check(sine, 1.0, prob="full")  # refused: call-arg
secant.check(sine, 1.0, probe="slow")  # refused: arg-type
secant.check(sine, 1.0, laws="layuot")  # refused: arg-type
secant.check(sine, 1.0, max_evaluations=2.5)  # refused: arg-type
secant.check(sine, 1.0, gradients="sum")  # refused: arg-type
secant.assert_gradient(sine, 1.0, budget=500)  # refused: call-arg
secant.assert_gradient(sine, 1.0, rtol="1e-3")  # refused: arg-type
secant.compare(sine, sine, 1.0, probe="full")  # refused: call-arg
secant.compare(sine, sine, 1.0, limit="2")  # refused: arg-type
secant.localise(sine, 1.0, pull=sine)  # refused: call-arg
secant.check_many([(sine, 1.0)], pull=sine)  # refused: call-arg
