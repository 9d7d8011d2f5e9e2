"""Promises that a derivative keeps or breaks, whatever the function is."""

from __future__ import annotations

from .reason import Topic
from .spelling import is_solved_for

KEPT = Topic("KEPT", what="the {law} law holds", example={"law": "layout"})
NOT_ASKED = Topic(
    "NOT_ASKED",
    what="the {law} law could not be asked about: {error}",
    example={"law": "subsets", "error": "the backward pass raised NotImplementedError: ..."},
)
QUESTION_RAISES = Topic(
    "QUESTION_RAISES",
    what="{error}",
    why="the {law} law's question raises",
    example={"law": "signature", "error": "the backward pass raised RuntimeError: ..."},
)
PULLING_FAILS = Topic(
    "PULLING_FAILS",
    what="pulling {what} fails: {error}",
    example={"what": "zeros", "error": "the backward pass raised RuntimeError: ..."},
)
NOT_LINEAR = Topic(
    "NOT_LINEAR",
    what=lambda error, **_: (
        "pull({factor:g} v) fails where pull(v) does not: {error}"
        if error
        else "pull({factor:g} v) differs from {factor:g} pull(v) by {share:share}"
    ),
    why="{backward} is not linear in {grad_output} {share:culprits}",
    advice=lambda share, **_: (
        "let the adjoint's tolerance be relative to {grad_output}, or solve more tightly"
        if is_solved_for(share)
        else "multiply by {grad_output} exactly once, whatever its sign or size"
    ),
    example={"factor": -8.0, "share": 0.4, "error": ""},
)
ADDS_SOMETHING = Topic(
    "ADDS_SOMETHING",
    what="pull(0) is not zero",
    why="{backward} adds something that is not multiplied by {grad_output}",
    advice="multiply every term by {grad_output}",
)
COTANGENT_ABSENT = Topic(
    "COTANGENT_ABSENT",
    what=lambda error: (
        "{backward} "
        + ("raises {error}" if error else "gives a gradient that is not zero")
        + " when outputs have no cotangent"
    ),
    why="an absent cotangent (None) is not treated as zero",
    advice="return None, or zeros, for a {v} that is None",
    example={"error": ""},
)
OUTPUTS_DO_NOT_ADD_UP = Topic(
    "OUTPUTS_DO_NOT_ADD_UP",
    what=lambda error, **_: (
        "pulling all outputs together fails: {error}"
        if error
        else "pulling the outputs one at a time does not add up to pulling them together "
        "({share:share})"
    ),
    why="an output's cotangent that is absent is not treated as zero",
    advice="treat a missing {v} as zeros for each output separately",
    example={"share": 0.5, "error": ""},
)
ALONE_RAISES = Topic(
    "ALONE_RAISES",
    what="{error}, when one output is pulled alone; with zeros for the others it does not",
    why="an output's cotangent that is absent is not treated as zero",
    advice="treat a missing {v} as zeros for each output separately",
    example={"error": "the backward pass raised TypeError: ..."},
)
ASSUMES_ORDER = Topic(
    "ASSUMES_ORDER",
    what=lambda error, **_: (
        "pull(v) fails when v is not {orderly}: {error}"
        if error
        else "pull(v) differs by {share:share} when v is not {orderly}"
    ),
    why=lambda orderly, **_: f"{{backward}} assumes {{{orderly}}}",
    advice=lambda orderly, **_: (
        "{coalesce}"
        if orderly == "coalesced"
        else "{copied} before handing it to a kernel, or respect its strides"
    ),
    example={"orderly": "contiguous", "share": 0.9, "error": ""},
)
ASSUMES_MEMORY = Topic(
    "ASSUMES_MEMORY",
    what="pull(v) differs by {share:share} when v is expanded{handed_over}",
    why="{backward} assumes that every entry of {grad_output} has memory of its own",
    advice="{copied} before handing it to a kernel, or respect its strides",
    example={"share": 0.9},
)
KEEPS_STATE = Topic(
    "KEEPS_STATE",
    what="the same cotangent, pulled twice: answers {share:theirs} apart",
    why="{backward} keeps state: it accumulates into a buffer, or draws random numbers",
    advice="overwrite instead of accumulating; {save}",
    example={"share": 0.3},
)
ANOTHER_ORDER = Topic(
    "ANOTHER_ORDER", note="equal to rounding, not to the bit: sums in another order each time"
)
NOT_TWICE = Topic(
    "NOT_TWICE",
    what="the same cotangent pulled a second time raises: {error}",
    why="{backward} frees or overwrites what it needs",
    advice="save what {backward} needs, and do not write into it",
    example={"error": "the backward pass raised RuntimeError: ..."},
)
RESTLESS = Topic(
    "RESTLESS",
    what="the function does not repeat itself at the same point, with the framework's random "
    "generators rewound: its spread is in every bar",
    why="state kept between calls, a clock, or a random generator of another library",
)
WRONG_SIGNATURE = Topic(
    "WRONG_SIGNATURE",
    what="the gradient has {what} {found}, its input has {wanted}",
    why="{backward} returns a gradient of another {what}",
    advice="return a gradient of {what} {wanted}",
    example={"what": "dtype", "found": "float32", "wanted": "float64"},
)
WRONG_LAYOUT = Topic(
    "WRONG_LAYOUT",
    what="the gradient has {found}, its input has {wanted}",
    why="{backward} returns a gradient that cannot be added to its input",
    advice="return a dense gradient, or one of the input's own layout and dimensions",
    example={"what": "layout", "found": "layout torch.sparse_csr", "wanted": "torch.sparse_coo"},
)
FEWER_DIGITS = Topic(
    "FEWER_DIGITS",
    what="{backward} returns {dtype}, which has fewer digits than the function",
    why="an array made without a dtype of its own, or a conversion on the way",
    advice="compute it in the dtype of the inputs",
    example={"dtype": "float32"},
)
TANGENT_KIND = Topic(
    "TANGENT_KIND",
    what="the tangent of output {output} is complex and the output is not, or the other way round",
    why="the forward rule returns a tangent of another kind than its output",
    advice="return a tangent of the output's own dtype",
    example={"output": 0},
)
TANGENT_ABSENT = Topic(
    "TANGENT_ABSENT",
    what=lambda error, **_: (
        "the tangent of the output "
        + ("cannot be had: {error}" if error else "is another one")
        + " when that of {path} is absent instead of zero"
    ),
    why="an absent tangent is not treated as zero",
    advice="treat a missing tangent as zeros for each input separately",
    example={"path": "x", "error": ""},
)
NO_BATCHES = Topic("NO_BATCHES", what="sparse or infinite arrays have no batches")
CANNOT_BE_BATCHED = Topic(
    "CANNOT_BE_BATCHED",
    what="{rule} cannot be batched: {error}",
    example={"rule": "the forward rule", "error": "RuntimeError: ..."},
)
BACKWARD_CANNOT_BE_BATCHED = Topic(
    "BACKWARD_CANNOT_BE_BATCHED",
    what="{backward} cannot be batched: {error}",
    example={"error": "RuntimeError: ..."},
)
BATCH_DIFFERS = Topic(
    "BATCH_DIFFERS",
    what="a batch of cotangents gives another answer than one at a time ({share:share})",
    why="the batching rule of {backward} is wrong",
    advice="check the vmap rule, or what {backward} does with an extra leading axis",
    example={"share": 0.5},
)
BATCHED_TANGENT_DIFFERS = Topic(
    "BATCHED_TANGENT_DIFFERS",
    what="a batch of tangents gives output {output} another tangent than one at a time",
    why="the batching rule of the forward rule is wrong",
    advice="check the vmap rule, or what the rule does with an extra leading axis",
    example={"output": 0},
)
SUBSET_DIFFERS = Topic(
    "SUBSET_DIFFERS",
    what=lambda error, **_: (
        "the gradient of {path}, asked for alone, "
        + ("fails: {error}" if error else "differs by {share:share}")
    ),
    why="{backward} relies on all inputs requiring a gradient",
    advice="compute each input's gradient whenever that input asks for one",
    example={"path": "weight", "share": 0.5, "error": ""},
)
MODES_DIFFER = Topic(
    "MODES_DIFFER",
    what="⟨v, J u⟩ is {forward:.6g} {by_forward} and {reverse:.6g} {by_reverse}, for {output}",
    why="{both_modes} implement different derivatives",
    advice="the findings about {each_mode} say which one disagrees with the function",
    example={"forward": 1.05, "reverse": 1.0, "output": "out"},
)
WRITES_INTO_COTANGENT = Topic(
    "WRITES_INTO_COTANGENT",
    what="{backward_pass} writes into the cotangent it was given",
    why="an in-place operation on {grad_output}{damage}",
    advice="work on a copy: replace {in_place}",
)
WRITES_INTO_INPUT = Topic(
    "WRITES_INTO_INPUT",
    what="the function writes into its input {path}",
    why="an in-place operation on an input{hidden}",
    advice="work on a copy of the input",
    example={"path": "x"},
)
ANOTHER_VALUE = Topic(
    "ANOTHER_VALUE",
    what="{path} is another one in the pass that the derivative makes: {apart:.3g} apart, of size "
    "{size:.3g}",
    why="the forward pass of a hand-written rule does not compute the function",
    advice="return the function's own value from the rule's forward pass",
    example={"path": "out", "apart": 0.1, "size": 2.0},
)

