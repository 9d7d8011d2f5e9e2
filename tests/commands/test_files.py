"""Inputs from files: every form that is read, and pickles that are not run."""

from __future__ import annotations

import os
import pickle

import numpy as np
import pytest
import torch

import secant

ARGUMENTS = ("check", "kernels:product")


class Malicious:
    """An object that makes a folder when it is unpickled."""

    def __reduce__(self):
        return os.mkdir, ("ruined",)


def test_the_trap_is_one(folder):
    pickle.loads(pickle.dumps(Malicious()))
    assert (folder / "ruined").is_dir()


@pytest.fixture
def files(folder):
    """Files of every form, with 0.5 in three places, and w beside."""
    x, w = np.full(3, 0.5), np.linspace(1.0, 2.0, 3)
    np.savez("many.npz", x=x, w=w, label=np.array(["a", "b"]))
    np.savez("one.npz", x=x)
    np.save("plain.npy", x)
    torch.save({"x": torch.tensor(x), "w": torch.tensor(w), "steps": 3}, "many.pt")
    torch.save([torch.tensor(x), torch.tensor(w)], "list.pth")
    torch.save(torch.tensor(x, dtype=torch.bfloat16), "plain.pt")
    return folder


@pytest.mark.parametrize(
    "one",
    ["many.npz:x", "one.npz", "plain.npy", "many.pt:x", "list.pth:0", "plain.pt:float64",
     "plain.npy:constant", "one.npz:x:float64:constant", "plain.pt:float32"],
)  # fmt: skip
@pytest.mark.usefixtures("files")
def test_an_array_is_read_from_a_file(run, one):
    code, _, err = run(*ARGUMENTS, "-i", one, "-i", "many.npz:w:float64")
    assert (code, err) == (0, "")


@pytest.mark.usefixtures("files")
def test_what_is_read_is_what_was_saved(run):
    arguments = ("-i", "plain.npy", "-i", "list.pth:1", "--json", "--probe", "full")
    _, out, _ = run(*ARGUMENTS, *arguments)
    claimed = secant.Report.from_json(out).jacobian("out", "x").claimed
    assert np.allclose(claimed, np.cos(0.5) * np.linspace(1.0, 2.0, 3))


@pytest.mark.usefixtures("files")
def test_tensors_are_read_for_other_frameworks_too(run):
    code, out, err = run("check", "fit:energy", "--gradient", "slope", "-i", "many.pt:x", "--json")
    assert (code, err) == (0, "")
    assert "torch" not in secant.Report.from_json(out).versions[1]


@pytest.mark.parametrize(
    ("one", "words"),
    [
        ("none.npz", "there is no file none.npz"),
        ("many.npz", "expected one entry of many.npz to be named, as many.npz:x; it holds x, w, "
                     "label"),
        ("many.npz:y", "many.npz has no entry 'y'; it holds x, w, label"),
        ("many.npz:label", "expected numbers in 'many.npz:label'; got <U1"),
        ("plain.npy:x", "plain.npy holds one array and no entries; got 'x'"),
        ("plain.pt:x", "plain.pt holds one tensor and no entries; got 'x'"),
        ("many.pt", "expected one entry of many.pt to be named, as many.pt:x; it holds x, w, "
                    "steps"),
        ("many.pt:steps", "expected a tensor in many.pt; got int"),
        ("list.pth:2", "list.pth has no entry '2'; it holds 0, 1"),
        ("many.npz:x:normal", "expected no values to be drawn for numbers that are given; got "
                              "'many.npz:x:normal'"),
    ],
)  # fmt: skip
@pytest.mark.usefixtures("files")
def test_a_file_that_does_not_say_it_is_one_sentence(refused, one, words):
    assert refused(*ARGUMENTS, "-i", one, "-i", "3") == words


UNPICKLED = "would have to be unpickled, which can run any code, so it was not read; "
OBJECTS = (
    "holds objects that would have to be unpickled, which can run any code, so it was not read; "
    "save arrays of numbers"
)
TENSORS = UNPICKLED + "save tensors, or dicts and lists of tensors, with torch.save"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("bad.npy", f"bad.npy {OBJECTS}"),
        ("bad.npz", f"bad.npz {OBJECTS}"),
        ("raw.npy", f"raw.npy {OBJECTS}"),
        ("raw.npz", f"raw.npz {OBJECTS}"),
        ("bad.pt", f"bad.pt {TENSORS}"),
        ("hidden.pt:x", f"hidden.pt {TENSORS}"),
        ("raw.pt", f"raw.pt {TENSORS}"),
        ("module.pt", f"module.pt {TENSORS}"),
    ],
)
def test_a_pickle_is_never_run(refused, folder, name, words):
    trap = np.array([Malicious()], dtype=object)
    np.save("bad.npy", trap, allow_pickle=True)
    np.savez("bad.npz", x=trap)
    torch.save(Malicious(), "bad.pt")
    torch.save({"x": torch.ones(3), "more": Malicious()}, "hidden.pt")
    torch.save(torch.nn.Linear(3, 2), "module.pt")
    for ending in ("npy", "npz", "pt"):
        (folder / f"raw.{ending}").write_bytes(pickle.dumps(Malicious()))
    assert refused(*ARGUMENTS, "-i", name, "-i", "3") == words
    assert not (folder / "ruined").exists()


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("cut.npz", "expected cut.npz to be a file that numpy.save or savez wrote; "),
        ("empty.npy", "expected empty.npy to be a file that numpy.save or savez wrote; "),
        ("cut.pt", "expected cut.pt to be a file that torch.save wrote; "),
        ("empty.pt", "expected empty.pt to be a file that torch.save wrote; "),
    ],
)
def test_a_broken_file_is_said_to_be_one(refused, files, name, words):
    (files / "cut.npz").write_bytes((files / "many.npz").read_bytes()[:100])
    (files / "cut.pt").write_bytes((files / "many.pt").read_bytes()[:100])
    (files / "empty.npy").write_bytes(b"")
    (files / "empty.pt").write_bytes(b"")
    assert refused(*ARGUMENTS, "-i", name, "-i", "3").startswith(words)
