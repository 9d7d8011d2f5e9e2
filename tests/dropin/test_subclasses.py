"""Tensor subclasses stay what they are in every call; a change of dtype inside is no mistake."""

from __future__ import annotations

import pytest
import torch

from dropin.promises import BOTH, FORWARD, FORWARD_OVER_REVERSE, failure, leaf, opening
from planted import points, scaled_sine
from secant.torch import gradcheck, gradgradcheck


class Marked(torch.Tensor):
    """A subclass with nothing of its own."""


class Watching(torch.Tensor):
    """A subclass that writes down what is done with it."""

    seen: list[str] = []  # noqa: RUF012 shared by all of them on purpose

    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        cls.seen.append(getattr(function, "__name__", str(function)))
        return super().__torch_function__(function, types, args, kwargs or {})


SUBCLASSES = pytest.mark.parametrize("subclass", [Marked, Watching])
FIRST_ORDER = pytest.mark.parametrize(
    "mode", [{}, FORWARD, {"check_forward_ad": True}], ids=["reverse", "forward", "both"]
)


def of(subclass, *shape, seed=0):
    return points(*shape, seed=seed).as_subclass(subclass).requires_grad_()


def sine_of(subclass, wrong=None):
    """Return sin that wants its own type in every call."""

    def function(x):
        assert type(x) is subclass
        return x.sin() if wrong is None else scaled_sine(wrong)(x)

    return function


@BOTH
@SUBCLASSES
@FIRST_ORDER
def test_a_function_sees_its_own_type_in_every_call(subclass, mode, fast_mode):
    assert gradcheck(sine_of(subclass), of(subclass, 4), fast_mode=fast_mode, **mode)


@BOTH
@SUBCLASSES
@FIRST_ORDER
def test_a_wrong_derivative_of_a_subclass_fails(subclass, mode, fast_mode):
    function = sine_of(subclass, 1.05)
    error = failure(function, of(subclass, 4), fast_mode=fast_mode, **mode)
    assert "mismatch for output 0 with respect to input 0" in opening(error)


@BOTH
@SUBCLASSES
@pytest.mark.parametrize(
    "mode",
    [{}, {"check_fwd_over_rev": True}, FORWARD_OVER_REVERSE],
    ids=["reverse over reverse", "both", "forward over reverse"],
)
def test_the_second_order_sees_its_own_type_too(subclass, mode, fast_mode):
    assert gradgradcheck(sine_of(subclass), of(subclass, 4), fast_mode=fast_mode, **mode)


@BOTH
@FIRST_ORDER
def test_the_subclass_is_asked_about_its_operations(mode, fast_mode):
    Watching.seen.clear()
    assert gradcheck(torch.sin, of(Watching, 4), fast_mode=fast_mode, **mode)
    assert Watching.seen.count("sin") >= 3


@BOTH
@SUBCLASSES
def test_a_subclass_beside_a_plain_tensor_stays_apart(subclass, fast_mode):
    def product(x, y, constant):
        assert (type(x), type(y), type(constant)) == (subclass, torch.Tensor, subclass)
        return x * y * constant

    constant = points(3, seed=2).as_subclass(subclass)
    inputs = (of(subclass, 3), leaf(3, seed=1), constant)
    assert gradcheck(product, inputs, fast_mode=fast_mode, check_forward_ad=True)


@BOTH
@SUBCLASSES
def test_a_function_may_return_its_subclass_or_a_plain_tensor(subclass, fast_mode):
    plain = lambda x: x.as_subclass(torch.Tensor).sin()  # noqa: E731
    assert gradcheck(plain, of(subclass, 4), fast_mode=fast_mode)
    made = lambda x: x.sin().as_subclass(subclass)  # noqa: E731
    assert gradcheck(made, leaf(4), fast_mode=fast_mode)


@BOTH
def test_parameters_are_inputs_like_others(fast_mode):
    def function(x, weight):
        return x @ weight

    weight = torch.nn.Parameter(points(3, 2))
    flags = {"fast_mode": fast_mode, "check_forward_ad": True}
    assert gradcheck(function, (leaf(4, 3), weight), **flags)
    assert type(weight) is torch.nn.Parameter
    assert weight.grad is None


CASTS = {
    "float": lambda x: x.float().sin(),
    "float and back": lambda x: x.float().sin().double(),
    "half": lambda x: x.half().sin(),
    "bfloat16 sum": lambda x: x.bfloat16().sum(),
    "complex": lambda x: torch.exp(1j * x.to(torch.complex64)).real.double(),
}


@BOTH
@FIRST_ORDER
@pytest.mark.parametrize("cast", CASTS)
@pytest.mark.filterwarnings("ignore::secant.Undecided")
def test_a_change_of_dtype_inside_neither_crashes_nor_fails(cast, mode, fast_mode):
    assert gradcheck(CASTS[cast], leaf(5), fast_mode=fast_mode, **mode)


@BOTH
@pytest.mark.parametrize("mode", [{}, FORWARD], ids=["reverse", "forward"])
def test_single_precision_inside_can_be_told(mode, fast_mode):
    """No warning: the step is chosen long enough. And a wrong one is caught."""
    assert gradcheck(CASTS["float and back"], leaf(5), fast_mode=fast_mode, **mode)
    wrong = lambda x: scaled_sine(1.1)(x.float()).double()  # noqa: E731
    failure(wrong, leaf(5), fast_mode=fast_mode, **mode)


@BOTH
@pytest.mark.filterwarnings("ignore::secant.Undecided")
def test_gradgradcheck_neither_crashes_nor_fails_on_a_change_of_dtype(fast_mode):
    assert gradgradcheck(CASTS["float and back"], leaf(4), fast_mode=fast_mode)