# -- derivatives written by hand -----------------------------------------------------------------

PUSH_IS_NOT_LINEAR = Topic(
    "PUSH_IS_NOT_LINEAR",
    what="push({factor:g} u) differs from {factor:g} push(u) by {share:share}",
    why="`push` is not linear in its tangents (an abs, clip, square or constant)",
    advice="multiply by the tangents exactly once, whatever their sign or size",
    example={"factor": -8.0, "share": 0.4},
)
PUSH_KEEPS_STATE = Topic(
    "PUSH_KEEPS_STATE",
    what="the same tangents, pushed twice: answers {share:theirs} apart",
    why="`push` keeps state: it accumulates into a buffer, or draws random numbers",
    advice="overwrite instead of accumulating",
    example={"share": 0.3},
)
WHOLE_KEEPS_STATE = Topic(
    "WHOLE_KEEPS_STATE",
    what="{backward} called twice at the same point gives two answers",
    why="it keeps state: a buffer that is added to, or random numbers of another library",
    advice="make a new array in each call",
)
WRITES = Topic(
    "WRITES",
    what=lambda path: "{backward} writes into " + ("its input {path}" if path else "a tangent"),
    why="an operation in place: `x *= 2`, `x[mask] = 0`, `out=x`",
    advice="work on a copy",
    example={"path": "x"},
)
