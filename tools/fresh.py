"""Fresh environments with distributions of this repository, editable, and what these require.

They are built in this process: an installer would start one with a build system for each.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from editable import build, note_origins
from sregym_testing import FreshEnvironment
from workspace import projects

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path


def fresh_environment(
    place: Path, names: Iterable[str], extras: Mapping[str, str], *others: str
) -> FreshEnvironment:
    """A virtual environment with these distributions in it.

    Args:
        place: A folder that it is made in.
        names: Of distributions, of this repository or of an index.
        extras: Name -> extra, in brackets, with which it is installed.
        others: More words for the installer: folders of packages that are built.
    """
    needed, foreign = _needed(names)
    ours = [project for project in projects() if project.name in needed]
    environment = FreshEnvironment.create(place / "venv")
    wheels = build(ours, place)
    here = [f"{name}{extras.get(name, '')} @ {path.as_uri()}" for name, path in wheels.items()]
    environment.install(*foreign, *here, *others)
    [packages] = environment.folder.glob("lib/python3*/site-packages")
    note_origins(packages, ours)
    return environment


def _needed(names: Iterable[str]) -> tuple[set[str], list[str]]:
    """Distributions of this repository among them, with those that they require; and the others."""
    required = {
        project.name: [
            re.split(r"[^\w-]", line)[0] for line in project.settings["project"]["dependencies"]
        ]
        for project in projects()
    }
    found: set[str] = set()
    waiting = [*names]
    others = [name for name in waiting if name not in required]
    while waiting:
        name = waiting.pop()
        if name in required and name not in found:
            found.add(name)
            waiting += required[name]
    return found, others
