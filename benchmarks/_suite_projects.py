"""Projects whose source distributions come with tests that check gradients, and what they need.

Versions are pinned, so that a table can be made again; nothing of theirs is kept here.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["PROJECTS", "Project"]


@dataclass(frozen=True)
class Project:
    """A source distribution, the files of tests to run, and what is installed beside it."""

    name: str
    version: str
    framework: str
    tests: tuple[str, ...]
    needs: tuple[str, ...] = ()
    only: str = ""  # an expression for pytest's -k

    @property
    def requirement(self) -> str:
        """As pip wants it."""
        return f"{self.name}=={self.version}"


PROJECTS = (
    Project(
        "entmax",
        "1.0",
        "torch",
        ("entmax/test_losses.py", "entmax/test_root_finding.py", "entmax/test_topk.py"),
    ),
    Project("sparsemax", "0.1.9", "torch", ("tests/test_sparsemax.py",)),
    Project(
        "gpytorch",
        "1.15.2",
        "torch",
        ("test/functions/test_matern_covariance.py", "test/functions/test_rbf_covariance.py"),
        needs=("linear_operator==0.6.1", "scikit-learn", "joblib", "threadpoolctl", "jaxtyping"),
    ),
    Project(
        "e3nn",
        "0.6.0",
        "torch",
        ("tests/math/soft_unit_step_test.py", "tests/o3/cartesian_spherical_harmonics_test.py"),
        needs=("opt_einsum_fx",),
    ),
    Project(
        "torch_interpol",
        "0.3.0",
        "torch",
        ("interpol/tests/test_gradcheck_pushpull.py",),
        only="1-device0",  # one dimension, one thread: the others are the same and take hours
    ),
    Project(
        "xitorch",
        "0.5.1",
        "torch",
        (
            "xitorch/_tests/test_interp.py",
            "xitorch/_tests/test_jac.py",
            "xitorch/_tests/test_integrate.py",
            "xitorch/_tests/test_optimize.py",
            "xitorch/_tests/test_linop_fcns.py",
        ),
    ),
    Project(
        "torch_harmonics",
        "0.8.0",
        "torch",
        ("tests/test_sht.py",),
        needs=("parameterized",),
        only="grads_0",  # one in four
    ),
    Project(
        "distrax",
        "0.1.9",
        "jax",
        ("distrax/_src/distributions/von_mises_test.py",),
        needs=("chex", "tfp-nightly", "tf_keras", "dm-tree", "decorator", "gast", "six"),
        only="gradient",
    ),
    Project("optax", "0.2.8", "jax", ("optax/losses/_classification_test.py",)),
    Project("tinygp", "0.3.1", "jax", ("tests/test_kernels/test_distance.py",)),
    Project(
        "e3nn_jax",
        "0.21.0",
        "jax",
        ("tests/_src/spherical_harmonics/sh_test.py", "tests/_src/utils/einsum_test.py"),
    ),
    Project(
        "numpyro",
        "0.22.0",
        "jax",
        ("test/test_distributions_util.py",),
        needs=("multipledispatch", "tqdm"),
    ),
)
