"""How derivatives written by hand are called, and what misfits are told."""

from __future__ import annotations

import functools
from typing import NamedTuple

import numpy as np
import pytest
import scipy.sparse as sparse
from scipy.sparse.linalg import LinearOperator

import secant
from secant import Verdict
from secant._backends.arrays.numpy import NumpyBackend

X = np.random.default_rng(0).normal(size=(3, 4))
Y = np.random.default_rng(1).normal(size=(4, 2))
Z = np.random.default_rng(2).normal(size=5) + 1j * np.random.default_rng(3).normal(size=5)


def passes(function, *inputs, **settings):
    report = secant.check(function, *inputs, **settings)
    assert report.verdict is Verdict.PASS, str(report)
    return report


def misfit(function, *inputs, **settings):
    """Return what is said about a derivative that does not fit."""
    report = secant.check(function, *inputs, **settings)
    assert report.verdict is Verdict.FAIL, str(report)
    assert isinstance(report.worst.raised, TypeError), str(report)
    return report.worst.message


def product(x, y):
    return x @ y


def product_pull(x, y, v):
    return v @ y.T, x.T @ v


# -- conventions ---------------------------------------------------------------------------------


def test_several_inputs_have_a_tuple_of_gradients():
    passes(product, X, Y, pull=product_pull)
    passes(product, X, Y, pull=lambda x, y, v: list(product_pull(x, y, v)))


def test_one_input_needs_no_tuple_and_may_have_one():
    passes(np.sin, X, pull=lambda x, v: np.cos(x) * v)
    passes(np.sin, X, pull=lambda x, v: (np.cos(x) * v,))


def test_a_push_gets_a_tangent_for_each_input():
    passes(product, X, Y, push=lambda x, y, u, w: u @ y + x @ w)


def test_inputs_that_are_not_differentiated_need_no_gradient_and_get_no_tangent():
    def power(x, n, name):
        return x**n if name == "power" else x

    passes(power, X, 3, "power", pull=lambda x, n, name, v: n * x ** (n - 1) * v)
    passes(power, X, 3, "power", pull=lambda x, n, name, v: (n * x ** (n - 1) * v, None, None))
    passes(power, X, 3, "power", push=lambda x, n, name, u: n * x ** (n - 1) * u)


def test_keyword_arguments_are_constants_that_are_passed_on():
    passes(product, X, kwargs={"y": Y}, pull=lambda x, v, y: v @ y.T)
    passes(product, X, kwargs={"y": Y}, push=lambda x, u, y: u @ y)
    report = secant.check(product, X, kwargs={"y": Y}, pull=lambda x, v, y: 2 * v @ y.T)
    assert "pull=pull, kwargs=kwargs, probe" in report.rerun


def test_containers_are_answered_in_containers():
    params = {"w": X, "b": [Y[:, 0].copy(), 3]}

    def model(params):
        return {"out": params["w"] @ params["b"][0], "steps": 7}

    def pull(params, v):
        assert v["steps"] is None
        return {"w": np.outer(v["out"], params["b"][0]), "b": [params["w"].T @ v["out"], None]}

    def push(params, u):
        assert u["b"][1] is None
        return {"out": u["w"] @ params["b"][0] + params["w"] @ u["b"][0], "steps": None}

    passes(model, params, pull=pull, push=push)


def test_an_input_that_is_a_tuple_is_answered_in_a_tuple():
    passes(lambda pair: pair[0] @ pair[1], (X, Y), pull=lambda pair, v: product_pull(*pair, v))


def test_several_outputs_have_cotangents_in_their_containers():
    def both(x):
        return np.sin(x), x.sum()

    passes(
        both,
        X,
        pull=lambda x, v: np.cos(x) * v[0] + v[1],
        push=lambda x, u: (np.cos(x) * u, u.sum()),
    )
    passes(
        both,
        X[0],
        jacobian=lambda x: (np.diag(np.cos(x)), np.ones_like(x)),
    )


def test_a_gradient_is_that_of_one_number_however_it_comes():
    for function in (lambda x: x @ x, lambda x: float(x @ x), lambda x: np.array([x @ x])):
        passes(function, X[0], gradient=lambda x: 2 * x)
    passes(lambda x: x @ x, X[0], gradient=lambda x: [2 * one for one in x])


