"""The options of `secant check`, each with its help; `_settings` says what they may be."""

from __future__ import annotations

from typing import Annotated

import typer

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

_INPUTS, _RULES, _SETTINGS, _OUTPUT = "Inputs", "Derivatives by hand", "Settings", "Output"
_GROUPS = "Functions on many processes"


def _option(
    *names: str, metavar: str, words: str, panel: str, show_default: bool = False
) -> typer.models.OptionInfo:
    made: typer.models.OptionInfo = typer.Option(
        *names, metavar=metavar, help=words, rich_help_panel=panel, show_default=show_default
    )
    return made


def _flag(*names: str, words: str, panel: str) -> typer.models.OptionInfo:
    made: typer.models.OptionInfo = typer.Option(
        *names, help=words, rich_help_panel=panel, show_default=False
    )
    return made


Target = Annotated[str, typer.Argument(help=TARGET_HELP, metavar="TARGET", show_default=False)]
Kernel = Annotated[
    str,
    typer.Argument(
        help="The kernel, as module:function or path/to/file.py:function.",
        metavar="TARGET",
        show_default=False,
    ),
]
ReferenceTarget = Annotated[
    str,
    typer.Argument(
        help="What is trusted: a function of the same inputs; a bare name is looked for beside "
        "the kernel.",
        metavar="REFERENCE",
        show_default=False,
    ),
]
Input = Annotated[
    list[str] | None, _option("--input", "-i", metavar="INPUT", words=INPUT_HELP, panel=_INPUTS)
]
Kwarg = Annotated[
    list[str] | None,
    _option(
        "--kwarg",
        metavar="NAME=LITERAL",
        words="A keyword argument that is no array, as dim=1 or reduction=mean; repeatable.",
        panel=_INPUTS,
    ),
]
Init = Annotated[
    list[str] | None, _option("--init", metavar="ARGUMENTS", words=INIT_HELP, panel=_INPUTS)
]
Framework = Annotated[
    str | None,
    _option(
        "--framework",
        metavar="NAME",
        words="Whose arrays the inputs are: torch, jax, tinygrad or numpy. Default: what the "
        "target's code mentions, then what its file imports; in this order.",
        panel=_INPUTS,
    ),
]
Device = Annotated[
    str | None,
    _option("--device", metavar="DEVICE", words="Where inputs and modules are put.", panel=_INPUTS),
]
Seed = Annotated[
    int | None,
    _option(
        "--seed",
        metavar="N",
        words="Of inputs, parameters and directions; the same seed repeats all. Default 1729.",
        panel=_INPUTS,
    ),
]


def _rule(name: str, words: str) -> typer.models.OptionInfo:
    return _option(f"--{name}", metavar="TARGET", words=words, panel=_RULES)


Gradient = Annotated[str | None, _rule("gradient", "The gradient of a scalar function.")]
Jacobian = Annotated[str | None, _rule("jacobian", "The Jacobian.")]
Pull = Annotated[str | None, _rule("pull", "Its product with a cotangent from the left.")]
Push = Annotated[str | None, _rule("push", "Its product with a direction from the right.")]


def _setting(name: str, metavar: str, words: str, *more: str) -> typer.models.OptionInfo:
    return _option(f"--{name}", *more, metavar=metavar, words=words, panel=_SETTINGS)


Modes = Annotated[str | None, _setting("mode", "MODE", "reverse, forward or all.", "--modes")]
Order = Annotated[
    int | None, _setting("order", "N", "2 also checks the derivative of the derivative.")
]
Probe = Annotated[
    str | None, _setting("probe", "PROBE", "fast: random directions; full: every entry; or auto.")
]
Draws = Annotated[int | None, _setting("draws", "N", "Rounds of random directions.")]
Laws = Annotated[
    str | None, _setting("laws", "LAWS", "default, all, none, or names with commas between.")
]
Rtol = Annotated[
    float | None, _setting("rtol", "X", "What is forgiven, relative to what is measured.")
]
Atol = Annotated[float | None, _setting("atol", "X", "What is forgiven, absolutely.")]
Step = Annotated[float | None, _setting("step", "X", "The step at which measurements begin.")]
Dtype = Annotated[
    str | None,
    _setting("dtype", "DTYPE", "Inputs and modules in another floating dtype, as float64."),
]
Lift = Annotated[
    str | None, _setting("lift", "auto|true|false", "Judge less than float64 in float64.")
]
MaxEvaluations = Annotated[
    int | None, _setting("max-evaluations", "N", "No closer looks beyond so many calls.")
]
MaxSeconds = Annotated[
    float | None, _setting("max-seconds", "X", "No closer looks beyond so many seconds.")
]
Nondeterminism = Annotated[
    float | None,
    _setting("nondeterminism", "X", "How far apart two answers to one question may be."),
]
Memory = Annotated[int | None, _setting("memory", "BYTES", "For batches and kept Jacobians.")]
Masked = Annotated[
    bool, _flag("--masked", words="Of sparse inputs, the stored entries alone.", panel=_SETTINGS)
]
NoExplain = Annotated[
    bool, _flag("--no-explain", words="After a failure, look for no cause.", panel=_SETTINGS)
]

Group = Annotated[
    bool,
    _flag(
        "--group",
        words="The processes that torchrun has started compute it together: each draws inputs of "
        "its own, the first one reports.",
        panel=_GROUPS,
    ),
]
Replicated = Annotated[
    str | None,
    _option(
        "--replicated",
        metavar="NAMES",
        words="Inputs and outputs that are copies of one array, with commas between.",
        panel=_GROUPS,
    ),
]
Gradients = Annotated[
    str | None,
    _option(
        "--gradients",
        metavar="whole|share|mean",
        words="What a process's gradient of a copy is: all of it, its own share, or the mean.",
        panel=_GROUPS,
    ),
]
Timeout = Annotated[
    float | None,
    _option(
        "--timeout",
        metavar="SECONDS",
        words="How long a process may be behind the others. Default 9.",
        panel=_GROUPS,
    ),
]

KernelDtype = Annotated[
    str | None, _setting("dtype", "DTYPE", "What inputs are rounded to, as bfloat16.")
]
Limit = Annotated[
    float | None,
    _setting("limit", "X", "How many times the error of the yardstick is allowed. Default 2."),
]
Cotangents = Annotated[int | None, _setting("draws", "N", "Cotangents for each gradient.")]
ReferenceDevice = Annotated[
    str | None, _setting("reference-device", "DEVICE", "Where the reference runs.")
]
NoGradients = Annotated[
    bool, _flag("--no-gradients", words="Compare outputs alone.", panel=_SETTINGS)
]

Reports = Annotated[
    list[str] | None,
    _option(
        "--report",
        metavar="FILE",
        words="Write the report to FILE.html, FILE.json or FILE.txt; repeatable.",
        panel=_OUTPUT,
    ),
]
Json = Annotated[bool, _flag("--json", words="Print the report as JSON.", panel=_OUTPUT)]
Quiet = Annotated[
    bool, _flag("--quiet", "-q", words="Print nothing: the exit code tells.", panel=_OUTPUT)
]
