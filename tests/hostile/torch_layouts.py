"""Layouts and kinds of tensors: whatever they look like, they look so afterwards."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

import secant

from .harness import Case, Scene
from .parts import named
from .ways import points

ANY = ("PASS", "FAIL", "INCONCLUSIVE", "SecantError")


def _sparse(layout: torch.layout) -> torch.Tensor:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        dense = torch.diag(points(4) + 2)
        if layout in (torch.sparse_bsr, torch.sparse_bsc):
            return dense.to_sparse(layout=layout, blocksize=(2, 2))
        return dense.to_sparse(layout=layout)


def _with_history() -> torch.Tensor:
    root = points(4).requires_grad_()
    return root * 2


def _inference() -> torch.Tensor:
    with torch.inference_mode():
        return points(4) * 1


def _read_only() -> torch.Tensor:
    numbers = np.linspace(0.1, 1, 4)
    numbers.flags.writeable = False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return torch.from_numpy(numbers)


class Own(torch.Tensor):
    """A class of the user's own."""


def _tagged() -> torch.Tensor:
    x = points(4)
    x.tag = ["a", points(2)]
    return x


def _hooked() -> torch.Tensor:
    x = points(4).requires_grad_()
    x.register_hook(lambda v: v * 100)
    x.register_post_accumulate_grad_hook(lambda one: None)
    x.grad = torch.ones_like(x)
    return x


KINDS: dict[str, Callable[[], Any]] = {
    "transposed": lambda: points(3, 2).t(),
    "strided": lambda: points(8)[::2],
    "flipped view of a row": lambda: points(3, 4)[1],
    "expanded": lambda: points(1).expand(4),
    "folded back": lambda: points(5).as_strided((3, 3), (1, 1)),
    "channels last": lambda: points(2, 3, 2, 2).to(memory_format=torch.channels_last),
    "a number": lambda: points(1)[0],
    "empty": lambda: points(0),
    "one entry in a large storage": lambda: points(1000)[500:501],
    "complex": lambda: torch.complex(points(3), points(3, seed=1)),
    "conjugated": lambda: torch.complex(points(3), points(3, seed=1)).conj(),
    "negated by a flag": lambda: torch.complex(points(3), points(3, seed=1)).conj().imag,
    "float32": lambda: points(4).float(),
    "bfloat16": lambda: points(4).bfloat16(),
    "float16": lambda: points(4).half(),
    "a parameter": lambda: torch.nn.Parameter(points(4)),
    "a frozen parameter": lambda: torch.nn.Parameter(points(4), requires_grad=False),
    "with a history": _with_history,
    "made in inference mode": _inference,
    "in read-only memory": _read_only,
    "of an own class": lambda: points(4).as_subclass(Own),
    "with attributes": _tagged,
    "with hooks and a gradient": _hooked,
    "COO": lambda: _sparse(torch.sparse_coo),
    "CSR": lambda: _sparse(torch.sparse_csr),
    "CSC": lambda: _sparse(torch.sparse_csc),
    "BSR": lambda: _sparse(torch.sparse_bsr),
    "BSC": lambda: _sparse(torch.sparse_bsc),
    "integers": lambda: torch.arange(4),
    "truth values": lambda: torch.tensor([True, False]),
    "in shared memory": lambda: points(4).share_memory_(),
}


def _answer(y: torch.Tensor) -> torch.Tensor:
    return (y.to_dense() if y.layout is not torch.strided else y).sin() * 2


def checked(kind: str, **settings: Any) -> Scene:
    x = KINDS[kind]()
    return Scene(lambda: secant.check(_answer, x, **settings), x, ANY)


def compared(kind: str) -> Scene:
    x = KINDS[kind]()
    return Scene(lambda: secant.compare(_answer, _answer, x, dtype="float32"), x, ANY)


def in_containers(kind: str) -> Scene:
    x = {"a": [KINDS[kind](), KINDS[kind]()], "b": (KINDS[kind](), "word", 3)}
    act = lambda: secant.check(lambda tree: _answer(tree["a"][0]) * 3, x)
    return Scene(act, x, ANY)


CASES = [
    *(Case(*named(f"a tensor that is {kind}", checked, kind)) for kind in KINDS),
    *(Case(*named(f"a tensor that is {kind}, in full", checked, kind, probe="full", modes="all",
                  order=2)) for kind in KINDS),
    *(Case(*named(f"a tensor that is {kind}, compared", compared, kind)) for kind in KINDS),
    *(Case(*named(f"tensors in containers that are {kind}", in_containers, kind))
      for kind in KINDS),
]  # fmt: skip