def test_python_floats_are_differentiated_where_there_are_no_arrays():
    passes(lambda x: x**2, 0.5, gradient=lambda x: 2 * x)
    passes(lambda x, y: x * x * y, 0.5, 2.0, gradient=lambda x, y: (2 * x * y, x * x))
    passes(lambda x, y: x * x * y, 0.5, 2.0, gradient=lambda x, y: np.array([2 * x * y, x * x]))
    passes(lambda x, n: x * n, X, 2.0, pull=lambda x, n, v: n * v)  # beside one it is a constant


def test_numbers_in_containers_of_the_answer_are_arrays():
    class Answer(NamedTuple):
        loss: float
        parts: dict
        steps: int

    passes(
        lambda x: Answer(float(x @ x), {"sum": [float(x.sum())]}, 7),
        X[0],
        pull=lambda x, v: 2 * x * v.loss + v.parts["sum"][0],
    )


def test_a_list_of_numbers_is_a_vector_as_an_answer_and_refused_as_an_input():
    passes(
        lambda x: [x[0] ** 2, x[0] * x[1], 3],
        np.array([1.0, 2.0]),
        jacobian=lambda x: [[2 * x[0], 0], [x[1], x[0]], [0, 0]],
    )
    with pytest.raises(secant.InputError, match=r"input 0 is a list of Python numbers"):
        secant.check(lambda x: x[0], [1.0, 2.0], gradient=lambda x: [1.0, 0.0])


@pytest.mark.parametrize(
    "shape", [(3, 2, 3, 4), (6, 12)], ids=["output.shape + input.shape", "matrix"]
)
def test_a_jacobian_comes_in_either_shape(shape):
    whole = np.einsum("ik,lj->ijkl", np.eye(3), Y)
    passes(lambda x: x @ Y, X, jacobian=lambda x: whole.reshape(shape))
    passes(lambda x: x @ Y, X, jacobian=lambda x: sparse.coo_array(whole.reshape(6, 12)))


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "lil", "dok", "bsr", "dia"])
@pytest.mark.parametrize("make", [sparse.diags_array, sparse.diags], ids=["array", "matrix"])
def test_every_format_of_a_sparse_jacobian_is_read(form, make):
    passes(np.sin, X[0], jacobian=lambda x: make(np.cos(x)).asformat(form))


def test_a_linear_operator_is_a_jacobian():
    def operator(x, factor=1.0):
        return LinearOperator(
            (x.size, x.size), lambda u: np.cos(x) * u, lambda v: factor * np.cos(x) * v
        )

    passes(np.sin, X[0], jacobian=operator)
    passes(np.sin, np.linspace(0, 1, 50), jacobian=operator, modes="all")
    wrong = secant.check(np.sin, X[0], jacobian=lambda x: operator(x, 1.01))
    assert wrong.verdict is Verdict.FAIL
    bare = secant.check(
        np.sin, X[0], jacobian=lambda x: LinearOperator((4, 4), lambda u: np.cos(x) * u)
    )
    assert bare.worst.message.startswith("`jacobian` raised NotImplementedError")


def test_an_explicit_zero_in_the_pattern_is_no_error():
    def jacobian(x):
        i = np.arange(x.size)
        pairs = (np.r_[i, i[1:]], np.r_[i, i[:-1]])
        return sparse.csr_array((np.r_[np.cos(x), np.zeros(x.size - 1)], pairs))

    passes(np.sin, X[0], jacobian=jacobian)


def test_jacobians_of_several_inputs_are_a_tuple():
    passes(
        product,
        X,
        Y,
        jacobian=lambda x, y: (np.kron(np.eye(3), y.T), np.kron(x, np.eye(2))),
    )


def test_complex_jacobians_are_those_of_holomorphic_functions():
    passes(lambda z: z**2, Z, jacobian=lambda z: np.diag(2 * z))
    passes(lambda z: z**2, Z, jacobian=lambda z: sparse.diags_array(2 * z))
    passes(lambda x: np.exp(1j * x), Z.real, jacobian=lambda x: np.diag(1j * np.exp(1j * x)))
    wrong = secant.check(lambda z: z**2, Z, jacobian=lambda z: np.diag(2 * z.conj()))
    assert wrong.verdict is Verdict.FAIL


