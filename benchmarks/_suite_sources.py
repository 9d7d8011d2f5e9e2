"""Other projects' sources and what they need beside the framework, in a scratch folder.

A project comes as its source distribution, or from its repository where that holds no tests. What
lies in the folder already is taken as it is.
"""

from __future__ import annotations

import subprocess
import tarfile
from collections.abc import Sequence
from pathlib import Path

from _suite_projects import Project

__all__ = ["fetch", "install"]


def fetch(project: Project, folder: Path, python: str) -> Path:
    """Return a project's sources, unpacked."""
    source = folder / f"{project.name}-{project.version}"
    if not source.is_dir():
        (_clone if project.repository else _download)(project, folder, python)
    return source


def _clone(project: Project, folder: Path, _: str) -> None:
    part = folder / f"{project.name}-{project.version}.part"
    git = ["git", "-C", str(part)]
    _command(["git", "init", "-q", str(part)])
    _command([*git, "fetch", "-q", "--depth=1", project.repository, project.commit])
    _command([*git, "checkout", "-q", "FETCH_HEAD"])
    part.rename(part.with_suffix(""))


def _download(project: Project, folder: Path, python: str) -> None:
    pip = [python, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", project.name]
    place = ["-d", str(folder), project.requirement]
    # pip asks a source distribution for its name; some cannot say without the framework,
    # others not without a build backend of their own.
    alone = subprocess.run([*pip, "--no-build-isolation", *place], capture_output=True)
    if alone.returncode:
        _command([*pip, *place])
    with tarfile.open(next(folder.glob(f"{project.name}-{project.version}.tar.gz"))) as archive:
        archive.extractall(folder, filter="data")


def install(project: Project, folder: Path, python: str) -> Path:
    """Install what a project needs beside the framework, each without its own requirements."""
    target = folder / f"needs-{project.name}"
    if project.needs and not target.is_dir():
        pip = [python, "-m", "pip", "install", "-q", "--no-deps", "--target", str(target)]
        _command([*pip, *project.needs])
    return target


def _command(words: Sequence[str]) -> None:
    """Run a command that must succeed, and say what it said if it does not."""
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode:
        raise OSError(done.stderr.strip())
