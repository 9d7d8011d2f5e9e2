"""Nested containers: every leaf is found, and named as the user would write it."""

from __future__ import annotations

import functools
from collections import OrderedDict, defaultdict, namedtuple
from typing import NamedTuple

import pytest
import torch

import secant
from planted import planted, points
from secant._problem.trees import Arguments, call_name, flatten_output, function_name, output_paths


class Layer(NamedTuple):
    weight: torch.Tensor
    bias: torch.Tensor


Pair = namedtuple("Pair", "first second")


def paths(function, *inputs, **keywords):
    """Return the paths of the leaves of some arguments."""
    return Arguments(inputs, keywords).paths(function)


def test_paths_begin_with_the_name_of_the_parameter():
    assert paths(lambda x, scale: x, 1, 2) == ["x", "scale"]


def test_paths_follow_containers_as_the_user_writes_them():
    x = {"w": [0, 1, 2, Layer(3, 4)], "b": (5,)}
    assert paths(lambda x: x, x) == [
        'x["b"][0]',
        'x["w"][0]',
        'x["w"][1]',
        'x["w"][2]',
        'x["w"][3].weight',
        'x["w"][3].bias',
    ]


def test_keywords_are_named_by_their_own_names():
    assert paths(lambda x, **named: x, 1, scale=[2, 3]) == ["x", "scale[0]", "scale[1]"]


def test_variadic_parameters_are_counted():
    assert paths(lambda *x: x, 1, 2) == ["input0", "input1"]


def test_a_builtin_without_a_signature_gets_numbered_inputs():
    assert paths(torch.sin, 1) == ["input0"]


def test_parameters_of_partials_methods_and_objects_are_found():
    class Model:
        def __call__(self, weights, x):
            return x

        def method(self, x):
            return x

    assert paths(functools.partial(lambda a, x: x, 1), 1) == ["x"]
    assert paths(Model().method, 1) == ["x"]
    assert paths(Model(), 1, 2) == ["weights", "x"]


def test_a_rule_is_named_by_its_class_and_its_forward():
    class Cube(torch.autograd.Function):
        @staticmethod
        def forward(ctx, base, power):
            return base

    assert function_name(Cube.apply) == "Cube"
    assert call_name(Cube.apply) == "Cube.apply"
    assert paths(Cube.apply, 1, 2) == ["base", "power"]


def test_functions_are_called_what_the_user_calls_them():
    class Model:
        def __call__(self, x):
            return x

    assert function_name(torch.sin) == "sin"
    assert function_name(functools.partial(torch.sin)) == "sin"
    assert function_name(Model()) == "Model"
    assert function_name(lambda x: x) == "<lambda>"


def test_arguments_are_rebuilt_as_they_were():
    inputs = ({"a": 1, "b": [2, (3, None)]}, Pair(4, 5), OrderedDict(z=6, y=7))
    arguments = Arguments(inputs, {"k": 8})
    assert arguments.leaves == [1, 2, 3, 4, 5, 6, 7, 8]
    assert arguments.rebuild(arguments.leaves) == (inputs, {"k": 8})


def test_outputs_are_named_from_out():
    _, structure = flatten_output({"loss": 1, "parts": [2, Layer(3, 4)]})
    assert output_paths(structure) == [
        'out["loss"]',
        'out["parts"][0]',
        'out["parts"][1].weight',
        'out["parts"][1].bias',
    ]
    assert output_paths(flatten_output(1)[1]) == ["out"]


# -- through check -------------------------------------------------------------------------------


def places(report):
    """Return where the derivative findings are."""
    return [one.where for one in report.findings if one.kind == "derivative"]


@pytest.mark.parametrize(
    "container",
    [
        lambda a, b: {"a": a, "b": b},
        lambda a, b: [a, b],
        lambda a, b: (a, (b,)),
        lambda a, b: Layer(a, b),
        lambda a, b: OrderedDict(z=a, b=b),
        lambda a, b: defaultdict(list, a=a, b=b),
        lambda a, b: [{"deep": [a, {"er": b}]}],
    ],
    ids=["dict", "list", "tuple", "named tuple", "ordered", "default", "deep"],
)
def test_functions_of_containers_are_checked_leaf_by_leaf(container):
    def function(x):
        one, other = torch.utils._pytree.tree_leaves(x)
        return one.sin() * other.sum()

    report = secant.check(function, container(points(3), points(2, seed=1)))
    assert report
    assert len(places(report)) == 2


def test_a_wrong_leaf_is_named_by_its_path():
    def backward(saved, v):
        return v * saved[1], 2 * v * saved[0]

    product = planted("Product", torch.mul, backward)

    def function(x):
        return product(x["w"][3], x["b"].weight)

    inputs = {"w": [0, "word", None, points(2)], "b": Layer(points(2, seed=1), torch.arange(2))}
    report = secant.check(function, inputs)
    assert report.verdict is secant.Verdict.FAIL
    wrong = [one.where for one in report.findings if one.verdict is secant.Verdict.FAIL]
    assert wrong == ['∂out / ∂x["b"].weight']
    assert set(places(report)) == {'∂out / ∂x["b"].weight', '∂out / ∂x["w"][3]'}


def test_keyword_arguments_are_differentiated_too():
    def function(x, *, scale, power):
        return scale["s"] * x**power

    report = secant.check(
        function, points(3), kwargs={"scale": {"s": points(3, seed=1)}, "power": 3}
    )
    assert report
    assert places(report) == ["∂out / ∂x", '∂out / ∂scale["s"]']


def test_keyword_arguments_alone_are_enough():
    assert secant.check(lambda *, x: x.sin(), kwargs={"x": points(3)})


def test_only_marked_leaves_are_differentiated_where_some_are_marked():
    report = secant.check(torch.mul, points(3), points(3, seed=1).requires_grad_())
    assert places(report) == ["∂out / ∂input1"]


def test_every_inexact_leaf_is_differentiated_where_none_is_marked():
    report = secant.check(
        lambda a, b, n, m: a * b * n * m,
        points(3),
        points(3, dtype=torch.complex128),
        torch.arange(3),
        torch.tensor([True, False, True]),
    )
    assert report
    assert places(report) == ["∂out / ∂a", "∂out / ∂b"]
