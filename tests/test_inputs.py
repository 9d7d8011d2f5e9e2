"""What bad input gets: one clear error, and nothing changed."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import secant
from planted import points
from secant._backends.arrays.numpy import NumpyBackend

PROBES = ("fast", "full")


def refusal(function, *inputs, error=secant.InputError, **settings):
    """Return the message with which a check is refused."""
    with pytest.raises(error) as caught:
        secant.check(function, *inputs, **settings)
    assert type(caught.value) is error
    return str(caught.value)


# -- inputs --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "leaf", [torch.arange(3), torch.tensor([True, False]), torch.tensor(3)], ids=str
)
def test_inputs_without_a_differentiable_leaf_are_refused(leaf):
    assert refusal(lambda x: x * 1.0, leaf) == (
        "expected at least one floating or complex array among the inputs; got none, "
        "so there is nothing to differentiate"
    )


@pytest.mark.parametrize("inputs", [(), (3.0,), ("word",), ([],), (None,)], ids=str)
def test_inputs_without_any_array_are_refused(inputs):
    message = refusal(lambda *x: torch.ones(3), *inputs)
    assert message == (
        "expected the inputs to hold at least one array of a framework that secant knows "
        "(torch, jax, tinygrad, numpy, array_api); got none. Pass numbers as an array, "
        "as np.array([...])"
    )


def test_something_that_is_not_a_function_is_refused():
    assert refusal(3, points(2)) == "expected a function to check; got int"


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16, torch.complex128])
def test_a_point_with_nan_is_refused_with_its_path(dtype):
    x = points(3, dtype=dtype)
    x[1] = float("nan")
    x[2] = float("inf")
    message = refusal(lambda a: a["w"][0] * 2, {"w": [x]}, error=secant.NotFinite)
    assert message == 'expected the point itself to be finite; got NaN or inf in a["w"][0]'


def test_a_leaf_that_is_not_differentiated_may_hold_nan():
    mask = torch.tensor([1.0, float("nan"), 2.0], dtype=torch.float64)
    x = points(3).requires_grad_()
    assert secant.check(lambda x, mask: torch.where(mask.isnan(), x * x, x), x, mask)


def test_the_same_tensor_beside_a_differentiated_one_is_allowed():
    constant = points(3)
    x = points(3, seed=1).requires_grad_()
    assert secant.check(lambda x, a, b: x * a + b, x, constant, constant)


def test_a_layout_without_a_space_is_refused_with_its_path():
    parts = [torch.ones(2, dtype=torch.float64), torch.ones(3, dtype=torch.float64)]
    ragged = torch.nested.nested_tensor(parts, layout=torch.jagged)
    message = refusal(lambda s: s.sin(), ragged)
    assert message.startswith("expected arrays that can be measured; s is a nested tensor")


def test_a_sparse_leaf_with_more_entries_than_fit_is_refused_unless_masked():
    x = torch.sparse_coo_tensor([[3], [5]], [2.0], (10**5, 10**5), check_invariants=True).double()
    assert refusal(lambda s: s * 2, x) == (
        "s has 10,000,000,000 entries, stored or not, and masked=False asks about all of them: "
        "check a smaller one, or the stored entries alone with masked=True"
    )
    assert secant.check(lambda s: s * 2, x, masked=True)


def test_broken_indices_are_refused_with_the_path_of_the_leaf():
    x = torch.sparse_coo_tensor([[7], [5]], [2.0], (3, 6), check_invariants=False).double()
    message = refusal(lambda s: s * 2, x)
    assert message.startswith("expected a valid torch.sparse_coo array; s is not: ")
    assert "size is inconsistent with indices" in message


@pytest.mark.parametrize("layout", ["to_sparse", "to_sparse_csr"])
def test_a_sparse_constant_beside_a_dense_leaf_is_no_obstacle(layout):
    matrix = getattr(torch.eye(3, dtype=torch.float64), layout)()
    x = points(3, 2).requires_grad_()
    assert secant.check(lambda x, matrix: (matrix @ x).sin(), x, matrix)


# -- outputs -------------------------------------------------------------------------------------


@pytest.mark.parametrize("probe", PROBES)
def test_an_output_of_none_is_refused(probe):
    def silent(x):
        return None

    message = refusal(silent, points(3), probe=probe)
    assert message == "expected `silent` to return at least one array; it returned None"


def test_an_empty_container_is_not_called_none():
    def empty(x):
        return ()

    message = refusal(empty, points(3), error=secant.NothingReturned)
    assert message == "expected `empty` to return at least one array; it returned ()"


def test_an_output_that_is_a_plain_number_is_refused():
    def number(x):
        return x.detach().sum().item()

    message = refusal(number, points(3))
    assert message == "expected `number` to return at least one array; it returned float"


@pytest.mark.parametrize(
    ("output", "path", "word"),
    [("yes", "out", "'yes'"), (b"yes", "out", "b'yes'"), ((torch.ones(2), "no"), "out[1]", "'no'")],
)
def test_an_output_of_strings_is_refused_with_its_path(output, path, word):
    message = refusal(lambda x: output, points(3))
    assert message == f"expected the outputs to be arrays; {path} is {word}"


@pytest.mark.parametrize(
    ("function", "x"), [(torch.log, [1.0, -1.0]), (torch.log, [1.0, 0.0]), (torch.sqrt, [-1.0])]
)
def test_an_output_that_is_not_finite_at_the_point_is_refused(function, x):
    message = refusal(function, torch.tensor(x, dtype=torch.float64), error=secant.NotFinite)
    name = function.__name__
    assert message == f"expected `{name}` to be finite at the point itself; got NaN or inf in out"


# -- functions that raise ------------------------------------------------------------------------


class Unlucky(Exception):
    """The user's own exception."""


