"""A folder with a few files in it, as a user has them, and the command line run there."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from secant.cli import app

KERNELS = """
import torch


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return 2.1 * x * grad


class Crash(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * x

    @staticmethod
    def backward(ctx, grad):
        return helper(grad)


def helper(grad):
    raise KeyError("no such row")


class Net(torch.nn.Module):
    def __init__(self, width, hidden=3, bias=True, mode="tanh"):
        super().__init__()
        if mode not in ("tanh", "sin"):
            raise ValueError(f"no mode {mode}")
        self.linear = torch.nn.Linear(width, hidden, bias=bias)
        self.function = getattr(torch, mode)

    def forward(self, x, scale=1.0):
        return self.function(self.linear(x)) * scale


class Scaled:
    def __init__(self, factor=2.0):
        self.factor = factor

    def __call__(self, x):
        return x * self.factor


def product(x, y):
    return (x.sin() * y).sum()


def soft(x, *, dim):
    return x.softmax(dim)


def pick(x, index):
    return x[index]


def raising(x):
    return deeper(x)


def deeper(x):
    raise ValueError("too many rows")


def printing(x):
    print("a word of mine")
    return x.sin()


def stairs(x):
    return torch.where(x > 1.0, x + 1.0, x)


numbers = torch.ones(3)
"""

RULES = """
import jax
import jax.numpy as jnp


@jax.custom_vjp
def sine(x):
    return jnp.sin(x)


sine.defvjp(lambda x: (jnp.sin(x), x), lambda x, g: (0.6 * g * jnp.cos(x),))


def layer(x, w):
    return jnp.tanh(x @ w)
"""

FIT = """
import numpy as np


def energy(x):
    return np.sum(x * np.log(x))


def slope(x):
    return np.log(x) + 1


def wrong(x):
    return np.log(x)


width = 3
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A current folder of its own; what is imported from it is forgotten afterwards."""
    for name, text in (("kernels", KERNELS), ("rules", RULES), ("fit", FIT)):
        (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    path = list(sys.path)
    yield tmp_path
    assert sys.path == path
    for name, module in sys.modules.copy().items():
        # its own namespace: a lazy module's `__getattr__` would import what it stands for
        file = getattr(module, "__dict__", {}).get("__file__")
        if file and Path(file).is_relative_to(tmp_path.resolve()):
            del sys.modules[name]


@pytest.fixture
def run(folder):
    """Run a command in that folder; return its exit code, what it printed, and its complaints."""

    def call(*arguments, stdin=None):
        done = CliRunner().invoke(app, list(arguments), input=stdin)
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            raise done.exception
        return done.exit_code, done.stdout, done.stderr

    return call


@pytest.fixture
def refused(run):
    """Run a command that cannot be asked; return the one complaint."""

    def call(*arguments, **more):
        code, out, err = run(*arguments, **more)
        assert (code, out) == (2, "")
        assert err.startswith("secant: ")
        assert "Traceback" not in err
        return err.removeprefix("secant: ").removesuffix("\n")

    return call
