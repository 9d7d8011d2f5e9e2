"""What a target may name, and what is said about one that names nothing."""

from __future__ import annotations

import pytest

FORMS = "expected a target as module:function, module:Class or path/to/file.py:function; "


@pytest.mark.parametrize(
    ("target", "more", "verdict"),
    [
        ("kernels:product", ["-i", "3", "-i", "3"], "PASS"),
        ("kernels.py:product", ["-i", "3", "-i", "3"], "PASS"),
        ("kernels:Square", ["-i", "3x4"], "FAIL"),
        ("kernels:Square.apply", ["-i", "3x4"], "FAIL"),
        ("./kernels.py:Square", ["-i", "3x4"], "FAIL"),
        ("kernels:Net", ["--init", "4", "-i", "5x4"], "PASS"),
        ("kernels:Scaled", ["-i", "5"], "PASS"),
        ("rules:sine", ["-i", "5"], "FAIL"),
        ("fit:energy", ["--gradient", "slope", "-i", "6:0.1..2"], "PASS"),
        ("fit:energy", ["--gradient", "fit:wrong", "-i", "6:0.1..2"], "FAIL"),
        ("fit.py:energy", ["--gradient", "fit.py:slope", "-i", "6:0.1..2"], "PASS"),
        ("torch:sin", ["-i", "3"], "PASS"),
        ("torch.nn.functional:gelu", ["-i", "3"], "PASS"),
        ("jax.numpy:tanh", ["-i", "3"], "PASS"),
    ],
)
def test_a_target_is_found_and_checked(run, target, more, verdict):
    code, out, err = run("check", target, *more)
    assert err == ""
    assert out.startswith(f"{verdict}  ")
    assert code == (0 if verdict == "PASS" else 1)


def test_a_file_of_a_package_may_import_its_neighbours(run, folder):
    package = folder / "deep" / "package"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "near.py").write_text("def double(x):\n    return 2 * x\n")
    (package / "far.py").write_text(
        "import torch\nfrom .near import double\n\n\ndef f(x):\n    return double(x).sin()\n"
    )
    code, _, err = run("check", "deep/package/far.py:f", "-i", "3")
    assert (code, err) == (0, "")


def test_a_file_may_bear_the_name_of_a_module_that_is_there(run, folder):
    (folder / "elsewhere").mkdir()
    (folder / "elsewhere" / "random.py").write_text(
        "import torch\n\n\ndef f(x):\n    return x.cos()\n"
    )
    code, _, err = run("check", "elsewhere/random.py:f", "-i", "3")
    assert (code, err) == (0, "")
    import random

    assert hasattr(random, "gauss")


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("kernels", FORMS + "got 'kernels'. kernels.py has Square, Crash, helper, Net, Scaled, "
                            "product, …: say kernels:Square"),
        ("kernels.py", FORMS + "got 'kernels.py'. kernels.py has Square, Crash, helper, Net, "
                               "Scaled, product, …: say kernels.py:Square"),
        ("torch.sin", FORMS + "got 'torch.sin'. Did you mean torch:sin?"),
        ("nowhere", FORMS + "got 'nowhere'"),
        (":f", FORMS + "got ':f'"),
        ("..kernels:f", FORMS + "'..kernels' is no module's name"),
        ("kernals:Square", "there is no module 'kernals', neither here nor installed. "
                           "Did you mean kernels?"),
        ("qqqqq:f", "there is no module 'qqqqq', neither here nor installed"),
        ("kernals.py:Square", "there is no file kernals.py. Did you mean kernels.py?"),
        ("no/such/folder.py:f", "there is no file no/such/folder.py"),
        ("kernels:Sqare", "kernels has no 'Sqare'. Did you mean Square?"),
        ("fit:xyz", "fit has no 'xyz'; it has energy, slope, wrong"),
        ("kernels:Net.forwards", "kernels:Net has no 'forwards'. Did you mean forward?"),
        ("kernels:numbers", "expected kernels:numbers to be callable; got Tensor"),
    ],
)  # fmt: skip
def test_a_target_that_is_not_there_is_one_sentence(refused, target, words):
    assert refused("check", target, "-i", "3") == words


