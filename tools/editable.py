"""Editable installations of project folders, built in this process.

An installer starts a process with a build system for each folder; for all of them that takes longer
than everything else of an installation.
"""

from __future__ import annotations

import json
import os
from importlib.metadata import distributions
from pathlib import Path
from typing import TYPE_CHECKING

from hatchling.build import build_editable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from workspace import Project


def build(projects: Sequence[Project], place: Path) -> dict[str, Path]:
    """Build what editable installations put in place; wheels by the names of their distributions."""
    before = Path.cwd()
    wheels = {}
    try:
        for project in projects:
            os.chdir(project.folder)
            wheels[project.name] = place / build_editable(str(place))
    finally:
        os.chdir(before)
    return wheels


def note_origins(packages: Path, projects: Sequence[Project]) -> None:
    """Write down where distributions come from, as `pip install --editable` does (PEP 610).

    Args:
        packages: The `site-packages` into which such wheels were installed.
        projects: What may have been installed.
    """
    folders = {project.name: project.folder for project in projects}
    for found in distributions(path=[str(packages)]):
        folder = folders.get(found.metadata["Name"])
        if folder is None:
            continue
        origin = {"url": folder.as_uri(), "dir_info": {"editable": True}}
        [record] = packages.glob(f"{folder.name.replace('-', '_')}-*.dist-info/direct_url.json")
        record.unlink()  # it may be one file with the installer's cache
        record.write_text(json.dumps(origin), encoding="utf-8")