@pytest.mark.parametrize("probe", PROBES)
def test_a_function_that_raises_at_the_point_is_chained(probe):
    def unlucky(x):
        raise Unlucky("not today")

    with pytest.raises(secant.FunctionRaised) as caught:
        secant.check(unlucky, points(3), probe=probe)
    assert str(caught.value) == "`unlucky` raised Unlucky: not today"
    assert type(caught.value.__cause__) is Unlucky


@pytest.mark.parametrize("probe", PROBES)
@pytest.mark.parametrize("modes", ["reverse", "forward"])
def test_a_function_that_raises_only_when_perturbed_names_leaf_step_and_seed(probe, modes):
    x = points(3)

    def rigid(weight):
        if not torch.equal(weight.detach(), x):
            raise Unlucky("moved")
        return weight * 2

    with pytest.raises(secant.FunctionRaised, match="`rigid` raised Unlucky: moved") as caught:
        secant.check(rigid, x, probe=probe, modes=modes, seed=42)
    assert isinstance(caught.value, secant.EvaluationError)
    assert type(caught.value.__cause__) is Unlucky
    assert "when weight was moved by " in str(caught.value)
    assert "step" in str(caught.value)
    assert "seed 42" in str(caught.value)


@pytest.mark.parametrize("probe", PROBES)
def test_a_function_that_raises_only_far_away_is_measured_with_shorter_steps(probe):
    x = points(4)

    def walled(y):
        if (y.detach() - x).abs().max() > 1e-7:
            raise Unlucky("outside")
        return y.sin()

    assert secant.check(walled, x, probe=probe)


@pytest.mark.parametrize("probe", PROBES)
def test_a_function_that_raises_on_one_side_is_measured_on_the_other(probe):
    def guarded(y):
        if (y.detach() < 0).any():
            raise Unlucky("negative")
        return (y + 1).log()

    assert secant.check(guarded, torch.zeros(4, dtype=torch.float64), probe=probe)


# -- functions that change their mind --------------------------------------------------------------


def fickle(first, later, calls=1):
    """Return a function that answers `first(x)` for some calls and `later(x)` after them."""
    count = 0

    def fickle(x):
        nonlocal count
        count += 1
        return first(x) if count <= calls else later(x)

    return fickle


CHANGES = {
    "shape": (lambda x: x * 2, lambda x: x[:2] * 2),
    "rank": (lambda x: x * 2, lambda x: (x * 2)[None]),
    "dtype": (lambda x: x * 2, lambda x: (x * 2).float()),
    "number": (lambda x: (x * 2, x), lambda x: (x * 2, x, x)),
    "structure": (lambda x: (x * 2,), lambda x: {"a": x * 2}),
    "order of keys": (lambda x: {"a": x * 2}, lambda x: {"b": x * 2}),
    "to None": (lambda x: x * 2, lambda x: None),
    "to a string": (lambda x: x * 2, lambda x: "two"),
    "to a number": (lambda x: (x * 2, x), lambda x: (x * 2, 1.0)),
}


@pytest.mark.parametrize("probe", PROBES)
@pytest.mark.parametrize("calls", [1, 3])
@pytest.mark.parametrize("change", CHANGES)
def test_an_output_that_changes_between_calls_is_an_error(change, calls, probe):
    function = fickle(*CHANGES[change], calls=calls)
    with pytest.raises(secant.EvaluationError, match=r"^`fickle` "):
        secant.check(function, points(6), probe=probe)


def test_a_change_of_structure_is_said_without_the_words_of_a_library():
    message = refusal(
        fickle(*CHANGES["number"]), points(3), error=secant.EvaluationError, probe="fast"
    )
    assert message == (
        "`fickle` changed the structure of its output between calls: first (*, *), then (*, *, *)"
    )


def test_a_change_of_shape_says_from_what_to_what():
    message = refusal(
        fickle(*CHANGES["shape"]), points(3), error=secant.OutputChanged, probe="fast"
    )
    assert message == (
        "`fickle` changed the shape of out between calls: first [3] torch.float64 on cpu, "
        "then [2] torch.float64 on cpu"
    )


def test_a_change_of_dtype_says_from_what_to_what():
    message = refusal(
        fickle(*CHANGES["dtype"]), points(3), error=secant.OutputChanged, probe="fast"
    )
    assert message == (
        "`fickle` changed the dtype of out between calls: first [3] torch.float64 on cpu, "
        "then [3] torch.float32 on cpu"
    )


def test_arrays_that_record_nothing_need_a_derivative(monkeypatch):
    monkeypatch.setattr(NumpyBackend, "transforms", lambda self: None)  # autograd may be imported
    message = refusal(lambda x: x, np.ones(3))
    assert message.startswith("expected a derivative of `<lambda>`: its arrays record none; pass ")
