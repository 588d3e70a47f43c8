"""Run the tests of each project folder alone: only what it declares is installed.

A plugin that imports an undeclared package passes in the shared environment and fails here. Takes
names of distributions to test only these. Siblings come from their folders in this repository.
Folders that cannot share an environment with the others are typed here besides; those with heavy
requirements are left out unless they are named or asked for.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from editable import build, note_origins
from workspace import ROOT, Project, projects, uv

TESTING = "sregym-core[testing]"


# Of large suites: as many parts as there are processors at work, times this. More even out better, and each reads
# its share of the files but restarts.
PARTS = 2
# A suite with less than this (bytes of tests) is never divided: it would begin more often than that saves.
WHOLE = 200_000


@dataclass(frozen=True)
class Result:
    """How it went for one folder, or for a part of its tests."""

    project: Project
    exit_code: int
    seconds: float
    processor_seconds: float
    output: str


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="distributions; all but the core when none given")
    # One more than processors: a third of the time of tests goes into waiting for what they started.
    parser.add_argument("-j", "--jobs", type=int, default=(os.cpu_count() or 1) + 1)
    parser.add_argument("--on-request", action="store_true", help="those with heavy requirements")
    options = parser.parse_args()
    known = projects()
    chosen = [
        p
        for p in known[1:]
        if p.name in options.names or (not options.names and p.is_on_request == options.on_request)
    ]
    unknown = sorted(set(options.names) - {project.name for project in chosen})
    if unknown:
        parser.error(f"no folder that is tested here holds {', '.join(unknown)}")
    # The largest suites first, so that the last minutes are not spent on one core.
    chosen.sort(key=lambda project: _weight(project.folder), reverse=True)
    # What would keep one core busy after all others have ended is run in parts.
    most = max(WHOLE, sum(_weight(p.folder) for p in chosen) // (PARTS * options.jobs))
    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(options.jobs) as pool:
        place, compiled = Path(scratch), Compiled()
        wheels = build(known, place)
        made = {pool.submit(make, project, place, wheels): project for project in chosen}
        tested: list[Future[Result]] = []
        making = []
        for future in as_completed(made):
            project = made[future]
            making.append(future.result())
            if making[-1].exit_code:
                continue
            note_origins(packages(place / project.name), known)
            shares = parts(project, most) if options.jobs > 1 else [[f"{project.relative}/tests"]]
            tested += [
                pool.submit(compiled.used, packages(place / project.name), run, project, commands)
                for commands in (checks(project, place, share) for share in shares)
            ]
        results = [result for result in making if result.exit_code]
        results += [future.result() for future in tested]
    return report(results, {result.project.name: result for result in making})


class Compiled:
    """What interpreters have compiled of packages, for the environments that come after.

    Installers put the same files into all of them. The interpreter compares age and size of a file with
    what it was compiled of, and compiles again what is another one; it never writes into a file that
    was linked. To compile what a suite imports takes longer than many suites.
    """

    def __init__(self) -> None:
        self._files: dict[Path, Path] = {}

    def used(
        self,
        site_packages: Path,
        work: Callable[[Project, list[list[str]]], Result],
        project: Project,
        commands: list[list[str]],
    ) -> Result:
        """Let an environment have what is compiled, do the work there, and keep what that compiled."""
        self.give(site_packages)
        result = work(project, commands)
        self.take(site_packages)
        return result

    def give(self, site_packages: Path) -> None:
        """Link what is compiled beside the files of an environment that has none of it."""
        for name, file in self._files.copy().items():
            place = site_packages / name
            if place.exists() or not _source(place).exists():
                continue
            place.parent.mkdir(exist_ok=True)
            with suppress(FileExistsError):  # the other part of a suite was faster
                place.hardlink_to(file)

    def take(self, site_packages: Path) -> None:
        """Remember what an environment has that none before had."""
        for file in site_packages.rglob("__pycache__/*.pyc"):
            # What pytest has rewritten is for its plugins alone.
            if "-pytest-" not in file.name:
                self._files.setdefault(file.relative_to(site_packages), file)


def _source(compiled: Path) -> Path:
    return compiled.parent.parent / f"{compiled.name.partition('.')[0]}.py"


def report(results: list[Result], making: dict[str, Result]) -> int:
    """Print a line for each folder, or each part of one, and the whole output of those that failed."""
    print(f"{'distribution':28} {'':8} made + tested in s (processor)")
    for result in sorted(results, key=lambda result: result.project.relative):
        state = "ok" if result.exit_code == 0 else f"exit {result.exit_code}"
        lines = result.output.strip().splitlines()
        summary = lines[-1] if lines else ""
        name = result.project.name
        times = f"{_seconds(making[name])} + {_seconds(result)}"
        print(f"{name:28} {state:8} {times}  {summary}")
    spent = [sum(one.processor_seconds for one in many) for many in (making.values(), results)]
    print(
        f"{len(making)} folders: {spent[0]:.0f} s of processors to make, {spent[1]:.0f} s to test"
    )
    failed = [result for result in results if result.exit_code]
    for result in failed:
        print(f"\n===== {result.project.name}\n{result.output}")
    return 1 if failed else 0


def parts(project: Project, most: int) -> list[list[str]]:
    """Shares of its tests, each of about this weight at most: files and folders of `tests`.

    A process of its own for each reads its files alone; with processes that share tests out each reads all.
    """
    whole = project.folder / "tests"
    if _weight(project.folder) <= most:
        return [[f"{project.relative}/tests"]]
    pieces = [whole]
    while large := [p for p in pieces if p.is_dir() and _weight(p) > most // 2]:
        pieces = [p for p in pieces if p not in large]
        pieces += [
            inner for folder in large for inner in sorted(folder.iterdir()) if _weight(inner)
        ]
    pieces = [p for p in pieces if p.is_dir() or p.name.startswith("test_")]
    number = -(-sum(map(_weight, pieces)) // most)
    shares: list[list[Path]] = [[] for _ in range(number)]
    for piece in sorted(pieces, key=_weight, reverse=True):
        min(shares, key=lambda share: sum(map(_weight, share))).append(piece)
    return [
        [path.relative_to(ROOT).as_posix() for path in sorted(share)] for share in shares if share
    ]


def make(project: Project, scratch: Path, wheels: dict[str, Path]) -> Result:
    """Make the environment of a project; from what was fetched before, if that is all that it needs."""
    commands = install(project, scratch, wheels)
    if project.pins:
        offline = run(project, [commands[0], [*commands[1], "--offline"]])
        if offline.exit_code == 0:
            return offline
    return run(project, commands)


def install(project: Project, scratch: Path, wheels: dict[str, Path]) -> list[list[str]]:
    """Commands that make the environment of a project and install it, editable, as are its siblings.

    Args:
        project: Which one.
        scratch: Where environments are made, each named for its distribution.
        wheels: Editable installations of all distributions of this repository.
    """
    place = scratch / project.name
    siblings = scratch / f"{project.name}.txt"
    urls = [f"{name} @ {path.as_uri()}" for name, path in wheels.items()]
    siblings.write_text("\n".join(urls), encoding="utf-8")
    python = interpreter(project)
    # Pins of its own were found with its own Python; without that, those of all others hold.
    meant = not project.python or python != sys.executable
    pins = project.pins if meant else os.environ.get("UV_CONSTRAINT", "").split()
    words = [word for file in (*pins, str(siblings)) for word in ("--constraint", file)]
    if project.test_group:
        words += ["--group", f"{project.relative}/pyproject.toml:test"]
    if project.stands_alone:
        words += ["mypy", "types-pyyaml"]
    into = ("--quiet", "--python", str(place / "bin" / "python"))
    return [
        uv("venv", "--quiet", "--clear", "--python", python, str(place)),
        uv("pip", "install", "--no-sources", *into, project.name, TESTING, *words),
    ]


def interpreter(project: Project) -> str:
    """The Python for a project: the one that runs, unless the project needs another that there is.

    Where there is none, its tests say what they leave out.
    """
    if project.python:
        found = subprocess.run(
            uv("python", "find", "--offline", "--no-project", "--system", project.python),
            capture_output=True,
            text=True,
            check=False,
        )
        if found.returncode == 0:
            return found.stdout.strip()
    return sys.executable


def checks(project: Project, scratch: Path, tests: list[str]) -> list[list[str]]:
    """The commands that check it in its environment: tests, and types where nothing else does."""
    python = str(scratch / project.name / "bin" / "python")
    settings = str(ROOT / "pyproject.toml")
    again = [
        python,
        str(ROOT / "tools" / "again.py"),
        "--rootdir",
        str(ROOT),
        "-c",
        settings,
        *tests,
    ]
    if not project.stands_alone:
        return [again]
    # Named one by one: the settings leave out what stands alone.
    files = [str(path) for path in project.module_files()]
    version = ["--python-version", project.python] if project.python else []
    return [[python, "-m", "mypy", "--config-file", settings, *version, *files], again]


def packages(environment: Path) -> Path:
    """Where its packages lie, whatever version its Python has."""
    return next(environment.glob("lib/python3*/site-packages"))


def run(project: Project, commands: list[list[str]]) -> Result:
    """Run commands up to the first that fails."""
    start = time.monotonic()
    output, exit_code, processor = "", 0, 0.0
    # Who stands alone has other pins than the environment says. And what is compiled is kept: a suite
    # starts further processes, which would compile all of it again.
    foreign = ("PYTHONDONTWRITEBYTECODE", *(("UV_CONSTRAINT",) if project.stands_alone else ()))
    settings = {name: text for name, text in os.environ.items() if name not in foreign}
    for command in commands:
        # Programs that a requirement brings, such as kubectl, come before those of the machine.
        path = f"{Path(command[0]).parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
        with subprocess.Popen(
            command,
            cwd=ROOT,
            env={**settings, "PATH": path, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        ) as process:
            assert process.stdout is not None
            output += process.stdout.read()
            # With what it and all that it waited for have used.
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = exit_code = os.waitstatus_to_exitcode(status)
        processor += used.ru_utime + used.ru_stime
        if exit_code:
            break
    return Result(project, exit_code, time.monotonic() - start, processor, output)


def _seconds(result: Result) -> str:
    return f"{result.seconds:6.1f} ({result.processor_seconds:5.1f})"


def _weight(place: Path) -> int:
    """How much there is of tests in a file or folder, as bytes of it."""
    if place.is_file():
        return place.stat().st_size if place.suffix == ".py" else 0
    inside = (
        place.rglob("*.py")
        if place.name == "tests" or "tests" in place.parts
        else place.glob("tests/**/*.py")
    )
    return sum(path.stat().st_size for path in inside)


if __name__ == "__main__":
    sys.exit(main())
