"""Projects whose tests check gradients, and what they need.

Most tests come with the source distribution; others are had from the repository. Versions and
commits are pinned, so that a table can be made again; nothing of theirs is kept here.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["PROJECTS", "Project"]


@dataclass(frozen=True)
class Project:
    """A project's sources, the files of tests to run, and what is installed beside it."""

    name: str
    version: str
    framework: str
    tests: tuple[str, ...]
    needs: tuple[str, ...] = ()
    only: str = ""  # an expression for pytest's -k
    repository: str = ""  # where tests are that no source distribution has
    commit: str = ""
    top: str = ""  # the folder from which pytest looks for packages

    @property
    def requirement(self) -> str:
        """As pip wants it."""
        return f"{self.name}=={self.version}"


_KORNIA = ("geometry", "contrib", "enhance", "losses", "filters", "color", "metrics", "morphology")

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
    Project("roma", "1.8.0", "torch", ("test/test_mappings.py", "test/test_utils.py"), top="test"),
    Project(
        "kornia",
        "0.9.0",
        "torch",
        tuple(f"tests/{folder}" for folder in _KORNIA),
        needs=("kornia_rs",),
        repository="https://github.com/kornia/kornia",
        commit="b4f5a78a13891c7ac4c1cd9695941380273e981d",
    ),
    Project(
        "torchdiffeq",
        "0.2.5",
        "torch",
        ("tests/gradient_tests.py",),
        repository="https://github.com/rtqichen/torchdiffeq",
        commit="657943acefa826ef04c025ebeb1ff5e9d60dc268",
    ),
    Project(
        "dxtb",
        "0.4.0",
        "torch",
        ("test/test_utils/test_eigh.py", "test/test_classical"),
        needs=(
            "h5py",
            "pydantic",
            "tad-dftd3==0.6.0",
            "tad-dftd4==0.8.0",
            "tad-mctc==0.7.0",
            "tad-multicharge==0.5.0",
            "tomli",
            "tomli-w",
        ),
        repository="https://github.com/grimme-lab/dxtb",
        commit="b529b5ddb75c0554274955082a189f9f88437cb2",
    ),
    Project(
        "jax",
        "0.10.2",
        "jax",
        ("tests/nn_test.py", "tests/custom_root_test.py", "tests/custom_linear_solve_test.py"),
        repository="https://github.com/jax-ml/jax",
        commit="310278eb46722c5678114d275b222d42f3cc9b71",
    ),
    Project(
        "jaxopt",
        "0.8.5",
        "jax",
        ("tests/anderson_test.py", "tests/broyden_test.py"),
        repository="https://github.com/google/jaxopt",
        commit="2de13bf01fd29e22862236a0d869f2b14e1629d4",
    ),
    Project(
        "jaxoplanet",
        "0.2.0",
        "jax",
        ("tests/core/kepler_test.py", "tests/core/limb_dark_test.py"),
    ),
    Project("optax", "0.2.8", "jax", ("optax/losses/_classification_test.py",)),
    Project(
        "s2fft",
        "1.5.0",
        "jax",
        ("tests/test_spherical_custom_grads.py", "tests/test_wigner_custom_grads.py"),
        only="not c_backend and (mw-0 or mw-1 or True-2-2)",  # one sampling of four, no extension
    ),
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
