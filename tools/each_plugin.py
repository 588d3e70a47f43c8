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
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from editable import build, note_origins
from workspace import ROOT, Project, projects, uv

TESTING = "sregym-core[testing]"


@dataclass(frozen=True)
class Result:
    """How it went for one folder."""

    project: Project
    exit_code: int
    seconds: float
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
    # The largest suites first, so that the last minutes are not spent on one core.
    chosen.sort(key=_weight, reverse=True)
    # What would keep one core busy after all others have ended is run on several.
    share = sum(map(_weight, chosen)) / (2 * options.jobs)
    large = [project for project in chosen if options.jobs > 1 and _weight(project) > share]
    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(options.jobs) as pool:
        place = Path(scratch)
        wheels = build(known, place)
        made = [
            pool.submit(run, project, install(project, place, wheels, project in large))
            for project in chosen
        ]
        ready = {future.result().project: future.result() for future in made}
        for project in chosen:
            note_origins(packages(place / project.name), known)
        results = [result for result in ready.values() if result.exit_code]
        well = [project for project in chosen if not ready[project].exit_code]
        for project in large:
            if project in well:
                processes = ("-p", "xdist.plugin", "-n", str(options.jobs), "--dist", "worksteal")
                results.append(run(project, checks(project, place, *processes)))
        futures = [
            pool.submit(run, project, checks(project, place))
            for project in well
            if project not in large
        ]
        results += [future.result() for future in futures]
    return report(results, {project.name: result.seconds for project, result in ready.items()})


def report(results: list[Result], making: dict[str, float]) -> int:
    for result in sorted(results, key=lambda result: result.project.relative):
        state = "ok" if result.exit_code == 0 else f"exit {result.exit_code}"
        lines = result.output.strip().splitlines()
        summary = lines[-1] if lines else ""
        name = result.project.name
        print(f"{name:28} {state:8} {making[name]:6.1f} s + {result.seconds:6.1f} s  {summary}")
    failed = [result for result in results if result.exit_code]
    for result in failed:
        print(f"\n===== {result.project.name}\n{result.output}")
    return 1 if failed else 0


def install(
    project: Project, scratch: Path, wheels: dict[str, Path], several: bool
) -> list[list[str]]:
    """Commands that make the environment of a project and install it.

    The project itself is built by its own build system; what it requires of its siblings comes from
    `wheels`. With `several`, its tests can be run by several processes.
    """
    place = scratch / project.name
    siblings = scratch / f"{project.name}.txt"
    urls = [f"{name} @ {path.as_uri()}" for name, path in wheels.items() if name != project.name]
    siblings.write_text("\n".join(urls), encoding="utf-8")
    python = interpreter(project)
    # Pins of its own were found with its own Python; without that, those of all others hold.
    meant = not project.python or python != sys.executable
    pins = project.pins if meant else os.environ.get("UV_CONSTRAINT", "").split()
    words = [word for file in (*pins, str(siblings)) for word in ("--constraint", file)]
    if project.test_group:
        words += ["--group", f"{project.relative}/pyproject.toml:test"]
    if several:
        words.append("pytest-xdist")
    if project.stands_alone:
        words += ["mypy", "types-pyyaml"]
    into = ("--quiet", "--python", str(place / "bin" / "python"))
    return [
        uv("venv", "--quiet", "--python", python, str(place)),
        uv("pip", "install", "--no-sources", *into, "--editable", f"./{project.relative}", TESTING, *words),
    ]  # fmt: skip


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


def checks(project: Project, scratch: Path, *options: str) -> list[list[str]]:
    """The commands that check it in its environment: tests, and types where nothing else does."""
    commands = []
    if project.stands_alone:
        python = str(scratch / project.name / "bin" / "python")
        settings = str(ROOT / "pyproject.toml")
        # Named one by one: the settings leave out what stands alone.
        files = [str(path) for path in project.module_files()]
        version = ["--python-version", project.python] if project.python else []
        commands.append([python, "-m", "mypy", "--config-file", settings, *version, *files])
    return [*commands, tests(project, scratch, *options)]


def tests(project: Project, scratch: Path, *options: str) -> list[str]:
    """The command that runs its tests in its environment."""
    return [
        *(str(scratch / project.name / "bin" / "python"), str(ROOT / "tools" / "again.py")),
        *("--rootdir", str(ROOT), "-c", str(ROOT / "pyproject.toml"), *options),
        f"{project.relative}/tests",
    ]


def packages(environment: Path) -> Path:
    """Where its packages lie, whatever version its Python has."""
    return next(environment.glob("lib/python3*/site-packages"))


def run(project: Project, commands: list[list[str]]) -> Result:
    """Run commands up to the first that fails."""
    start = time.monotonic()
    output, exit_code = "", 0
    # Who stands alone has other pins than the environment says.
    foreign = ("UV_CONSTRAINT",) if project.stands_alone else ()
    settings = {name: text for name, text in os.environ.items() if name not in foreign}
    for command in commands:
        # Programs that a requirement brings, such as kubectl, come before those of the machine.
        path = f"{Path(command[0]).parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
        done = subprocess.run(
            command,
            cwd=ROOT,
            env={**settings, "PATH": path, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
            check=False,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        output += done.stdout
        exit_code = done.returncode
        if exit_code:
            break
    return Result(project, exit_code, time.monotonic() - start, output)


def _weight(project: Project) -> int:
    return sum(path.stat().st_size for path in project.folder.glob("tests/**/*.py"))


if __name__ == "__main__":
    sys.exit(main())
