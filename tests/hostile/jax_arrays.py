"""JAX: arrays that are deleted or given away, kinds of arrays, functions that leave JAX."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import secant

from .harness import Case, Scene
from .parts import Counter, Halt, in_threads, named, timer, verdicts

ANY = ("PASS", "FAIL", "INCONCLUSIVE", "SecantError")


def points(*shape: int) -> Any:
    jax.config.update("jax_enable_x64", True)
    return jnp.asarray(np.random.default_rng(0).uniform(-1, 1, shape))


def deleting(y: Any) -> Any:
    answer = jnp.sin(y)
    y.delete()
    return answer


def leaving(y: Any) -> Any:
    return jnp.asarray(np.sin(np.asarray(y)))


def written_through_numpy(y: Any) -> Any:
    numbers = np.array(y)
    numbers[0] = 7.0
    return jnp.sin(y)


def switching(name: str, value: Any) -> Callable[[Any], Any]:
    def function(y: Any) -> Any:
        jax.config.update(name, value)
        return jnp.sin(y)

    return function


def drawing(y: Any) -> Any:
    return jnp.sin(y) * (np.random.rand() + random.random() + 1)


FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "deletes its argument": deleting,
    "gives its argument away": lambda y: jax.jit(jnp.sin, donate_argnums=0)(y),
    "is compiled and gives its argument away": lambda y: jax.jit(deleted_inside)(y),
    "leaves JAX": leaving,
    "copies through NumPy": written_through_numpy,
    "switches debugging of NaNs on": switching("jax_debug_nans", True),
    "switches compiling off": switching("jax_disable_jit", True),
    "switches the precision of products": switching("jax_default_matmul_precision", "float32"),
    "draws from NumPy and Python": drawing,
}


def deleted_inside(y: Any) -> Any:
    return jax.jit(lambda z: z * 2, donate_argnums=0)(y)


def checked(what: str, **settings: Any) -> Scene:
    x = points(4)
    return Scene(lambda: secant.check(FUNCTIONS[what], x, **settings), x, ANY)


def given(what: str) -> Scene:
    """The same in a derivative that is written by hand."""
    x = points(4)

    def pull(y: Any, v: Any) -> Any:
        answer = jnp.cos(y) * v
        FUNCTIONS[what](y)
        return answer

    return Scene(lambda: secant.check(jnp.sin, x, pull=pull), x, ANY)


def compared(what: str) -> Scene:
    x = points(4)
    act = lambda: secant.compare(FUNCTIONS[what], jnp.sin, x, dtype="float32")
    return Scene(act, x, ANY)


def dropped_in(what: str) -> Scene:
    from secant.jax import check_grads

    x = points(4)
    act = lambda: check_grads(FUNCTIONS[what], (x,), order=1)
    return Scene(act, x, ("None", *ANY, "AssertionError", "TypeError", "RuntimeError"))


KINDS: dict[str, Callable[[], Any]] = {
    "float32": lambda: points(4).astype(jnp.float32),
    "bfloat16": lambda: points(4).astype(jnp.bfloat16),
    "complex": lambda: points(3) + 1j * points(3),
    "a number": lambda: points(1)[0],
    "empty": lambda: points(0),
    "of a weak type": lambda: jnp.asarray(0.5),
    "NumPy's": lambda: np.linspace(0, 1, 4),
    "in a tree": lambda: {"a": [points(2), None], "b": (points(2), "word")},
}


def kinds(kind: str) -> Scene:
    points(1)
    x = KINDS[kind]()
    function = lambda tree: jax.tree.map(
        lambda one: jnp.sin(one) if not isinstance(one, str) else one, tree
    )
    return Scene(lambda: secant.check(function, x), x, ANY)


def with_key() -> Scene:
    x, key = points(4), jax.random.key(0)
    function = lambda y, k: y * jax.random.uniform(k, (4,))
    return Scene(lambda: secant.check(function, x, key), [x, key])


def raising(place: int, kind: type[BaseException]) -> Scene:
    x, count = points(4), Counter(place, kind)

    def function(y: Any) -> Any:
        count()
        return jnp.asarray(np.sin(np.asarray(y)))

    return Scene(lambda: secant.check(function, x, pull=lambda y, v: jnp.cos(y) * v), x,
                 (*ANY, kind.__name__))  # fmt: skip


def interrupted(delay: float) -> Scene:
    x = points(6)
    secant.check(jnp.sin, x, probe="full", modes="all")

    def act() -> Any:
        with timer(delay):
            return secant.check(jnp.sin, x, probe="full", modes="all")

    return Scene(act, x, ("PASS", "KeyboardInterrupt"))


def threads(count: int) -> Scene:
    x = points(4)
    acts = [lambda: secant.check(lambda y: jnp.sin(y) * y, x, modes="all")] * count
    return Scene(lambda: verdicts(in_threads(acts)), x)


CASES = [
    *(Case(*named(f"a function that {what}", checked, what)) for what in FUNCTIONS),
    *(Case(*named(f"a function that {what}, in full", checked, what, probe="full", modes="all"))
      for what in FUNCTIONS),
    *(Case(*named(f"a derivative that {what}", given, what)) for what in FUNCTIONS),
    *(Case(*named(f"a function that {what}, compared", compared, what)) for what in FUNCTIONS),
    *(Case(*named(f"a function that {what}, dropped in", dropped_in, what)) for what in FUNCTIONS),
    *(Case(*named(f"an array that is {kind}", kinds, kind)) for kind in KINDS),
    Case("a key among the inputs", with_key),
    *(Case(*named(f"{kind.__name__} at call {place}", raising, place, kind))
      for place in (1, 2, 4) for kind in (Halt, KeyboardInterrupt)),
    *(Case(*named(f"an interrupt after {delay * 1e3:g} ms", interrupted, delay))
      for delay in (0.002, 0.008)),
    *(Case(*named(f"{count} threads", threads, count)) for count in (2, 4)),
]  # fmt: skip
