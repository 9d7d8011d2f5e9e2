"""JAX's functions over a mesh of devices are one function: right, wrong, and compiled once."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

SOURCES = Path(__file__).parents[3] / "src"
PROGRAM = """
import json
import jax, jax.numpy as jnp, numpy as np, secant
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

jax.config.update("jax_enable_x64", True)
devices = np.array(jax.devices())
mesh, elsewhere = Mesh(devices, ("i",)), Mesh(devices[2:], ("i",))
calls = 0


def row(reduce, mesh, **settings):
    def product(x, w):
        global calls
        calls += 1
        return jnp.tanh(reduce(x @ w))

    specs = dict(in_specs=(P(None, "i"), P("i", None)), out_specs=P())
    return jax.shard_map(product, mesh=mesh, **specs, **settings)


def placed(mesh):
    x, w = jnp.arange(12.0).reshape(3, 4) / 7 + 0.1, jnp.arange(16.0).reshape(4, 4) / 30
    columns, rows = NamedSharding(mesh, P(None, "i")), NamedSharding(mesh, P("i", None))
    return jax.device_put(x, columns), jax.device_put(w, rows)


def total(x):
    return jax.lax.psum(x, "i")


not_summed = jax.custom_vjp(total)
not_summed.defvjp(lambda x: (total(x), None), lambda _, cotangent: (cotangent,))


def step(x):
    return jax.lax.ppermute(x, "i", [(k, (k + 1) % 4) for k in range(4)])


not_back = jax.custom_vjp(step)
not_back.defvjp(lambda x: (step(x), None), lambda _, cotangent: (cotangent,))
shifted = jax.shard_map(
    lambda x: jnp.sin(not_back(x)), mesh=mesh, in_specs=P(None, "i"), out_specs=P(None, "i")
)


averaged = jax.custom_vjp(lambda x: x)
averaged.defvjp(lambda x: (x, None), lambda _, cotangent: (cotangent / 4,))


def partitioned(enter):  # pjit: the compiler lays the collectives, by shardings
    columns, rows = NamedSharding(mesh, P(None, "i")), NamedSharding(mesh, P("i", None))
    settings = dict(in_shardings=(columns, rows), out_shardings=NamedSharding(mesh, P()))
    return jax.jit(lambda x, w: jnp.tanh(enter(x) @ w), **settings)


def told(function, *inputs, **settings):
    global calls
    calls = 0
    report = secant.check(function, *inputs, **settings)
    causes = [one.cause for one in report.findings if one.cause]
    return {"verdict": report.verdict.name, "causes": causes, "calls": calls}


print(json.dumps({
    "full": told(row(total, mesh), *placed(mesh), probe="full", modes="all"),
    "elsewhere": told(row(total, elsewhere), *placed(elsewhere), probe="full"),
    "not summed": told(row(not_summed, mesh, check_vma=False), *placed(mesh)),
    "not handed back": told(shifted, placed(mesh)[0]),
    "partitioned": told(partitioned(lambda x: x), *placed(mesh)),
    "partitioned, averaged": told(partitioned(averaged), *placed(mesh)),
}))
"""


@pytest.fixture(scope="module")
def told():
    pytest.importorskip("jax")
    environment = os.environ | {
        "XLA_FLAGS": "--xla_force_host_platform_device_count=4",
        "JAX_PLATFORMS": "cpu",
        "PYTHONPATH": str(SOURCES),
    }
    ended = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True
    )
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout.splitlines()[-1])


@pytest.mark.parametrize("name", ["full", "elsewhere", "partitioned"])
def test_a_function_over_a_mesh_passes_and_stays_compiled(told, name):
    assert told[name]["verdict"] == "PASS"
    assert told[name]["calls"] <= 8  # traces; called as it is, it would be hundreds


@pytest.mark.parametrize(
    ("name", "cause"),
    [
        ("not summed", "(4 is the size of the mesh of devices: a mean for a sum, or the reverse)"),
        ("not handed back", "shifted along dimension 1"),
        ("partitioned, averaged", "4 is the size of the mesh of devices"),
    ],
)
def test_a_wrong_collective_in_a_rule_is_named(told, name, cause):
    assert told[name]["verdict"] == "FAIL"
    assert all(cause in one for one in told[name]["causes"])
    assert told[name]["causes"]
