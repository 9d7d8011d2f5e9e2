"""The small language of inputs: what is drawn, and every complaint."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import secant
from secant._commands.question.frameworks import framework_of, start
from secant._commands.question.inputs import make
from secant._commands.question.specs import parse

FORM = "expected an input as 3x4, 3x4:float32, 3x4:0.1..2, [1.0, 2.0], data.npz:name or (LITERAL); "


def one(text, dtype="float64", seed=0):
    """Return the tensor that an input's text stands for."""
    inputs = make([parse(text)], start("torch"), dtype, None, seed)
    return (*inputs.positional, *inputs.named.values())[0]


@pytest.mark.parametrize(
    ("text", "shape", "dtype"),
    [
        ("3x4", (3, 4), torch.float64),
        ("8", (8,), torch.float64),
        ("scalar", (), torch.float64),
        (":float32", (), torch.float32),
        ("2X0x3", (2, 0, 3), torch.float64),
        ("3:bfloat16", (3,), torch.bfloat16),
        ("3:complex64", (3,), torch.complex64),
        ("3:uniform(-1,1):float16", (3,), torch.float16),
        ("3:int32:0..9", (3,), torch.int32),
        ("3:randint(10)", (3,), torch.int64),
        ("3:uint8:zeros", (3,), torch.uint8),
        ("3:bool", (3,), torch.bool),
        ("[1.0, 2.0]", (2,), torch.float64),
        ("[[1, 2], [3, 4]]:float32", (2, 2), torch.float32),
        ("[True, False]", (2,), torch.bool),
        ("[1j, 2]", (2,), torch.complex128),
        ("0.5", (), torch.float64),
        ("-1e-3:float32", (), torch.float32),
    ],
)
def test_a_text_gives_a_shape_and_a_dtype(text, shape, dtype):
    tensor = one(text)
    assert (tuple(tensor.shape), tensor.dtype) == (shape, dtype)


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("1000:0.5..2", 0.5, 2.0),
        ("1000:-3..-1e-1", -3.0, -0.1),
        ("1000:uniform", 0.0, 1.0),
        ("1000:uniform(4)", 0.0, 4.0),
        ("1000:uniform(-1,1)", -1.0, 1.0),
        ("1000:int64:3..5", 3, 5),
        ("1000:int64:randint(3,6)", 3, 5),
        ("1000:float32:randint(3,6)", 3, 5),
        ("1000:randint(4)", 0, 3),
    ],
)
def test_values_lie_in_their_range_and_fill_it(text, low, high):
    tensor = one(text)
    width = high - low
    assert low <= tensor.min() <= low + 0.05 * width
    assert high - 0.05 * width <= tensor.max() <= high


def test_a_normal_distribution_has_its_mean_and_spread():
    tensor = one("40000:normal(5,0.1)")
    assert tensor.mean().item() == pytest.approx(5.0, abs=0.003)
    assert tensor.std().item() == pytest.approx(0.1, rel=0.03)
    assert one("40000").std().item() == pytest.approx(1.0, rel=0.03)
    assert one("40000:normal(5)").std().item() == pytest.approx(1.0, rel=0.03)
    assert one("40000:complex128").imag.std().item() == pytest.approx(1.0, rel=0.03)


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_spd_is_symmetric_and_positive_definite(dtype):
    matrices = one(f"5x4x4:spd:{dtype}")
    assert torch.equal(matrices, matrices.mH)
    assert torch.linalg.eigvalsh(matrices).min() >= 0.99


def test_zeros_and_ones_are_what_they_say():
    assert one("3:zeros").tolist() == [0.0, 0.0, 0.0]
    assert one("2:complex64:ones").tolist() == [1.0, 1.0]


def test_a_seed_repeats_an_input_which_depends_on_those_before_it_alone():
    backend = start("torch")
    alone = make([parse("3")], backend, "float64", None, 7)
    first, second = make([parse("3"), parse("3")], backend, "float64", None, 7).positional
    assert torch.equal(alone.positional[0], first)
    assert not torch.equal(first, second)
    assert not torch.equal(one("3", seed=7), one("3", seed=8))


def test_a_literal_is_passed_as_it_is():
    assert one("(2)") == 2
    assert one("('mean')") == "mean"
    assert one("(1, 2.5)") == (1, 2.5)
    assert one("(None)") is None


def test_a_name_makes_it_a_keyword():
    inputs = make([parse("3"), parse("w=2x2:float32")], start("torch"), "float64", None, 0)
    assert len(inputs.positional) == 1
    assert inputs.named["w"].dtype == torch.float32


