"""The shape of the code: imports flow left to right, frameworks stay in their room, files short."""

from __future__ import annotations

import ast
import functools
import io
import json
import subprocess
import sys
import tokenize
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import secant

ROOT = Path(secant.__file__).parent
FILES = sorted(ROOT.rglob("*.py"))
FRAMEWORKS = ("torch", "jax", "tinygrad")
DROP_INS = ("torch.py", "jax.py")
ROOMS = ("_backends", "_catalogues", "_gallery")  # where frameworks are at home

# Every room may import from itself and from rooms further left; rooms in one set not from others
# in the set: claims and measurements are independent evidence.
FLOW = (
    {"_records"},
    {"_version", "_constants", "_words", "_keywords"},
    {"_legible"},
    {"_errors"},
    {"_hearing"},
    {"_settings"},
    {"_backends", "_catalogues", "_gallery"},
    {"_spaces"},
    {"_problem"},
    {"_claims", "_measure"},
    {"_findings"},
    {"_judge"},
    {"_laws"},
    {"_verdict"},
    {"_probes"},
    {"_report"},
    {"_check", "_compare"},
    {"_localise", "_dropin", "_processes", "_many"},
    {"_entry"},
    {"_demo", "_strategies", "_conformance"},
    {"_audit"},
    {"_commands"},
)
PLACE = {room: place for place, rooms in enumerate(FLOW) for room in rooms}
PUBLIC = len(FLOW)  # __init__, extend, torch, jax, cli, __main__ and the like


def name_of(file: Path) -> str:
    return file.relative_to(ROOT).as_posix()


@functools.cache
def tree_of(file: Path) -> ast.Module:
    return ast.parse(file.read_text(encoding="utf-8"))


def room_of(parts: tuple[str, ...]) -> str:
    """Return the room of a module given by its parts below secant."""
    return parts[0] if parts else "__init__"


def imports(file: Path) -> Iterator[tuple[int, str]]:
    """Yield (line, room) for every import at run time of a module of secant."""
    for line, parts in modules(file):
        yield line, room_of(parts)


