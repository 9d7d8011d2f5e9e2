"""The toy framework as secant sees it: what its arrays are, and how it differentiates."""

from __future__ import annotations

import tinyad
from secant.extend import Backend
from tinyad import Variable


class TinyBackend(Backend):
    name = "tinyad"

    def is_array(self, value):
        return isinstance(value, Variable)

    def numbers(self, array):
        return array.numbers

    def from_numbers(self, numbers, reference):
        return Variable(numbers)

    def leaf(self, array):
        return tinyad.leaf(array.numbers)

    def is_attached(self, array):
        return array.is_traced

    def pull(self, outputs, inputs, cotangents, *, differentiable=False):
        return tinyad.pull(outputs, inputs, cotangents, differentiable=differentiable)

    # -- what it may leave out ---------------------------------------------------------------------

    push = Backend.push_by_pulls

    def wants_gradient(self, array):
        return array.is_leaf
