"""The options of `secant check`, `localise` and `compare` as data, each with its help.

`_settings` says what they may be; a command names the groups that it takes, and finds what was
given in its context.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar

import typer

Command = TypeVar("Command", bound=Callable[..., None])

TARGET_HELP = (
    "What to check: module:function, module:Class, module:Class.method or path/to/file.py:function."
)
INPUT_HELP = (
    "An input, in the order of the function's parameters; repeatable. SHAPE, then any of :DTYPE, "
    ":VALUES and :constant, as 3x4:float32, scalar:0.1..2, 5:int64:0..9, 4x4:spd or "
    "8:uniform(-1,1):constant. Or numbers, as 0.5 or '\\[1.0, 2.0]:float32'. Or a file, as "
    "data.npz:name, data.npy or data.pt. Or a Python literal in brackets, as '(2)'. With NAME= "
    "before it, it is passed by that keyword."
)
INIT_HELP = (
    "Arguments for the class, or for a function that makes what is checked: literals, as "
    "'8, 16, bias=False'; repeatable."
)


@dataclass(frozen=True, slots=True)
class Option:
    """One option: the parameter's name, its kind, what help says, and how it is spelt."""

    name: str
    kind: type
    words: str
    metavar: str | None = None  # None for a flag
    spellings: tuple[str, ...] = ()  # by default as the name
    is_argument: bool = False  # it stands for itself, without a spelling before it

    def parameter(self, panel: str) -> inspect.Parameter:
        """Return it as typer reads the parameters of a function."""
        shown: dict[str, Any] = {"help": self.words, "metavar": self.metavar, "show_default": False}
        default: Any = False if self.kind is bool else None
        kind: Any = self.kind if self.kind is bool else self.kind | None
        if self.is_argument:
            made, kind, default = typer.Argument(**shown), self.kind, inspect.Parameter.empty
        else:
            spellings = self.spellings or (f"--{self.name.replace('_', '-')}",)
            made = typer.Option(*spellings, rich_help_panel=panel, **shown)
        place = inspect.Parameter.POSITIONAL_OR_KEYWORD
        annotation = Annotated[kind, made]
        return inspect.Parameter(self.name, place, default=default, annotation=annotation)


Group = tuple[str, tuple[Option, ...]]
"""What the help calls some options, and these."""


def takes(*groups: Group) -> Callable[[Command], Command]:
    """Let a command have groups of options; what is given is in its context."""

    def dressed(command: Command) -> Command:
        own = inspect.signature(command).parameters.values()
        named = [one for one in own if one.kind is not inspect.Parameter.VAR_KEYWORD]
        more = [one.parameter(panel) for panel, options in groups for one in options]
        command.__signature__ = inspect.Signature([*named, *more])  # type: ignore[attr-defined]
        return command

    return dressed


TARGET: Group = ("", (Option("target", str, TARGET_HELP, "TARGET", is_argument=True),))
KERNELS: Group = (
    "",
    (
        Option(
            "target",
            str,
            "The kernel, as module:function or path/to/file.py:function.",
            "TARGET",
            is_argument=True,
        ),
        Option(
            "reference",
            str,
            "What is trusted: a function of the same inputs; a bare name is looked for beside "
            "the kernel.",
            "REFERENCE",
            is_argument=True,
        ),
    ),
)
INPUTS: Group = (
    "Inputs",
    (
        Option("input", list[str], INPUT_HELP, "INPUT", ("--input", "-i")),
        Option(
            "kwarg",
            list[str],
            "A keyword argument that is no array, as dim=1 or reduction=mean; repeatable.",
            "NAME=LITERAL",
        ),
        Option("init", list[str], INIT_HELP, "ARGUMENTS"),
        Option(
            "framework",
            str,
            "Whose arrays the inputs are: torch, jax, tinygrad or numpy. Default: what the "
            "target's code mentions, then what its file imports; in this order.",
            "NAME",
        ),
        Option("device", str, "Where inputs and modules are put.", "DEVICE"),
        Option(
            "seed",
            int,
            "Of inputs, parameters and directions; the same seed repeats all. Default 1729.",
            "N",
        ),
    ),
)
RULES: Group = (
    "Derivatives by hand",
    (
        Option("gradient", str, "The gradient of a scalar function.", "TARGET"),
        Option("jacobian", str, "The Jacobian.", "TARGET"),
        Option("pull", str, "Its product with a cotangent from the left.", "TARGET"),
        Option("push", str, "Its product with a direction from the right.", "TARGET"),
    ),
)
SETTINGS: Group = (
    "Settings",
    (
        Option("modes", str, "reverse, forward or all.", "MODE", ("--mode", "--modes")),
        Option("order", int, "2 also checks the derivative of the derivative.", "N"),
        Option("probe", str, "fast: random directions; full: every entry; or auto.", "PROBE"),
        Option("draws", int, "Rounds of random directions.", "N"),
        Option("laws", str, "default, all, none, or names with commas between.", "LAWS"),
        Option("rtol", float, "What is forgiven, relative to what is measured.", "X"),
        Option("atol", float, "What is forgiven, absolutely.", "X"),
        Option("step", float, "The step at which measurements begin.", "X"),
        Option("dtype", str, "Inputs and modules in another floating dtype, as float64.", "DTYPE"),
        Option("lift", str, "Judge less than float64 in float64.", "auto|true|false"),
        Option("max_evaluations", int, "No closer looks beyond so many calls.", "N"),
        Option("max_seconds", float, "No closer looks beyond so many seconds.", "X"),
        Option("nondeterminism", float, "How far apart two answers to one question may be.", "X"),
        Option("memory", int, "For batches and kept Jacobians.", "BYTES"),
        Option("masked", bool, "Of sparse inputs, the stored entries alone."),
        Option("no_explain", bool, "After a failure, look for no cause."),
    ),
)
PROCESSES: Group = (
    "Functions on many processes",
    (
        Option(
            "group",
            bool,
            "The processes that torchrun has started compute it together: each draws inputs of "
            "its own, the first one reports.",
        ),
        Option(
            "replicated",
            str,
            "Inputs and outputs that are copies of one array, with commas between.",
            "NAMES",
        ),
        Option(
            "gradients",
            str,
            "What a process's gradient of a copy is: all of it, its own share, or the mean.",
            "whole|share|mean",
        ),
        Option(
            "timeout",
            float,
            "How long a process may be behind the others. Default 9.",
            "SECONDS",
        ),
    ),
)
COMPARISON: Group = (
    "Settings",
    (
        Option("dtype", str, "What inputs are rounded to, as bfloat16.", "DTYPE"),
        Option(
            "limit", float, "How many times the error of the yardstick is allowed. Default 2.", "X"
        ),
        Option("draws", int, "Cotangents for each gradient.", "N"),
        Option("reference_device", str, "Where the reference runs.", "DEVICE"),
        Option("no_gradients", bool, "Compare outputs alone."),
    ),
)
OUTPUT: Group = (
    "Output",
    (
        Option(
            "report",
            list[str],
            "Write the report to FILE.html, FILE.json or FILE.txt; repeatable.",
            "FILE",
        ),
        Option("json", bool, "Print the report as JSON."),
        Option("quiet", bool, "Print nothing: the exit code tells.", spellings=("--quiet", "-q")),
    ),
)