@pytest.mark.parametrize("framework", ["jax", "numpy"])
def test_other_frameworks_get_arrays_of_their_own(framework):
    backend = start(framework)
    inputs = make([parse("2x3:float32"), parse("3:int32:0..4")], backend, "float32", None, 0)
    assert all(backend.is_array(value) for value in inputs.positional)
    assert [str(value.dtype) for value in inputs.positional] == ["float32", "int32"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", FORM + "got ''"),
        ("3,4", FORM + "got '3,4'. Did you mean 3x4?"),
        ("3*4:float32", FORM + "got '3*4:float32'. Did you mean 3x4?"),
        ("data.csv", FORM + "got 'data.csv'. Files are read that end in .npz, .npy, .pt or .pth"),
        ("{1: 2}", FORM + "got '{1: 2}'"),
        ("True", FORM + "got 'True'"),
        ("eval('1')", FORM + "got \"eval('1')\""),
        ("(print(1))", "expected a Python literal between brackets, as (2), (None) or ('mean'); "
                       "got '(print(1))'"),
        ("3:float31", "expected a dtype (float16, bfloat16, float32, float64, complex64, "
                      "complex128, int8, int16, int32, int64, uint8, bool), values (normal, "
                      "uniform, randint, spd, zeros, ones or LOW..HIGH) or constant in "
                      "'3:float31'; got 'float31'. Did you mean float32?"),
        ("3:float32:float64", "expected one dtype in '3:float32:float64'; got a second, 'float64'"),
        ("3:0..1:normal", "expected one kind of values in '3:0..1:normal'; got a second, 'normal'"),
        ("3:2..1", "expected a range from low to high in '3:2..1'; got '2..1'"),
        ("3:uniform(2,1)", "expected a range from low to high in '3:uniform(2,1)'; got "
                           "'uniform(2,1)'"),
        ("3:normal(0,-1)", "expected a spread that is not negative in '3:normal(0,-1)'; got "
                           "'normal(0,-1)'"),
        ("3:normal(a)", "expected normal with 0 to 2 numbers in brackets in '3:normal(a)'; got "
                        "'normal(a)'"),
        ("3x3:spd(2)", "expected spd with no numbers in brackets in '3x3:spd(2)'; got 'spd(2)'"),
        ("3x4:spd", "expected a square matrix for spd, as 4x4:spd; got '3x4:spd'"),
        ("3:int64", "expected a range for whole numbers, as 3:int64:0..9; got '3:int64'"),
        ("3:int64:normal", "expected a range for whole numbers, as 3:int64:0..9; got "
                           "'3:int64:normal'"),
        ("3:int64:0.5..2", "expected a range of whole numbers for int64; got '3:int64:0.5..2'"),
        ("[1, 2]:normal", "expected no values to be drawn for numbers that are given; got "
                          "'[1, 2]:normal'"),
        ("[[1], [2, 3]]", "expected rows of equal length in '[[1], [2, 3]]'"),
        ("['a']", "expected numbers in \"['a']\"; got <U1"),
    ],
)  # fmt: skip
def test_an_input_that_cannot_be_made_is_one_sentence(refused, text, words):
    assert refused("check", "kernels:soft", "--kwarg", "dim=0", "-i", text) == words


def test_a_dtype_that_the_framework_lacks_is_said(refused):
    said = refused("check", "rules:layer", "-i", "3x4:float64", "-i", "4x2")
    assert said == (
        "expected a dtype that jax has in '3x4:float64'; jax has no float64 unless jax_enable_x64 "
        "is switched on"
    )


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["kernels:product", "-i", "3"],
         "expected inputs for (x, y): missing a required argument: 'y'. Pass one --input for each "
         "parameter, as --input 3x4, and what is no array with --kwarg"),
        (["kernels:Square"],
         "expected inputs for (x): missing a required argument: 'x'. Pass one --input for each "
         "parameter, as --input 3x4, and what is no array with --kwarg"),
        (["kernels:Net", "--init", "4", "-i", "4", "-i", "4", "-i", "4"],
         "expected inputs for (x, scale=1.0): too many positional arguments. Pass one --input for "
         "each parameter, as --input 3x4, and what is no array with --kwarg"),
        (["kernels:Net.forward", "-i", "3x4"],
         "`forward` is a method, and there is no object that it belongs to; name the class, and "
         "make it with --init"),
        (["torch:sin", "-i", "1000000x1000000"],
         "cannot draw '1000000x1000000': Unable to allocate 7.28 TiB for an array with shape "
         "(1000000, 1000000) and data type float64"),
        (["torch:sin", "-i", "99999999999999999999"],
         "cannot draw '99999999999999999999': Maximum allowed dimension exceeded"),
        (["kernels:soft", "-i", "3", "--kwarg", "1"],
         "expected `--kwarg` as NAME=LITERAL, as dim=1; got '1'"),
        (["kernels:soft", "-i", "3", "--kwarg", "dim=0", "-i", "dim=(0)"],
         "expected dim by --input or by --kwarg; got both"),
        (["kernels:soft", "-i", "x=3", "-i", "x=3"],
         "expected one input for x; got a second, 'x=3'"),
        (["kernels:product", "-i", "3:constant", "-i", "3:constant"],
         "expected an input that is not constant; there is none to differentiate"),
        (["rules:layer", "-i", "3x4:constant", "-i", "4x2:constant"],
         "expected an input that is not constant; there is none to differentiate"),
        (["fit:energy", "--gradient", "slope", "-i", "3:constant"],
         "expected no :constant input beside derivatives by hand; pass it by its keyword, as "
         "--input NAME=3x4: to them, keyword arguments are constants"),
        (["kernels:product", "-i", "3", "-i", "3", "--framework", "tensorflow"],
         "expected `framework` to be one of torch, jax, tinygrad, numpy; got 'tensorflow'"),
        (["kernels:product", "-i", "3", "-i", "3", "--device", "nowhere"],
         "expected `device` to be one that is there, as cpu or cuda; got 'nowhere'"),
        (["kernels:Net", "--init", "4", "-i", "3x4", "--device", "nowhere"],
         "expected `device` to be one that is there, as cpu or cuda; got 'nowhere'"),
        (["fit:energy", "--gradient", "slope", "-i", "3:0.1..2", "--device", "cuda"],
         "expected `device` to be one that is there, as cpu or cuda; got 'cuda'"),
    ],
)  # fmt: skip
def test_inputs_that_do_not_fit_are_one_sentence(refused, arguments, words):
    assert refused("check", *arguments) == words