def modules(file: Path) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Yield (line, the module's parts below secant) for every such import."""
    for node in run_time_nodes(tree_of(file)):
        if isinstance(node, ast.ImportFrom):
            if node.level:
                package = ("secant", *file.relative_to(ROOT).with_suffix("").parts)[: -node.level]
                base = [*package, *(node.module.split(".") if node.module else [])]
            else:
                base = node.module.split(".")
            for alias in node.names:
                parts = [*base, alias.name] if len(base) == 1 else base
                if parts[0] == "secant":
                    yield node.lineno, tuple(parts[1:])
        elif isinstance(node, ast.Import):
            for alias in node.names:
                parts = alias.name.split(".")
                if parts[0] == "secant":
                    yield node.lineno, tuple(parts[1:])


def run_time_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """Walk the tree without what is imported for the type checker only."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            continue
        yield child
        yield from run_time_nodes(child)


def is_to_the_left(room: str, file: Path) -> bool:
    here = room_of(file.relative_to(ROOT).with_suffix("").parts)
    place = PLACE.get(here, PUBLIC)
    return room == here or PLACE.get(room, PUBLIC) < place or place == PUBLIC


def test_imports_flow_from_left_to_right():
    against = [
        f"{name_of(file)}:{line} imports {room}"
        for file in FILES
        for line, room in imports(file)
        if not is_to_the_left(room, file)
    ]
    assert against == []


def test_every_private_room_has_a_place_in_the_flow():
    rooms = {room_of(file.relative_to(ROOT).with_suffix("").parts) for file in FILES}
    assert {room for room in rooms if room.startswith("_") and room[:2] != "__"} <= set(PLACE)


def test_the_reader_of_imports_sees_them():
    claims = {room for _, room in imports(ROOT / "_claims" / "reverse.py")}
    assert claims == {"_records", "_backends", "_problem", "_claims"}


def words_of_code(source: str) -> Iterator[tuple[int, str]]:
    """Yield the names in the code; comments and strings are prose."""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.NAME:
            yield token.start[0], token.string


def test_frameworks_are_named_in_their_rooms_only():
    elsewhere = [
        f"{name_of(file)}:{line} names {word}"
        for file in FILES
        if file.relative_to(ROOT).parts[0] not in ROOMS and name_of(file) not in DROP_INS
        for line, word in words_of_code(file.read_text(encoding="utf-8"))
        if any(framework in word.lower() for framework in FRAMEWORKS)
    ]
    assert elsewhere == []


def test_the_reader_of_names_sees_code_and_not_prose():
    words = [word for _, word in words_of_code('"""torch"""\nimport jax  # torch\n')]
    assert words == ["import", "jax"]


def test_a_file_has_at_most_300_lines():
    lines = {name_of(file): len(file.read_text("utf-8").splitlines()) for file in FILES}
    assert {name: count for name, count in lines.items() if count > 300} == {}


def test_the_name_of_a_class_has_one_meaning():
    defined = Counter(
        node.name
        for file in FILES
        for node in ast.walk(tree_of(file))
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    # what explanations hold side by side, and what reports do: each room speaks of its own alone
    assert {name for name, count in defined.items() if count > 1} <= {
        "Comparison",
        "Evidence",
        "Stencil",
    }


def test_a_function_has_at_most_60_lines():
    lines = {
        f"{name_of(file)}:{node.lineno} {node.name}": node.end_lineno - node.lineno + 1
        for file in FILES
        for node in ast.walk(tree_of(file))
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    }
    assert {name: count for name, count in lines.items() if count > 60} == {}


def test_a_file_opens_with_a_docstring():
    assert [name_of(file) for file in FILES if not ast.get_docstring(tree_of(file))] == []


def test_the_public_table_equals_the_namespace():
    code = (
        "import json, secant\n"
        "names = [name for name in vars(secant) if not name.startswith('_')]\n"
        "print(json.dumps([names, secant.__all__]))"
    )
    answer = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=True, text=True
    )
    names, table = json.loads(answer.stdout)
    assert sorted(names) == sorted(set(table) - {"__version__"})
    assert len(table) == len(set(table))


def test_the_exceptions_are_the_tree_that_their_docstring_draws():
    assert issubclass(secant.InputError, (secant.SecantError, ValueError))
    assert issubclass(secant.EvaluationError, secant.SecantError)
    assert issubclass(secant.EvaluationError, RuntimeError)
    assert issubclass(secant.FunctionRaised, secant.EvaluationError)
    assert issubclass(secant.GradientMismatch, AssertionError)
    assert issubclass(secant.GradientMismatch, secant.GradientError)
    assert issubclass(secant.GradientInconclusive, secant.GradientError)
    assert not issubclass(secant.GradientInconclusive, secant.GradientMismatch)
    assert not issubclass(secant.GradientMismatch, secant.SecantError)


JUDGES = ("_judge/judge.py", "_compare/judge.py", "_findings.py")  # a check's, a comparison's


def test_verdicts_of_a_check_are_chosen_by_the_judge_alone():
    """Elsewhere in the engine a verdict is compared with, never made."""
    rooms = ("_check.py", "_judge", "_laws", "_measure", "_probes", "_problem", "_verdict")
    for file in FILES:
        name = name_of(file)
        if name in JUDGES or not name.startswith(rooms):
            continue
        tree = tree_of(file)
        compared = {
            id(inner)
            for node in ast.walk(tree)
            if isinstance(node, ast.Compare)
            for inner in ast.walk(node)
        }
        for node in ast.walk(tree):
            is_verdict = (
                isinstance(node, ast.Attribute)
                and isinstance(node.value, ast.Name)
                and node.value.id == "Verdict"
            )
            assert not is_verdict or id(node) in compared, f"{name}:{node.lineno}"


PROBES = ("asking", "closer", "full", "failing", "fast")  # each may import those before it


def test_rooms_inside_the_probes_import_from_left_to_right():
    """What stands beside them joins them: `base.py` is for all, the others are for nobody here."""
    against = []
    for place, room in enumerate(PROBES):
        for file in sorted((ROOT / "_probes" / room).rglob("*.py")):
            for line, parts in modules(file):
                inner = parts[1] if len(parts) > 2 else f"{parts[-1]}.py"
                if parts[0] == "_probes" and inner not in ("base.py", *PROBES[: place + 1]):
                    against.append(f"{name_of(file)}:{line} imports {inner}")
    assert against == []
    folders = {one.name for one in (ROOT / "_probes").iterdir() if one.is_dir()}
    assert folders - {"__pycache__"} == set(PROBES)
