"""Install every project folder, editable, with what its tests need, into this environment.

Pins come from `UV_CONSTRAINT`, which `tox.ini` sets and the `latest` environment does not. What an
editable installation depends on is written down afterwards, and nothing is done while it stays.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tempfile
from importlib.metadata import distribution
from pathlib import Path

from hatchling.build import build_editable
from workspace import ROOT, Project, projects, uv

STAMP = Path(sys.prefix) / "installed.digest"


def main() -> int:
    wanted = digest()
    if STAMP.exists() and STAMP.read_text(encoding="utf-8") == wanted:
        return 0
    found = projects()
    groups = [
        word
        for project in found
        if project.test_group
        for word in ("--group", f"{project.relative}/pyproject.toml:test")
    ]
    with tempfile.TemporaryDirectory() as folder:
        wheels = [built(project, Path(folder)) for project in found]
        again = [word for project in found for word in ("--reinstall-package", project.name)]
        arguments = ["pip", "install", "--quiet", "--no-sources", "--python", sys.executable]
        exit_code = subprocess.call(uv(*arguments, *again, *groups, *wheels), cwd=ROOT)
    if exit_code == 0:
        for project in found:
            note_origin(project)
        STAMP.write_text(wanted, encoding="utf-8")
    return exit_code


def built(project: Project, place: Path) -> str:
    """Build what an editable installation puts in place.

    All in this process, with the hatchling that stands here: an installer starts one for each of
    twenty folders, which takes longer than everything else.
    """
    os.chdir(project.folder)
    return str(place / build_editable(str(place)))


def note_origin(project: Project) -> None:
    """Write down where a distribution comes from, as `pip install --editable` does (PEP 610)."""
    record = next(
        Path(str(file.locate()))
        for file in distribution(project.name).files or ()
        if file.name == "direct_url.json"
    )
    origin = {"url": project.folder.as_uri(), "dir_info": {"editable": True}}
    record.unlink()  # it may be one file with the installer's cache
    record.write_text(json.dumps(origin), encoding="utf-8")


def digest() -> str:
    """Of every `pyproject.toml`, and of the pins that are in force."""
    files = [project.folder / "pyproject.toml" for project in projects()]
    if "UV_CONSTRAINT" in os.environ:
        files.append(Path(os.environ["UV_CONSTRAINT"]))
    contents = hashlib.blake2b(digest_size=16)
    for file in files:
        contents.update(f"{file}\n".encode() + file.read_bytes())
    return contents.hexdigest()


if __name__ == "__main__":
    sys.exit(main())
