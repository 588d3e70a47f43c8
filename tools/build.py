"""Build every distribution of this repository: `python tools/build.py dist` makes a folder of wheels.

It needs hatchling, and builds in its own process: with an environment for each distribution this takes
minutes. `pip install --find-links dist sregym` installs from such a folder.
"""

from __future__ import annotations

import argparse
import os
import sys
import tarfile
import tempfile
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from hatchling.build import build_sdist, build_wheel
from workspace import ROOT, Project, projects


@dataclass(frozen=True)
class Built:
    """What was built of one distribution.

    Attributes:
        project: Its folder.
        wheel: The wheel.
        sdist: The source distribution.
        again: The wheel as built from the source distribution, and the source distribution a second time.
    """

    project: Project
    wheel: Path
    sdist: Path
    again: tuple[Path, Path]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="where the wheels go; made when missing")
    parser.add_argument("names", nargs="*", help="distributions; all when none given")
    options = parser.parse_args()
    place = options.folder.resolve()
    place.mkdir(parents=True, exist_ok=True)
    chosen = [p for p in distributions() if p.name in options.names or not options.names]
    unknown = sorted(set(options.names) - {project.name for project in chosen})
    if unknown:
        parser.error(f"no folder of this repository holds {', '.join(unknown)}")
    with ProcessPoolExecutor() as pool:
        count = len(list(pool.map(_wheel, chosen, [place] * len(chosen))))
    print(f"{count} wheels in {options.folder}")
    return 0


def distributions() -> list[Project]:
    """The root, which brings what the quick start needs, then all project folders."""
    return [Project(ROOT), *projects()]


def build_all(chosen: list[Project], place: Path) -> list[Built]:
    """Build wheels and source distributions, each twice, on all processors.

    Args:
        chosen: What to build.
        place: Folder for the results: wheels and source distributions in it, the second ones in `again`.
    """
    with ProcessPoolExecutor() as pool:
        return list(pool.map(_twice, chosen, [place] * len(chosen)))


def _twice(project: Project, place: Path) -> Built:
    again = place / "again"
    again.mkdir(parents=True, exist_ok=True)
    wheel, sdist = _wheel(project, place), _built(build_sdist, project.folder, place)
    second = _built(build_sdist, project.folder, again)
    with tempfile.TemporaryDirectory() as scratch:
        with tarfile.open(sdist) as archive:
            archive.extractall(scratch, filter="data")
        [unpacked] = Path(scratch).iterdir()
        return Built(project, wheel, sdist, (_built(build_wheel, unpacked, again), second))


def _wheel(project: Project, place: Path) -> Path:
    return _built(build_wheel, project.folder, place)


def _built(build, folder: Path, place: Path) -> Path:
    before = Path.cwd()
    os.chdir(folder)
    try:
        return place / build(str(place))
    finally:
        os.chdir(before)


if __name__ == "__main__":
    sys.exit(main())
