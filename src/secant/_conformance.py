"""What a backend must do, as cases to run: arrays and numbers, records and pulls, whole checks.

Functions are written with `+` and `*` alone, so that every framework has them. What a framework may
leave out (forward mode, batching, pulls of pulls) is asked only where it is offered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from ._backends.base import Array, Backend, Numbers
from ._backends.registry import standing_for
from ._errors import InputError
from ._findings import Verdict

_SHAPES: tuple[tuple[int, ...], ...] = ((), (3,), (2, 3), (0, 2))
_FACTOR = 1.05  # of pulls that are wrong on purpose


@dataclass(frozen=True, slots=True)
class Requirement:
    """One thing that a backend must do; calling it raises AssertionError where it does not."""

    name: str
    asked: Callable[[_Subject], None]
    subject: _Subject

    def __call__(self) -> None:
        self.asked(self.subject)

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class _Subject:
    backend: Backend
    like: Array | None
    dtype: str

    def made(self, shape: tuple[int, ...], start: float = 0.5) -> Array:
        return self.backend.from_numbers(self.drawn(shape, start), self.like)

    def drawn(self, shape: tuple[int, ...], start: float = 0.5) -> Numbers:
        """Return numbers that every dtype holds as they are."""
        numbers = start + np.arange(np.prod(shape, dtype=int)) / 4
        return numbers.reshape(shape).astype(self.dtype)

    def near(self, array: Array | None, numbers: Numbers) -> bool:
        """Say whether an array holds these numbers, up to a few roundings; None holds zeros."""
        found = 0 * numbers if array is None else self.backend.numbers(self.plain(array))
        return found.shape == numbers.shape and np.allclose(
            found, numbers, rtol=8 * float(np.finfo(self.dtype).eps), atol=0
        )

    def plain(self, array: Array) -> Array:
        return array if isinstance(array, np.ndarray) else self.backend.detached(array)


def conformance(
    backend: Backend, *, like: Any = None, dtypes: Iterable[str] = ("float64", "float32")
) -> list[Requirement]:
    """Return what a backend must do, as cases to call, one by one or by pytest.

    >>> import pytest
    >>> from secant.extend import conformance
    >>> from secant._backends.arrays.numpy import NumpyBackend
    >>> @pytest.mark.parametrize("case", conformance(NumpyBackend()), ids=str)
    ... def test_numpy_conforms(case):
    ...     case()

    Args:
        backend: What is to be registered, or is.
        like: An array to make others like, where the framework makes none out of nothing.
        dtypes: Which of NumPy's floating dtypes its arrays have.
    """
    asked = [*_ARRAYS, *(_DERIVATIVES if backend.records else ())]
    return [
        Requirement(f"{one.__name__.replace('_', ' ')}, {subject.dtype}", one, subject)
        for subject in (_Subject(backend, like, dtype) for dtype in dtypes)
        for one in asked
    ]


# -- arrays ----------------------------------------------------------------------------------------


def numbers_become_an_array_and_come_back(subject: _Subject) -> None:
    backend = subject.backend
    for shape in _SHAPES:
        numbers = subject.drawn(shape)
        array = backend.from_numbers(numbers.copy(), subject.like)
        assert backend.is_array(array), f"from_numbers gave {type(array)}, which is no array"
        back = backend.numbers(array)
        assert isinstance(back, np.ndarray)
        assert back.dtype == numbers.dtype, f"numbers gave {back.dtype} for {numbers.dtype}"
        assert back.shape == shape, f"numbers gave shape {back.shape} for {shape}"
        assert np.array_equal(back, numbers)


def only_arrays_are_arrays(subject: _Subject) -> None:
    for other in (None, 1.5, "x", [1.0], object()):
        assert not subject.backend.is_array(other), f"is_array takes {other!r}"


def arrays_say_what_they_are(subject: _Subject) -> None:
    backend, array = subject.backend, subject.made((2, 3))
    eps = float(np.finfo(subject.dtype).eps)
    assert tuple(backend.signature(array).shape) == (2, 3)
    assert backend.has_signature(subject.made((2, 3), 9.0), backend.signature(array))
    assert not backend.has_signature(subject.made((3, 2)), backend.signature(array))
    assert backend.is_inexact(array)
    assert not backend.is_complex(array)
    assert backend.roundoff(array) == eps / 2
    assert backend.dtype_name(array).endswith(subject.dtype)
    assert backend.version().strip()


def copies_are_equal_and_stamps_stay(subject: _Subject) -> None:
    backend, array = subject.backend, subject.made((2, 3))
    stamp = backend.stamp(array)
    copy = backend.copy(array)
    assert copy is not array
    assert backend.is_equal(copy, array)
    assert not backend.is_equal(copy, subject.made((2, 3), 9.0))
    assert backend.stamp(array) == stamp
    for same in (backend.scattered(array), backend.detached(array)):
        assert subject.near(same, subject.drawn((2, 3)))
    try:
        wide = backend.widened(array)
    except InputError:  # there is no float64, or not as things are
        return
    assert backend.roundoff(wide) == 2.0**-53
    assert np.array_equal(backend.numbers(wide), subject.drawn((2, 3)))


def coordinates_become_an_array_and_come_back(subject: _Subject) -> None:
    backend, array = subject.backend, subject.made((2, 3))
    vector = backend.flatten(array)
    assert vector.shape == (6,)
    assert backend.dot(vector, vector) == float(np.vdot(subject.drawn((6,)), subject.drawn((6,))))
    assert backend.is_equal(backend.unflatten(vector + 0, array), array)
    rows = backend.stack([vector, 2 * vector])
    back = backend.to_numpy(backend.flatten_batch(backend.unflatten_batch(rows, array)))
    assert np.array_equal(back, backend.to_numpy(rows))


# -- derivatives -----------------------------------------------------------------------------------


def _cubic(leaves: Sequence[Array]) -> list[Array]:
    x, y = leaves
    return [x * x * y + y]  # pulls: 2xy v and (x² + 1) v


def _point(subject: _Subject) -> tuple[Numbers, Numbers, Numbers]:
    return subject.drawn((2, 3)), subject.drawn((2, 3), -2.0), subject.drawn((2, 3), 1.25)


def _called(subject: _Subject) -> tuple[list[Array], list[Array], Array]:
    """Return leaves, outputs of the cubic, and a cotangent."""
    backend, (x, y, v) = subject.backend, _point(subject)
    leaves = [backend.leaf(backend.from_numbers(one, subject.like)) for one in (x, y)]
    outputs = backend.prepared(_cubic)(leaves)
    return leaves, list(outputs), backend.from_numbers(v, subject.like)


def _gradient(subject: _Subject) -> tuple[Numbers, Numbers]:
    x, y, v = _point(subject)
    return 2 * x * y * v, (x * x + 1) * v


def what_depends_on_a_leaf_is_attached(subject: _Subject) -> None:
    backend = subject.backend
    leaves, (output,), _ = _called(subject)
    assert all(map(backend.is_attached, leaves))
    assert backend.is_attached(output)
    assert not backend.is_attached(subject.made((3,))), "what is made of numbers has no record"
    assert not backend.is_attached(backend.detached(leaves[0]))


def pulls_are_right_as_often_as_they_are_asked(subject: _Subject) -> None:
    leaves, outputs, v = _called(subject)
    for _ in range(2):
        pulled = subject.backend.pull(outputs, leaves, [v])
        assert all(map(subject.near, pulled, _gradient(subject))), "pull is not Jᵀ v"


def what_no_path_leads_to_has_no_gradient(subject: _Subject) -> None:
    backend = subject.backend
    leaves = [backend.leaf(subject.made((3,))) for _ in range(2)]
    (output,) = backend.prepared(lambda given: [given[0] * given[0]])(leaves)
    pulled = backend.pull([output], leaves, [subject.made((3,))])
    assert len(pulled) == 2
    assert subject.near(pulled[1], np.zeros(3, subject.dtype))


def nothing_is_pulled_back_to_nothing(subject: _Subject) -> None:
    leaves, outputs, _ = _called(subject)
    for one in subject.backend.pull_nothing(outputs, leaves, ()):
        assert subject.near(one, np.zeros((2, 3), subject.dtype))


def pulls_can_be_pulled_where_that_is_offered(subject: _Subject) -> None:
    backend, (x, y, v) = subject.backend, _point(subject)
    leaves, outputs, cotangent = _called(subject)
    with _offered(backend):
        pulled = backend.pull(outputs, leaves, [cotangent], differentiable=True)
        if pulled[0] is None or not backend.is_attached(pulled[0]):
            return
        again = backend.pull([pulled[0]], leaves, [backend.from_numbers(v, subject.like)])
        assert all(map(subject.near, again, (2 * y * v * v, 2 * x * v * v)))


def pushes_are_right_where_they_are_offered(subject: _Subject) -> None:
    backend, (x, y, v) = subject.backend, _point(subject)
    values = [backend.from_numbers(one, subject.like) for one in (x, y)]
    with _offered(backend):
        (pushed,) = backend.push(
            backend.prepared(_cubic), values, [backend.from_numbers(v, subject.like), None]
        )
        assert subject.near(pushed, 2 * x * y * v), "push is not J u"


def batches_are_right_where_they_are_offered(subject: _Subject) -> None:
    backend = subject.backend
    leaves, outputs, v = _called(subject)
    vector = backend.flatten(v)
    batch = backend.unflatten_batch(backend.stack([vector, 2 * vector]), backend.detached(v))
    with _offered(backend):
        for found, one in zip(
            backend.pull_batch(outputs[0], leaves, batch), _gradient(subject), strict=True
        ):
            rows = backend.to_numpy(backend.flatten_batch(found))
            assert np.allclose(rows, [one.reshape(-1), 2 * one.reshape(-1)], rtol=1e-5)


def a_right_function_passes_and_its_inputs_stay(subject: _Subject) -> None:
    from ._check import check  # asked for by few

    x, y = subject.made((2, 3)), subject.made((2, 3), -2.0)
    with standing_for(subject.backend):
        report = check(lambda x, y: _cubic([x, y])[0], x, y)
    assert report.verdict is Verdict.PASS, str(report)
    assert subject.near(x, subject.drawn((2, 3)))


def pulls_that_are_too_large_fail(subject: _Subject) -> None:
    from ._check import check

    backend, kind = subject.backend, type(subject.backend)

    def pull(self: Any, *given: Any, **options: Any) -> list[Array | None]:
        return [
            None if one is None else one * _FACTOR for one in kind.pull(self, *given, **options)
        ]

    wrong: Any = object.__new__(type(f"Wrong{kind.__name__}", (kind,), {"pull": pull}))
    wrong.__dict__.update(getattr(backend, "__dict__", {}))
    with standing_for(wrong):
        report = check(lambda x: x * x * x, subject.made((2, 3)))
    assert report.verdict is Verdict.FAIL, str(report)
    assert "CONSTANT_FACTOR" in {code for one in report.findings for code in one.codes}, str(report)


@contextmanager
def _offered(backend: Backend) -> Iterator[None]:
    try:
        yield
    except AssertionError:
        raise
    except Exception as error:
        if not backend.is_unsupported(error):
            raise


_ARRAYS: tuple[Callable[[_Subject], None], ...] = (
    numbers_become_an_array_and_come_back,
    only_arrays_are_arrays,
    arrays_say_what_they_are,
    copies_are_equal_and_stamps_stay,
    coordinates_become_an_array_and_come_back,
)
_DERIVATIVES: tuple[Callable[[_Subject], None], ...] = (
    what_depends_on_a_leaf_is_attached,
    pulls_are_right_as_often_as_they_are_asked,
    what_no_path_leads_to_has_no_gradient,
    nothing_is_pulled_back_to_nothing,
    pulls_can_be_pulled_where_that_is_offered,
    pushes_are_right_where_they_are_offered,
    batches_are_right_where_they_are_offered,
    a_right_function_passes_and_its_inputs_stay,
    pulls_that_are_too_large_fail,
)