def test_a_framework_that_pairs_without_a_conjugate_is_taken_at_its_word(monkeypatch):
    pulls = {"plain": lambda z, v: 2 * z * v, "conjugated": lambda z, v: 2 * z.conj() * v}
    gradients = {"plain": lambda z: 2 * z.conj(), "conjugated": lambda z: 2 * z}
    for pairing in ("conjugated", "plain"):
        monkeypatch.setattr(NumpyBackend, "pairs_plainly", pairing == "plain")
        for name in ("plain", "conjugated"):
            square = secant.check(lambda z: z**2, Z, pull=pulls[name])
            loss = secant.check(lambda z: (abs(z) ** 2).sum(), Z, gradient=gradients[name])
            assert bool(square) == bool(loss) == (name == pairing)


def test_a_jacobian_is_asked_in_both_modes_on_request():
    report = passes(np.sin, X[0], jacobian=lambda x: np.diag(np.cos(x)), modes="all")
    assert "given Jacobian" in {one.subject for one in report.findings}


def test_all_derivatives_that_are_given_are_checked():
    report = secant.check(
        np.sin,
        X[0],
        pull=lambda x, v: np.cos(x) * v,
        push=lambda x, u: np.cos(x) * u,
        jacobian=lambda x: np.diag(np.cos(x)) * 1.01,
    )
    failed = {one.subject for one in report.findings if one.verdict is Verdict.FAIL}
    assert failed == {"given Jacobian"}


def test_pull_and_push_that_contradict_each_other_break_adjointness():
    report = secant.check(
        np.sin, X, pull=lambda x, v: np.cos(x) * v, push=lambda x, u: np.cos(x) * u * 1.01
    )
    assert "adjointness" in {one.kind for one in report.findings if one.verdict is Verdict.FAIL}


def test_a_whole_claim_of_few_columns_is_judged_entry_by_entry():
    few = passes(np.sin, X[0], jacobian=lambda x: np.diag(np.cos(x)))
    assert few.jacobian().claimed.shape == (4, 4)
    many = passes(np.sin, np.ones(40), jacobian=lambda x: np.diag(np.cos(x)))
    assert many.cost.evaluations < 10


def test_the_function_of_a_partial_and_its_derivative_are_named():
    scaled = functools.partial(lambda x, a: a * x, a=2.0)

    def slope(x, v):
        return 3.0 * v

    report = secant.check(scaled, X, pull=slope)
    assert report.rerun.endswith('pull=slope, probe="full", seed=1729)')


# -- misfits -------------------------------------------------------------------------------------


def test_a_wrong_number_of_gradients_names_the_inputs():
    assert misfit(product, X, Y, pull=lambda x, y, v: v @ y.T) == (
        "`pull` returned an array of numpy of shape (3, 4) for 2 inputs (x, y); expected a tuple "
        "of one gradient for each. What is constant goes into `kwargs`"
    )
    assert "a tuple of 3 for 2 inputs (x, y)" in misfit(
        product, X, Y, pull=lambda x, y, v: (v, v, v)
    )


def test_a_wrong_shape_names_the_leaf():
    assert misfit(product, X, Y, pull=lambda x, y, v: (x.T @ v, v @ y.T)) == (
        "`pull` returned an array of shape (4, 2) as the gradient of x, whose shape is (3, 4)"
    )
    assert misfit(np.sin, X, push=lambda x, u: u[0]) == (
        "`push` returned an array of shape (4,) as the tangent of out, whose shape is (3, 4)"
    )
    assert misfit(np.sin, X, jacobian=lambda x: np.cos(x)) == (
        "`jacobian` returned a matrix of shape (3, 4) as ∂out / ∂x; expected (3, 4, 3, 4) or "
        "(12, 12)"
    )
    assert misfit(np.sin, X, jacobian=lambda x: sparse.eye_array(11)) == (
        "`jacobian` returned a matrix of shape (11, 11) as ∂out / ∂x; expected (12, 12)"
    )


def test_complex_numbers_for_a_real_leaf_are_refused():
    assert misfit(np.sin, X, pull=lambda x, v: np.cos(x) * v + 0j) == (
        "`pull` returned complex numbers as the gradient of x, which is real: take the real part"
    )
    assert "whose output is real and whose input is complex: that takes two" in misfit(
        abs, Z, jacobian=lambda z: np.diag(z.conj() / abs(z))
    )


