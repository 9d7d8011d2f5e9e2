"""From `module:function` or `file.py:function` to the object itself, or one clear sentence."""

from __future__ import annotations

import ast
import contextlib
import difflib
import importlib
import importlib.util
import os
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from ..._errors import InputError
from ..frames import spell_raised, where_raised

_FORMS = "module:function, module:Class or path/to/file.py:function"


@dataclass(frozen=True, slots=True)
class Target:
    """What a target names, the module it was found in, and that module's name."""

    text: str
    value: Any
    module: ModuleType
    place: str


@contextlib.contextmanager
def importable_here() -> Iterator[None]:
    """Let the current directory be importable, as it is for `python -m`."""
    path = list(sys.path)
    sys.path.insert(0, os.getcwd())
    try:
        yield
    finally:
        sys.path[:] = path


def find(text: str, beside: Target | None = None) -> Target:
    """Return what a target names; a bare name is looked for beside another target."""
    place, colon, path = text.rpartition(":")
    if not colon and beside is not None:
        return Target(text, _attribute(beside.module, text, beside.place), beside.module, "")
    if not place or not path:
        raise InputError(f"expected a target as {_FORMS}; got {text!r}{_hint(text.strip(':'))}")
    module = _from_file(Path(place)) if _is_file(place) else _from_name(place)
    return Target(text, _attribute(module, path, place), module, module.__name__)


def _is_file(place: str) -> bool:
    return place.endswith(".py") or "/" in place or os.sep in place


def _hint(place: str) -> str:
    """Guess what is meant by a target without a colon."""
    file = Path(place if place.endswith(".py") else f"{place}.py")
    if file.is_file():
        names = _names_in(file)
        return f". {file} has {_few(names)}: say {place}:{names[0]}" if names else ""
    if "." in place and not _is_file(place):
        module, _, name = place.rpartition(".")
        return f". Did you mean {module}:{name}?"
    return ""


def _names_in(file: Path) -> list[str]:
    """Return the functions and classes of a file, which is read and not run."""
    try:
        tree = ast.parse(file.read_text(encoding="utf-8"))
    except (SyntaxError, ValueError):
        return []
    kinds = (ast.FunctionDef, ast.ClassDef)
    return [node.name for node in tree.body if isinstance(node, kinds) and node.name[0] != "_"]


def _from_file(file: Path) -> ModuleType:
    if not file.is_file():
        beside = (
            [one.as_posix() for one in file.parent.glob("*.py")] if file.parent.is_dir() else []
        )
        raise InputError(f"there is no file {file.as_posix()}{_meant(file.as_posix(), beside)}")
    root, parts = file.resolve().parent, [file.stem]
    while (root / "__init__.py").is_file():  # a file of a package is imported as such
        root, parts = root.parent, [root.name, *parts]
    sys.path.insert(0, str(root))
    with _telling(file.as_posix()):
        if len(parts) > 1:
            return importlib.import_module(".".join(parts).removesuffix(".__init__"))
        return _executed(file.resolve(), file.stem)


def _executed(file: Path, name: str) -> ModuleType:
    """Import a file under its own name; under another one where that name is taken."""
    known = sys.modules.get(name)
    if known is not None:
        if getattr(known, "__file__", None) == str(file):
            return known
        name = f"{name}_at_{abs(hash(str(file))):x}"
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None, "a file that ends in .py has a loader"
    assert spec.loader is not None, "likewise"
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


class _Missing(InputError):
    """There is no such module."""


def _from_name(place: str) -> ModuleType:
    if not all(part.isidentifier() for part in place.split(".")):
        raise InputError(f"expected a target as {_FORMS}; {place!r} is no module's name")
    with _telling(place):
        try:
            return importlib.import_module(place)
        except ModuleNotFoundError as error:
            missing = error.name or ""
            if not f"{place}.".startswith(f"{missing}."):
                raise  # something that the module itself imports
            known = [*(one.stem for one in Path.cwd().glob("*.py")), *sys.modules]
            meant = _meant(missing, known)
            raise _Missing(
                f"there is no module {missing!r}, neither here nor installed{meant}"
            ) from error


@contextlib.contextmanager
def _telling(place: str) -> Iterator[None]:
    """Turn what importing raises into one error with the lines of the user's own files."""
    try:
        yield
    except _Missing:
        raise
    except SystemExit as error:
        raise InputError(
            f"importing {place} ended the program ({spell_raised(error)}); what a script does when "
            'it is run belongs under: if __name__ == "__main__"'
        ) from error
    except Exception as error:
        lines = [f"importing {place} raised {spell_raised(error)}", *where_raised(error)]
        raise InputError("\n".join(lines)) from error


def _attribute(module: ModuleType, path: str, place: str) -> Any:
    value: Any = module
    done = place
    for name in path.split("."):
        try:
            value = getattr(value, name)
        except AttributeError as error:
            names = [one for one in dir(value) if not one.startswith("_")]
            own = [one for one in names if _is_defined_in(getattr(value, one, None), module)]
            raise InputError(f"{done} has no {name!r}{_meant(name, names) or _has(own)}") from error
        done = f"{done}{':' if value is not module and done == place else '.'}{name}"
    return value


def _is_defined_in(thing: object, module: ModuleType) -> bool:
    return callable(thing) and getattr(thing, "__module__", None) == module.__name__


def _has(names: list[str]) -> str:
    return f"; it has {_few(names)}" if names else ""


def _meant(name: str, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(name, [*dict.fromkeys(known)], 1, 0.7)
    return f". Did you mean {close[0]}?" if close else ""


def _few(names: list[str], most: int = 6) -> str:
    return ", ".join(names[:most]) + (", …" if len(names) > most else "")
