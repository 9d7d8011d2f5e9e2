"""NumPy: derivatives by hand, arrays of every kind, functions that write, draw and raise."""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import secant

from .harness import Case, Scene
from .parts import Counter, Halt, in_threads, named, timer, verdicts

ANY = ("PASS", "FAIL", "INCONCLUSIVE", "SecantError")


def points(*shape: int) -> np.ndarray[Any, Any]:
    """Return numbers within (−1, 1)."""
    return np.random.default_rng(0).uniform(-1, 1, shape)


def read_only() -> np.ndarray[Any, Any]:
    array = points(4)
    array.flags.writeable = False
    return array


KINDS: dict[str, Callable[[], Any]] = {
    "transposed": lambda: points(3, 2).T,
    "strided": lambda: points(8)[::2],
    "backwards": lambda: points(4)[::-1],
    "broadcast": lambda: np.broadcast_to(points(1), (4,)),
    "in Fortran's order": lambda: np.asfortranarray(points(3, 2)),
    "read-only": read_only,
    "a number": lambda: points(1)[0],
    "of no dimension": lambda: np.array(0.5),
    "empty": lambda: points(0),
    "complex": lambda: points(3) + 1j * points(3),
    "float32": lambda: points(4).astype(np.float32),
    "float16": lambda: points(4).astype(np.float16),
    "longdouble": lambda: points(4).astype(np.longdouble),
    "of the other byte order": lambda: points(4).astype(">f8"),
    "masked": lambda: np.ma.masked_array(points(4), mask=[0, 1, 0, 0]),
    "a matrix": lambda: np.asmatrix(points(2, 2)),
    "of integers": lambda: np.arange(4),
    "of objects": lambda: np.array([0.5, 0.25], dtype=object),
    "a record": lambda: np.zeros(2, dtype=[("a", float), ("b", int)]),
    "mapped from memory": lambda: np.frombuffer(bytearray(points(4).tobytes())),
}


def answer(x: Any) -> Any:
    return np.sin(x) * 2


def pulled(x: Any, v: Any) -> Any:
    return np.conj(np.cos(x)) * v * 2


def checked(kind: str, **settings: Any) -> Scene:
    x = KINDS[kind]()
    return Scene(lambda: secant.check(answer, x, pull=pulled, **settings), x, ANY)


def compared(kind: str) -> Scene:
    x = KINDS[kind]()
    act = lambda: secant.compare(answer, answer, x, dtype="float32", gradients=False)
    return Scene(act, x, ANY)


PROCESS: dict[str, Callable[[], Any]] = {
    "draws from NumPy": lambda: np.random.rand(3),
    "draws a normal number": lambda: np.random.randn(),
    "seeds NumPy": lambda: np.random.seed(3),
    "draws from Python": random.random,
    "draws a normal number from Python": lambda: random.gauss(0, 1),
    "sets NumPy's errors": lambda: np.seterr(all="raise"),
    "filters warnings": lambda: warnings.simplefilter("ignore"),
}


def disturbing(what: str, where: str) -> Scene:
    x = points(4)
    act = PROCESS[what]

    def function(y: Any) -> Any:
        if where == "the function":
            act()
        return np.sin(y)

    def pull(y: Any, v: Any) -> Any:
        if where == "the derivative":
            act()
        return np.cos(y) * v

    return Scene(lambda: secant.check(function, x, pull=pull), x)


def factors(draw: Callable[[], float]) -> Scene:
    """A function and its derivative that draw alike: the generator is rewound before each."""
    x = points(4)
    np.random.seed(3)
    np.random.randn()
    function = lambda y: np.sin(y) * draw()
    return Scene(lambda: secant.check(function, x, pull=lambda y, v: np.cos(y) * v * draw()), x)


WRITES: dict[str, Callable[[Any], Any]] = {
    "writes": lambda y: y.__setitem__(0, 7.0),
    "writes through a view": lambda y: y[:2].fill(7.0),
    "reshapes": lambda y: setattr(y, "shape", (2, 2)),
    "sorts": lambda y: y.sort(),
    "locks": lambda y: y.setflags(write=False),
}


def writing(what: str, where: str) -> Scene:
    x, constant = points(4), points(4)
    act = WRITES[what]

    def function(y: Any, c: Any) -> Any:
        value = np.sin(y) * 2
        if where != "its derivative":
            act(y if where == "its argument" else c)
        return value

    def pull(y: Any, c: Any, v: Any) -> Any:
        value = np.cos(y) * v * 2, None
        if where == "its derivative":
            act(y)
        return value

    return Scene(lambda: secant.check(function, x, constant, pull=pull), [x, constant], ANY)


def raising(place: int, kind: type[BaseException], where: str) -> Scene:
    x, count = points(4), Counter(place, kind)

    def function(y: Any) -> Any:
        np.random.rand()
        if where == "function":
            count()
        return np.sin(y)

    def pull(y: Any, v: Any) -> Any:
        if where == "derivative":
            count()
        return np.cos(y) * v

    act = lambda: secant.check(function, x, pull=pull, probe="full")
    return Scene(act, x, (*ANY, kind.__name__))


def interrupted(delay: float) -> Scene:
    x = points(40)

    def act() -> Any:
        with timer(delay):
            return secant.check(
                lambda y: np.sin(y) * np.random.rand(),
                x,
                probe="full",
                jacobian=lambda y: np.diag(np.cos(y)) * np.random.rand(),
            )

    return Scene(act, x, ("PASS", "KeyboardInterrupt"))  # fmt: skip


def threads(count: int) -> Scene:
    x = points(4)
    function = lambda y: np.sin(y) * np.random.rand()
    pull = lambda y, v: np.cos(y) * v * np.random.rand()
    acts = [lambda: verdicts([secant.check(function, x, pull=pull) for _ in range(5)])] * count
    return Scene(lambda: verdicts(in_threads(acts)), x)


CASES = [
    *(Case(*named(f"an array that is {kind}", checked, kind)) for kind in KINDS),
    *(Case(*named(f"an array that is {kind}, in full", checked, kind, probe="full"))
      for kind in KINDS),
    *(Case(*named(f"an array that is {kind}, compared", compared, kind)) for kind in KINDS),
    *(Case(*named(f"{where} {what}", disturbing, what, where))
      for what in PROCESS for where in ("the function", "the derivative")),
    Case(*named("both draw from NumPy", factors, lambda: np.random.rand() + 1)),
    Case(*named("both draw one normal number", factors, lambda: np.random.randn() + 9)),
    Case(*named("both draw from Python", factors, lambda: random.random() + 1)),
    Case(*named("both draw a normal number from Python", factors, lambda: random.gauss(9, 1))),
    *(Case(*named(f"a function {what} in {where}", writing, what, where))
      for what in WRITES for where in ("its argument", "a constant", "its derivative")),
    *(Case(*named(f"{kind.__name__} at call {place} of the {where}", raising, place, kind, where))
      for place in (1, 2, 4) for kind in (Halt, KeyboardInterrupt)
      for where in ("function", "derivative")),
    *(Case(*named(f"an interrupt after {delay * 1e3:g} ms", interrupted, delay))
      for delay in (0.001, 0.003, 0.01)),
    *(Case(*named(f"{count} threads that draw", threads, count)) for count in (2, 8)),
]  # fmt: skip