def test_what_is_no_array_is_named():
    assert misfit(np.sin, X, pull=lambda x, v: "gradient") == (
        "`pull` returned a str as the gradient of x; expected an array of numpy"
    )


def test_containers_of_another_kind_are_refused():
    assert "expected containers like its own" in misfit(
        lambda p: p["w"].sum(), {"w": X}, gradient=lambda p: [np.ones_like(p["w"])]
    )
    assert "expected tangents in containers like those that the function returns, (*, *)" in misfit(
        lambda x: (x, x), X, push=lambda x, u: u
    )


def test_misfits_are_told_in_single_precision_too():
    assert "shape (4,)" in misfit(np.sin, X.astype(np.float32), pull=lambda x, v: v[0])


def test_a_derivative_that_raises_is_wrong():
    report = secant.check(np.sin, X, pull=lambda x, v: 1 / 0)
    assert report.worst.message == "`pull` raised ZeroDivisionError: division by zero"
    assert isinstance(report.worst.raised, ZeroDivisionError)


@pytest.mark.parametrize(
    ("function", "keyword", "derivative", "calls"),
    [
        (np.sin, "pull", lambda x, v: np.cos(x) * v, (2, 3)),
        (np.sin, "push", lambda x, u: np.cos(x) * u, (2, 3, 4)),
        (lambda x: np.sin(x).sum(), "gradient", np.cos, (2,)),
        (np.sin, "jacobian", lambda x: np.diag(np.cos(x)), (2,)),
    ],
    ids=["pull", "push", "gradient", "jacobian"],
)
def test_a_derivative_that_raises_when_it_is_asked_again_is_wrong(
    function, keyword, derivative, calls
):
    for call in calls:
        left = iter([True] * (call - 1) + [False])

        def used_up(*given, left=left):
            if not next(left, True):
                raise LookupError("nothing is left")
            return derivative(*given)

        report = secant.check(function, X[0], **{keyword: used_up})
        assert report.verdict is Verdict.FAIL, (call, str(report))
        assert f"`{keyword}` raised LookupError: nothing is left" in str(report)


def test_more_digits_than_needed_are_noted_and_fewer_break_the_signature():
    low = X.astype(np.float32)
    report = passes(np.sin, low, pull=lambda x, v: np.cos(x, dtype=np.float64) * v)
    assert "the gradient of x came as float64, not float32" in str(report)
    report = passes(np.sum, X, gradient=lambda x: np.ones(x.shape, int))
    assert "the gradient of a came as int64, not float64" in str(report)


def test_the_dtype_of_a_gradient_is_not_noted_where_the_function_computes_in_float32():
    def kernel(x):
        return np.sin(x.astype(np.float32)).astype(np.float64)

    x = np.linspace(0.3, 1.2, 9)
    report = secant.check(kernel, x, pull=lambda x, v: v * np.cos(x))
    assert report
    assert "came as" not in str(report)
    report = secant.check(np.sin, X[0], jacobian=lambda x: np.diag(np.cos(x)).astype("f4"))
    assert {one.kind for one in report.findings if one.verdict is Verdict.FAIL} == {"signature"}


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"pull": 3}, "expected `pull` to be a function of the same inputs; got 3"),
        ({"pull": np.cos, "order": 2}, "expected `order` to be 1 with derivatives written by hand"),
        (
            {"pull": np.cos, "modes": "forward"},
            "expected `push` or `jacobian` for modes='forward'; got pull",
        ),
        (
            {"push": np.cos, "modes": "all"},
            "expected `pull`, `jacobian` or `gradient` for modes='all'; got push",
        ),
        ({"gradient": np.cos}, "expected a function of one real number for `gradient`; `sin`"),
    ],
)
def test_settings_that_do_not_fit_the_derivatives_are_refused(settings, message):
    with pytest.raises(secant.InputError) as caught:
        secant.check(np.sin, X, **settings)
    assert str(caught.value).startswith(message)


def test_functions_without_any_derivative_are_told_what_to_pass():
    with pytest.raises(secant.InputError) as caught:
        secant.check(np.linalg.qr, X)
    for word in ("`qr`", "`gradient`", "`jacobian`", "`pull`", "`push`"):
        assert word in str(caught.value)
