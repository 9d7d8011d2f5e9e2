"""What is said beside the derivatives: what was left aside, and how a group of processes erred."""

from __future__ import annotations

from .reason import Topic

ABOUT_THE_CALL = Topic(
    "ABOUT_THE_CALL",
    what="{text}",
    note="{text}",
    example={"text": "x and y are the same array: ..."},
)
ABOUT_THE_RULE = Topic(
    "ABOUT_THE_RULE",
    note="{text}",
    example={"text": "`jacobian`: the matrix came as float32, not float64"},
)
CLAIMS_NOTHING = Topic(
    "CLAIMS_NOTHING",
    what="claims no derivative",
    note="{path} claims no derivative, beside outputs that do, and was not checked",
    example={"path": "out[1]"},
)
TAKE_APART = Topic(
    "TAKE_APART",
    advice="secant.localise(module, *inputs) checks each submodule by itself, and names the one to "
    "blame",
)
NOT_READ = Topic(
    "NOT_READ",
    what="nothing depends on it",
    note="no output depends on {path}, so nothing was checked about it",
    example={"path": "y"},
)
ORDER_NOT_ASKED = Topic(
    "ORDER_NOT_ASKED",
    what="a higher order could not be asked about: {why}",
    example={"why": "order 2 is beyond the limits"},
)
NOTHING_CHECKED = Topic(
    "NOTHING_CHECKED",
    what=lambda is_whole_numbers: (
        "nothing was checked: "
        + (
            "every output holds whole numbers or truth values, which have no derivative"
            if is_whole_numbers
            else "no output claims a derivative, and the liveness law, which asks why, was left out"
        )
    ),
    example={"is_whole_numbers": True},
)

# -- a group of processes ------------------------------------------------------------------------

COPIES_DIFFER = Topic(
    "COPIES_DIFFER",
    what="rank {rank}'s gradient of {path} differs from rank {other}'s by {share:.2g} of its size, "
    "though both hold copies of one leaf",
    advice='sum it over the ranks in the backward, or say gradients="share" if that is done later',
    example={"rank": 1, "other": 0, "path": "weight", "share": 0.5},
)
TANGENTS_DIFFER = Topic(
    "TANGENTS_DIFFER",
    what="rank {rank}'s tangent of {path} differs from rank {other}'s by {share:.2g} of its size, "
    "though both hold copies of one output",
    advice="reduce the tangent in `jvp` as the forward reduces the output",
    example={"rank": 1, "other": 0, "path": "out", "share": 0.5},
)
LAW_NOT_FOR_GROUPS = Topic(
    "LAW_NOT_FOR_GROUPS",
    note="the {law} law was not asked: {why}",
    example={"law": "batching", "why": "torch's collectives cannot be batched"},
)
NOT_SUMMED = Topic(
    "NOT_SUMMED", why="a reduction is missing: each rank has its own share of the gradient alone"
)
REDUCED_ALREADY = Topic(
    "REDUCED_ALREADY",
    why="reduced already: every rank has the whole sum, and as shares the {count} of them are "
    "added up",
    example={"count": 4},
)
REDUCED_TWICE = Topic(
    "REDUCED_TWICE",
    why="reduced twice: {count} times the derivative, as many as the group has ranks",
    example={"count": 4},
)
AVERAGED = Topic(
    "AVERAGED",
    why="averaged instead of summed: the derivative, divided by the {count} ranks of the group",
    example={"count": 4},
)
NOT_REDUCED = Topic(
    "NOT_REDUCED",
    why="a reduction is missing: the ranks' gradients add up to the derivative, and each has its "
    "own share alone",
)
WRONG_ON_RANKS = Topic(
    "WRONG_ON_RANKS",
    why=lambda ranks: (
        ("it is wrong on ranks" if len(ranks) > 1 else "it is wrong on rank")
        + " {ranks:listed} alone: what the others have agrees with the measurement"
    ),
    example={"ranks": (1,)},
)
SUMMED_OVER_OTHERS = Topic(
    "SUMMED_OVER_OTHERS",
    why="the sum is taken over the wrong ranks: what is owed to copies of {path} that others hold "
    "is in it, not that of ranks {ranks:listed} alone",
    example={"path": "weight", "ranks": (0, 2)},
)
OTHERS_NOT_COUNTED = Topic(
    "OTHERS_NOT_COUNTED",
    why="a reduction is missing: rank {rank} counts what its own outputs owe to {path}, and not "
    "what those of the others do",
    example={"rank": 1, "path": "weight"},
)
COTANGENTS_SHIFTED = Topic(
    "COTANGENTS_SHIFTED",
    why="another rank's shard: it is what the outputs' cotangents give, each of them taken from "
    "the rank {shift} further",
    example={"shift": 1},
)
ANOTHER_SHARD = Topic(
    "ANOTHER_SHARD",
    why="another rank's shard: it is the derivative by rank {holder}'s {path}",
    example={"holder": 1, "path": "weight"},
)
NOT_SENT_BACK = Topic(
    "NOT_SENT_BACK",
    why="another rank's shard: what rank {rank}'s outputs owe to the {path} of other ranks is "
    "counted here, and not sent back to them",
    example={"rank": 1, "path": "weight"},
)
NOT_EXCHANGED_BACK = Topic(
    "NOT_EXCHANGED_BACK",
    why="another rank's shard: what the ranks have exchanged is not exchanged back, blocks along "
    "dimension {axis}",
    example={"axis": 0},
)
WRONG_DIMENSION_GATHERED = Topic(
    "WRONG_DIMENSION_GATHERED",
    why="the wrong dimension is gathered: blocks lie along dimension {measured}, and are taken "
    "along dimension {claimed}",
    example={"measured": 0, "claimed": 1},
)