@pytest.mark.parametrize(
    ("arguments", "inputs"),
    [
        (["kernels:product", "-i", "3", "-i", "3:constant"], ["x"]),
        (["kernels:product", "-i", "3:constant", "-i", "y=3"], ["y"]),
        (["kernels:pick", "-i", "5", "-i", "3:int64:0..4"], ["x"]),
        (["rules:layer", "-i", "3x4", "-i", "4x2:constant"], ["x"]),
        (["rules:layer", "-i", "3x4:constant", "-i", "4x2"], ["w"]),
        (["rules:layer", "-i", "3x4", "-i", "w=4x2:constant"], ["x"]),
        (["kernels:Net", "--init", "4", "-i", "5x4:constant"], ["linear.weight", "linear.bias"]),
        (["kernels:Net", "--init", "4", "-i", "5x4", "-i", "5x3:constant"],
         ["x", "linear.weight", "linear.bias"]),
        (["kernels:soft", "-i", "5", "--kwarg", "dim=-1"], ["x"]),
    ],
)  # fmt: skip
def test_constants_are_not_differentiated(run, arguments, inputs):
    code, out, err = run("check", *arguments, "--json", "--probe", "full")
    assert (code, err) == (0, "")
    report = secant.Report.from_json(out)
    measured = [one.where for one in report.findings if one.kind == "derivative"]
    assert measured == [f"∂out / ∂{name}" for name in inputs]


def test_the_framework_is_that_of_the_target(folder, run):
    (folder / "both.py").write_text(
        "import jax.numpy as jnp\nimport numpy as np\nimport torch\n\n\n"
        "def of_jax(x):\n    return jnp.sin(x)\n\n\n"
        "def of_torch(x):\n    return torch.sin(x)\n\n\n"
        "def of_numpy(x):\n    return np.sin(x)\n\n\n"
        "def of_any(x):\n    return x * x\n\n\n"
        "def inside(x):\n    return [jnp.sin(one) for one in (x,)][0]\n"
    )
    versions = {}
    for name in ("of_jax", "of_torch", "of_any", "inside"):
        _, out, _ = run("check", f"both:{name}", "-i", "3", "--json")
        versions[name] = secant.Report.from_json(out).versions[1].split()[0]
    assert versions == {"of_jax": "jax", "of_torch": "torch", "of_any": "torch", "inside": "jax"}
    _, out, _ = run("check", "both:of_any", "-i", "3", "--framework", "jax", "--json")
    assert secant.Report.from_json(out).versions[1].startswith("jax ")
    assert framework_of(__import__("both").of_numpy, ["both"]) == "numpy"
    assert framework_of(np.sin, ["numpy"]) == "numpy"
    assert framework_of(torch.nn.Linear, ["layers"]) == "torch"


def test_a_modules_inputs_are_of_its_own_dtype():
    backend = start("torch")
    assert backend.targets.own_dtype(torch.nn.Linear(3, 2)) == "float32"
    assert backend.targets.own_dtype(torch.nn.Linear(3, 2).double()) == "float64"
    assert backend.targets.own_dtype(torch.nn.Linear(3, 2).bfloat16()) == "bfloat16"
    assert backend.targets.own_dtype(torch.nn.ReLU()) == "float32"
    assert backend.targets.own_dtype(torch.sin) == "float64"


def test_a_module_is_made_alike_with_the_same_seed(run):
    arguments = ("check", "kernels:Net", "--init", "4", "-i", "5x4", "--json")
    reports = [secant.Report.from_json(run(*arguments, "--seed", seed)[1]) for seed in "778"]
    claims = [[finding.claimed for finding in report.findings] for report in reports]
    assert claims[0] == claims[1] != claims[2]
