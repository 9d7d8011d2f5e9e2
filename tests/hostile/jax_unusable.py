"""Arrays of JAX that are traced, deleted or without bounds, and calls inside its transforms."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

import secant

from .harness import Case, Scene

TRANSFORMS: dict[str, tuple[Callable[[Any, Any], Any], bool]] = {  # and whether all is staged
    "jit": (lambda f, t: jax.jit(f)(t), True),
    "make_jaxpr": (lambda f, t: jax.make_jaxpr(f)(t), True),
    "eval_shape": (lambda f, t: jax.eval_shape(f, t), True),
    "checkpoint": (lambda f, t: jax.grad(jax.checkpoint(f))(t), True),
    "jit of grad": (lambda f, t: jax.jit(jax.grad(f))(t), True),
    "scan": (lambda f, t: jax.lax.scan(lambda c, y: (c, f(y)), 0.0, t), True),
    "grad": (lambda f, t: jax.grad(f)(t), False),
    "vmap": (lambda f, t: jax.vmap(f)(t), False),
    "jvp": (lambda f, t: jax.jvp(f, (t,), (t,)), False),
    "vjp": (lambda f, t: jax.vjp(f, t), False),
    "linearize": (lambda f, t: jax.linearize(f, t), False),
}


def _inside(name: str, what: str) -> Scene:
    x = jnp.linspace(0.1, 1, 4).reshape(2, 2)
    transform, is_staged = TRANSFORMS[name]
    made: list[Any] = []

    def inside(t: Any) -> Any:
        if what == "its own array":
            made.append(secant.check(jnp.sin, t))
        elif what == "another array":
            made.append(secant.check(jnp.sin, x))
        elif what == "a comparison":
            made.append(secant.compare(jnp.sin, jnp.sin, t))
        else:
            made.append(secant.check(lambda y: y * t.sum(), x))
        return t.sum()

    def act() -> Any:
        transform(inside, x)
        return made[0]

    if what == "another array" and not is_staged:
        return Scene(act, x, ("PASS",))
    return Scene(act, x, ("InputError",), "outside of jit")


def _deleted(how: str) -> Scene:
    gone, x = jnp.ones(3), jnp.ones(3)
    gone.delete()
    acts: dict[str, Callable[[], Any]] = {
        "an input": lambda: secant.check(jnp.sin, gone),
        "an input that is cast": lambda: secant.check(jnp.sin, gone, dtype="float16"),
        "a second input": lambda: secant.check(lambda x, y: x, x, gone),
        "a keyword": lambda: secant.check(lambda x, y: x, x, kwargs={"y": gone}),
        "an output": lambda: secant.check(lambda x: gone, x),
        "an input of compare": lambda: secant.compare(jnp.sin, jnp.sin, gone),
        "an input in a dict": lambda: secant.check(lambda d: d["x"], {"x": gone}),
    }
    return Scene(acts[how], x, ("InputError",), "has been deleted")


def _answered(keyword: str) -> Scene:
    """A derivative by hand whose answer is gone."""
    x, gone = jnp.ones(3), jnp.ones((3, 3) if keyword == "jacobian" else 3)
    gone.delete()
    function = (lambda y: (y * y).sum()) if keyword == "gradient" else jnp.sin
    act = lambda: secant.check(function, x, **{keyword: lambda *_: gone})
    return Scene(act, x, ("FAIL",), "has been deleted")


def _beyond(kind: str) -> Scene:
    made: dict[str, Any] = {
        "64 dimensions": jnp.ones((1,) * 61),
        "NaN": jnp.array([jnp.nan]),
        "infinity": jnp.array([jnp.inf]),
    }
    return Scene(lambda: secant.check(jnp.sin, made[kind]), (), ("InputError",), "expected")


def _whole(act: Callable[[Any], Any]) -> Scene:
    x = jnp.ones(3)
    return Scene(lambda: secant.check(act, x), x, ("INCONCLUSIVE",), "nothing was checked")


CASES = [
    *(
        Case(f"{what} inside {name}", functools.partial(_inside, name, what))
        for name in TRANSFORMS
        for what in ("its own array", "another array", "a closure over a tracer", "a comparison")
    ),
    *(
        Case(f"a deleted array as {how}", functools.partial(_deleted, how))
        for how in (
            *("an input", "an input that is cast", "a second input", "a keyword", "an output"),
            *("an input of compare", "an input in a dict"),
        )
    ),
    *(
        Case(f"a deleted array as the answer of {keyword}", functools.partial(_answered, keyword))
        for keyword in ("pull", "push", "gradient", "jacobian")
    ),
    *(
        Case(f"a point of {kind}", functools.partial(_beyond, kind))
        for kind in ("64 dimensions", "NaN", "infinity")
    ),
    Case("argmax", functools.partial(_whole, jnp.argmax)),
    Case("argsort", functools.partial(_whole, jnp.argsort)),
]
