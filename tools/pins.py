"""Write `constraints.txt`: name and version of everything that tox installs, and nothing else.

Run as `tox -e pins`, which installs the newest of everything first. Folders that stand alone get a file
of their own, from an environment that is made for it.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from importlib.metadata import Distribution, distributions
from pathlib import Path

from each_plugin import install, packages
from editable import build
from workspace import ROOT, Project, projects

HEAD_ALONE = "# Names and versions of everything that this folder is tested with, alone. Written by: tox -e pins\n"
HEAD = "# Names and versions of everything that tox installs. Written by: tox -e pins\n"


def main() -> int:
    own = {project.name for project in projects()} | {"sregym", "pip"}
    for project in projects():
        if project.stands_alone:
            with tempfile.TemporaryDirectory() as scratch:
                path = alone(project, Path(scratch))
                write(
                    project.folder / "constraints.txt", HEAD_ALONE, distributions(path=[path]), own
                )
    write(ROOT / "constraints.txt", HEAD, distributions(), own)
    return 0


def alone(project: Project, scratch: Path) -> str:
    """Make the environment of a folder with the newest of everything; where its packages lie."""
    for command in install(project, scratch, build(projects(), scratch)):
        subprocess.run(command, cwd=ROOT, check=True)
    return str(packages(scratch / project.name))


def write(file: Path, head: str, found: Iterable[Distribution], own: set[str]) -> None:
    """Write pins of distributions, the project's own left out."""
    pins = {}
    for one in found:
        name = re.sub(r"[-_.]+", "-", one.metadata["Name"]).lower()
        if name not in own:
            pins[name] = one.version
    lines = sorted(f"{name}=={version}\n" for name, version in pins.items())
    file.write_text(head + "".join(lines), encoding="utf-8")
    print(f"{file}: {len(lines)} pins")


if __name__ == "__main__":
    sys.exit(main())