def test_an_import_that_raises_shows_the_users_own_line(refused, folder):
    (folder / "broken.py").write_text("import torch\n\nx = torch.ones(3)\ny = x.no_such_thing\n")
    said = "raised AttributeError: 'Tensor' object has no attribute 'no_such_thing'\n"
    line = "  at broken.py:4: y = x.no_such_thing"
    assert refused("check", "broken:f", "-i", "3") == f"importing broken {said}{line}"
    assert refused("check", "broken.py:f", "-i", "3") == f"importing broken.py {said}{line}"


def test_an_import_of_something_missing_is_the_users_own(refused, folder):
    (folder / "wanting.py").write_text("import no_such_package\n")
    assert refused("check", "wanting:f", "-i", "3") == (
        "importing wanting raised ModuleNotFoundError: No module named 'no_such_package'\n"
        "  at wanting.py:1: import no_such_package"
    )


def test_a_syntax_error_is_shown_where_it_is(refused, folder):
    (folder / "garbled.py").write_text("import torch\ndef f(x)\n    return x\n")
    assert refused("check", "garbled.py:f", "-i", "3") == (
        "importing garbled.py raised SyntaxError: expected ':'\n  at garbled.py:2: def f(x)"
    )


def test_a_script_that_ends_the_program_is_told_how_not_to(refused, folder):
    (folder / "script.py").write_text("import sys\n\nsys.exit('usage: script.py FILE')\n")
    assert refused("check", "script.py:f", "-i", "3") == (
        "importing script.py ended the program (SystemExit: usage: script.py FILE); what a script "
        'does when it is run belongs under: if __name__ == "__main__"'
    )


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["--init", "4, bias=false, mode=sin"], None),
        (["--init", "4", "--init", "bias=False", "--init", "mode='sin'"], None),
        (["--init", "width=4"], None),
        ([], "making Net() raised TypeError: Net.__init__() missing 1 required positional "
             "argument: 'width'\n  it takes (width, hidden=3, bias=True, mode='tanh'): pass its "
             "arguments with --init"),
        (["--init", "4, mode=cosh"],
         "making Net(4, mode='cosh') raised ValueError: no mode cosh\n"
         "  at kernels.py:35 in __init__: raise ValueError(f\"no mode {mode}\")\n"
         "  it takes (width, hidden=3, bias=True, mode='tanh'): pass its arguments with --init"),
        (["--init", "__import__('os')"],
         "expected `--init` to hold literals as 4, 0.5, true, word, 'some words' or (1, 2), with "
         "or without NAME= before them; got \"__import__('os')\""),
        (["--init", "4)(", ],
         "expected `--init` to hold literals as 4, 0.5, true, word, 'some words' or (1, 2), with "
         "or without NAME= before them; got '4)('"),
        (["--init", "**{'width': 4}"],
         "expected `--init` to hold literals as 4, 0.5, true, word, 'some words' or (1, 2), with "
         "or without NAME= before them; got \"**{'width': 4}\""),
    ],
)  # fmt: skip
def test_a_class_is_made_with_the_arguments_of_init(run, more, words):
    code, out, err = run("check", "kernels:Net", *more, "-i", "5x4")
    if words is None:
        assert (code, err) == (0, "")
    else:
        assert (code, out, err) == (2, "", f"secant: {words}\n")


def test_with_init_a_function_makes_what_is_checked(run, folder):
    (folder / "models.py").write_text(
        "import torch\n\n\ndef make(width=3):\n    return torch.nn.Linear(width, 2)\n"
    )
    assert run("check", "models:make", "--init", "", "-i", "4x3")[0] == 0
    assert run("check", "models:make", "--init", "5", "-i", "4x5")[0] == 0


def test_what_cannot_be_made_is_said(refused):
    assert refused("check", "fit:width", "--init", "4", "-i", "3") == (
        "expected fit:width to be a class or a function with `--init`; got int"
    )
    assert refused("check", "kernels:Square", "--init", "4", "-i", "3") == (
        "expected no `--init` for kernels:Square, which is not made but applied"
    )
    assert refused("check", "fit:energy", "--gradient", "width", "-i", "3:0.1..2") == (
        "expected `--gradient` to be callable; width is int"
    )
