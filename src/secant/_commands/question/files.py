"""Arrays from a file: `.npz` and `.npy`, and torch's `.pt`. Nothing is ever unpickled."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..._backends.base import Backend
from ..._errors import InputError, spell
from .frameworks import start


def read(path: Path, entry: str, backend: Backend) -> Any:
    """Return one array of a file: NumPy's, or the backend's own where it is of that framework."""
    if not path.is_file():
        raise InputError(f"there is no file {path.as_posix()}")
    _refuse_bombs(path)
    if path.suffix.lower() in (".pt", ".pth"):
        return _of_a_framework(path, entry, backend)
    return _of_numpy(path, entry)


def _refuse_bombs(path: Path) -> None:
    """Refuse an archive that is small and would unpack to a lot, before anything is unpacked."""
    if not zipfile.is_zipfile(path):
        return
    try:
        with zipfile.ZipFile(path) as archive:
            unpacked = sum(one.file_size for one in archive.infolist())
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        return  # who reads it will say so
    if unpacked > _MOST_UNPACKED and unpacked > _MOST_TIMES * path.stat().st_size:
        raise InputError(
            f"{path} would unpack to {unpacked / 2**30:.3g} GiB, more than {_MOST_TIMES} times its "
            "size, so it was not read; save the array as .npy, or without compression"
        )


_MOST_UNPACKED = 1 << 30  # bytes
_MOST_TIMES = 20  # the size of the file; arrays of measured numbers hardly shrink to a half


def _of_numpy(path: Path, entry: str) -> Any:
    try:
        with path.open("rb") as stream:
            # Objects would have to be unpickled, and pickles can run any code.
            held = np.load(stream, allow_pickle=False)
            if not isinstance(held, np.ndarray):
                return held[_choose(path, entry, held.files)]
    except InputError:
        raise
    except (ValueError, EOFError, OSError, zipfile.BadZipFile) as error:
        raise _refused(path, error) from error
    if entry:
        raise InputError(f"{path} holds one array and no entries; got {entry!r}")
    return held


def _refused(path: Path, error: Exception) -> InputError:
    if "pickle" in str(error):
        return InputError(
            f"{path} holds objects that would have to be unpickled, which can run any code, so it "
            "was not read; save arrays of numbers"
        )
    return InputError(
        f"expected {path} to be a file that numpy.save or savez wrote; {spell(error)}"
    )


def _of_a_framework(path: Path, entry: str, backend: Backend) -> Any:
    theirs = start("torch")
    held = theirs.targets.read(path)
    if isinstance(held, (list, tuple)):
        held = {str(place): one for place, one in enumerate(held)}
    if isinstance(held, Mapping):
        named = {str(name): one for name, one in held.items()}
        held = named[_choose(path, entry, list(named))]
    elif entry:
        raise InputError(f"{path} holds one tensor and no entries; got {entry!r}")
    if not theirs.is_array(held):
        raise InputError(f"expected a tensor in {path}; got {type(held).__name__}")
    return held if theirs is backend else theirs.numbers(held)


def _choose(path: Path, entry: str, names: list[str]) -> str:
    """Return the entry asked for; a file's only one need not be named."""
    if entry in names:
        return entry
    if not entry and len(names) == 1:
        return names[0]
    listed = ", ".join(names) or "nothing"
    if entry:
        raise InputError(f"{path} has no entry {entry!r}; it holds {listed}")
    raise InputError(
        f"expected one entry of {path} to be named, as {path}:{names[0] if names else 'NAME'}; it "
        f"holds {listed}"
    )
